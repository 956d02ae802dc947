/**
 * The HTTP listener: plain requests go from the socket to whoever answers (plain-requests.ts), node:http and fastify take all
 * others. What never reaches a route is a fault with a name, answered in the words of those above.
 *
 * Bodies     kept as raw bytes (a signature covers them), at most 1 MiB; any content type is received
 * HEAD       of a page (health, metrics, documents) is its GET without a body; endpoints have none
 * Faults     an unknown path; another method (CONNECT too); a target over 8 KiB (414); headers over 16 KiB (431); a body too
 *            large; an expectation that is not 100-continue (417); broken HTTP (400); a request that is late (408)
 * Half open  a client that closes its side behind the request gets its answer, then the connection ends
 * TLS        if the venue has a certificate, all of this goes on behind a handshake (tls.ts)
 * Too many   connections, of all or of one address, are closed at once; those that are there are served. Requests are refused
 *            before fastify, their body and their signature cost anything (load-shedder.ts)
 * Waiting    what may wait gets a small share of each turn of the event loop, on both ways (turn-share.ts). Who asks too often
 *            (429) waits for that answer too: a crowd that does not care is told so at a pace that costs next to nothing
 * Host       is not asked for: nothing depends on it
 * Source     design.md §4.4, §4.38
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import {
  type AnswerHeaders,
  type BrokenRequest,
  brokenRequestStatus,
  drain,
  endSocket,
  targetBytesMax,
} from './broken-requests.ts'
import { httpDate } from './http-date.ts'
import type { AddressBound } from './address-bound.ts'
import { numberOf } from './connection-numbers.ts'
import { HttpServer } from './http-server.ts'
import type { LeftConnection } from './left-connection.ts'
import { STATUS_CODES } from './node-http.ts'
import { plainRequests } from './plain-requests.ts'
import type { RequestIds } from './request-ids.ts'
import {
  type Answering,
  bodyBytesMax,
  contentType,
  type HttpRoute,
  type IncomingHead,
  type IncomingRequest,
  keepAliveMs,
  type Outgoing,
  pathOf,
  type RequestHeaders,
} from './requests.ts'
import type { Tls } from './tls.ts'
import { TurnShare } from './turn-share.ts'

/** What keeps a request from its route, or breaks around it. */
export type HttpFault =
  | { readonly kind: 'path-unknown'; readonly path: string }
  | { readonly kind: 'method-not-allowed'; readonly method: string }
  | { readonly kind: 'target-misencoded' }
  | { readonly kind: 'body-too-large'; readonly bytesMax: number }
  | { readonly kind: 'media-type-wrong' }
  /** Spoken as it is to a listener with TLS. */
  | { readonly kind: 'not-encrypted' }
  /** Whatever else is no request, with the status that says how. */
  | { readonly kind: 'broken'; readonly httpStatus: number }
  | { readonly kind: 'unexpected'; readonly cause: unknown }

/** What is known of a request that met a fault. */
export interface FaultyRequest {
  readonly headers: RequestHeaders
  readonly requestId: string
  readonly socketAddress: string
}

export interface ListenerParts<R extends HttpRoute> extends Answering<R> {
  /** The request is there unless nothing of it could be read. */
  readonly answerFault: (fault: HttpFault, request?: FaultyRequest) => Outgoing
  /** Paths on which a socket may be asked for; elsewhere the request is answered as if it had not been. */
  readonly upgrades: (path: string) => boolean
  readonly connectionsMax: number | undefined
  readonly tls: Tls | undefined
  readonly requestIds: RequestIds
  /** What the `Date` of an answer says, Unix milliseconds. */
  readonly dateNow: () => number
  /** A line that every answer has besides, as it goes out: `name: value\r\n`; empty: none. */
  readonly markLine: string
  readonly addressBound: AddressBound | undefined
}

const headerBytesMax = 16 * 1024
const notModified = 304
const tooManyRequests = 429
const refusedAfterMs = 50

