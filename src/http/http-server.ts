/**
 * An HTTP server whose end is in its own hands, not in those of its clients.
 *
 * Ends      `close` waits for the answers to what was accepted, then closes every connection, whatever its client is at
 * Accepted  is a request that has arrived whole. One whose header or body is still on its way is not, nor is a connection on
 *           which nothing was asked
 * TLS       if there is any, a connection is taken when its handshake is over. One whose handshake is under way ends at once
 * One by one a request of a connection is served when the answer before it has left. What comes behind is read little by
 *           little (left-connection.ts), and nothing while a request waits
 * Waiting   what may wait is served within its share of a turn (turn-share.ts)
 * Too many  connections of one address are closed at once (address-bound.ts)
 * Bounds    nobody waits longer than `answerMsMax` for an answer to be made. Nor does anybody wait longer than `partingMsMax`
 *           for a client to read its last answer or to close its WebSocket
 * Source    design.md §6 (SIGTERM)
 */
import type { IncomingMessage, RequestListener, ServerOptions, ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HandshakeEnds, Tls } from './tls.ts'
import type { AddressBound } from './address-bound.ts'
import { LeftConnection } from './left-connection.ts'
import { Server } from './node-http.ts'
import type { TurnShare } from './turn-share.ts'

/** A command that is not done by then has been answered 40010 (`replyTimeoutMs`). */
const answerMsMax = 11_000
const partingMsMax = 2_000
const lookEveryMs = 5

/** A request and its answer, as far as an ending server has to know. */
export interface Exchange {
  /** The request has arrived, all of it. */
  readonly isWhole: boolean
  /** The answer is made, all of it. */
  readonly isMade: boolean
  /** All of it has left, or nobody is there to read it. */
  readonly isRead: boolean
}

/** Takes a new connection before node:http does, until it calls `leave`; answers its latest exchange. */
type FirstTaker = (socket: Socket, leave: () => void) => Exchange

export interface HttpServerParts {
  readonly options: ServerOptions
  readonly serve: RequestListener
  readonly first?: FirstTaker
  /** What may wait, and large answers, are served within it. */
  readonly share: TurnShare
  /** Which requests may wait for all others; absent: none. */
  readonly mayWait?: (request: IncomingMessage) => boolean
  readonly addressBound?: AddressBound | undefined
  /** Absent: clients speak as they are. */
  readonly tls?: { readonly by: Tls; readonly onPlain: HandshakeEnds['onPlain'] } | undefined
}

/** Which connections end. */
export interface Dropped {
  /** Not those that last asked for something below this path. */
  readonly kept: string
  /** Only those on which nothing is under way, and no WebSocket. */
  readonly idle: boolean
}

/** How often a port that could not be opened again is tried. */
const openEveryMs = 100

interface Client {
  /** The latest, oldest first. */
  readonly exchanges: Exchange[]
  /** Once node:http has it, which then ends it as well. */
  left: LeftConnection | undefined
  /** Requests that are read and not served yet, oldest first. */
  readonly requests: { readonly request: IncomingMessage; readonly response: ServerResponse }[]
  isServing: boolean
  /** What node:http was asked for last on it. */
  target: string
  isSocket: boolean
}

export class HttpServer extends Server {
  /**
   * WebSockets too. By socket: a set that each request joins and leaves is made anew every hundred requests.
   * What lives on of the set before holds on to all that was in it.
   */
  readonly #clients = new Map<Socket, Client>()
  /** What TLS is spoken over, from the first byte of the handshake on. */
  readonly #beneath = new Set<Socket>()
  readonly #parts: HttpServerParts
  #opening: NodeJS.Timeout | undefined

