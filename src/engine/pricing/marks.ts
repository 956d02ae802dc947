/**
 * Mark prices: what positions are valued at.
 *
 *   p1 = last trade (the index when there is none)
 *   p2 = I × (1 + F × time to funding / funding interval)
 *   p3 = I + mean of ((bid + ask) / 2 − I) over the last five minutes' samples
 *
 * F         the rate of the last settlement, 0 before the first: the running one hangs on a few samples after a boundary,
 *           and whoever moves the book for a minute would move the mark
 * Mark      the median of the three, each to the nearest tick; of spot pairs the index. Whoever trades with himself moves
 *           two of the three, so that the mark stays within the market band of the index
 * When      at once when an index changes, else once a second and only while books change (`bookChanged`): a venue in
 *           which nothing happens sets no timer
 * Source    risk-engine.md §12
 */
import { type FuturesInstrument, type Instrument, type InstrumentId, isFutures } from '../catalog/catalog.ts'
import { rateOne, type Ticks } from '../numbers/numbers.ts'
import type { Venue } from '../venue.ts'
import { bandPrice, type MadeMark, priceNear } from './prices.ts'
import { fundingIntervalMs, nextFundingAt } from './rate.ts'

const refreshMs = 1_000

/** A book of this instrument is not what it was: marks are computed anew at the next full second. */
export function bookChanged(venue: Venue, id: InstrumentId): void {
  const { prices } = venue
  venue.bookSequences[id] = venue.sequence
  if (prices.refreshAt !== 0 || venue.instrument(id).kind === 'spot') return
  prices.refreshAt = (Math.floor(venue.at / refreshMs) + 1) * refreshMs
  venue.timers.add(prices.refreshAt, { kind: 'refresh-marks' })
}

/** Computes the marks of all instruments; answers those that have changed. One that open positions cannot bear is not taken. */
export function refreshMarks(
  venue: Venue,
  isBearable: (venue: Venue, instrument: FuturesInstrument, mark: Ticks) => boolean,
): InstrumentId[] {
  const { prices } = venue
  const changed: InstrumentId[] = []
  for (const instrument of venue.catalog.instruments) {
    const { id } = instrument
    const made = isFutures(instrument) ? candidatesOf(venue, instrument) : undefined
    const mark = made === undefined ? prices.indexPrice(id) : markFrom(instrument, made)
    if (mark !== prices.markPrice(id)) {
      if (isFutures(instrument) && !isBearable(venue, instrument, mark)) continue
      prices.mark[id] = mark
      changed.push(id)
    }
    while (prices.made.length <= id) prices.made.push(undefined)
    prices.made[id] = made
  }
  return changed
}

/** Tells what mark and index of these instruments are now. */
export function announcePrices(venue: Venue, instruments: Iterable<InstrumentId>): void {
  const { prices, at } = venue
  for (const instrument of instruments) {
    const [markPrice, indexPrice] = [prices.markPrice(instrument), prices.indexPrice(instrument)]
    venue.emit({ kind: 'prices-changed', instrument, markPrice, indexPrice, at })
  }
}

function candidatesOf(venue: Venue, instrument: FuturesInstrument): MadeMark {
  const { prices, sequence, at } = venue
  const { id } = instrument
  const index = prices.indexPrice(id)
  const { latestRate: fundingRate, basisSum, basis } = prices.samples[id]
  const facts = {
    fundingRate,
    fundingLeftMs: nextFundingAt(instrument, at) - at,
    fundingIntervalMs: fundingIntervalMs(instrument),
    basisSum,
    basisCount: basis.length,
  }
  return {
    index,
    last: prices.lastPrice(id) || index,
    withFunding: priceNear(...fundingFraction(index, facts)),
    withBasis: basis.length === 0 ? index : priceNear(...basisFraction(index, facts)),
    ...facts,
    sequence,
    at,
  }
}

/** p2 in ticks. */
export function fundingFraction(
  index: Ticks,
  { fundingRate, fundingLeftMs, ...made }: Pick<MadeMark, 'fundingRate' | 'fundingLeftMs' | 'fundingIntervalMs'>,
): [dividend: bigint, divisor: bigint] {
  const interval = BigInt(made.fundingIntervalMs) * rateOne
  return [BigInt(index) * (interval + fundingRate * BigInt(fundingLeftMs)), interval]
}

/** p3 in ticks; there are samples. */
export function basisFraction(
  index: Ticks,
  { basisSum, basisCount }: Pick<MadeMark, 'basisSum' | 'basisCount'>,
): [dividend: bigint, divisor: bigint] {
  const halves = 2 * basisCount
  return [BigInt(index * halves + basisSum), BigInt(halves)]
}

/** The median, no further from the index than the instrument's market band. */
export function markFrom({ marketBand }: Instrument, made: MadeMark): Ticks {
  const { index, last, withFunding, withBasis } = made
  const middle = Math.min(median(last, withFunding, withBasis), bandPrice(index, 'buy', marketBand))
  return Math.max(middle, bandPrice(index, 'sell', marketBand)) as Ticks
}

function median(a: Ticks, b: Ticks, c: Ticks): Ticks {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c)) as Ticks
}
