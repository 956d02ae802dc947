/**
 * A port for whoever watches a process: its health and its metrics, and nothing else. It needs no key and changes nothing.
 *
 * For   cores and writers of history, to which no client speaks, and gateways whose port is behind a proxy
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Page } from '../http/http.ts'
import { placeOf } from './config/schema.ts'
import { CannotStart } from './data-directory.ts'

const connectionsMax = 100
const json = 'application/json; charset=utf-8'

/** Answers how to end it. Rejects with CannotStart. */
export async function openStatusListener(status: string, pages: readonly Page[]): Promise<() => Promise<void>> {
  const server = createServer((request, response) => void answer(request, response, pages))
  server.maxConnections = connectionsMax
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new CannotStart(`--status ${status}: cannot listen there: ${cause.message}`, { cause })),
    )
    server.listen(placeOf(status), resolve)
  })
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
}

async function answer(request: IncomingMessage, response: ServerResponse, pages: readonly Page[]): Promise<void> {
  const [path] = (request.url ?? '').split('?')
  const page = request.method === 'GET' ? pages.find((one) => one.path === path) : undefined
  if (page === undefined) return void response.writeHead(404).end()
  try {
    const head = { method: 'GET', target: request.url!, headers: request.headers }
    const { httpStatus, headers, body } = await page.answer(head)
    response.writeHead(httpStatus, { 'content-type': json, ...headers }).end(body)
  } catch {
    response.writeHead(500).end()
  }
}
