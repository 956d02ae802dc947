/**
 * The three candidates of a mark price, and their median.
 *
 *   p1 = last trade (the index when there is none)
 *   p2 = I × (1 + F × time to funding / funding interval)
 *   p3 = I + mean of ((bid + ask) / 2 − I) over the last five minutes' samples
 *
 * Given     a mark from elsewhere holds in place of the median, within the same band (venue/given-prices.ts)
 * F         the rate of the last settlement, 0 before the first. The running rate depends on few samples after a boundary:
 *           with it a trader who moves the book for a minute would move the mark
 * Band      a trader who trades with themselves moves two of the three: the median stays within the market band
 *           of the index
 * Rounding  each to the nearest tick
 * Source    risk-engine.md §12
 */
import type { FuturesInstrument, Instrument } from '../catalog/catalog.ts'
import { divCeil, divFloor, type Millis, rateOne, type Ticks } from '../numbers/numbers.ts'
import { bandPrice, type MadeMark, never, priceNear, type Reading } from '../state/state.ts'
import { fundingIntervalMs, nextFundingAt } from './funding-rate.ts'

/** The three candidates as they are now, and the facts that they are made of. */
export function candidatesOf(reading: Reading, instrument: FuturesInstrument): MadeMark {
  const { prices, sequence, at } = reading
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
  const given = prices.given.get(id)?.markPrice
  return {
    index,
    last: prices.lastPrice(id) || index,
    withFunding: priceNear(...fundingFraction(index, facts)),
    withBasis: basis.length === 0 ? index : priceNear(...basisFraction(index, facts)),
    ...facts,
    sequence,
    at,
    ...(given !== undefined && { given }),
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

/** What was given, else the median; no further from the index than the instrument's market band. */
export function markFrom({ marketBand }: Instrument, made: MadeMark): Ticks {
  const { index, last, withFunding, withBasis } = made
  const middle = made.given ?? median(last, withFunding, withBasis)
  if (middle === index) return index
  const furthest = bandPrice(index, middle > index ? 'buy' : 'sell', marketBand)
  return (middle > index ? Math.min(middle, furthest) : Math.max(middle, furthest)) as Ticks
}

function median(a: Ticks, b: Ticks, c: Ticks): Ticks {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c)) as Ticks
}

/**
 * How long p2 stays at its tick while nothing but time changes. It moves to the next at the first time left ℓ with
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

/** Whether two marks are made of the same facts, time aside. */
export function isMadeOfSame(before: MadeMark | undefined, now: MadeMark): boolean {
  return (
    before !== undefined &&
    before.given === now.given &&
    before.index === now.index &&
    before.last === now.last &&
    before.withFunding === now.withFunding &&
    before.fundingRate === now.fundingRate &&
    before.fundingIntervalMs === now.fundingIntervalMs &&
    before.basisSum === now.basisSum &&
    before.basisCount === now.basisCount
  )
}