export function createListener<R extends HttpRoute>(given: ListenerParts<R>): FastifyInstance {
  const parts = refusingSlowly(given)
  const { onTrouble, connectionsMax, requestIds } = parts
  const requestId = (headers: RequestHeaders) => requestIds.of(headers)
  const isClosing = () => !app.server.listening
  const app = Fastify({
    logger: false,
    bodyLimit: bodyBytesMax,
    genReqId: ({ headers }) => requestId(headers),
    return503OnClosing: false,
    serverFactory: (serve) => httpServer(parts, serve, { requestId, isClosing }),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error as unknown as BrokenRequest, socket, parts),
    frameworkErrors: (_error, request, reply) => {
      send(reply, answerFaultOf(parts, { kind: 'target-misencoded' }, request))
    },
    routerOptions: { querystringParser: () => ({}) },
  })
  if (connectionsMax !== undefined) app.server.maxConnections = connectionsMax
  // A client that has said all that it has to say still waits for its answer.
  Object.assign(app.server, { httpAllowHalfOpen: true })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  answerWhatNodeWould(app, parts)
  answerTooLong(app, parts)
  answerByPath(app, parts, isClosing)
  app.setErrorHandler(async (error, request, reply) => {
    const fault = faultBehind(error)
    if (fault.kind === 'unexpected') onTrouble(error, undefined, request.id)
    if (fault.kind === 'body-too-large') await drain(request.raw)
    return send(reply, answerFaultOf(parts, fault, request))
  })
  return app
}

/** The same, but those who may wait learn a little later that they ask too often. */
function refusingSlowly<R extends HttpRoute>(parts: ListenerParts<R>): ListenerParts<R> {
  const { answer, mayWait } = parts
  return {
    ...parts,
    answer: async (route, request) => {
      const answered = await answer(route, request)
      if (answered.httpStatus === tooManyRequests && mayWait(request, route)) await sleep(refusedAfterMs)
      return answered
    },
  }
}

/** Plain requests past fastify, all others to it. */
function httpServer<R extends HttpRoute>(
  {
    routes,
    refuse,
    mayWait,
    answer,
    onTrouble,
    answerFault,
    upgrades,
    dateNow,
    markLine,
    tls,
    addressBound,
  }: ListenerParts<R>,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
  {
    requestId,
    isClosing,
  }: { readonly requestId: (headers: RequestHeaders) => string; readonly isClosing: () => boolean },
): HttpServer {
  const options = {
    maxHeaderSize: headerBytesMax,
    requireHostHeader: false,
    shouldUpgradeCallback: ({ url = '' }: IncomingMessage) => upgrades(pathOf(url)),
    keepAliveTimeout: keepAliveMs,
    requestTimeout: 30_000,
  }
  const share = new TurnShare()
  const serveOther = (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Date', httpDate(dateNow()))
    setMark(response, markLine)
    const refused = refuse(headOf(request))
    if (refused === undefined) serve(request, response)
    else writeWhole(response, refused)
  }
  const plain = plainRequests({
    routes,
    refuse,
    mayWait,
    answer,
    requestId,
    isClosing,
    dateNow,
    markLine,
    share,
    onCutOff: (socket) => endSocketWith(socket, answerFault({ kind: 'broken', httpStatus: 400 })),
    onTrouble,
  })
  const onPlain = (socket: Socket) => endSocketWith(socket, answerFault({ kind: 'not-encrypted' }))
  return new HttpServer({
    options,
    serve: serveOther,
    first: plain,
    share,
    mayWait: (request) => mayWait(headOf(request)),
    addressBound,
    tls: tls && { by: tls, onPlain },
  })
}

function headOf({ method = '', url = '', headers }: IncomingMessage): IncomingHead {
  return { method, target: url, headers }
}

function setMark(response: ServerResponse, markLine: string): void {
  const [name, value] = markLine.trim().split(': ')
  if (value !== undefined) response.setHeader(name, value)
}

/** What Node would answer by itself, in a way of its own. */
function answerWhatNodeWould<R extends HttpRoute>(
  { server }: FastifyInstance,
  { answerFault, dateNow, markLine }: ListenerParts<R>,
): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Date', httpDate(dateNow()))
    setMark(response, markLine)
    writeWhole(response, answerFault({ kind: 'broken', httpStatus: 417 }), { connection: 'close' })
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    endSocketWith(socket, answerFault({ kind: 'method-not-allowed', method: 'CONNECT' }))
  })
}

function answerTooLong<R extends HttpRoute>(app: FastifyInstance, parts: ListenerParts<R>): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.length <= targetBytesMax) return done()
    send(reply, answerFaultOf(parts, { kind: 'broken', httpStatus: 414 }, request))
  })
}

/**
 * What fastify has no route for: nearly all. Each of hundreds of routes would take it a tenth of a millisecond before the
 * venue is ready; ours are found by their path.
 */
