/**
 * The operator's listener: a door of its own, on loopback only, for whoever holds the token.
 *
 * Calls    under /operator/. Answers are `{ok: true, data}` or `{ok: false, error: {code, message}}`, whatever happens
 * Token    `Authorization: Bearer` with the content of <data>/operator-token, compared in constant time; without it nothing
 *          under /operator/ is told, not even what there is
 * Desk     the operator's page at `/`, which asks for the token and calls like anybody else (terminal/)
 * Log      what changes something is a line; what only reads is one at level debug, for a desk reads all the time
 * Not here what the calls do (calls.ts); health and metrics, which need no token (health.ts, metrics.ts)
 * Source   design.md §6; reliability.md API8, S6
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { CommandNotSequenced, EngineRebuilding, OutcomeUnknown } from '../runtime/runtime.ts'
import { serveDesk } from '../terminal/terminal.ts'
import { type OperatorPorts, operatorCalls } from './calls.ts'
import { CallRefused } from './refusals.ts'

const loopback = '127.0.0.1'
const prefix = '/operator'
const bodyBytesMax = 1024 * 1024

export interface OperatorListener {
  readonly url: string
  /** Takes no more calls and lets those that run finish. */
  close(): Promise<void>
}

export interface OperatorListenerOptions {
  readonly port: number
  readonly token: string
  readonly log: Logger
}

export async function openOperatorListener(
  ports: OperatorPorts,
  { port, token, log }: OperatorListenerOptions,
): Promise<OperatorListener> {
  const server = Fastify({
    logger: false,
    bodyLimit: bodyBytesMax,
    forceCloseConnections: 'idle',
    http: { requireHostHeader: false },
    frameworkErrors: (error, _request, reply) => void answerError(reply, 400, 'request-wrong', error.message),
    clientErrorHandler: (_error, socket) => answerBroken(socket),
  })
  takeEveryBodyAsJson(server)
  server.setErrorHandler<FastifyError>(async (error, request, reply) => {
    if (error instanceof CallRefused) return answerError(reply, error.status, error.code, error.message)
    if (error instanceof CommandNotSequenced) {
      return answerError(reply, 503, 'not-sequenced', 'the venue takes no commands; nothing was changed')
    }
    if (error instanceof EngineRebuilding) {
      return answerError(
        reply,
        503,
        'engine-rebuilding',
        'a command broke the engine; it is back in a moment, ask again',
      )
    }
    if (error instanceof OutcomeUnknown) {
      return answerError(reply, 504, 'outcome-unknown', 'what became of the command is not known')
    }
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return answerError(reply, error.statusCode, 'request-wrong', error.message)
    }
    log.error({ err: error, call: `${request.method} ${request.url.split('?')[0]}` }, 'an operator call broke')
    return answerError(reply, 500, 'unexpected', 'the venue could not do it; its log says why')
  })

  serveDesk(server)
  await server.register(async (calls) => serveCalls(calls, ports, { token, log }), { prefix })
  server.setNotFoundHandler(answerUnknown)

  await server.listen({ host: loopback, port })
  const { port: taken } = server.server.address() as AddressInfo
  return { url: `http://${loopback}:${taken}`, close: async () => server.close() }
}

/** Nobody without the token learns which calls there are. */
function serveCalls(
  calls: FastifyInstance,
  ports: OperatorPorts,
  { token, log }: Omit<OperatorListenerOptions, 'port'>,
): void {
  const expected = digest(`Bearer ${token}`)
  calls.addHook('onRequest', async (request, reply) => {
    if (timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) return
    await answerError(reply, 401, 'token-wrong', 'Authorization: Bearer with the content of operator-token is required')
  })
  for (const { method, path, run } of operatorCalls) {
    const level = method === 'GET' ? 'debug' : 'info'
    calls.route({
      method,
      url: path.slice(prefix.length),
      handler: async (request) => {
        if (ports.core.rebuilt !== undefined) await ports.core.rebuilt
        const data = await run(method === 'GET' ? request.query : request.body, ports)
        log[level]({ call: `${method} ${path}` }, 'operator call')
        return { ok: true, data }
      },
    })
  }
  calls.setNotFoundHandler(answerUnknown)
}

/** Whatever the content type says, or if there is none: curl says "form" unless told otherwise. */
function takeEveryBodyAsJson(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') return done(null, undefined)
    try {
      done(null, JSON.parse(text as string))
    } catch {
      done(new CallRefused(400, 'body-wrong', 'the body must be JSON'))
    }
  })
}

async function answerUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return answerError(reply, 404, 'call-unknown', `there is no call ${request.method} ${request.url.split('?')[0]}`)
}

function answerError(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  return reply.code(status).send({ ok: false, error: { code, message } })
}

/** What is no HTTP has no request to answer, only a socket. */
function answerBroken(socket: Duplex): void {
  if (!socket.writable) return void socket.destroy()
  const body = '{"ok":false,"error":{"code":"request-wrong","message":"the request is not HTTP"}}'
  const head = `content-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close`
  socket.end(`HTTP/1.1 400 Bad Request\r\n${head}\r\n\r\n${body}`)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
