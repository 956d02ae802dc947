/**
 * The operator's listener: a door of its own, on loopback or behind TLS, for whoever holds the token.
 *
 * Calls    under /operator/. Answers are `{ok: true, data}` or `{ok: false, error: {code, message, fields?}}`,
 *          whatever happens
 * Token    `Authorization: Bearer` with the content of <data>/operator-token, compared in constant time; without it nothing
 *          under /operator/ is told, not even what there is
 * Live     /operator/events pushes what calls answer as it changes (live.ts)
 * Desk     the operator's page at `/`, which asks for the token and calls like anybody else (terminal/)
 * Trail    what changes something is noted with who says to have done it (noted.ts)
 * Log      what changes something is a line; what only reads is one at level debug, for a desk reads all the time
 * Metrics  at /metrics without the token, where the public port does not tell them (public-pages.ts)
 * Not here what the calls do (calls/)
 * Source   design.md §6; reliability.md API8, S6
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import {
  type BrokenRequest,
  brokenRequestStatus,
  drain,
  endSocket,
  HttpServer,
  type Page,
  type Tls,
  TurnShare,
} from '../http/http.ts'
import type { EventConsumer } from '../runtime/runtime.ts'
import { deskPages } from '../terminal/terminal.ts'
import { isLoopback } from './address-range.ts'
import { errorShown, faultOf, liveAnswersOf } from './answering.ts'
import { type OperatorPorts, operatorCalls } from './calls/calls.ts'
import { CallRefused } from './calls/refusals.ts'
import type { LiveAnswers } from './live.ts'
import { makeNoted } from './noted.ts'

const prefix = '/operator'
const bodyBytesMax = 1024 * 1024
/** There are files for them besides those of the clients (open-files.ts). */
const connectionsMax = 100
const httpOptions = { requireHostHeader: false, keepAliveTimeout: 72_000, requestTimeout: 30_000 }

export interface OperatorListener {
  readonly url: string
  /** Wants to know what happens, for those who watch. */
  readonly consumer: EventConsumer
  /** Takes no more calls and lets those that run finish. */
  close(): Promise<void>
}

export interface OperatorListenerOptions {
  /** Absent: loopback. Beyond that it needs `tls`. */
  readonly host?: string
  readonly port: number
  readonly token: string
  readonly log: Logger
  /** What is served besides the desk, without the token. */
  readonly pages?: readonly Page[]
  /** Spoken beyond loopback alone: nobody reads along there. */
  readonly tls?: Tls | undefined
}

export async function openOperatorListener(
  ports: OperatorPorts,
  { host = '127.0.0.1', port, token, log, tls, pages = [] }: OperatorListenerOptions,
): Promise<OperatorListener> {
  const isOpen = !isLoopback(host)
  if (isOpen && tls === undefined) throw new Error(`the operator's listener needs TLS on ${host}`)
  const secured = isOpen && tls !== undefined ? { by: tls, onPlain: answerPlain } : undefined
  const server = Fastify({
    logger: false,
    bodyLimit: bodyBytesMax,
    serverFactory: (serve) => new HttpServer({ options: httpOptions, serve, share: new TurnShare(), tls: secured }),
    frameworkErrors: (error, _request, reply) => void answerError(reply, 400, 'request-wrong', error.message),
    clientErrorHandler: (error, socket) => answerBroken(error as unknown as BrokenRequest, socket),
  })
  takeEveryBodyAsJson(server)
  server.setErrorHandler<FastifyError>(async (error, request, reply) => {
    const fault = faultOf(error, `${request.method} ${request.url.split('?')[0]}`, log)
    if (fault.status === 413) await drain(request.raw)
    return reply.code(fault.status).send({ ok: false, error: errorShown(fault) })
  })
  const live = liveAnswersOf(ports, log)
  server.addHook('preClose', async () => live.close())

  for (const { path, answer } of [...deskPages(), ...pages]) {
    server.get(path, async (request, reply) => {
      const { httpStatus, headers, body } = await answer({
        method: 'GET',
        target: request.url,
        headers: request.headers,
      })
      return reply.code(httpStatus).headers(headers).send(body)
    })
  }
  await server.register(async (calls) => serveCalls(calls, ports, live, { token, log }), { prefix })
  server.setNotFoundHandler(answerUnknown)

  server.server.maxConnections = connectionsMax
  const address = await server.listen({ host, port })
  const url = isOpen ? address.replace(/^http:/, 'https:') : address
  return { url, consumer: live, close: async () => server.close() }
}

/** Nobody without the token learns which calls there are. */
function serveCalls(
  calls: FastifyInstance,
  ports: OperatorPorts,
  live: LiveAnswers,
  { token, log }: Pick<OperatorListenerOptions, 'token' | 'log'>,
): void {
  const expected = digest(`Bearer ${token}`)
  calls.addHook('onRequest', async (request, reply) => {
    // The name of a scheme is written as one likes (RFC 9110).
    const given = (request.headers.authorization ?? '').replace(/^bearer /i, 'Bearer ')
    if (timingSafeEqual(digest(given), expected)) return
    await answerError(reply, 401, 'token-wrong', 'Authorization: Bearer with the content of operator-token is required')
  })
  for (const call of operatorCalls) {
    const { method, path } = call
    const level = method === 'GET' ? 'debug' : 'info'
    calls.route({
      method,
      url: path.slice(prefix.length),
      handler: async (request) => {
        if (ports.core.rebuilt !== undefined) await ports.core.rebuilt
        const body = method === 'GET' ? request.query : request.body
        const data = await makeNoted(
          call,
          { body, operator: request.headers['x-operator'], from: request.socket.remoteAddress },
          ports,
        )
        log[level]({ call: `${method} ${path}` }, 'operator call')
        if (method === 'POST') live.acted()
        return { ok: true, data }
      },
    })
  }
  calls.get<{ Querystring: { of?: string | string[] } }>('/events', { exposeHeadRoute: false }, (request, reply) => {
    live.follow(reply.raw, request.query.of)
    reply.hijack()
  })
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

/** What the HTTP parser gave up on has no request to answer, only a socket. */
function answerBroken(error: BrokenRequest, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = brokenRequestStatus(error)
  const message = brokenTexts[status] ?? 'the request is not HTTP'
  endSocket(socket, status, JSON.stringify({ ok: false, error: { code: 'request-wrong', message } }))
}

/** HTTP as it is, where TLS is spoken. */
function answerPlain(socket: Socket): void {
  const error = { code: 'request-wrong', message: 'the address begins with https' }
  endSocket(socket, 400, JSON.stringify({ ok: false, error }))
}

const brokenTexts: Readonly<Record<number, string>> = {
  408: 'the request took too long to arrive',
  414: 'the address is too long',
  431: 'the headers are too large',
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