function answerByPath<R extends HttpRoute>(
  app: FastifyInstance,
  parts: ListenerParts<R>,
  isClosing: () => boolean,
): void {
  const byPath = new Map<string, Map<string, R | undefined>>()
  const add = (method: string, path: string, route?: R) => {
    const methods = byPath.get(path)
    if (methods === undefined) byPath.set(path, new Map([[method, route]]))
    else methods.set(method, route)
  }
  for (const route of parts.routes) {
    add(route.method, route.path, route)
    if (route.hasHead) add('HEAD', route.path, route)
  }
  app.addHook('onRoute', ({ method, url }) => [method].flat().forEach((each) => add(each, url)))
  app.setNotFoundHandler(async (request, reply) => {
    const path = decodeURI(pathOf(request.url))
    const methods = byPath.get(path)
    const route = methods?.get(request.method)
    if (route !== undefined) {
      const answered = await parts.answer(route, incomingOf(request))
      if (answered.deliver !== undefined) return deliverLast(reply, answered, parts)
      if (isClosing()) reply.header('connection', 'close')
      return send(reply, answered)
    }
    if (methods) reply.header('allow', [...methods.keys()].join(', '))
    const fault = methods
      ? ({ kind: 'method-not-allowed', method: request.method } as const)
      : ({ kind: 'path-unknown', path: pathOf(request.url) } as const)
    const answered = answerFaultOf(parts, fault, request)
    if (answered.httpStatus === tooManyRequests) await sleep(refusedAfterMs)
    return send(reply, answered)
  })
}

/** Connections on which something was asked. */
const used = new WeakSet<object>()

function incomingOf({ raw, body, id }: FastifyRequest): IncomingRequest {
  const { method = '', url = '', headers, socket } = raw
  const isLater = used.has(socket)
  used.add(socket)
  return {
    method,
    target: url,
    headers,
    socketAddress: socket.remoteAddress ?? '',
    connection: numberOf((socket as unknown as LeftConnection).socket ?? socket),
    body: body as Buffer | undefined,
    requestId: id,
    isLater,
    ends: socket,
  }
}

function answerFaultOf<R extends HttpRoute>(
  { answerFault }: ListenerParts<R>,
  fault: HttpFault,
  { headers, id, raw }: FastifyRequest,
): Outgoing {
  return answerFault(fault, { headers, requestId: id, socketAddress: raw.socket.remoteAddress ?? '' })
}

/** What fastify found wrong before or around a handler. */
function faultBehind(error: unknown): HttpFault {
  const { code, statusCode } = error as { readonly code?: string; readonly statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return { kind: 'body-too-large', bytesMax: bodyBytesMax }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return { kind: 'media-type-wrong' }
  return statusCode !== undefined && statusCode < 500
    ? { kind: 'broken', httpStatus: statusCode }
    : { kind: 'unexpected', cause: error }
}

/** A request that the HTTP parser gave up on: there is no request to answer, only a socket. */
function answerBrokenRequest<R extends HttpRoute>(
  error: BrokenRequest,
  socket: Duplex,
  { answerFault }: ListenerParts<R>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  endSocketWith(socket, answerFault({ kind: 'broken', httpStatus: brokenRequestStatus(error) }))
}

/** The whole answer to a request that fastify did not get. */
function writeWhole(response: ServerResponse, { httpStatus, headers, body }: Outgoing, more: AnswerHeaders = {}): void {
  const length = Buffer.byteLength(body)
  response.writeHead(httpStatus, { 'content-type': contentType, 'content-length': length, ...headers, ...more })
  response.end(body)
}

function send(reply: FastifyReply, { httpStatus, headers, body }: Outgoing): FastifyReply {
  reply.code(httpStatus).header('x-request-id', reply.request.id)
  if (httpStatus !== notModified) reply.header('content-type', contentType)
  reply.headers(headers)
  return httpStatus === notModified ? reply.send() : reply.send(body)
}

/** The last answer of its connection: what node:http did not write itself it would not go on behind. */
async function deliverLast<R extends HttpRoute>(
  reply: FastifyReply,
  { httpStatus, headers, body, deliver }: Outgoing,
  { dateNow, markLine }: ListenerParts<R>,
): Promise<FastifyReply> {
  const named = { 'content-type': contentType, 'x-request-id': reply.request.id, ...headers }
  const lines = Object.entries(named).map(([name, value]) => `${name}: ${value}\r\n`)
  const head =
    `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n` +
    `${markLine}Date: ${httpDate(dateNow())}\r\nConnection: close\r\n\r\n`
  const { socket } = reply.request.raw.socket as unknown as LeftConnection
  reply.hijack()
  try {
    await deliver?.(socket, Buffer.concat([Buffer.from(head), typeof body === 'string' ? Buffer.from(body) : body]))
    socket.end()
  } catch {
    socket.destroy()
  }
  return reply
}

function endSocketWith(socket: Duplex, { httpStatus, body }: Outgoing): void {
  endSocket(socket, httpStatus, body)
}
