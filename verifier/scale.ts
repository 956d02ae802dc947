/**
 * The notional of a fill, in whole units of 1e-8: a price is ticks × priceStep / 10^priceDecimals, a quantity
 * lots × quantityStep / 10^quantityDecimals of base coin (spot, linear) or of USD contracts (inverse).
 */
import type { Row } from './database.ts'
import type { Instrument } from './state.ts'

const pow10 = (exponent: number) => 10n ** BigInt(exponent)

/** Value of lots at a price, in quote (spot, linear) or base coin (inverse), rounded as asked. */
function value(instrument: Instrument, lots: bigint, ticks: bigint, rounding: 'down' | 'up'): bigint {
  const { priceDecimals, priceStep, quantityDecimals, quantityStep } = instrument
  const quantity = lots * BigInt(quantityStep)
  const price = ticks * BigInt(priceStep)
  if (instrument.kind !== 'inverse') return quantity * price * pow10(8 - priceDecimals - quantityDecimals)
  const numerator = quantity * pow10(8 + priceDecimals - quantityDecimals)
  return rounding === 'down' ? numerator / price : (numerator + price - 1n) / price
}

export function notionalOf(instrument: Instrument, fill: Row): bigint {
  return value(instrument, fill['quantity_lots'] as bigint, fill['price_ticks'] as bigint, 'down')
}

/** What a fill adds to the entry value of its position: the money that it moves into the account, rounded against it. */
export function entryValueOf(instrument: Instrument, fill: Row): bigint {
  const [lots, ticks] = [fill['quantity_lots'] as bigint, fill['price_ticks'] as bigint]
  const buys = fill['book_side'] === 'buy'
  if (instrument.kind === 'inverse') {
    return buys ? value(instrument, lots, ticks, 'down') : -value(instrument, lots, ticks, 'up')
  }
  const notional = value(instrument, lots, ticks, 'down')
  return buys ? -notional : notional
}

/** Units of base coin that a spot fill moves. */
export function baseOf({ quantityDecimals, quantityStep }: Instrument, fill: Row): bigint {
  return (fill['quantity_lots'] as bigint) * BigInt(quantityStep) * pow10(8 - quantityDecimals)
}
