/**
 * What an opening order holds: its margin, its fee and what it would lose at once, each rounded up.
 *
 *   hold = ⌈V/L·(1 + k1)⌉ + ⌈V·f·(1 + k2)⌉ + openLoss
 *
 * Source  risk-engine.md §11
 */
import { feeOf, type FuturesInstrument, initialMarginOf, type Scale, valueFloor } from '../catalog/catalog.ts'
import {
  type Amount,
  big,
  cappedAmount,
  divCeil,
  type Lots,
  rateOne,
  smallCeil,
  type Ticks,
} from '../numbers/numbers.ts'
import { type Exposure, openingQuantity, positionQuantity, type Reading } from '../state/state.ts'
import type { Side } from '../vocabulary.ts'

interface OpeningOrder {
  readonly quantity: Lots
  readonly price: Ticks
  readonly leverage: number
}

/**
 * Margin that an opening order asks for.
 * hold = ⌈V/L·(1 + k1)⌉ + ⌈V·f·(1 + k2)⌉ + openLoss;  openLoss = what the order would lose at once at the mark price
 */
export function orderHold(
  reading: Reading,
  instrument: FuturesInstrument,
  order: OpeningOrder & { readonly long: boolean },
): Amount {
  const loss = openLoss(
    reading.scale(instrument.id),
    order.long,
    order.quantity,
    order.price,
    reading.prices.markPrice(instrument.id),
  )
  return cappedAmount(orderCost(reading, instrument, order) + loss)
}

/** Margin and fee of an opening order, each with its markup: what it asks for besides what it would lose at once. */
export function orderCost(
  reading: Reading,
  instrument: FuturesInstrument,
  { quantity, price, leverage }: OpeningOrder,
): bigint {
  const scale = reading.scale(instrument.id)
  const { orderMarginMarkup, orderFeeMarkup } = reading.settings.risk
  const margin =
    orderMarginMarkup === 0n
      ? initialMarginOf(scale, quantity, price, leverage)
      : partOf(scale, quantity, price, rateOne + orderMarginMarkup, big(leverage) * rateOne)
  const { takerFeeRate } = instrument
  // A rebate is not marked up: the order would hold less.
  const fee =
    orderFeeMarkup === 0n || takerFeeRate <= 0n
      ? feeOf(scale, quantity, price, takerFeeRate)
      : partOf(scale, quantity, price, takerFeeRate * (rateOne + orderFeeMarkup), rateOne * rateOne)
  return margin + fee
}

/** ⌈V × dividend / divisor⌉ of the unrounded value. */
function partOf(scale: Scale, quantity: number, price: number, dividend: bigint, divisor: bigint): bigint {
  if (!scale.inverse) return divCeil(big(quantity) * big(price) * scale.unit * dividend, divisor)
  return divCeil(big(quantity) * scale.numerator * dividend, big(price) * scale.priceStep * divisor)
}

/** What a fill at a price worse than the mark loses at once. linear: x·s·(p − Pm); inverse: ⌈N·s·(1/Pm − 1/p)⌉; else 0. */
export function openLoss(scale: Scale, long: boolean, quantity: number, price: number, mark: number): bigint {
  if (long ? price <= mark : price >= mark) return 0n
  if (scale.inverse) {
    const ticks = Math.abs(price - mark)
    return (
      smallCeil(quantity * scale.numeratorNumber * ticks, price * mark * scale.priceStepNumber) ??
      divCeil(big(quantity) * scale.numerator * big(ticks), big(price) * big(mark) * scale.priceStep)
    )
  }
  const difference = valueFloor(scale, quantity, price) - valueFloor(scale, quantity, mark)
  return difference < 0n ? -difference : difference
}

/**
 * What the opening orders of an exposure hold. In one-way mode the part of a side that would only reduce the opposite
 * position needs no margin. The side then holds what it asks for in proportion to the lots that would open, rounded up.
 */
export function requiredHold(exposure: Exposure, hedged: boolean): bigint {
  return sideHold(exposure, 'buy', hedged) + sideHold(exposure, 'sell', hedged)
}

/** What one side of the book holds of it, or would hold with more orders than it has. */
export function sideHold(exposure: Exposure, side: Side, hedged: boolean, moreQuantity = 0, moreHold = 0n): bigint {
  const quantity = openingQuantity(exposure, side) + moreQuantity
  if (quantity === 0) return 0n
  const asked = (side === 'buy' ? exposure.buyHold : exposure.sellHold) + moreHold
  const reducible = hedged ? 0 : positionQuantity(exposure, side === 'buy' ? 'short' : 'long')
  if (reducible === 0) return asked
  return quantity <= reducible ? 0n : divCeil(asked * big(quantity - reducible), big(quantity))
}
