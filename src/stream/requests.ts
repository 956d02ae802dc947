/**
 * What a client says on a socket, from text to what it asks; or what is wrong with it.
 *
 * Lenient  unknown fields are ignored; a number counts as its text, so a login's timestamp may be either
 * Aliases  `inst_type` and `inst_id` mean `instType` and `instId`, which answers and pushes repeat
 * Bound    a subscribing message has at most 4096 bytes
 * Source   wire/websocket.md §2, §5; wire/auth.md §6
 */
import { ApiError, parseBody } from '../api/api.ts'
import { StreamError } from './errors.ts'

/** The fields of one argument of a message, those that are text. */
export type Argument = Readonly<Record<string, string>>

export interface Login {
  readonly apiKey: string
  readonly passphrase: string
  readonly timestamp: string
  readonly sign: string
}

export type StreamRequest =
  | { readonly op: 'login'; readonly login: Login }
  | { readonly op: 'subscribe' | 'unsubscribe'; readonly args: readonly Argument[] }
  | { readonly op: 'trade'; readonly message: Readonly<Record<string, unknown>> }

const subscribingBytesMax = 4096

/** Throws a StreamError. */
export function parseRequest(bytes: Buffer): StreamRequest {
  const message = parsed(bytes)
  const op = textOf(message, 'op')
  switch (op) {
    case 'login':
      return { op, login: loginOf(argumentsOf(message)) }
    case 'subscribe':
    case 'unsubscribe': {
      if (bytes.length > subscribingBytesMax) {
        throw new StreamError(30016, `a subscription has at most ${subscribingBytesMax} bytes`)
      }
      return { op, args: argumentsOf(message).map(textFields) }
    }
    case 'trade':
      return { op, message }
    default:
      throw new StreamError(30003)
  }
}

function parsed(bytes: Buffer): Record<string, unknown> {
  let value: unknown
  try {
    value = parseBody(bytes, 'v3')
  } catch (error) {
    if (error instanceof ApiError) throw new StreamError(30016, 'the message should be JSON')
    throw error
  }
  if (!isObject(value)) throw new StreamError(30016, 'the message should be an object')
  return value
}

function loginOf(args: readonly Record<string, unknown>[]): Login {
  const [first] = args
  const { apiKey = '', passphrase = '', timestamp = '', sign = '' } = first === undefined ? {} : textFields(first)
  return { apiKey, passphrase, timestamp, sign }
}

/** The objects in `args`. */
export function argumentsOf(message: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  const args = Object.hasOwn(message, 'args') ? message['args'] : undefined
  if (!Array.isArray(args) || args.length === 0 || !args.every(isObject)) {
    throw new StreamError(30016, 'args should be a list of objects')
  }
  return args
}

const aliases: ReadonlyMap<string, string> = new Map([
  ['inst_type', 'instType'],
  ['inst_id', 'instId'],
])

/** By the names of the protocol; what is there under its own name counts, not its alias. */
export function withoutAliases(argument: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const named = Object.entries(argument).flatMap(([name, value]): [string, unknown][] => {
    const own = aliases.get(name)
    if (own === undefined) return [[name, value]]
    return Object.hasOwn(argument, own) ? [] : [[own, value]]
  })
  return Object.fromEntries(named)
}

function textFields(argument: Readonly<Record<string, unknown>>): Argument {
  return Object.fromEntries(
    Object.entries(withoutAliases(argument)).filter((field): field is [string, string] => typeof field[1] === 'string'),
  )
}

export function textOf(message: Readonly<Record<string, unknown>>, name: string): string {
  const value = Object.hasOwn(message, name) ? message[name] : undefined
  return typeof value === 'string' ? value : ''
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
