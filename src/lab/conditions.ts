/**
 * Conditions that a clock runs up to, and that `wait` waits for. Each is looked at after every command.
 *
 * order, position, price   how it stands: true at once where it stands so already
 * liquidated, fills        since the venue began: fills counts all of an account
 * funding, fired           from the call on
 * sequence, quiet          the journal's number; no command but timers for so long
 * all, any                 of others
 * Source                   lab.md §4.3
 */
import { parseDecimal } from '../engine/numbers/numbers.ts'
import type { Command } from '../engine/protocol/command.ts'
import type { Event, OrderRecord } from '../engine/protocol/event.ts'
import type { EventConsumer } from '../runtime/runtime.ts'
import { field } from '../operator/operator.ts'
import type { Fired } from './fired.ts'
import { accountOf, contractOf, instrumentOf, readWho, speakersOf, type Who } from './things.ts'
import { readDuration } from './times.ts'
import type { LabVenue } from './venue.ts'

const orderStates = ['live', 'partially_filled', 'filled', 'cancelled', 'gone'] as const
const priceKinds = ['last', 'mark', 'index'] as const

export type Condition =
  | {
      readonly order: {
        readonly clientOid?: string | undefined
        readonly orderId?: number
        readonly is: (typeof orderStates)[number]
      }
    }
  | { readonly position: { readonly uid: Who; readonly symbol: string; readonly is: 'open' | 'closed' } }
  | { readonly price: PriceCondition }
  | { readonly liquidated: Who }
  | { readonly funding: { readonly symbol: string | undefined; readonly times: number } }
  | { readonly fired: { readonly kind: Fired['kind']; readonly symbol: string | undefined } }
  | { readonly fills: { readonly uid: Who; readonly count: number } }
  | { readonly sequence: number }
  | { readonly quiet: number }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }

interface PriceCondition {
  readonly symbol: string
  readonly kind: (typeof priceKinds)[number]
  /** 1e-8 of the quote. */
  readonly atLeast: bigint | undefined
  readonly atMost: bigint | undefined
}

const rule =
  'one condition: {order: {clientOid | orderId, is}}, {position: {uid, symbol, is: open | closed}}, ' +
  '{price: {symbol, kind: last | mark | index, atLeast | atMost}}, {liquidated: uid}, {funding: {symbol, times}}, ' +
  '{fills: {uid, count}}, {sequence: n}, {quiet: duration}, {all: [...]} or {any: [...]}'

/** A condition, or the JSON text of one. */
export const conditionField = field<Condition>(rule, (value) => readCondition(value))

const nestedMax = 32

/** Undefined: it is none. */
function readCondition(sent: unknown, depth = 0): Condition | undefined {
  const value = typeof sent === 'string' ? parsed(sent) : sent
  if (depth > 4 || !isRecord(value) || Object.keys(value).length !== 1) return undefined
  const [[kind, of]] = Object.entries(value)
  switch (kind) {
    case 'order': {
      if (!has(of, ['is'], ['clientOid', 'orderId']) || !isOneOf(orderStates, of['is'])) return undefined
      const orderId = of['orderId'] === undefined ? undefined : wholeOf(of['orderId'])
      const clientOid = of['clientOid']
      if (clientOid !== undefined && (typeof clientOid !== 'string' || clientOid === '')) return undefined
      if ((orderId === undefined) === (clientOid === undefined)) return undefined
      return { order: { ...(orderId === undefined ? { clientOid } : { orderId }), is: of['is'] } }
    }
    case 'position': {
      if (!has(of, ['uid', 'symbol', 'is']) || !isOneOf(['open', 'closed'] as const, of['is'])) return undefined
      const [uid, symbol] = [readWho(of['uid']), symbolOf(of['symbol'])]
      return uid === undefined || symbol === undefined ? undefined : { position: { uid, symbol, is: of['is'] } }
    }
    case 'price': {
      if (!has(of, ['symbol', 'kind'], ['atLeast', 'atMost']) || !isOneOf(priceKinds, of['kind'])) return undefined
      const [symbol, atLeast, atMost] = [symbolOf(of['symbol']), priceOf(of['atLeast']), priceOf(of['atMost'])]
      if (symbol === undefined || atLeast === 'wrong' || atMost === 'wrong') return undefined
      if (atLeast === undefined && atMost === undefined) return undefined
      return { price: { symbol, kind: of['kind'], atLeast, atMost } }
    }
    case 'liquidated': {
      const uid = readWho(of)
      return uid === undefined ? undefined : { liquidated: uid }
    }
    case 'funding': {
      if (!has(of, ['symbol'], ['times'])) return undefined
      const [symbol, times] = [symbolOf(of['symbol']), of['times'] === undefined ? 1 : wholeOf(of['times'])]
      return symbol === undefined || times === undefined ? undefined : { funding: { symbol, times } }
    }
    case 'fills': {
      if (!has(of, ['uid'], ['count'])) return undefined
      const [uid, count] = [readWho(of['uid']), of['count'] === undefined ? 1 : wholeOf(of['count'])]
      return uid === undefined || count === undefined || count > 100 ? undefined : { fills: { uid, count } }
    }
    case 'sequence': {
      const sequence = wholeOf(of)
      return sequence === undefined ? undefined : { sequence }
    }
    case 'quiet': {
      const quiet = readDuration(of)
      return quiet === undefined ? undefined : { quiet }
    }
    case 'all':
    case 'any': {
      if (!Array.isArray(of) || of.length === 0 || of.length > nestedMax) return undefined
      const parts = of.map((part) => readCondition(part, depth + 1))
      if (!parts.every((part) => part !== undefined)) return undefined
      return kind === 'all' ? { all: parts } : { any: parts }
    }
    default:
      return undefined
  }
}

