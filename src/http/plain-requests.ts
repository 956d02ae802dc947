/**
 * The way of almost every request: for a route spelled as it is, with a body of a stated length or none. Its bytes go from
 * the socket to whoever answers and back, past node:http and fastify. With these a signed order would take three quarters
 * more of the processor (docs/decisions/0005-plain-requests.md).
 *
 * One by one  a request is taken when the answer before it has left; what comes earlier is read later
 * Waiting     what may wait is served after what is read in this turn, within its share (turn-share.ts)
 * Left        to node:http, with all that follows on the connection. A request that is not plain (request-head.ts), for no
 *             route, or in more than two pieces. Not a byte of it has been judged before. Without a key it waits for that,
 *             too: node:http spends most of a millisecond on a connection that it takes
 * Same        answers and headers on both ways; the body of a GET is no part of it
 * Closing     the answer is the last on its connection, and what comes behind it is not read. So nobody waits for a client
 *             that has no more to say, and no request is taken whose answer could not be sent
 * Idle        a first request has 30 s, the next one 72, the second piece of one a second until node:http waits for it
 */
import type { Socket } from 'node:net'
import { numberOf } from './connection-numbers.ts'
import { httpDate } from './http-date.ts'
import type { Exchange } from './http-server.ts'
import { STATUS_CODES } from './node-http.ts'
import { headBytesMax, type RequestHead, readHead } from './request-head.ts'
import {
  type Answering,
  bodyBytesMax,
  contentType,
  type HttpRoute,
  keepAliveMs,
  type Outgoing,
  pathOf,
  type RequestHeaders,
} from './requests.ts'
import { sliceBytes, writeInSlices } from './slices.ts'
import type { TurnShare } from './turn-share.ts'

