/**
 * A WebSocket to a venue that keeps everything it hears, so that a test can say what comes next and what must not come.
 *
 * Waiting   `next` answers the first message from where the last wait ended on; what it passes over is not looked at again
 */
import { createHmac } from 'node:crypto'
import { WebSocket } from 'ws'
import type { Key, ReachableVenue } from './person.ts'

export type StreamPath = '/v2/ws/public' | '/v2/ws/private' | '/v3/ws/public' | '/v3/ws/private'
export type Argument = Readonly<Record<string, string>>

/** A row of a push. */
export type Row = Readonly<Record<string, unknown>>

export interface Message {
  readonly event?: string
  readonly action?: string
  readonly arg?: Argument
  readonly data?: readonly Row[]
  readonly code?: unknown
  readonly msg?: string
  readonly ts?: unknown
  readonly [field: string]: unknown
}

/** Of what does come, on a machine that others keep busy: a message that is missing is a failure whenever it is told. */
const withinMs = 30_000

export class Socket {
  readonly #socket: WebSocket
  /** Every message, oldest first; what is not JSON as `{ text }`. */
  readonly heard: Message[] = []
  readonly closed: Promise<number>
  #read = 0
  #waiting: (() => void)[] = []

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      // oxlint-disable-next-line typescript/no-base-to-string -- a Buffer, whose text is meant
      const text = data.toString()
      this.heard.push(text.startsWith('{') ? (JSON.parse(text) as Message) : { text })
      this.#wake()
    })
    this.closed = new Promise((resolve) => {
      socket.on('close', (code) => {
        resolve(code)
        this.#wake()
      })
    })
  }

  static open(
    venue: Pick<ReachableVenue, 'url'>,
    path: StreamPath | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Socket> {
    const socket = new WebSocket(venue.url.replace('http', 'ws') + path, { headers })
    const opened = new Socket(socket)
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(opened))
      socket.once('error', reject)
      socket.once('unexpected-response', (_request, response) => {
        reject(new Error(`the socket was refused with ${response.statusCode}`))
      })
    })
  }

  /** A socket of somebody who has logged in. */
  static async of(person: { readonly venue: ReachableVenue; readonly key: Key }, path: StreamPath): Promise<Socket> {
    const socket = await Socket.open(person.venue, path)
    socket.login(person.key, person.venue.now())
    const answer = await socket.next((message) => message.event !== undefined)
    if (answer.event !== 'login' || answer.code !== 0) throw new Error(`login: ${JSON.stringify(answer)}`)
    return socket
  }

  /** Sends a value as JSON, or a text as it is. */
  send(message: unknown): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  login({ apiKey, secret, passphrase }: Key, now: number): void {
    const timestamp = String(Math.floor(now / 1000))
    const sign = createHmac('sha256', secret).update(`${timestamp}GET/user/verify`).digest('base64')
    this.send({ op: 'login', args: [{ apiKey, passphrase, timestamp, sign }] })
  }

  /** Subscribes to one channel and waits for its acknowledgement. */
  async subscribe(arg: Argument): Promise<void> {
    this.send({ op: 'subscribe', args: [arg] })
    const answer = await this.next((message) => message.event !== undefined)
    if (answer.event !== 'subscribe') throw new Error(JSON.stringify(answer))
  }

  async next(where: (message: Message) => boolean = () => true): Promise<Message> {
    const deadline = Date.now() + withinMs
    for (;;) {
      while (this.#read < this.heard.length) {
        const message = this.heard[this.#read++]
        if (message !== undefined && where(message)) return message
      }
      if (this.#socket.readyState === WebSocket.CLOSED) throw new Error('the socket has closed')
      const waitMs = deadline - Date.now()
      if (waitMs <= 0) throw new Error(`nothing of the kind came; heard ${JSON.stringify(this.heard).slice(-1500)}`)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
        setTimeout(resolve, waitMs).unref()
      })
    }
  }

  /** The next push of a channel (`channel` of v2, `topic` of v3), if asked for with rows like this one. */
  push(channel: string, like?: (row: Row) => boolean): Promise<Message> {
    return this.next(({ action, arg, data = [] }) => {
      if (action === undefined || (arg?.['channel'] ?? arg?.['topic']) !== channel) return false
      return like === undefined || data.some(like)
    })
  }

  /** Stops reading off the wire: a slow reader. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  close(): void {
    this.#socket.terminate()
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