/** A condition that is looked at after every command, until `end`. */
export interface Watch {
  /** Now, or after a command since the watch began. */
  holds(): boolean
  /** When it holds by time alone, if nothing else happens; undefined: it does not. */
  dueAt(): number | undefined
  end(): void
}

interface Heard {
  readonly sequence: number
  readonly at: number
  readonly events: readonly Event[]
  readonly command: Command['kind'] | ''
}

interface Probe {
  hear(heard: Heard): void
  holds(): boolean
  /** When it holds by time alone, if nothing else happens; undefined: it does not. */
  readonly dueAt?: () => number | undefined
}

/**
 * Throws LabRefusal for a symbol or an account that is not there; `at` is the field that has the condition. `onHeard` is called
 * after every command from then on.
 */
export async function watchFor(
  venue: LabVenue,
  condition: Condition,
  at: string,
  onHeard: () => void = () => {},
): Promise<Watch> {
  const { runtime, history } = venue.parts
  let probe: Probe | undefined
  let held = false
  // What happens while history is asked is heard.
  const early: Heard[] = []
  const hear = (to: Probe, heard: Heard) => {
    to.hear(heard)
    held ||= to.holds()
  }
  const consumer: EventConsumer = {
    record(sequence, recordedAt, events, command) {
      const heard = { sequence, at: recordedAt, events, command }
      if (probe === undefined) early.push(heard)
      else hear(probe, heard)
      onHeard()
    },
  }
  const end = runtime.addConsumer(consumer)
  try {
    await history.flush()
    const made = await probeFor(venue, condition, at)
    for (const heard of early) hear(made, heard)
    probe = made
    return { holds: () => held || made.holds(), dueAt: () => made.dueAt?.(), end }
  } catch (error) {
    end()
    throw error
  }
}

async function probeFor(venue: LabVenue, condition: Condition, at: string): Promise<Probe> {
  const { runtime, history } = venue.parts
  if ('all' in condition || 'any' in condition) {
    const every = 'all' in condition
    const probes = await Promise.all((every ? condition.all : condition.any).map((part) => probeFor(venue, part, at)))
    return {
      hear: (heard) => probes.forEach((probe) => probe.hear(heard)),
      holds: () => (every ? probes.every((probe) => probe.holds()) : probes.some((probe) => probe.holds())),
      dueAt() {
        const ahead = probes.flatMap((probe) => probe.dueAt?.() ?? []).filter((due) => due > runtime.now())
        return ahead.length === 0 ? undefined : Math.min(...ahead)
      },
    }
  }
  if ('order' in condition) return orderProbe(venue, condition.order)
  if ('position' in condition) {
    const { uid, symbol, is } = condition.position
    const contract = contractOf(venue, symbol, at)
    const account = accountOf(venue, uid, at)
    const of = { uid: account.uid, line: contract.category, instrument: contract.id } as const
    const isOpen = () =>
      speakersOf(account.mode).some((speaker) => {
        return runtime.query({ kind: 'positions', interface: speaker, ...of }).length > 0
      })
    return { hear() {}, holds: () => isOpen() === (is === 'open') }
  }
  if ('price' in condition) return priceProbe(venue, condition.price, at)
  if ('liquidated' in condition) {
    const { uid } = accountOf(venue, condition.liquidated, at)
    const before = (await wasLiquidated(history, uid)) ? [uid] : []
    return counting(before, 1, (event) => {
      const isIt = (event.kind === 'liquidation' || event.kind === 'margin-liquidation') && event.uid === uid
      return isIt ? event.liquidationId : undefined
    })
  }
  if ('funding' in condition) {
    const { symbol, times } = condition.funding
    const instrument = symbol === undefined ? undefined : instrumentOf(venue, symbol, at).id
    let seen = 0
    return counting([], times, (event) => {
      const isIt = event.kind === 'funding-settled' && (instrument === undefined || event.instrument === instrument)
      return isIt ? ++seen : undefined
    })
  }
  if ('fired' in condition) {
    const { kind, symbol } = condition.fired
    const instrument = symbol === undefined ? undefined : instrumentOf(venue, symbol, at).id
    return counting([], 1, (event) => {
      // The first hour of a loan is charged when it is taken, not by time.
      if (kind === 'interest') return event.kind === 'interest' && event.cause === 'hour' ? event.id : undefined
      if (event.kind !== 'fill' || event.cause !== 'delivery') return undefined
      return instrument === undefined || event.instrument === instrument ? event.execId : undefined
    })
  }
  if ('fills' in condition) {
    const { count } = condition.fills
    const { uid } = accountOf(venue, condition.fills.uid, at)
    const { rows } = await history.fills({ uid, limit: count })
    const before = rows.map(({ execId }) => execId)
    return counting(before, count, (event) => (event.kind === 'fill' && event.uid === uid ? event.execId : undefined))
  }
  if ('sequence' in condition) return { hear() {}, holds: () => runtime.sequence >= condition.sequence }
  let lastAt = runtime.now()
  return {
    hear({ at: heardAt, command }) {
      if (command !== 'run-timers') lastAt = heardAt
    },
    holds: () => runtime.now() - lastAt >= condition.quiet,
    dueAt: () => lastAt + condition.quiet,
  }
}

