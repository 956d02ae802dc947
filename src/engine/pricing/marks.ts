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
 * When      at once when an index changes, else once a second and only while books change (`bookChanged`), and with each sample of
 *           the basis until the mean has come to where books stand: five minutes after the last change no timer is set any more
 * Which     those alone that may be another: what has changed since, p2 after as long as it takes to drift by a tick
 * Source    risk-engine.md §12
 */
import { type FuturesInstrument, type Instrument, type InstrumentId, isFutures } from '../catalog/catalog.ts'
import { divCeil, divFloor, type Millis, rateOne, type Ticks } from '../numbers/numbers.ts'
import type { Reading, Venue } from '../state/state.ts'
import { bandPrice, type MadeMark, never, priceNear } from '../state/state.ts'
import { fundingIntervalMs, nextFundingAt } from './rate.ts'
import { isBasisSettled, nextSampleAt } from './samples.ts'

const refreshMs = 1_000

/** A book of this instrument is not what it was: marks are computed anew at the next full second. */
export function bookChanged(venue: Venue, id: InstrumentId): void {
  const { prices } = venue
  venue.bookSequences[id] = venue.sequence
  // Most changes come within a second of the one before.
  if (prices.refreshAt !== 0 && prices.refreshAt <= venue.at + refreshMs) return
  if (venue.instrument(id).kind === 'spot') return
  refreshBy(venue, (Math.floor(venue.at / refreshMs) + 1) * refreshMs)
}

/** The next samples of these instruments may move their marks: they are refreshed when those are taken. */
export function refreshWithSamples(venue: Venue, instruments: Iterable<InstrumentId>): void {
  for (const id of instruments) {
    if (isBasisSettled(venue, id)) continue
    return refreshBy(venue, nextSampleAt(venue.at))
  }
}

function refreshBy({ prices, timers }: Venue, at: Millis): void {
  if (prices.refreshAt !== 0 && prices.refreshAt <= at) return
  if (prices.refreshAt !== 0) timers.remove(({ kind }) => kind === 'refresh-marks')
  prices.refreshAt = at
  timers.add(at, { kind: 'refresh-marks' })
}

type IsBearable = (venue: Venue, instrument: FuturesInstrument, mark: Ticks) => boolean

/**
 * Computes every mark that may be another, and those of `priced`, whose index was set; answers those that have changed. One that
 * open positions cannot bear is not taken, and tried again.
 */
export function refreshMarks(
  venue: Venue,
  isBearable: IsBearable,
  priced: readonly InstrumentId[] = [],
): InstrumentId[] {
  const changed: InstrumentId[] = []
  const refresh = (id: InstrumentId, isPriced: boolean) => {
    const instrument = venue.instrument(id)
    const isChanged = isFutures(instrument)
      ? refreshContract(venue, instrument, isBearable, isPriced)
      : refreshSpot(venue, id)
    if (isChanged) changed.push(id)
  }
  for (const id of priced) refresh(id, true)
  for (const id of venue.prices.marksDue(venue.at)) refresh(id, false)
  return changed.sort((a, b) => a - b)
}

function refreshSpot({ prices }: Venue, id: InstrumentId): boolean {
  prices.settleMark(id, never)
  const mark = prices.indexPrice(id)
  if (mark === prices.markPrice(id)) return false
  prices.mark[id] = mark
  return true
}

function refreshContract(
  venue: Venue,
  instrument: FuturesInstrument,
  isBearable: IsBearable,
  isPriced: boolean,
): boolean {
  const { prices } = venue
  const { id } = instrument
  const made = candidatesOf(venue, instrument)
  const mark = markFrom(instrument, made)
  const isChanged = mark !== prices.markPrice(id)
  if (isChanged && !isBearable(venue, instrument, mark)) {
    prices.unsettleMark(id)
    return false
  }
  prices.mark[id] = mark
  prices.settleMark(id, venue.at + standsFor(made))
  while (prices.made.length <= id) prices.made.push(undefined)
  // Whether a start has forgotten when it is due must not be seen: what is made of the same is the same.
  if (isPriced || !isMadeOfSame(prices.made[id], made)) prices.made[id] = made
  return isChanged
}

function isMadeOfSame(before: MadeMark | undefined, now: MadeMark): boolean {
  return (
    before !== undefined &&
    before.index === now.index &&
    before.last === now.last &&
    before.withFunding === now.withFunding &&
    before.fundingRate === now.fundingRate &&
    before.fundingIntervalMs === now.fundingIntervalMs &&
    before.basisSum === now.basisSum &&
    before.basisCount === now.basisCount
  )
}

/**
 * How long p2 stays the tick that it is while nothing but time changes. It moves to the next at the first time left ℓ with
 *
 *   F > 0:  2·I·F·ℓ < (2·(p2 − I) − 1) · interval        F < 0:  2·I·F·ℓ ≥ (2·(p2 − I) + 1) · interval
 *
 * and at the latest when the interval is over.
 */
export function standsFor({
  index,
  withFunding,
  fundingRate,
  fundingLeftMs,
  fundingIntervalMs: interval,
}: Pick<MadeMark, 'index' | 'withFunding' | 'fundingRate' | 'fundingLeftMs' | 'fundingIntervalMs'>): Millis {
  if (fundingRate === 0n) return never
  const whole = BigInt(interval) * rateOne
  const drift = 2n * BigInt(index) * fundingRate
  const moved = BigInt(2 * (withFunding - index))
  // The least time left at which it is still the same.
  const least = drift > 0n ? divCeil((moved - 1n) * whole, drift) : divFloor(-(moved + 1n) * whole, -drift) + 1n
  return fundingLeftMs - Math.max(0, Number(least) - 1)
}

/** Tells what mark and index of these instruments are now. */
export function announcePrices(venue: Venue, instruments: Iterable<InstrumentId>): void {
  const { prices, at } = venue
  for (const instrument of instruments) {
    const [markPrice, indexPrice] = [prices.markPrice(instrument), prices.indexPrice(instrument)]
    venue.emit({ kind: 'prices-changed', instrument, markPrice, indexPrice, at })
  }
}

function candidatesOf(venue: Reading, instrument: FuturesInstrument): MadeMark {
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
  const middle = median(last, withFunding, withBasis)
  if (middle === index) return index
  const furthest = bandPrice(index, middle > index ? 'buy' : 'sell', marketBand)
  return (middle > index ? Math.min(middle, furthest) : Math.max(middle, furthest)) as Ticks
}

function median(a: Ticks, b: Ticks, c: Ticks): Ticks {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c)) as Ticks
}
