/**
 * The HTTP listener: plain requests go from the socket to the edge (plain-requests.ts), node:http and fastify take all others,
 * and everything that never reaches an endpoint gets an envelope.
 *
 * Bodies     kept as raw bytes (the signature covers them), at most 1 MiB; any content type is received, the edge
 *            refuses what is not JSON
 * HEAD       of what is no endpoint (health, metrics, pages) is its GET without a body; endpoints have none
 * Unknown    path 404 (`40404`), path of the first version 30032, method 405 (CONNECT too); target over 8 KiB 414, headers
 *            over 16 KiB 431, body too large 413, an expectation that is not 100-continue 417, broken HTTP 400: always
 *            the envelope, never a stack
 * Half open  a client that closes its side behind the request gets its answer, then the connection ends
 * Too many   connections are closed at once; those that are there are served. Of requests: what would be new work is
 *            answered 503 (40015) before fastify, its body and its signature cost anything (admission.ts)
 * Host       is not asked for: nothing depends on it
 * Source     design.md §4.4, §4.38
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import type { Admission } from './admission.ts'
import {
  type AnswerHeaders,
  type BrokenRequest,
  brokenRequestStatus,
  drain,
  endSocket,
  targetBytesMax,
} from './broken-requests.ts'
import { type Endpoint, isNewWork } from './endpoint.ts'
import { ApiError, localeOf } from './errors.ts'
import { HttpServer } from './http-server.ts'
import { bodyBytesMax, contentType, keepAliveMs, pathOf, plainRequests } from './plain-requests.ts'
import { type Edge, failure, type IncomingRequest, type Outgoing, prepareRoute, type Route } from './serve.ts'

const headerBytesMax = 16 * 1024

export interface Answered {
  /** Undefined when no endpoint was reached. */
  readonly endpoint: Endpoint | undefined
  readonly httpStatus: number
  readonly code: string
  readonly durationMs: number
  /** What the client named its request, or we did; the answer repeats it. Undefined for what was refused unread. */
  readonly requestId?: string
  /** Of the command that it sent, in the journal. */
  readonly sequence?: number | undefined
}

export interface ServerParts {
  readonly endpoints: readonly Endpoint[]
  readonly edge: Edge
  readonly admission: Admission
  readonly now: () => number
  readonly onTrouble: (trouble: unknown, endpoint: Endpoint | undefined, requestId: string | undefined) => void
  readonly onAnswered: ((answered: Answered) => void) | undefined
  readonly upgrades: (path: string) => boolean
  readonly connectionsMax: number | undefined
}

export function createServer(parts: ServerParts): FastifyInstance {
  const { endpoints, edge, now, onTrouble, onAnswered, upgrades, connectionsMax } = parts
  const routes = endpoints.map(prepareRoute)
  const requestId = requestIds()
  const answerTo = async (route: Route, request: IncomingRequest): Promise<Outgoing> => {
    const startedAt = performance.now()
    const answered = await edge.serve(route, request)
    const durationMs = performance.now() - startedAt
    const { httpStatus, code, sequence } = answered
    onAnswered?.({ endpoint: route.endpoint, httpStatus, code, sequence, durationMs, requestId: request.requestId })
    return answered
  }
  const refuse = refuserOf(parts)
  const isClosing = () => !app.server.listening
  const app = Fastify({
    logger: false,
    bodyLimit: bodyBytesMax,
    genReqId: ({ headers }) => requestId(headers),
    return503OnClosing: false,
    serverFactory: (serve) => {
      const http = {
        maxHeaderSize: headerBytesMax,
        requireHostHeader: false,
        shouldUpgradeCallback: ({ url = '' }: IncomingMessage) => upgrades(pathOf(url)),
        keepAliveTimeout: keepAliveMs,
        requestTimeout: 30_000,
      }
      const serveOther = (request: IncomingMessage, response: ServerResponse) => {
        const refused = refuse(askedBy(request))
        if (refused === undefined) serve(request, response)
        else writeEnvelope(response, refused)
      }
      const plain = plainRequests({
        routes,
        refuse,
        answer: answerTo,
        requestId,
        isClosing,
        onCutOff: (socket) => refuseSocket(socket, new ApiError('40409', [], 400), now()),
        onTrouble,
      })
      return new HttpServer(http, serveOther, plain)
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error as unknown as BrokenRequest, socket, now()),
    frameworkErrors: (_error, request, reply) => {
      const badUrl = new ApiError('40017', ['the URL should be percent-encoded UTF-8'])
      sendEnvelope(reply, failure(badUrl, localeOfHeaders(request), now()))
    },
    routerOptions: { querystringParser: () => ({}) },
  })
  if (connectionsMax !== undefined) app.server.maxConnections = connectionsMax
  // A client that has said all that it has to say still waits for its answer.
  Object.assign(app.server, { httpAllowHalfOpen: true })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.addHook('onRequest', (request, _reply, done) => {
    done(request.url.length > targetBytesMax ? new ApiError('40409', [], 414) : undefined)
  })

  // What Node would answer by itself, in a way of its own.
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    writeEnvelope(response, failure(new ApiError('40409', [], 417), 'en-US', now()), { connection: 'close' })
  })
  app.server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    refuseSocket(socket, new ApiError('40405', ['CONNECT'], 405), now())
  })

  const methods = new Map<string, string[]>()
  app.addHook('onRoute', ({ method, url }) => {
    methods.set(url, [...(methods.get(url) ?? []), ...[method].flat()])
  })
  for (const route of routes) {
    const { method, path } = route.endpoint
    app.route({
      method,
      url: path,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const asked = { ...askedBy(request.raw), body: request.body as Buffer | undefined, requestId: request.id }
        const answered = await answerTo(route, asked)
        if (isClosing()) reply.header('connection', 'close')
        return sendEnvelope(reply, answered)
      },
    })
  }

  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url)
    const allowed = methods.get(path)
    if (allowed) reply.header('allow', allowed.join(', '))
    const answer = failure(notFound(path, allowed !== undefined, request.method), localeOfHeaders(request), now())
    onAnswered?.({ endpoint: undefined, ...answer, durationMs: 0, requestId: request.id })
    return sendEnvelope(reply, answer)
  })

  app.setErrorHandler(async (error, request, reply) => {
    const answer = transportError(error)
    if (answer.httpStatus >= 500) onTrouble(error, undefined, request.id)
    if (answer.httpStatus === 413) await drain(request.raw)
    return sendEnvelope(reply, failure(answer, localeOfHeaders(request), now()))
  })
  return app
}

