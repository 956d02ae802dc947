/**
 * What calls of the laboratory name: accounts by number or role, instruments by symbol. What is not there is a 404.
 *
 * Source  lab.md §4.2
 */
import { type Category, type Instrument, isFutures } from '../engine/catalog/catalog.ts'
import { formatDecimal } from '../engine/numbers/numbers.ts'
import type { AccountMode, Interface, Uid } from '../engine/vocabulary.ts'
import { field } from '../operator/operator.ts'
import { LabRefusal } from './refusals.ts'
import type { LabVenue } from './venue.ts'

/** An account's number, or the role of a demo account. */
export type Who = Uid | string

const whoRule = 'an account number, or a role such as unified-main'

export const who = field<Who>(whoRule, readWho)

/** Undefined: it is none. */
export function readWho(value: unknown): Who | undefined {
  if (typeof value === 'string' && /^[a-z][a-z0-9-]{0,63}$/.test(value)) return value
  const number = typeof value === 'string' && /^[1-9][0-9]{0,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined
}

/** Throws LabRefusal. */
export function accountOf(venue: LabVenue, named: Who, at: string) {
  const { runtime, demoKeys } = venue.parts
  const uid = typeof named === 'number' ? named : Number(demoKeys()[named]?.uid)
  const account = Number.isNaN(uid) ? undefined : runtime.query({ kind: 'account', uid })
  if (account === undefined) throw unknown(at, 'account', String(named))
  return account
}

/** The instrument of a symbol, a contract before a pair of the same name unless a category is said. Throws LabRefusal. */
export function instrumentOf(venue: LabVenue, symbol: string, at: string, category?: Category): Instrument {
  const { instruments } = venue.parts.runtime.query({ kind: 'catalog' })
  const wanted = category === 'MARGIN' ? 'SPOT' : category
  const named = instruments.filter((instrument) => {
    return instrument.symbol === symbol && (wanted === undefined || instrument.category === wanted)
  })
  const found = named.find(isFutures) ?? named[0]
  if (found === undefined) throw unknown(at, 'instrument', symbol)
  return found
}

/** Throws LabRefusal for what is no futures contract. */
export function contractOf(venue: LabVenue, symbol: string, at: string, category?: Category) {
  const found = instrumentOf(venue, symbol, at, category)
  if (!isFutures(found)) throw new LabRefusal(400, 'body-wrong', `${at}: ${symbol} is no contract`, { field: at })
  return found
}

export function coinOf(venue: LabVenue, name: string, at: string) {
  const found = venue.parts.runtime.query({ kind: 'catalog' }).coins.find((coin) => coin.name === name)
  if (found === undefined) throw unknown(at, 'coin', name)
  return found
}

/** By which interfaces an account has positions. */
export function speakersOf(mode: AccountMode): readonly Interface[] {
  if (mode === 'classic') return ['v2']
  return mode === 'unified' ? ['v3'] : ['v3', 'v2']
}

export function priceText({ priceStep, priceDecimals }: Instrument, ticks: number): string {
  return formatDecimal(BigInt(ticks) * BigInt(priceStep), priceDecimals)
}

export function quantityText({ quantityStep, quantityDecimals }: Instrument, lots: number): string {
  return formatDecimal(BigInt(lots) * BigInt(quantityStep), quantityDecimals)
}

function unknown(at: string, what: string, name: string): LabRefusal {
  return new LabRefusal(404, `unknown-${what}`, `${at}: there is no ${what} ${name}`, { field: at })
}
