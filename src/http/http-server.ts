/**
 * An HTTP server whose end is in its own hands, not in those of its clients.
 *
 * Ends      `close` waits for the answers to what was accepted, then closes every connection, whatever its client is at
 * Accepted  is a request that has arrived whole. One whose header or body is still on its way is not, nor is a connection on
 *           which nothing was asked
 * TLS       if there is any, a connection is taken when its handshake is over. One whose handshake is under way ends at once
 * Bounds    nobody waits longer than `answerMsMax` for an answer to be made. Nor does anybody wait longer than `partingMsMax`
 *           for a client to read its last answer or to close its WebSocket
 * Source    design.md §6 (SIGTERM)
 */
import { type IncomingMessage, type RequestListener, Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HandshakeEnds, Tls } from './tls.ts'

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
export type FirstTaker = (socket: Socket, leave: () => void) => Exchange

export interface HttpServerParts {
  readonly first?: FirstTaker
  /** Absent: clients speak as they are. */
  readonly tls?: { readonly by: Tls; readonly onPlain: HandshakeEnds['onPlain'] } | undefined
}

interface Client {
  /** The latest, oldest first. */
  readonly exchanges: Exchange[]
  /** Whether node:http has it, which then ends it as well. */
  isLeft: boolean
}

export class HttpServer extends Server {
  /**
   * WebSockets too. By socket: a set that each request joins and leaves is made anew every hundred requests.
   * What lives on of the set before holds on to all that was in it.
   */
  readonly #clients = new Map<Socket, Client>()
  /** What TLS is spoken over, from the first byte of the handshake on. */
  readonly #beneath = new Set<Socket>()

  constructor(options: ServerOptions, serve: RequestListener, { first, tls }: HttpServerParts = {}) {
    super(options)
    // Node's own, which is called for a connection once that is node:http's.
    const [takeAsHttp] = this.listeners('connection')
    this.off('connection', takeAsHttp as () => void)
    const take = (socket: Socket) => {
      const client: Client = { exchanges: [], isLeft: first === undefined }
      this.#clients.set(socket, client)
      socket.once('close', () => this.#clients.delete(socket))
      const leave = () => {
        client.isLeft = true
        takeAsHttp.call(this, socket)
      }
      if (first === undefined) leave()
      else client.exchanges.push(first(socket, leave))
    }
    const shake = tls?.by.handshakes({ onSecure: take, onPlain: tls.onPlain })
    this.on('connection', (socket: Socket) => {
      if (shake === undefined) return take(socket)
      this.#beneath.add(socket)
      socket.once('close', () => this.#beneath.delete(socket))
      shake(socket)
    })
    this.on('request', (request, response) => {
      const exchanges = this.#clients.get(request.socket)?.exchanges
      while (exchanges !== undefined && exchanges.length > 0 && exchanges[0].isRead) exchanges.shift()
      exchanges?.push(new HttpExchange(response))
      serve(request, response)
    })
  }

  override close(done?: (error?: Error) => void): this {
    super.close(done)
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
    for (const [socket, { isLeft }] of this.#clients) if (!isLeft) socket.destroy()
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
