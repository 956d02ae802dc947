/**
 * One socket: what goes out on it and how much may wait, what comes in and how often.
 *
 * Slow      when more than the bound waits to be read and one more push comes, the reader is disconnected at once, and
 *           nothing is kept for him; how large one push is does not matter
 * Often     at most ten messages a second and 240 subscribing messages an hour, unless limits are off
 * Clock     milliseconds of the one that is handed in; it may go back: counts begin anew then
 * Life      two minutes without a message, or a day, end it
 * Source    wire/websocket.md §2, §7
 */
import type { RawData, WebSocket } from 'ws'
import type { Version } from '../api/api.ts'
import type { AroundFrames, FramedSocket, MessageKind, SubscribedChannel } from './around-frames.ts'
import type { StreamCounts } from './counts.ts'
import type { Member } from './topic.ts'

/** How a socket may be used. */
export interface ConnectionBounds {
  /** Bytes that may wait for a slow reader. */
  readonly bytesBufferedMax: number
  readonly subscriptionsMax: number
  /** Whether messages are counted. */
  readonly limited: boolean
}

const messagesPerSecondMax = 10
const subscribingPerHourMax = 240
const silentMsMax = 120_000
const lifeMsMax = 86_400_000
const closeMsMax = 2_000
const asText = { binary: false, compress: false }

/** Of the protocol (RFC 6455 and its registry): going away, against the rules, a service that begins anew, and one to try later. */
const closeCodes = { over: 1001, refused: 1008, anew: 1012, later: 1013 } as const

export class Connection implements Member, FramedSocket {
  readonly id: number
  readonly version: Version
  readonly ip: string
  readonly bounds: ConnectionBounds
  /** Of the account that has logged in. */
  uid: number | undefined
  /** Set by whoever keeps its subscriptions. */
  loseSubscriptions: (fits: (channel: SubscribedChannel) => boolean) => void = () => {}
  readonly #around: AroundFrames | undefined
  readonly #socket: WebSocket
  readonly #counts: StreamCounts
  readonly #now: () => number
  readonly #openedMs: number
  #heardMs: number
  readonly #messages = new Window(1000, messagesPerSecondMax)
  readonly #subscribing = new Window(3_600_000, subscribingPerHourMax)

  constructor(
    socket: WebSocket,
    from: { readonly id: number; readonly version: Version; readonly ip: string },
    bounds: ConnectionBounds,
    counts: StreamCounts,
    now: () => number,
    around?: AroundFrames,
  ) {
    this.id = from.id
    this.#around = around
    this.#now = now
    this.#openedMs = now()
    this.#heardMs = this.#openedMs
    this.#socket = socket
    this.version = from.version
    this.ip = from.ip
    this.bounds = bounds
    this.#counts = counts
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  send(message: Buffer, kind: MessageKind = 'push'): void {
    if (this.#around?.isActive === true) this.#around.out(this, message, (sent) => this.#send(sent), kind)
    else this.#send(message)
  }

  #send(message: Buffer): void {
    if (!this.isOpen) return
    if (this.#socket.bufferedAmount > this.bounds.bytesBufferedMax) {
      this.#counts.slowReaders += 1
      this.#socket.terminate()
      return
    }
    this.#counts.messagesSent += 1
    this.#socket.send(message, asText)
  }

  /** An answer. */
  sendText(text: string): void {
    this.send(Buffer.from(text), 'answer')
  }

  /** `heard` gets each message until the socket closes, then `closed` is called. */
  listen(heard: (message: Buffer) => void, closed: () => void): void {
    this.#socket.on('message', (data: RawData) => {
      this.#heardMs = this.#now()
      this.#counts.messagesReceived += 1
      const message = bytesOf(data)
      if (this.#around?.isActive === true) this.#around.in(this, message, heard)
      else heard(message)
    })
    this.#socket.on('ping', (data: Buffer) => {
      this.#heardMs = this.#now()
      if (this.#around?.pongs(this) !== false) this.#socket.pong(data)
    })
    this.#around?.opened(this)
    this.#socket.on('close', () => {
      this.#around?.closed(this)
      closed()
    })
    // What is wrong with a socket closes it; nobody else is concerned.
    this.#socket.on('error', () => this.#socket.terminate())
  }

  /** Counts a message; false: one too many. */
  mayAsk(): boolean {
    return !this.bounds.limited || this.#messages.count(this.#now())
  }

  /** Counts a message that subscribes; false: one too many. */
  maySubscribe(): boolean {
    return !this.bounds.limited || this.#subscribing.count(this.#now())
  }

  /** It has been silent for too long, or open. */
  isOver(nowMs: number): boolean {
    return nowMs - this.#heardMs > silentMsMax || nowMs - this.#openedMs > lifeMsMax
  }

  /** Ends it, politely as far as the other side goes along. */
  close(why: keyof typeof closeCodes | number = 'over'): void {
    this.#socket.close(typeof why === 'number' ? why : closeCodes[why])
    setTimeout(() => this.#socket.terminate(), closeMsMax).unref()
  }

  terminate(): void {
    this.#socket.terminate()
  }
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}

/** Counts within a span of time that begins with the first of them. */
class Window {
  readonly #lengthMs: number
  readonly #most: number
  #startedMs = Number.NEGATIVE_INFINITY
  #counted = 0

  constructor(lengthMs: number, most: number) {
    this.#lengthMs = lengthMs
    this.#most = most
  }

  /** False: one too many. */
  count(now: number): boolean {
    if (now - this.#startedMs >= this.#lengthMs || now < this.#startedMs) {
      this.#startedMs = now
      this.#counted = 0
    }
    this.#counted += 1
    return this.#counted <= this.#most
  }
}
