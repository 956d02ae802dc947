/**
 * A socket that is always there, as far as it can be: it comes back ever more slowly, logs in and subscribes anew, and takes silence for
 * a broken line.
 */
import type { Exchange } from './exchange.ts'

export interface SocketOptions {
  readonly url: string
  readonly exchange: Exchange
  readonly isPrivate: boolean
  readonly topics: readonly object[]
  readonly onPush: (push: Push) => void
  /** It is there anew: what was pushed meanwhile is not known. */
  readonly onOpen: () => void
}

export interface Push {
  readonly action: string
  readonly arg: { readonly topic: string }
  readonly data: readonly Readonly<Record<string, unknown>>[]
}

const pauseMsMin = 100

export class Socket {
  readonly #options: SocketOptions
  readonly #pingMs: number
  #socket: WebSocket | undefined
  #heardAt = 0
  #pauseMs = pauseMsMin
  #isOpen = false

  constructor(options: SocketOptions) {
    this.#options = options
    this.#pingMs = Math.max(500, 15_000 * options.exchange.options.scale)
    this.#connect()
    setInterval(() => this.#beat(), this.#pingMs).unref()
  }

  /** It is open, and was heard of lately. */
  get isGood(): boolean {
    return this.#isOpen && Date.now() - this.#heardAt < this.#pingMs * 3
  }

  /** What was told does not fit: begin anew. */
  again(): void {
    this.#drop(this.#socket)
  }

  #connect(): void {
    const socket = new WebSocket(this.#options.url)
    this.#socket = socket
    this.#heardAt = Date.now()
    const openedAt = Date.now()
    socket.onopen = () => (this.#options.isPrivate ? this.#login(socket) : this.#subscribe(socket))
    socket.onmessage = ({ data }) => this.#hear(socket, String(data))
    socket.onerror = () => {}
    socket.onclose = () => {
      // One that held for a while was a good one.
      if (Date.now() - openedAt > this.#options.exchange.pauseMsMax) this.#pauseMs = pauseMsMin
      this.#drop(socket)
    }
  }

  /** Each pause is twice the one before. */
  #drop(socket: WebSocket | undefined): void {
    if (socket === undefined || socket !== this.#socket) return
    this.#socket = undefined
    this.#isOpen = false
    socket.close()
    setTimeout(() => this.#connect(), this.#pauseMs)
    this.#pauseMs = Math.min(this.#options.exchange.pauseMsMax, this.#pauseMs * 2)
  }

  #beat(): void {
    if (this.#socket === undefined) return
    if (Date.now() - this.#heardAt > this.#pingMs * 2.5) this.#drop(this.#socket)
    else if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send('ping')
  }

  #login(socket: WebSocket): void {
    const { exchange } = this.#options
    const { key: apiKey, passphrase } = exchange.options
    const timestamp = String(Math.floor(exchange.now() / 1_000))
    const sign = exchange.sign(`${timestamp}GET/user/verify`)
    socket.send(JSON.stringify({ op: 'login', args: [{ apiKey, passphrase, timestamp, sign }] }))
  }

  #subscribe(socket: WebSocket): void {
    socket.send(JSON.stringify({ op: 'subscribe', args: this.#options.topics }))
    this.#isOpen = true
    this.#options.onOpen()
  }

  #hear(socket: WebSocket, text: string): void {
    if (socket !== this.#socket) return
    this.#heardAt = Date.now()
    if (text === 'pong') return
    const message = parsed(text)
    if (message === undefined || message.event === 'error') return this.#drop(socket)
    if (message.event === 'login') return this.#subscribe(socket)
    if (message.action !== undefined) this.#options.onPush(message as unknown as Push)
  }
}

function parsed(text: string): { readonly event?: string; readonly action?: string } | undefined {
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}
