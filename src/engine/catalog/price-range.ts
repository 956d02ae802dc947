/**
 * The prices that a book carries, and an instrument's price in the prices of its coins.
 *
 * Range     1 … priceTicksMax steps, whatever the instrument. A price that rounds to less or more is beyond it
 * Listing   an index lies at least at one step and at most at a tenth of the range, so that a price may grow tenfold
 * Source    docs/decisions/0018-price-range.md
 */
import { divHalfUp, formatDecimal, pow10, priceTicksMax } from '../numbers/numbers.ts'
import type { Instrument } from './instrument.ts'

type Steps = Pick<Instrument, 'priceDecimals' | 'priceStep'>

/** The most steps of an index when its instrument is listed. */
export const listedTicksMax = Math.floor(priceTicksMax / 10)
const decimalsMax = 8

/** The price of the base coin in the quote coin, in steps; coins in 1e-8 USD. */
export function indexFraction(
  { priceDecimals, priceStep }: Steps,
  base: bigint,
  quote: bigint,
): [dividend: bigint, divisor: bigint] {
  return [base * pow10(priceDecimals), quote * BigInt(priceStep)]
}

/** The nearest price in steps; undefined: a book does not carry it. */
export function carriedTicks([dividend, divisor]: readonly [bigint, bigint]): number | undefined {
  const nearest = divHalfUp(dividend, divisor)
  return nearest < 1n || nearest > BigInt(priceTicksMax) ? undefined : Number(nearest)
}

/** Which field of a new instrument lies wrong for its index, and what would be right; undefined: none. */
export function listingRangeFault(
  instrument: Steps,
  base: bigint,
  quote: bigint,
): undefined | { readonly field: string; readonly rule: string } {
  const [dividend, divisor] = indexFraction(instrument, base, quote)
  const isBelow = dividend < divisor
  if (!isBelow && dividend / divisor <= BigInt(listedTicksMax)) return undefined
  const most = isBelow ? leastDecimals(base, quote) : mostDecimals(base, quote)
  const why = isBelow
    ? 'the index price is less than one step'
    : `the index price is ${dividend / divisor} steps, a tenth of the range is ${listedTicksMax}`
  const bound = isBelow ? 'least' : 'most'
  if (most > decimalsMax) return { field: 'pricePrecision', rule: `has too few decimals at 8: ${why}` }
  if (instrument.priceStep > 1 || most < 0) {
    const opposite = isBelow ? 'most' : 'least'
    return { field: 'priceMultiplier', rule: `must be at ${opposite} ${stepText(most)}: ${why}` }
  }
  return { field: 'pricePrecision', rule: `must be at ${bound} ${most}: ${why}` }
}

/** The largest number of decimals whose steps are few enough; below zero: steps of tens, hundreds … */
function mostDecimals(base: bigint, quote: bigint): number {
  let decimals = decimalsMax
  while (steps(base, quote, decimals) > BigInt(listedTicksMax)) decimals--
  return decimals
}

/** The smallest number of decimals with which the price is a step. */
function leastDecimals(base: bigint, quote: bigint): number {
  let decimals = 0
  while (decimals <= decimalsMax && steps(base, quote, decimals) < 1n) decimals++
  return decimals
}

/** Whole steps of so many decimals. */
function steps(base: bigint, quote: bigint, decimals: number): bigint {
  return decimals >= 0 ? (base * pow10(decimals)) / quote : base / (quote * pow10(-decimals))
}

function stepText(decimals: number): string {
  return decimals >= 0 ? formatDecimal(1n, decimals) : pow10(-decimals).toString()
}
