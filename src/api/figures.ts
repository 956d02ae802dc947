/**
 * Numbers of the engine as text. Amounts, prices and quantities are decimals in their shortest exact form: "0" for zero, no
 * trailing zeros.
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import type { OrderId } from '../engine/command.ts'
import {
  amountDecimals,
  formatDecimal,
  type Lots,
  type Rate,
  rateDecimals,
  type Ticks,
} from '../engine/numbers/numbers.ts'

/**
 * V8 keeps the texts of the numbers that it wrote last, in its old generation. An order's number is hardly asked for again, and its text
 * was a fifth to a half of all that outlived scavenges there; `toFixed` keeps none, and takes two thirds of the time.
 */
export function formatOrderId(orderId: OrderId): string {
  return orderId.toFixed(0)
}

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