/** What the head of a connection that is kept says. */
const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1_000}`
const usualTimes = { firstRequestMs: 30_000, secondPieceMs: 1_000, nextRequestMs: keepAliveMs }

interface PlainRequestParts<R extends HttpRoute> extends Answering<R> {
  readonly requestId: (headers: RequestHeaders) => string
  readonly isClosing: () => boolean
  /** What the `Date` of an answer says, Unix milliseconds. */
  readonly dateNow: () => number
  /** A line that every answer has besides, as it goes out; empty: none. */
  readonly markLine: string
  readonly share: TurnShare
  /** Answers that a request was cut off, and ends the connection. */
  readonly onCutOff: (socket: Socket) => void
  /** In place of the usual ones (tests). */
  readonly times?: typeof usualTimes
}

type Routes<R> = Readonly<Record<RequestHead['method'], ReadonlyMap<string, R>>>

/** Takes a new connection; `leave` gives it to node:http. */
export function plainRequests<R extends HttpRoute>(
  parts: PlainRequestParts<R>,
): (socket: Socket, leave: () => void) => Exchange {
  const routes = { GET: new Map<string, R>(), POST: new Map<string, R>() }
  for (const route of parts.routes) if (!route.needsWholeHead) routes[route.method].set(route.path, route)
  return (socket, leave) => new PlainConnection(socket, leave, parts, routes)
}

class PlainConnection<R extends HttpRoute> implements Exchange {
  readonly #socket: Socket
  readonly #leave: () => void
  readonly #parts: PlainRequestParts<R>
  readonly #routes: Routes<R>
  readonly #address: string
  readonly #number: number
  readonly #times: typeof usualTimes
  readonly #listeners: readonly (readonly [event: string, listener: (chunk: Buffer) => void])[]
  #timeoutMs = 0
  #isAnswering = false
  #isUsed = false
  /** The answer is made, and a part of it has not left. */
  #isWriting = false
  /** The client has closed its side. */
  #isOver = false
  /** The first piece of a request whose second has not come. */
  #first: Buffer | undefined

  constructor(socket: Socket, leave: () => void, parts: PlainRequestParts<R>, routes: Routes<R>) {
    this.#socket = socket
    this.#leave = leave
    this.#parts = parts
    this.#routes = routes
    this.#address = socket.remoteAddress ?? ''
    this.#number = numberOf(socket)
    this.#times = parts.times ?? usualTimes
    this.#listeners = [
      ['data', (chunk) => this.#take(chunk)],
      ['end', () => this.#end()],
      ['timeout', () => this.#idle()],
      ['error', () => socket.destroy()],
    ]
    for (const [event, listener] of this.#listeners) socket.on(event, listener)
    this.#waitFor(this.#times.firstRequestMs)
  }

  get isWhole(): boolean {
    return true
  }

  get isMade(): boolean {
    return !this.#isAnswering
  }

  get isRead(): boolean {
    return this.#socket.destroyed || (!this.#isAnswering && !this.#isWriting && this.#socket.writableLength === 0)
  }

  #take(chunk: Buffer): void {
    if (this.#socket.writableEnded) return
    if (this.#isAnswering || this.#isWriting) return this.#readLater(chunk)
    const first = this.#first
    this.#first = undefined
    const bytes = first === undefined ? chunk : Buffer.concat([first, chunk])
    const head = readHead(bytes)
    const route = head && this.#routes[head.method].get(pathOf(head.target))
    if (head === undefined || route === undefined || head.bodyBytes > bodyBytesMax) return this.#handOver(bytes)
    const { headBytes, bodyBytes } = head
    const end = headBytes + bodyBytes
    if (bytes.length < end && first !== undefined) return this.#handOver(bytes)
    if (bytes.length < end) {
      this.#first = bytes
      this.#waitFor(this.#times.secondPieceMs)
      return
    }
    if (bytes.length > end) this.#readLater(bytes.subarray(end))
    this.#waitFor(this.#times.nextRequestMs)
    const body = bodyBytes === 0 || head.method === 'GET' ? undefined : bytes.subarray(headBytes, end)
    this.#isAnswering = true
    if (this.#parts.mayWait(head, route)) this.#parts.share.enter(() => void this.#serve(route, head, body))
    else void this.#serve(route, head, body)
  }

  async #serve(route: R, head: RequestHead, body: Buffer | undefined): Promise<void> {
    // It may have gone while it waited.
    if (this.#socket.destroyed) return
    const { refuse, answer, requestId, onTrouble } = this.#parts
    const refused = refuse(head)
    if (refused !== undefined) return this.#write(refused, '')
    const { method, target, headers } = head
    const isLater = this.#isUsed
    this.#isUsed = true
    const from = { socketAddress: this.#address, connection: this.#number, isLater }
    const request = { method, target, headers, body, ...from, requestId: requestId(headers) }
    try {
      const answered = await answer(route, request)
      this.#write(answered, `x-request-id: ${request.requestId}\r\n`)
    } catch (trouble) {
      onTrouble(trouble, route, request.requestId)
      this.#socket.destroy()
    }
  }

  #write({ httpStatus, headers, body, deliver }: Outgoing, more: string): void {
    const socket = this.#socket
    this.#isAnswering = false
    if (socket.destroyed) return
    let lines =
      headers['content-type'] === undefined && httpStatus !== notModified ? `content-type: ${contentType}\r\n` : ''
    if (httpStatus !== notModified) lines += `content-length: ${Buffer.byteLength(body)}\r\n`
    lines += more + this.#parts.markLine
    for (const name in headers) lines += `${name}: ${headers[name]}\r\n`
    const isLast = this.#isOver || this.#parts.isClosing()
    const end = `Date: ${httpDate(this.#parts.dateNow())}\r\n${isLast ? 'Connection: close' : keepAlive}\r\n\r\n`
    const head = `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}\r\n${lines}${end}`
    const taken = () => this.#written(isLast)
    if (deliver !== undefined) {
      this.#isWriting = true
      const bytes = Buffer.concat([Buffer.from(head), typeof body === 'string' ? Buffer.from(body) : body])
      void deliver(socket, bytes).then(taken, () => socket.destroy())
      return
    }
    if (body.length > sliceBytes) {
      this.#isWriting = true
      socket.write(head)
      writeInSlices(socket, typeof body === 'string' ? Buffer.from(body) : body, this.#parts.share, taken)
    } else if (socket.write(typeof body === 'string' ? head + body : Buffer.concat([Buffer.from(head), body]))) {
      taken()
    } else {
      this.#isWriting = true
      socket.once('drain', taken)
    }
  }

  /** All of the answer has left, or waits with the system. */
  #written(isLast: boolean): void {
    const socket = this.#socket
    this.#isWriting = false
    if (isLast || this.#isOver) socket.end()
    else if (socket.isPaused()) socket.resume()
  }

  /** Put back, so that the end of the stream does not overtake it. */
  #readLater(bytes: Buffer): void {
    this.#socket.pause()
    this.#socket.unshift(bytes)
  }

  /** What waits in the socket, and these bytes before it, are for node:http. */
  #handOver(bytes: Buffer): void {
    const socket = this.#socket
    this.#readLater(bytes)
    if (bytes.toString('latin1', 0, headBytesMax).toLowerCase().includes(keyName)) return this.#handOverNow()
    this.#isAnswering = true
    this.#parts.share.enter(() => {
      if (!socket.destroyed) this.#handOverNow()
    })
  }

  #handOverNow(): void {
    const socket = this.#socket
    this.#isAnswering = false
    for (const [event, listener] of this.#listeners) socket.off(event, listener)
    socket.setTimeout(0)
    this.#leave()
  }

  #end(): void {
    this.#isOver = true
    if (this.#isAnswering || this.#isWriting) return
    if (this.#first === undefined) this.#socket.end()
    else this.#parts.onCutOff(this.#socket)
    this.#first = undefined
    this.#waitFor(this.#times.nextRequestMs)
  }

  #idle(): void {
    if (this.#isAnswering) return
    if (this.#first === undefined || this.#isWriting) this.#socket.destroy()
    else this.#handOver(this.#first)
  }

  /** A timer is set anew only for another time; whatever is read or written begins it again. */
  #waitFor(ms: number): void {
    if (ms === this.#timeoutMs) return
    this.#timeoutMs = ms
    this.#socket.setTimeout(ms)
  }
}

const notModified = 304
const keyName = '\naccess-key:'
