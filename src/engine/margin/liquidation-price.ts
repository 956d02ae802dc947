/**
 * Prices at which a position is bankrupt, is liquidated, or has earned its fees: exact fractions, rounded once.
 *
 * Liquidation  the price at which equity equals maintenance, other marks fixed; solved for each tier, the root counts
 *              whose value lies in that tier; hedge books count the larger side
 * Terms        F the entry value, s the side's sign, q lots, N notional in USD, f the taker fee rate, cum the deduction
 * Rounding     to the tick, long up and short down; 0: none
 * Source       risk-engine.md §5, §6, §8, §21
 */
import type { FuturesInstrument, Scale } from '../catalog/catalog.ts'
import {
  type Amount,
  big,
  divCeil,
  divFloor,
  type Lots,
  pow10,
  priceTicksMax,
  rateOne,
  type Ticks,
} from '../numbers/numbers.ts'
import { type Slice, slicesOf } from './maintenance.ts'

/** The positions of one contract: entry value and lots of its sides, and what else stands behind them. */
export interface RiskBook {
  /** Isolated: the position's margin. Cross: W + Σ others' uPnL − Σ others' MM. */
  readonly collateral: bigint
  /** F_long + F_short of the sides that count. */
  readonly entryValue: bigint
  readonly long: number
  readonly short: number
}

/**
 * Price at which the positions are liquidated, in ticks; 0: none. It is only published: of a small short of a large
 * wallet it may lie beyond what a book of orders carries.
 */
export function liquidationPrice(instrument: FuturesInstrument, scale: Scale, book: RiskBook): Ticks | 0 {
  const found = liquidationRoot(instrument, scale, book)
  if (found === undefined) return 0
  const [dividend, divisor] = found.root
  const price = book.long > book.short ? divCeil(dividend, divisor) : divFloor(dividend, divisor)
  const dearest = BigInt(Number.MAX_SAFE_INTEGER) / scale.priceStep
  return price < 1n || price > dearest ? 0 : (Number(price) as Ticks)
}

/** That price in ticks before it is rounded, and the tier whose root it is. */
export function liquidationRoot(
  instrument: FuturesInstrument,
  scale: Scale,
  book: RiskBook,
): { readonly root: Fraction; readonly slice: Slice } | undefined {
  const larger = big(Math.max(book.long, book.short))
  const slices = slicesOf(instrument)
  for (const slice of slices) {
    const root = scale.inverse ? inverseRoot(instrument, scale, book, slice) : linearRoot(scale, book, slice)
    if (root === undefined) continue
    const [dividend] = root
    const isLast = slice === slices.at(-1)
    if (dividend > 0n && inSlice(scale, slice, isLast, larger, root)) return { root, slice }
  }
  return undefined
}

/** P = (X + F + cum) / ( max(q_L, q_S)·(mmr + f) − (q_L − q_S) ), in ticks. */
function linearRoot(scale: Scale, book: RiskBook, slice: Slice): Fraction | undefined {
  const larger = big(Math.max(book.long, book.short))
  const net = big(book.long - book.short)
  const dividend = (book.collateral + book.entryValue) * rateOne + slice.deduction
  const divisor = scale.unit * (larger * slice.rate - net * rateOne)
  // Net-long books liquidate downward, the others upward: the divisor's sign must say the same.
  if (divisor === 0n || divisor < 0n !== net > 0n) return undefined
  return positive(dividend, divisor)
}

/** P = ( N_net + max(N)·(mmr + f) − cum ) / ( X + F ), in ticks. */
function inverseRoot(
  { priceDecimals }: FuturesInstrument,
  scale: Scale,
  book: RiskBook,
  slice: Slice,
): Fraction | undefined {
  const larger = big(Math.max(book.long, book.short))
  const net = big(book.long - book.short)
  const dividend = scale.numerator * (net * rateOne + larger * slice.rate) - slice.deduction * pow10(priceDecimals)
  const divisor = scale.priceStep * rateOne * (book.collateral + book.entryValue)
  return divisor === 0n ? undefined : positive(dividend, divisor)
}

