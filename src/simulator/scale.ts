/**
 * From what an agent thinks (prices and values as floats) to what an instrument takes (ticks, lots, units), and back.
 *
 * Rounding   buys down, sells up: an agent never bids more or asks less than it thinks right
 * Holds      a quantity lies within the instrument's own limits and is worth its least notional, or there is none
 */
import type { FuturesInstrument, Instrument } from '../engine/catalog/catalog.ts'
import { type Amount, amount, type Lots, lots, type Ticks, ticks } from '../engine/numbers/numbers.ts'
import type { Side } from '../engine/vocabulary.ts'

/** An order at exactly the least notional may be below it once the price has moved. */
const notionalMargin = 1.05

function tickSize({ priceStep, priceDecimals }: Instrument): number {
  return priceStep / 10 ** priceDecimals
}

export function priceOf(instrument: Instrument, price: number): number {
  return price * tickSize(instrument)
}

/** At least one tick. */
export function ticksFor(instrument: Instrument, price: number, side: Side): Ticks {
  const exact = price / tickSize(instrument)
  return ticks(Math.max(1, side === 'buy' ? Math.floor(exact) : Math.ceil(exact)))
}

/** What one lot is worth at a price: quote coin, or dollars of an inverse contract. */
export function lotValue({ kind, quantityStep, quantityDecimals }: Instrument, price: number): number {
  const quantity = quantityStep / 10 ** quantityDecimals
  return kind === 'inverse' ? quantity : quantity * price
}

/** About `notional` at `price`, within the limits of a limit or market order; undefined when they leave no room. */
export function lotsFor(
  instrument: Instrument,
  notional: number,
  price: number,
  orderType: 'limit' | 'market' = 'limit',
): Lots | undefined {
  const value = lotValue(instrument, price)
  const least = Math.max(1, instrument.quantityMin, Math.ceil(leastNotional(instrument) / value))
  const most = quantityMost(instrument, orderType)
  return least > most ? undefined : lots(Math.min(most, Math.max(least, Math.round(notional / value))))
}

/** What a spot market buy spends, in whole steps of the quote amount. */
export function spendFor(instrument: Extract<Instrument, { kind: 'spot' }>, notional: number): Amount {
  const step = 10 ** instrument.quoteDecimals
  const steps = BigInt(Math.ceil(Math.max(notional, leastNotional(instrument)) * step))
  return amount(steps * 10n ** BigInt(8 - instrument.quoteDecimals))
}

/** Coins as the ledger counts them; at least the smallest unit. */
export function unitsOf(coins: number): Amount {
  return amount(BigInt(Math.max(1, Math.round(coins * 1e8))))
}

/** The largest position value that a leverage may be used for. */
export function tierFor({ tiers }: FuturesInstrument, leverage: number): number {
  const bounds = tiers.filter(({ leverageMax }) => leverageMax >= leverage).map(({ to }) => Number(to) / 1e8)
  return Math.max(0, ...bounds)
}

function leastNotional({ notionalMin }: Instrument): number {
  return (Number(notionalMin) / 1e8) * notionalMargin
}

function quantityMost({ quantityMax, marketQuantityMax }: Instrument, orderType: 'limit' | 'market'): number {
  const limit = quantityMax || Number.MAX_SAFE_INTEGER
  return orderType === 'market' ? Math.min(limit, marketQuantityMax || Number.MAX_SAFE_INTEGER) : limit
}
