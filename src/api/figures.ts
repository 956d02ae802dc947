/**
 * Amounts, prices and quantities of the engine as decimal text, shortest exact form: "0" for zero, no trailing zeros.
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import {
  amountDecimals,
  formatDecimal,
  type Lots,
  type Rate,
  rateDecimals,
  type Ticks,
} from '../engine/numbers/numbers.ts'

/** Units of 1e-8. */
export function formatAmount(units: bigint): string {
  return formatDecimal(units, amountDecimals)
}

export function formatRate(rate: Rate): string {
  return formatDecimal(rate, rateDecimals)
}

export function formatTicks(price: Ticks | 0, instrument: Instrument): string {
  return formatDecimal(BigInt(price) * BigInt(instrument.priceStep), instrument.priceDecimals)
}

/** In the instrument's own unit: base coin, or USD contracts of an inverse instrument. */
export function formatLots(quantity: Lots, instrument: Instrument): string {
  return formatDecimal(BigInt(quantity) * BigInt(instrument.quantityStep), instrument.quantityDecimals)
}
