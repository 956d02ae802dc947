/**
 * One socket of the venue: channels that come back by themselves when the connection does.
 *
 * Reconnects   after 0.5 s, then twice as long each time up to 10 s; login first where there is one, then every channel
 * Alive        a `ping` every 5 s; a socket that leaves two of them unanswered is given up
 * Limits       the venue takes 10 messages a second: what is asked for in one turn goes out as one message, and
 *              messages keep 150 ms apart
 * Shared       several may want one channel: it is asked for once, whoever joins has it begun anew (its next push, to all, is a
 *              snapshot), and it ends with the last who leaves
 */
import { t } from '../words/words.ts'

export type Argument = Readonly<Record<string, string>>

export interface Push {
  readonly action: 'snapshot' | 'update'
  readonly arg: Argument
  readonly data: readonly unknown[]
  readonly ts: number
}

interface Taker {
  readonly take: (push: Push) => void
}

export type SocketState = 'closed' | 'connecting' | 'open'

interface SocketOptions {
  readonly path: '/v2/ws/public' | '/v2/ws/private' | '/v3/ws/public' | '/v3/ws/private'
  /** Of a private socket: what its first message has to be. */
  readonly login?: () => Promise<object>
  readonly onState?: (state: SocketState) => void
  /** The venue refuses the login: there is no sense in trying again. */
  readonly onRefused?: (message: string) => void
}

const pingEveryMs = 5_000
const unansweredMax = 2
const sendEveryMs = 150
const waitMsMin = 500
const waitMsMax = 10_000

export class VenueSocket {
  readonly #options: SocketOptions
  readonly #channels = new Map<string, { readonly arg: Argument; readonly takers: Set<Taker> }>()
  #socket: WebSocket | undefined
  #ready = false
  #closed = false
  #waitMs = waitMsMin
  /** Pings since it last said something. */
  #unanswered = 0
  #waiting: { op: 'subscribe' | 'unsubscribe'; arg: Argument }[] = []
  #sending: ReturnType<typeof setTimeout> | undefined
  readonly #pinging: ReturnType<typeof setInterval>

  constructor(options: SocketOptions) {
    this.#options = options
    this.#pinging = setInterval(() => this.#ping(), pingEveryMs)
    this.#open()
  }

  /** Answers how to leave the channel. */
  subscribe(arg: Argument, take: (push: Push) => void): () => void {
    const key = keyOf(arg)
    const taker = { take }
    const open = this.#channels.get(key)
    const { takers } = open ?? { takers: new Set<Taker>() }
    takers.add(taker)
    if (open === undefined) {
      this.#channels.set(key, { arg, takers })
      this.#ask('subscribe', arg)
    } else if (!this.#waiting.some((asked) => asked.op === 'subscribe' && keyOf(asked.arg) === key)) {
      this.restart(arg)
    }
    return () => {
      if (!takers.delete(taker) || takers.size > 0) return
      this.#channels.delete(key)
      this.#ask('unsubscribe', arg)
    }
  }

  /** Asks for a channel anew: its next push is a snapshot. */
  restart(arg: Argument): void {
    if (!this.#channels.has(keyOf(arg))) return
    this.#ask('unsubscribe', arg)
    this.#ask('subscribe', arg)
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#pinging)
    clearTimeout(this.#sending)
    this.#socket?.close()
    this.#options.onState?.('closed')
  }

  #open(): void {
    if (this.#closed) return
    this.#options.onState?.('connecting')
    const socket = new WebSocket(this.#options.path)
    this.#socket = socket
    this.#ready = false
    this.#unanswered = 0
    socket.onopen = () => void this.#begin(socket)
    socket.onmessage = ({ data }: { readonly data: string }) => {
      this.#unanswered = 0
      if (data !== 'pong') this.#hear(JSON.parse(data) as Message)
    }
    socket.onclose = () => {
      if (this.#socket === socket) this.#again()
    }
  }

  async #begin(socket: WebSocket): Promise<void> {
    const { login } = this.#options
    if (login === undefined) return this.#welcome()
    const message = await login()
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }

  #welcome(): void {
    this.#ready = true
    this.#waitMs = waitMsMin
    this.#waiting = [...this.#channels.values()].map(({ arg }) => ({ op: 'subscribe', arg }))
    this.#flush()
    this.#options.onState?.('open')
  }

  #hear(message: Message): void {
    if (message.event === 'login') this.#welcome()
    else if (message.event === 'error' && !this.#ready) this.#refused(message.msg ?? t.venue.loginRefused)
    else if (message.action !== undefined) {
      for (const { take } of this.#channels.get(keyOf(message.arg))?.takers ?? []) take(message as Push)
    }
  }

  #refused(message: string): void {
    this.close()
    this.#options.onRefused?.(message)
  }

  #again(): void {
    this.#ready = false
    if (this.#closed) return
    this.#options.onState?.('connecting')
    setTimeout(() => this.#open(), this.#waitMs)
    this.#waitMs = Math.min(this.#waitMs * 2, waitMsMax)
  }

  #ask(op: 'subscribe' | 'unsubscribe', arg: Argument): void {
    if (!this.#ready) return // everything wanted is asked for once it is
    this.#waiting.push({ op, arg })
    if (this.#sending === undefined) this.#sending = setTimeout(() => this.#flush(), 0)
  }

  /** The oldest that want the same go out together. */
  #flush(): void {
    this.#sending = undefined
    const [first] = this.#waiting
    if (first === undefined || !this.#ready) return
    const other = this.#waiting.findIndex(({ op }) => op !== first.op)
    const batch = this.#waiting.splice(0, other === -1 ? this.#waiting.length : other)
    this.#socket?.send(JSON.stringify({ op: first.op, args: batch.map(({ arg }) => arg) }))
    if (this.#waiting.length > 0) this.#sending = setTimeout(() => this.#flush(), sendEveryMs)
  }

  #ping(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    if (this.#unanswered === unansweredMax) {
      // The closing of a connection that is gone is answered by nobody, either.
      const socket = this.#socket
      socket.onclose = null
      socket.close()
      this.#again()
      return
    }
    this.#unanswered++
    this.#socket.send('ping')
  }
}

interface Message {
  readonly event?: string
  readonly action?: 'snapshot' | 'update'
  readonly arg?: Argument
  readonly msg?: string
}

function keyOf(arg: Argument | undefined): string {
  return Object.entries(arg ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('&')
}
