/**
 * `on`: which calls, messages and sockets are meant. What is left away does not matter.
 *
 * Wrong     what names nothing of this venue is refused, with the nearest that there is
 * Orders    a batch is meant if any of its orders fits all of it
 * Source    lab.md §4.5, §4.6, §4.7
 */
import type { StaticDecode } from 'typebox'
import type { Uid } from '../../engine/vocabulary.ts'
import { body, field, optional, symbol, wholeNumber, word } from '../../operator/operator.ts'
import { LabRefusal } from '../refusals.ts'
import { readWho } from '../things.ts'
import type { LabVenue } from '../venue.ts'
import type { FramedSocket, SubscribedChannel } from '../../stream/stream.ts'
import type { Call } from './call.ts'
import { type EndpointChoice, endpointChoice, endpointNames } from './endpoints.ts'
import type { Message } from './message.ts'
import { nearestText } from './nearest.ts'
import { Pattern, patternLengthMax, PatternWrong } from './pattern.ts'

const shortText = (rule: string, lengthMax: number) =>
  field(rule, (value) =>
    typeof value === 'string' && value !== '' && value.length <= lengthMax && value.isWellFormed() ? value : undefined,
  )

export const onBody = body({
  endpoint: optional(shortText('an endpoint or a group of GET /_lab/faults/endpoints', 100)),
  key: optional(shortText('an API key', 100)),
  role: optional(shortText('a role such as unified-main', 64)),
  uid: optional(
    field<Uid>('an account number', (value) => {
      const who = readWho(value)
      return typeof who === 'number' ? who : undefined
    }),
  ),
  symbol: optional(symbol),
  side: optional(word(['buy', 'sell'])),
  clientOid: optional(shortText(`a regular expression of 1 to ${patternLengthMax} characters`, patternLengthMax)),
  connection: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  channel: optional(shortText('the channel or topic of a push, such as books or orders', 64)),
})

export type On = StaticDecode<typeof onBody>

export class Selector {
  readonly endpoint: EndpointChoice
  readonly uid: Uid | undefined
  readonly #on: On
  readonly #pattern: Pattern | undefined

  /** `at` is where it stands in the body; `usual` is the endpoint of one that names none. Throws LabRefusal. */
  constructor(on: On, venue: LabVenue, { at, usual }: { readonly at: string; readonly usual: string }) {
    this.#on = on
    const name = on.endpoint ?? usual
    const endpoint = endpointChoice(name)
    if (endpoint === undefined) {
      throw matchesNothing(`${at}.endpoint`, `there is no endpoint ${name}${nearestText(name, endpointNames())}`)
    }
    this.endpoint = endpoint
    if (on.channel !== undefined && !endpoint.over.includes('message')) {
      throw matchesNothing(
        `${at}.channel`,
        `pushes have a channel, and ${name} has none of them; the nearest is ws:any`,
      )
    }
    this.uid = accountOf(on, venue, at)
    if (on.symbol !== undefined) checkSymbol(on.symbol, venue, `${at}.symbol`)
    this.#pattern = on.clientOid === undefined ? undefined : patternOf(on.clientOid, `${at}.clientOid`)
  }

  /** What matching a character of a client order id costs at most. */
  get places(): number {
    return this.#pattern?.places ?? 0
  }

  matches(call: Call): boolean {
    const { symbol: of, side, key, connection } = this.#on
    if (!this.endpoint.over.includes(call.over) || !this.endpoint.has(call.endpoint)) return false
    if (key !== undefined && call.apiKey !== key) return false
    if (this.uid !== undefined && call.uid !== this.uid) return false
    if (connection !== undefined && call.connection !== connection) return false
    const pattern = this.#pattern
    if (of === undefined && side === undefined && pattern === undefined) return true
    return call.orders.some(
      (order) =>
        (of === undefined || order.symbol === of) &&
        (side === undefined || order.side === side) &&
        (pattern === undefined || (order.clientOid !== undefined && pattern.test(order.clientOid))),
    )
  }

  /** A message to or from a socket; an endpoint says which. */
  matchesMessage(message: Message): boolean {
    const { symbol: of } = this.#on
    const { over, scope } = this.endpoint
    if (!over.includes('message') || !this.matchesSocket(message.socket)) return false
    if (scope !== undefined && message.scope !== scope) return false
    if (!this.#isNamed(message.channel)) return false
    return of === undefined || message.symbols.includes(of)
  }

  /** A channel that a socket is subscribed to. */
  matchesChannel({ name, scope, symbol: of }: SubscribedChannel): boolean {
    if (this.endpoint.scope !== undefined && scope !== this.endpoint.scope) return false
    return this.#isNamed(name) && (this.#on.symbol === undefined || of.toUpperCase() === this.#on.symbol)
  }

  /** A socket as a whole, of whatever it speaks. */
  matchesSocket(socket: Pick<FramedSocket, 'id' | 'uid'>): boolean {
    if (this.uid !== undefined && socket.uid !== this.uid) return false
    return this.#on.connection === undefined || socket.id === this.#on.connection
  }

  #isNamed(channel: string | undefined): boolean {
    const { channel: wanted } = this.#on
    return wanted === undefined || channel?.toLowerCase() === wanted.toLowerCase()
  }
}

/** A rule that can match nothing. */
export function matchesNothing(at: string, message: string): LabRefusal {
  return new LabRefusal(400, 'rule-matches-nothing', `${at}: ${message}`, { field: at })
}

function accountOf({ key, role, uid }: On, venue: LabVenue, at: string): Uid | undefined {
  const { keys, demoKeys, runtime } = venue.parts
  const given = Object.entries({ key, role, uid }).filter(([, value]) => value !== undefined)
  if (given.length > 1) {
    const which = `${at}.${given[1][0]}`
    const message = `${which}: one of key, role and uid is wanted, not ${given.map(([name]) => name).join(' and ')}`
    throw new LabRefusal(400, 'body-wrong', message, { field: which })
  }
  if (key !== undefined && keys.find(key) === undefined) {
    const known = Object.values(demoKeys()).map(({ apiKey }) => apiKey)
    throw matchesNothing(`${at}.key`, `there is no key ${key}${nearestText(key, known)}`)
  }
  if (role !== undefined) {
    const roles = demoKeys()
    if (!Object.hasOwn(roles, role)) {
      throw matchesNothing(`${at}.role`, `there is no role ${role}${nearestText(role, Object.keys(roles))}`)
    }
    return Number(roles[role].uid)
  }
  if (uid !== undefined && runtime.query({ kind: 'account', uid }) === undefined) {
    throw matchesNothing(`${at}.uid`, `there is no account ${uid}`)
  }
  return uid
}

/** Throws LabRefusal. */
export function checkSymbol(named: string, venue: LabVenue, at: string): void {
  const { instruments } = venue.parts.runtime.query({ kind: 'catalog' })
  const known = instruments.map((instrument) => instrument.symbol)
  if (known.includes(named)) return
  throw matchesNothing(at, `there is no instrument ${named}${nearestText(named, known)}`)
}

function patternOf(source: string, at: string): Pattern {
  try {
    return new Pattern(source)
  } catch (error) {
    if (!(error instanceof PatternWrong)) throw error
    throw new LabRefusal(400, 'body-wrong', `${at} ${error.message}`, { field: at })
  }
}
