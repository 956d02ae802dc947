/**
 * An order against its market: minimums, maximums, price bands.
 *
 * Source  design.md §4.25, §4.31; interface.md E2 rules 1 and 2
 */
import { reaches } from './books.ts'
import { bandPrice, type Market, type Side, tierValue } from './catalog.ts'
import type { Fraction } from './rational.ts'

export function checkPrice(
  market: Market,
  side: Side,
  price: Fraction | undefined,
  mark: Fraction,
): string | undefined {
  if (price === undefined || market.limitBand.isZero()) return undefined
  if (reaches(side, bandPrice(market, mark, side, market.limitBand), price)) return undefined
  return side === 'buy' ? 'price-above-limit' : 'price-below-limit'
}

/** Orders that only reduce need no minimum, so that every position can be closed. */
export function checkQuantity(
  market: Market,
  price: Fraction | undefined,
  quantity: Fraction,
  reduces: boolean,
): string | undefined {
  const tooSmall = quantity.sign() <= 0 || (!reduces && quantity.isBelow(market.quantityMin))
  if (tooSmall) return 'quantity-below-minimum'
  const maximum = price === undefined ? market.marketQuantityMax : market.quantityMax
  return maximum.sign() > 0 && quantity.isAbove(maximum) ? 'quantity-above-maximum' : undefined
}

export function checkValue(market: Market, price: Fraction, quantity: Fraction): string | undefined {
  return tierValue(market, quantity, price).isBelow(market.notionalMin) ? 'notional-below-minimum' : undefined
}
