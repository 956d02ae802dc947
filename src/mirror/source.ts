/**
 * The socket to another venue: one connection that is opened again when it is cut, silent or speaks nonsense.
 *
 * Keys      none: the public channels need none, and none are sent
 * Alive     a `ping` every other second; nothing heard for `silentLooks` seconds ends it
 * Again     after 250 ms, then twice as long each time up to 30 s, until a book was followed
 * Source    docs/streams.md; wire/websocket.md §2
 */
import { WebSocket } from 'ws'
import type { Instrument } from '../engine/catalog/catalog.ts'
import { wrong } from './wrong.ts'

const silentLooks = 5
const againMsMin = 250
const againMsMax = 30_000
const textMax = 16 * 1024 * 1024
/** Arguments of one message: with more it would be longer than a venue takes. */
const argumentsMax = 30
/** The index is there before the book that it is reckoned beside. */
const topics = ['ticker', 'books', 'publicTrade'] as const

export interface SourceEvents {
  /** Before anything is subscribed to; what it throws is why it is tried again. */
  readonly opened: () => Promise<void>
  /** Throws for nonsense: the connection ends. */
  readonly said: (text: string) => void
  readonly lost: (why: string) => void
}

export class SourceSocket {
  readonly #url: string
  readonly #events: SourceEvents
  #socket: WebSocket | undefined
  #instruments: readonly Instrument[] = []
  #looks: NodeJS.Timeout
  #again: NodeJS.Timeout | undefined
  #againMs = againMsMin
  #silent = 0
  #count = 0
  #isClosed = false

  constructor(url: string, lookEveryMs: number, events: SourceEvents) {
    this.#url = url
    this.#events = events
    this.#looks = setInterval(() => this.#look(), lookEveryMs)
  }

  connect(): void {
    if (this.#isClosed) return
    const socket = new WebSocket(this.#url, { maxPayload: textMax, handshakeTimeout: 10_000 })
    this.#socket = socket
    this.#silent = 0
    let why = 'it closed the connection'
    socket.on('open', () => {
      this.#events.opened().catch((error: Error) => {
        why = error.message
        socket.terminate()
      })
    })
    socket.on('message', (data, isBinary) => {
      if (socket !== this.#socket) return
      this.#silent = 0
      try {
        if (isBinary) throw wrong('socket', 'a binary frame', 'is not text')
        // oxlint-disable-next-line typescript/no-base-to-string -- a Buffer, whose text is meant
        const text = data.toString()
        if (text !== 'pong') this.#events.said(text)
      } catch (error) {
        why = (error as Error).message
        socket.terminate()
      }
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      why = error.code ?? error.message
    })
    socket.on('close', () => {
      if (socket !== this.#socket) return
      this.#socket = undefined
      this.#events.lost(this.#silent >= silentLooks ? `nothing was heard for ${silentLooks} s` : why)
      if (this.#isClosed) return
      this.#again = setTimeout(() => this.connect(), this.#againMs)
      this.#againMs = Math.min(this.#againMs * 2, againMsMax)
    })
  }

  /** A book was followed: the next cut is the first one again. */
  wentWell(): void {
    this.#againMs = againMsMin
  }

  subscribe(instruments: readonly Instrument[]): void {
    this.#instruments = instruments
    const wanted = instruments.flatMap((instrument) => topics.map((topic) => argumentOf(instrument, topic)))
    for (let from = 0; from < wanted.length; from += argumentsMax) {
      this.#send({ op: 'subscribe', args: wanted.slice(from, from + argumentsMax) })
    }
  }

  /** A book from its snapshot on. */
  renew(instrument: Instrument): void {
    if (!this.#instruments.includes(instrument)) return
    this.#send({ op: 'unsubscribe', args: [argumentOf(instrument, 'books')] })
    this.#send({ op: 'subscribe', args: [argumentOf(instrument, 'books')] })
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#looks)
    clearTimeout(this.#again)
    this.#socket?.terminate()
  }

  #look(): void {
    this.#silent += 1
    this.#count += 1
    if (this.#silent >= silentLooks) this.#socket?.terminate()
    else if (this.#count % 2 === 0 && this.#socket?.readyState === WebSocket.OPEN) this.#socket.send('ping')
  }

  #send(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
  }
}

function argumentOf({ category, symbol }: Instrument, topic: (typeof topics)[number]) {
  return { instType: category.toLowerCase(), topic, symbol }
}
