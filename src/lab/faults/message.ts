/**
 * One message of a socket, to rules: what it is about is read when a rule asks for it.
 *
 * Source  lab.md §4.5 (ws-*); wire/websocket.md
 */
import type { FramedSocket } from '../../stream/stream.ts'

type Fields = Readonly<Record<string, unknown>>

/** Channels of the market; every other one is of an account. */
const publicChannels = /^(?:ticker|books?.*|rpi.*|(?:public)?trade|index-price|auction|candle.*|kline|liquidation)$/i

export class Message {
  readonly bytes: Buffer
  readonly direction: 'out' | 'in'
  readonly socket: FramedSocket
  #fields: Fields | undefined

  constructor(bytes: Buffer, socket: FramedSocket, direction: 'out' | 'in') {
    this.bytes = bytes
    this.socket = socket
    this.direction = direction
  }

  /** The message as JSON; empty: it is none. */
  get fields(): Fields {
    return (this.#fields ??= parsed(this.bytes))
  }

  /** `trade`, `subscribe`, `login`, `error`; undefined: a push. */
  get event(): string | undefined {
    return textIn(this.fields, 'event') ?? textIn(this.fields, 'op')
  }

  /** The channel of a push, as the version spells it: `ticker`, `books`, `orders`. */
  get channel(): string | undefined {
    const { arg } = this.fields
    if (this.event !== undefined || !isFields(arg)) return undefined
    return textIn(arg, 'channel') ?? textIn(arg, 'topic')
  }

  /** Of a push; undefined: it is none. */
  get scope(): 'public' | 'private' | undefined {
    const { channel } = this
    return channel === undefined ? undefined : publicChannels.test(channel) ? 'public' : 'private'
  }

  get symbols(): readonly string[] {
    const { arg, data } = this.fields
    const rows: readonly unknown[] = Array.isArray(data) ? data : []
    const named = [arg, ...rows].flatMap((part) => {
      const symbol = isFields(part) ? (textIn(part, 'symbol') ?? textIn(part, 'instId')) : undefined
      return symbol === undefined || symbol === 'default' ? [] : [symbol.toUpperCase()]
    })
    return [...new Set(named)]
  }
}

function parsed(bytes: Buffer): Fields {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return isFields(value) ? value : {}
  } catch {
    return {}
  }
}

function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' ? value : undefined
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
