/**
 * Figures of v3 that take more than writing down: averages, ratios and the words of margin modes.
 *
 * Averages  half-up at two decimals more than the price, for display; "0" when nothing filled
 * Source    risk-engine.md §1, §2, §8, §16; wire/v3-endpoints.md §2, §3, §4
 */
import type { Instrument } from '../../../engine/catalog/catalog.ts'
import { divCeil, divHalfUp, formatDecimal, pow10 } from '../../../engine/numbers/numbers.ts'
import type { MarginMode } from '../../../engine/vocabulary.ts'

export function marginModeWord(mode: MarginMode): string {
  return mode === 'cross' ? 'crossed' : 'isolated'
}

/** Decimals of averages: two more than the price has. */
const averageDecimals = 2

export function entryPrice(entryPriceE8: bigint, instrument: Instrument): string {
  const decimals = Math.min(8, instrument.priceDecimals + averageDecimals)
  return formatDecimal(divHalfUp(entryPriceE8, pow10(8 - decimals)), decimals)
}

/** A quotient of two amounts with four decimals; "0" when there is nothing to divide by. */
export function ratio(dividend: bigint, divisor: bigint): string {
  return divisor <= 0n ? '0' : formatDecimal(divHalfUp(dividend * 10_000n, divisor), 4)
}

/** Margin over equity, rounded up at 8 decimals; without equity to stand on all of it is used, "1". */
export function marginRatio(margin: bigint, equity: bigint): string {
  if (margin === 0n) return '0'
  return equity <= 0n ? '1' : formatDecimal(divCeil(margin * pow10(8), equity), 8)
}