/** What was found in history may be heard once more: each number counts once. */
function counting(before: readonly number[], wanted: number, numberOf: (event: Event) => number | undefined): Probe {
  const seen = new Set(before)
  return {
    hear({ events }) {
      for (const event of events) {
        const number = seen.size < wanted ? numberOf(event) : undefined
        if (number !== undefined) seen.add(number)
      }
    },
    holds: () => seen.size >= wanted,
  }
}

/** Ever, since the venue began. */
async function wasLiquidated(history: LabVenue['parts']['history'], uid: number): Promise<boolean> {
  for (let before: number | undefined; ; ) {
    const { rows, next } = await history.liquidations({ limit: 100, beforeId: before })
    if (rows.some(({ event }) => event.uid === uid)) return true
    if (next === undefined) return false
    before = next
  }
}

async function orderProbe(
  venue: LabVenue,
  { clientOid = '', orderId, is }: Extract<Condition, { order: unknown }>['order'],
): Promise<Probe> {
  const { runtime, history } = venue.parts
  const isIt = (order: { readonly orderId: number; readonly clientOid: string }) =>
    orderId === undefined ? order.clientOid === clientOid : order.orderId === orderId
  const uids = runtime.query({ kind: 'accounts' }).map(({ uid }) => uid)
  let known: OrderRecord | undefined
  for (const uid of uids) known ??= runtime.query({ kind: 'order', uid, order: { orderId, clientOid } })
  for (const uid of known === undefined ? uids : []) {
    known ??= await history.order({ uid, ...(orderId === undefined ? { clientOid } : { orderId }) })
  }
  let state = known && stateOf(known)
  return {
    hear({ events }) {
      for (const event of events) {
        if (event.kind === 'order-accepted') {
          const { uid } = event
          const order = runtime.query({ kind: 'order', uid, order: { orderId: event.orderId, clientOid: '' } })
          if (order !== undefined && isIt(order)) state = stateOf(order)
        } else if (event.kind === 'fill' && isIt(event)) state = 'partially_filled'
        else if (event.kind === 'order-ended' && isIt(event.order)) state = stateOf(event.order)
      }
    },
    holds: () => state === is || (is === 'gone' && (state === 'filled' || state === 'cancelled')),
  }
}

function stateOf({ status, filled }: OrderRecord): (typeof orderStates)[number] {
  if (status === 'filled') return 'filled'
  if (status === 'canceled') return 'cancelled'
  return filled > 0 ? 'partially_filled' : 'live'
}

function priceProbe(venue: LabVenue, { symbol, kind, atLeast, atMost }: PriceCondition, at: string): Probe {
  const { runtime } = venue.parts
  const instrument = instrumentOf(venue, symbol, at)
  const tickE8 = BigInt(instrument.priceStep) * 10n ** BigInt(8 - instrument.priceDecimals)
  return {
    hear() {},
    holds() {
      const prices = runtime.query({ kind: 'prices', instrument: instrument.id })
      const price = BigInt({ last: prices.lastPrice, mark: prices.markPrice, index: prices.indexPrice }[kind]) * tickE8
      if (price === 0n) return false
      return (atLeast === undefined || price >= atLeast) && (atMost === undefined || price <= atMost)
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Fields = Readonly<Record<string, unknown>>

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** All of the first are there, and nothing but those and the others. */
function has(value: unknown, wanted: readonly string[], others: readonly string[] = []): value is Fields {
  if (!isRecord(value)) return false
  const names = Object.keys(value)
  return (
    wanted.every((named) => names.includes(named)) && names.every((named) => [...wanted, ...others].includes(named))
  )
}

function isOneOf<const Word extends string>(words: readonly Word[], value: unknown): value is Word {
  return words.some((word) => word === value)
}

function wholeOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

function symbolOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Za-z0-9]{1,30}$/.test(value) ? value.toUpperCase() : undefined
}

function priceOf(value: unknown): bigint | undefined | 'wrong' {
  if (value === undefined) return undefined
  const scaled = typeof value === 'string' || typeof value === 'number' ? parseDecimal(String(value), 8) : undefined
  return typeof scaled === 'bigint' ? scaled : 'wrong'
}