  constructor(parts: HttpServerParts) {
    const { options, first, tls, addressBound } = parts
    super(options)
    this.#parts = parts
    // Node's own, which is called for a connection once that is node:http's.
    const [takeAsHttp] = this.listeners('connection')
    this.off('connection', takeAsHttp as () => void)
    const take = (socket: Socket) => {
      const client: Client = {
        exchanges: [],
        left: undefined,
        requests: [],
        isServing: false,
        target: '',
        isSocket: false,
      }
      this.#clients.set(socket, client)
      socket.once('close', () => this.#clients.delete(socket))
      const leave = () => {
        client.left = new LeftConnection(socket, parts.share)
        takeAsHttp.call(this, client.left)
      }
      if (first === undefined) leave()
      else client.exchanges.push(first(socket, leave))
    }
    const shake = tls?.by.handshakes({ onSecure: take, onPlain: tls.onPlain })
    this.on('connection', (socket: Socket) => {
      if (addressBound?.admits(socket) === false) return void socket.destroy()
      if (shake === undefined) return take(socket)
      this.#beneath.add(socket)
      socket.once('close', () => this.#beneath.delete(socket))
      shake(socket)
    })
    this.on('request', (request, response) => this.#take(request, response))
  }

  /** Whoever goes on with a connection gets the socket itself. What is behind a request that is none is not read. */
  override emit(event: string, ...values: unknown[]): boolean {
    const [request, left, head] = values
    if (event === 'clientError' && left instanceof LeftConnection) left.ignore()
    if ((event !== 'upgrade' && event !== 'connect') || !(left instanceof LeftConnection)) {
      return super.emit(event, ...values)
    }
    const client = this.#clients.get(left.socket)
    const { exchanges = [] } = client ?? {}
    // Asked for before the answers to earlier requests: they would be written into what follows.
    if (exchanges.some(({ isRead }) => !isRead)) {
      left.destroy()
      return true
    }
    if (client !== undefined) client.isSocket = true
    const { socket, rest } = left.release()
    return super.emit(event, request, socket, Buffer.concat([head as Buffer, rest]))
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request.socket as unknown as LeftConnection
    const client = this.#clients.get(socket)
    // It is closed already.
    if (client === undefined) return
    const { exchanges, requests } = client
    client.target = request.url ?? ''
    while (exchanges.length > 0 && exchanges[0].isRead) exchanges.shift()
    exchanges.push(new HttpExchange(response))
    requests.push({ request, response })
    this.#serveNext(client)
  }

  #serveNext(client: Client): void {
    const { requests, left } = client
    const { mayWait, share } = this.#parts
    const next = requests[0]
    if (next === undefined) return left?.go()
    left?.hold()
    if (client.isServing) return
    client.isServing = true
    if (mayWait?.(next.request)) share.enter(() => this.#serve(client))
    else this.#serve(client)
  }

  #serve(client: Client): void {
    const next = client.requests.shift()
    if (next === undefined || next.response.destroyed) return
    const { request, response } = next
    response.once('close', () => {
      client.isServing = false
      this.#serveNext(client)
    })
    this.#parts.serve(request, response)
    if (client.requests.length === 0) client.left?.go()
  }

  /** The port is closed for so many milliseconds, then opens again; who is in stays. */
  shut(ms: number): void {
    const address = this.address() as AddressInfo | null
    if (address === null) return
    const open = () => {
      const again = () => (this.#opening = setTimeout(open, openEveryMs))
      this.once('error', again)
      this.listen({ host: address.address, port: address.port }, () => this.off('error', again))
    }
    // Its own close ends connections, too.
    NetServer.prototype.close.call(this)
    this.#opening = setTimeout(open, ms)
  }

  drop({ kept, idle }: Dropped): void {
    for (const [socket, { target, isSocket, exchanges }] of this.#clients) {
      if (target === kept || target.startsWith(`${kept}/`)) continue
      if (!idle || (!isSocket && exchanges.every(({ isRead }) => isRead))) socket.resetAndDestroy()
    }
  }

  override close(done?: (error?: Error) => void): this {
    clearTimeout(this.#opening)
    if (this.listening) super.close(done)
    else done?.()
    void this.#end()
    return this
  }

  /** Node's own counts a connection as idle whose answer is made but not yet read, and cuts it off. */
  override closeIdleConnections(): void {}

  async #end(): Promise<void> {
    await holds(() => this.#accepted().every(({ isMade }) => isMade), answerMsMax)
    const partBy = performance.now() + partingMsMax
    await holds(() => this.#accepted().length === 0, partBy - performance.now())
    this.closeAllConnections()
    for (const [socket, { left }] of this.#clients) if (left === undefined) socket.destroy()
    await holds(() => this.#clients.size === 0, partBy - performance.now())
    for (const socket of [...this.#clients.keys(), ...this.#beneath]) socket.destroy()
  }

  #accepted(): Exchange[] {
    return [...this.#clients.values()].flatMap(({ exchanges }) =>
      exchanges.filter(({ isWhole, isRead }) => isWhole && !isRead),
    )
  }
}

/** One of node:http. */
class HttpExchange implements Exchange {
  readonly #answer: ServerResponse<IncomingMessage>

  constructor(answer: ServerResponse<IncomingMessage>) {
    this.#answer = answer
  }

  get isWhole(): boolean {
    return this.#answer.req.complete
  }

  get isMade(): boolean {
    return this.#answer.writableEnded
  }

  get isRead(): boolean {
    return this.#answer.writableFinished || this.#answer.destroyed
  }
}

/** Resolves when it does, or when the time is over. */
async function holds(condition: () => boolean, msMax: number): Promise<void> {
  const until = performance.now() + msMax
  while (!condition() && performance.now() < until) await sleep(lookEveryMs)
}
