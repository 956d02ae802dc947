/**
 * One call on its way through the laboratory: a request, or an order over a socket. What rules look at, and the ways to answer it
 * otherwise than the venue would.
 *
 * Facts     are read when a rule asks for them. They come from what was sent: who signed a request is not proved yet
 * Answers   one form for both ways: over a socket an error is thrown, and data are handed back
 * Source    lab.md §4.5
 */
import type { Socket } from 'node:net'
import {
  ApiError,
  type AskedByRequest,
  type AskedBySocket,
  type Code,
  type Endpoint,
  failure,
  inDialect,
  localeOf,
} from '../../api/api.ts'
import type { Command } from '../../engine/protocol/command.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import type { Uid } from '../../engine/vocabulary.ts'
import type { LabVenue } from '../venue.ts'

/** How an answer is lost: the connection is ended, reset, or left open and silent. */
export const losses = ['fin', 'rst', 'hang'] as const
export type Loss = (typeof losses)[number]

/** How an answer is made unreadable. */
export const garbles = ['truncated', 'not-json', 'wrong-type', 'bad-gzip'] as const
export type Garble = (typeof garbles)[number]

/** What goes back. Over a socket `settled` says it: data of the answer, an error, or nothing. */
export interface Answer {
  readonly httpStatus: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  readonly deliver?: (socket: Socket, bytes: Buffer) => Promise<void>
  /** Over a socket: the message that tells it cannot be read. */
  readonly garble?: Garble
  readonly settled?: { readonly data: unknown } | { readonly error: unknown } | { readonly lost: Loss }
}

/** Commands of the call that were sequenced, and what came of them. */
export interface SentCommands {
  readonly commands: readonly Command[]
  readonly replies: readonly Reply[]
  /** Of the first. */
  readonly sequence: number | undefined
}

/** What a call says of an order; undefined: nothing. */
export interface OrderFacts {
  readonly symbol: string | undefined
  readonly side: string | undefined
  readonly clientOid: string | undefined
}

interface RefusalOptions {
  readonly httpStatus?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly facts?: readonly string[]
}

type Asked = AskedByRequest | AskedBySocket

export class Call {
  readonly endpoint: Endpoint
  readonly over: 'http' | 'socket'
  /** Empty: an order over a socket has none. */
  readonly requestId: string
  /** Of the socket that it came over. */
  readonly connection: number | undefined
  readonly apiKey: string | undefined
  /** In order; other calls than those that change something send none. */
  readonly sent: SentCommands[] = []
  readonly asked: Asked
  readonly #venue: LabVenue
  #orders: readonly OrderFacts[] | undefined

  constructor(asked: Asked, venue: LabVenue) {
    this.asked = asked
    this.#venue = venue
    this.endpoint = asked.endpoint
    if ('request' in asked) {
      this.over = 'http'
      this.requestId = asked.request.requestId
      this.connection = undefined
      const name = asked.request.headers['access-key']
      this.apiKey = typeof name === 'string' ? name : undefined
    } else {
      this.over = 'socket'
      this.requestId = ''
      this.connection = asked.caller.socket?.id
      this.apiKey = asked.caller.key.apiKey
    }
  }

  /** Of the account that the key is for; undefined: nobody's. */
  get uid(): Uid | undefined {
    return this.apiKey === undefined ? undefined : this.#venue.parts.keys.find(this.apiKey)?.uid
  }

  /** Each order of a batch, or what the call is about. */
  get orders(): readonly OrderFacts[] {
    return (this.#orders ??= fieldsOf(this.asked).map((order) => ({
      symbol: (textIn(order, 'symbol') ?? this.#symbolOf(order))?.toUpperCase(),
      side: textIn(order, 'side')?.toLowerCase(),
      clientOid: textIn(order, 'clientOid'),
    })))
  }

  /** A failure with a code of the interface. */
  refusal(code: Code, { httpStatus = 400, headers = {}, facts = [] }: RefusalOptions = {}): Answer {
    const dialect = this.endpoint.path.startsWith('/api/v3/') ? this.#venue.parts.v3Dialect : 'interface'
    const error = inDialect(new ApiError(code, facts, httpStatus), dialect)
    const asked = this.asked
    const locale = 'request' in asked ? localeOf(textIn(asked.request.headers, 'locale')) : 'en-US'
    return { ...failure(error, locale, this.#venue.parts.runtime.now(), headers), settled: { error } }
  }

  /** No answer. */
  lost(how: Loss): Answer {
    return { httpStatus: 200, headers: {}, body: '', settled: { lost: how }, deliver: (socket) => lose(socket, how) }
  }

  /** Of the first command; undefined: none was sequenced. */
  get sequence(): number | undefined {
    return this.sent.find(({ sequence }) => sequence !== undefined)?.sequence
  }

  /** An order that is named by its number or its client order id alone. */
  #symbolOf(order: Fields): string | undefined {
    const { uid } = this
    const orderId = Number(textIn(order, 'orderId'))
    const clientOid = textIn(order, 'clientOid') ?? ''
    if (uid === undefined || (!Number.isSafeInteger(orderId) && clientOid === '')) return undefined
    const { runtime } = this.#venue.parts
    const named = { orderId: Number.isSafeInteger(orderId) && orderId > 0 ? orderId : undefined, clientOid }
    const found = runtime.query({ kind: 'order', uid, order: named })
    return found && runtime.query({ kind: 'catalog' }).instruments[found.instrument].symbol
  }
}

/** What is thrown for an order over a socket in place of an answer; undefined: it is no failure. */
export function errorIn({ settled }: Answer): unknown {
  return settled !== undefined && 'error' in settled ? settled.error : undefined
}

/** Resolves when nothing more goes out on it. */
async function lose(socket: Socket, how: Loss): Promise<void> {
  if (how === 'fin') return void socket.end()
  if (how === 'rst') return void socket.resetAndDestroy()
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.once('close', () => resolve())
  if (socket.destroyed) resolve()
  await promise
}

type Fields = Readonly<Record<string, unknown>>

function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined
}

/** What a call says: each order of a batch, or one. What is beside a list counts for each of it. */
function fieldsOf(asked: Asked): readonly Fields[] {
  const whole = 'request' in asked ? contentOf(asked) : asked.input
  if (Array.isArray(whole)) return whole.filter(isFields)
  if (!isFields(whole)) return []
  const lists = ['orderList', 'orderIdList', 'orders'].map((name) => whole[name]).filter(Array.isArray)
  const [list] = lists
  if (list === undefined) return [whole]
  return list.filter(isFields).map((order) => ({ ...whole, ...order }))
}

function contentOf({ request }: AskedByRequest): unknown {
  const mark = request.target.indexOf('?')
  if (request.method === 'GET') {
    return mark < 0 ? {} : Object.fromEntries(new URLSearchParams(request.target.slice(mark + 1)))
  }
  try {
    return JSON.parse(request.body?.toString() ?? '')
  } catch {
    return undefined
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
