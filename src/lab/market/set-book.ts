/**
 * The call that sets a book: `{symbol, bids: [[price, size], …], asks}`.
 *
 * Whole     what the house has there goes, and exactly these levels rest in its place; a side that is absent is empty
 * Fields    a level that is wrong is named by its side and its place
 * Source    lab.md §4.10
 */
import type { StaticDecode } from 'typebox'
import type { Instrument } from '../../engine/catalog/catalog.ts'
import { type Lots, lots, parseDecimal, type Ticks, ticks } from '../../engine/numbers/numbers.ts'
import { body, category, field, optional, symbol } from '../../operator/operator.ts'
import { LabRefusal, fieldWrong } from '../refusals.ts'
import { play, type Rehearsal } from '../rehearsal.ts'
import { instrumentOf, priceText, quantityText } from '../things.ts'
import type { LabVenue } from '../venue.ts'
import { clearHouse, layLevels, type Levels } from './book.ts'

/** A side; an account has room for 400 open orders. */
const levelsMax = 200

type SentLevel = readonly [price: string, size: string]

const sentLevels = field<readonly SentLevel[]>(
  `a list of at most ${levelsMax} levels, each [price, size] in decimals above zero`,
  (value) => {
    if (!Array.isArray(value) || value.length > levelsMax) return undefined
    const levels = value.map((level): SentLevel | undefined => {
      const pair = Array.isArray(level) && level.length === 2 ? level.map(decimalOf) : []
      return pair[0] === undefined || pair[1] === undefined ? undefined : [pair[0], pair[1]]
    })
    return levels.every((level) => level !== undefined) ? levels : undefined
  },
)

function decimalOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  const parsed = typeof text === 'string' ? parseDecimal(text, 8) : undefined
  return typeof parsed === 'bigint' && parsed > 0n ? (text as string) : undefined
}

export const bookBody = body({
  symbol,
  category: optional(category),
  bids: optional(sentLevels),
  asks: optional(sentLevels),
})

/** Throws LabRefusal. */
export async function setBook(sent: StaticDecode<typeof bookBody>, venue: LabVenue) {
  const instrument = instrumentOf(venue, sent.symbol, 'symbol', sent.category)
  const levels = {
    bids: levelsOf(instrument, sent.bids ?? [], 'bids'),
    asks: levelsOf(instrument, sent.asks ?? [], 'asks'),
  }
  const lowest = Math.min(...levels.asks.map(([price]) => price))
  const crossing = levels.bids.findIndex(([price]) => price >= lowest)
  if (crossing >= 0) {
    throw fieldWrong(`bids[${crossing}]`, `it would meet the ask at ${priceText(instrument, lowest)}`)
  }
  const { sequences } = await play(venue, (rehearsal) => {
    clearHouse(rehearsal, instrument)
    checkUsers(rehearsal, instrument, levels)
    layLevels(rehearsal, instrument, levels)
  })
  return { sequences, ...shownBook(venue, instrument) }
}

/** As they were sent. */
function levelsOf(instrument: Instrument, sent: readonly SentLevel[], side: keyof Levels) {
  const levels = new Map<Ticks, Lots>()
  sent.forEach(([price, size], place) => {
    const at = `${side}[${place}]`
    const { priceDecimals, priceStep, quantityDecimals, quantityStep } = instrument
    const level = ticks(inSteps(price, priceDecimals, priceStep, `${at}: its price`, priceText(instrument, 1)))
    if (levels.has(level)) throw fieldWrong(at, `there is a level at ${price} already`)
    levels.set(
      level,
      lots(inSteps(size, quantityDecimals, quantityStep, `${at}: its size`, quantityText(instrument, 1))),
    )
  })
  return [...levels]
}

function inSteps(text: string, decimals: number, step: number, what: string, one: string): number {
  const scaled = parseDecimal(text, decimals)
  const at = what.split(':')[0]
  if (typeof scaled !== 'bigint' || scaled % BigInt(step) !== 0n) {
    throw new LabRefusal(400, 'body-wrong', `${what} is to be a multiple of ${one}`, { field: at })
  }
  const count = Number(scaled / BigInt(step))
  if (count < 1 || count > 2 ** 52) {
    throw new LabRefusal(400, 'body-wrong', `${what} is beyond what the instrument carries`, { field: at })
  }
  return count
}

/** What is left in the book is of users: no level may meet it. */
function checkUsers(rehearsal: Rehearsal, instrument: Instrument, levels: Levels): void {
  const { bids, asks } = rehearsal.query({ kind: 'depth', instrument: instrument.id, limit: 1 })
  const [bid, ask] = [bids[0]?.[0] ?? 0, asks[0]?.[0] ?? Number.MAX_SAFE_INTEGER]
  const refuse = (side: keyof Levels, place: number, met: string, at: number) => {
    const level = `${side}[${place}]`
    const message =
      `${level}: it would meet ${met} of a user at ${priceText(instrument, at)}; ` +
      'set a book that leaves it alone, or cancel that order'
    throw new LabRefusal(409, 'orders-in-the-way', message, { field: level })
  }
  levels.bids.forEach(([price], place) => price >= ask && refuse('bids', place, 'an ask', ask))
  levels.asks.forEach(([price], place) => price <= bid && refuse('asks', place, 'a bid', bid))
}

/** All that rests there, best first. */
function shownBook(venue: LabVenue, instrument: Instrument) {
  const { bids, asks } = venue.parts.runtime.query({ kind: 'depth', instrument: instrument.id, limit: levelsMax })
  const shown = (levels: typeof bids) => {
    return levels.map(([price, quantity]) => [priceText(instrument, price), quantityText(instrument, quantity)])
  }
  const { symbol: named, category: of } = instrument
  return { symbol: named, category: of, bids: shown(bids), asks: shown(asks) }
}