/** The last slice also takes what lies beyond it, as in `sliceAt`. */
function inSlice(scale: Scale, { from, to }: Slice, isLast: boolean, larger: bigint, root: Fraction): boolean {
  const [dividend, divisor] = scale.inverse ? [1n, 1n] : root
  const value = larger * (scale.inverse ? scale.usdUnit : scale.unit) * dividend
  return value >= from * divisor && (isLast || value < to * divisor)
}

/**
 * Price at which the backing is used up after the closing fee, in ticks toward the account's side (long up, short down).
 *
 *   linear  (−F − X) / ( q·(s − f) )        inverse  N·(s + f) / (X + F)
 *
 * X is what stands behind the position besides its PnL. 0: there is none, since X covers the position at any price that
 * the book carries.
 */
export function bankruptcyPrice(
  instrument: FuturesInstrument,
  scale: Scale,
  position: { readonly side: 'long' | 'short'; readonly quantity: Lots; readonly entryValue: Amount },
  backing: bigint,
): Ticks | 0 {
  const long = position.side === 'long'
  const [dividend, divisor] = bankruptcyFraction(instrument, scale, position, backing)
  if (divisor === 0n || dividend <= 0n) return 0
  const price = long ? divCeil(dividend, divisor) : divFloor(dividend, divisor)
  const dearest = scale.inverse ? scale.numerator / scale.priceStep : BigInt(priceTicksMax)
  return price < 1n || price > dearest || price > BigInt(priceTicksMax) ? 0 : (Number(price) as Ticks)
}

/** The bankruptcy price in ticks before it is rounded; the divisor is not negative. */
export function bankruptcyFraction(
  instrument: FuturesInstrument,
  scale: Scale,
  position: { readonly side: 'long' | 'short'; readonly quantity: Lots; readonly entryValue: Amount },
  backing: bigint,
): Fraction {
  const sign = position.side === 'long' ? rateOne : -rateOne
  const quantity = big(position.quantity)
  if (scale.inverse) {
    const dividend = quantity * scale.numerator * (sign + instrument.takerFeeRate)
    return positive(dividend, scale.priceStep * rateOne * (backing + position.entryValue))
  }
  const dividend = -(position.entryValue + backing) * rateOne
  return positive(dividend, quantity * scale.unit * (sign - instrument.takerFeeRate))
}

/**
 * Price at which closing now as taker nets zero after fees paid and funding received, in ticks.
 * linear: (s·q·E + a − u) / ( q·(s − f) );  inverse: N·(s + f) / ( s·N/E − a + u )
 */
export function breakEvenPrice(instrument: FuturesInstrument, scale: Scale, position: Traded): Ticks | 0 {
  const [dividend, divisor] = breakEvenFraction(instrument, scale, position)
  if (divisor === 0n) return 0
  const price = position.long ? divCeil(dividend, divisor) : divFloor(dividend, divisor)
  return price < 1n || price > BigInt(priceTicksMax) ? 0 : (Number(price) as Ticks)
}

/** What a position has cost so far. */
interface Traded {
  readonly long: boolean
  readonly quantity: Lots
  readonly entryValue: Amount
  readonly fees: bigint
  readonly funding: bigint
}

/** The break-even price in ticks before it is rounded; the divisor is not negative. */
export function breakEvenFraction(instrument: FuturesInstrument, scale: Scale, position: Traded): Fraction {
  // Fees paid and funding received count as if they had been part of the entry.
  const entryValue = (position.entryValue - position.fees + position.funding) as Amount
  const side = position.long ? 'long' : 'short'
  return bankruptcyFraction(instrument, scale, { side, quantity: position.quantity, entryValue }, 0n)
}

export type Fraction = readonly [dividend: bigint, divisor: bigint]

function positive(dividend: bigint, divisor: bigint): Fraction {
  return divisor < 0n ? [-dividend, -divisor] : [dividend, divisor]
}