/** The answer to what the venue has no time for; undefined: it has. */
function refuserOf({ endpoints, admission, now, onAnswered }: ServerParts) {
  const newWork = new Map(endpoints.filter(isNewWork).map((endpoint) => [`${endpoint.path}`, endpoint]))
  const overloaded = new ApiError('40015', [], 503)
  return ({ method, target, headers }: Pick<Asked, 'method' | 'target' | 'headers'>): Outgoing | undefined => {
    const endpoint = method === 'POST' ? newWork.get(pathOf(target)) : undefined
    if (endpoint === undefined || admission.takes()) return undefined
    const answer = failure(overloaded, localeOfHeaders({ headers }), now())
    onAnswered?.({ endpoint, ...answer, durationMs: 0 })
    return answer
  }
}

type Asked = Omit<IncomingRequest, 'body' | 'requestId'>

function askedBy({ method = '', url = '', headers, socket }: IncomingMessage): Asked {
  return { method, target: url, headers, socketAddress: socket.remoteAddress ?? '' }
}

/**
 * The client's own name of a request (`X-Request-Id`) if a log can hold it as it is; else one of ours, which differ also
 * from those of an earlier run.
 */
function requestIds(): (headers: IncomingRequest['headers']) => string {
  const run = Date.now().toString(36)
  let count = 0
  return (headers) => {
    const named = headers['x-request-id']
    return typeof named === 'string' && /^[\w.:-]{1,64}$/.test(named) ? named : `${run}-${((count += 1)).toString(36)}`
  }
}

/** The whole answer to a request that fastify did not get. */
function writeEnvelope(
  response: ServerResponse,
  { httpStatus, headers, body }: Outgoing,
  more: AnswerHeaders = {},
): void {
  const length = Buffer.byteLength(body)
  response.writeHead(httpStatus, { 'content-type': contentType, 'content-length': length, ...headers, ...more })
  response.end(body)
}

function sendEnvelope(reply: FastifyReply, answer: Outgoing): FastifyReply {
  return reply
    .code(answer.httpStatus)
    .headers(answer.headers)
    .header('content-type', contentType)
    .header('x-request-id', reply.request.id)
    .send(answer.body)
}

function localeOfHeaders({ headers: { locale } }: Pick<Asked, 'headers'>): ReturnType<typeof localeOf> {
  return localeOf(typeof locale === 'string' ? locale : undefined)
}

function notFound(path: string, pathKnown: boolean, method: string): ApiError {
  if (pathKnown) return new ApiError('40405', [method], 405)
  return path.startsWith('/api/v1/') || /^\/api\/(?:spot|mix|margin|user|broker)\/v1\//.test(path)
    ? new ApiError('30032', [], 404)
    : new ApiError('40404', [], 404)
}

/** What fastify found wrong before or around a handler. */
function transportError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { code, statusCode } = error as { readonly code?: string; readonly statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new ApiError('40017', [`body should have at most ${bodyBytesMax} bytes`], 413)
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new ApiError('40007')
  return statusCode !== undefined && statusCode < 500
    ? new ApiError('40409', [], statusCode)
    : new ApiError('40015', [], 500, { cause: error })
}

/** A request that the HTTP parser gave up on: there is no request to answer, only a socket. */
function answerBrokenRequest(error: BrokenRequest, socket: Duplex, requestTime: number): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  refuseSocket(socket, new ApiError('40409', [], brokenRequestStatus(error)), requestTime)
}

/** The envelope where there is only a socket to write it to, and the last on it. */
export function refuseSocket(socket: Duplex, error: ApiError, requestTime: number, headers?: AnswerHeaders): void {
  endSocket(socket, error.httpStatus, failure(error, 'en-US', requestTime).body, headers)
}
