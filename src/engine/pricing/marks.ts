/**
 * Mark prices: what positions are valued at.
 *
 *   p1 = last trade (the index when there is none)
 *   p2 = I × (1 + F × time to funding / funding interval)
 *   p3 = I + mean of ((bid + ask) / 2 − I) over the last five minutes' samples
 *
 * F         the rate of the last settlement, 0 before the first: the running one hangs on a few samples after a boundary,
 *           and whoever moves the book for a minute would move the mark
 * Mark      the median of the three, each to the nearest tick; of spot pairs the index
 * When      at once when an index changes, else once a second and only while books change (`bookChanged`): a venue in
 *           which nothing happens sets no timer
 * Source    risk-engine.md §12
 */
import { type FuturesInstrument, type InstrumentId, isFutures } from '../catalog/catalog.ts'
import { rateOne, type Ticks } from '../numbers/numbers.ts'
import type { Venue } from '../venue.ts'
import { priceNear } from './prices.ts'
import { fundingIntervalMs, nextFundingAt } from './rate.ts'

const refreshMs = 1_000

/** A book of this instrument is not what it was: marks are computed anew at the next full second. */
export function bookChanged(venue: Venue, id: InstrumentId): void {
  const { prices } = venue
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
    const mark = isFutures(instrument) ? futuresMark(venue, instrument) : prices.indexPrice(id)
    if (mark === prices.markPrice(id)) continue
    if (isFutures(instrument) && !isBearable(venue, instrument, mark)) continue
    prices.mark[id] = mark
    changed.push(id)
  }
  return changed
}

function futuresMark(venue: Venue, instrument: FuturesInstrument): Ticks {
  const { prices } = venue
  const { id } = instrument
  const index = prices.indexPrice(id)
  const last = prices.lastPrice(id) || index
  return median(last, withFunding(venue, instrument, index), withBasis(venue, id, index))
}

function withFunding(venue: Venue, instrument: FuturesInstrument, index: Ticks): Ticks {
  const interval = BigInt(fundingIntervalMs(instrument)) * rateOne
  const left = BigInt(nextFundingAt(instrument, venue.at) - venue.at)
  const { latestRate } = venue.prices.samples[instrument.id]
  return priceNear(BigInt(index) * (interval + latestRate * left), interval)
}

function withBasis(venue: Venue, id: InstrumentId, index: Ticks): Ticks {
  const { basis, basisSum } = venue.prices.samples[id]
  if (basis.length === 0) return index
  const halves = 2 * basis.length
  return priceNear(BigInt(index * halves + basisSum), BigInt(halves))
}

function median(a: Ticks, b: Ticks, c: Ticks): Ticks {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c)) as Ticks
}
