/**
 * Numbers of the engine as text. Amounts, prices and quantities are decimals in their shortest exact form: "0" for zero, no
 * trailing zeros.
 */
import { countedLotsMax, e12PerUnit, type Instrument } from '../engine/catalog/catalog.ts'
import {
  amountDecimals,
  amountMax,
  divHalfUp,
  formatDecimal,
  type Lots,
  oneCoin,
  pow10,
  type Rate,
  rateDecimals,
  type Ticks,
} from '../engine/numbers/numbers.ts'
import type { PositionClosed } from '../engine/protocol/event.ts'
import type { OrderId } from '../engine/vocabulary.ts'

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

/** The most that an order may be: what the instrument says, else what the venue counts. */
export function mostLots(said: Lots): Lots {
  return said === 0 ? (countedLotsMax as Lots) : said
}

/**
 * Average price of lots and their notional, of which `perUnit` make a unit: half-up at two decimals more than the price has,
 * at most eight; "0" when nothing was traded.
 *
 *   spot, linear   Σ notional ÷ quantity        inverse   quantity (USD) ÷ Σ notional (base coin)
 */
export function averagePrice(instrument: Instrument, quantity: Lots, notional: bigint, perUnit = 1n): string {
  if (quantity === 0 || notional === 0n) return '0'
  const decimals = Math.min(instrument.priceDecimals + 2, 8)
  const traded = BigInt(quantity) * BigInt(instrument.quantityStep) * oneCoin * perUnit
  const worth = notional * pow10(instrument.quantityDecimals)
  const [dividend, divisor] = instrument.kind === 'inverse' ? [traded, worth] : [worth, traded]
  return formatDecimal(divHalfUp(dividend * pow10(decimals), divisor), decimals)
}

/**
 * Average price at which a position was closed: of inverse contracts that of the prices traded at, which what was booked of
 * them, in whole units, is too coarse for.
 */
export function closingAverage(instrument: Instrument, { openedQuantity, closedNotional, closedFine }: PositionClosed) {
  // Positions of before have none, and those of nine million coins too much.
  const isFine = instrument.kind === 'inverse' && closedFine > 0n && closedFine < amountMax
  return isFine
    ? averagePrice(instrument, openedQuantity, closedFine, e12PerUnit)
    : averagePrice(instrument, openedQuantity, closedNotional)
}
