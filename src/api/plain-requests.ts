/**
 * The way of almost every request: for an endpoint as the table spells it, with a body of a stated length or none. It goes
 * from node:http to the edge and back past fastify, whose own way costs a quarter of all that a bare server does for a
 * signed order (docs/performance.md).
 *
 * Left     to fastify: everything else, also bodies in chunks or too large, long targets and other spellings of a path
 * Same     edge, envelope and headers on both ways; the body of a GET is no part of it
 * Closing  the answer is the last on its connection: nobody waits for a client that has no more to say
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Outgoing, Route } from './serve.ts'

export const bodyBytesMax = 1024 * 1024
export const targetBytesMax = 8 * 1024
export const contentType = 'application/json; charset=utf-8'

export interface PlainRequestParts {
  readonly routes: readonly Route[]
  readonly answer: (
    route: Route,
    request: IncomingMessage,
    body: Buffer | undefined,
    requestId: string,
  ) => Promise<Outgoing>
  readonly requestId: (request: IncomingMessage) => string
  readonly isClosing: () => boolean
  readonly onTrouble: (trouble: unknown, endpoint: Route['endpoint'], requestId: string) => void
}

/** Takes such a request and says so; of any other it touches nothing. */
export function plainRequests(
  parts: PlainRequestParts,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const routes = { GET: new Map<string, Route>(), POST: new Map<string, Route>() }
  for (const route of parts.routes) routes[route.endpoint.method].set(route.endpoint.path, route)
  return (request, response) => {
    const { method, url = '', headers } = request
    const route = method === 'POST' || method === 'GET' ? routes[method].get(pathOf(url)) : undefined
    const bodyBytes = Number(headers['content-length'] ?? 0)
    const isChunked = headers['transfer-encoding'] !== undefined
    if (route === undefined || url.length > targetBytesMax || bodyBytes > bodyBytesMax || isChunked) return false
    if (bodyBytes === 0 || method === 'GET') void serve(parts, route, request, response, undefined)
    else readBody(request, (body) => void serve(parts, route, request, response, body))
    return true
  }
}

export function pathOf(target: string): string {
  const mark = target.indexOf('?')
  return mark < 0 ? target : target.slice(0, mark)
}

/** A client that goes away on the way is not heard of again. */
function readBody(request: IncomingMessage, take: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => take(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
}

async function serve(
  { answer, requestId, isClosing, onTrouble }: PlainRequestParts,
  route: Route,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer | undefined,
): Promise<void> {
  const id = requestId(request)
  try {
    const outgoing = await answer(route, request, body, id)
    if (isClosing()) response.setHeader('connection', 'close')
    writeEnvelope(response, outgoing, { 'x-request-id': id })
  } catch (trouble) {
    onTrouble(trouble, route.endpoint, id)
    response.destroy()
  }
}

/** The whole answer to a request that did not come through fastify. */
export function writeEnvelope(
  response: ServerResponse,
  { httpStatus, headers, body }: Outgoing,
  more: Readonly<Record<string, string>> = {},
): void {
  const length = Buffer.byteLength(body)
  response.writeHead(httpStatus, { 'content-type': contentType, 'content-length': length, ...headers, ...more })
  response.end(body)
}
