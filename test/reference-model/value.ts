/**
 * What positions and orders are worth at a price, and the margin that they need.
 *
 * Profit       linear: F + s·q·P; inverse: F − s·N/P; rounded down
 * Maintenance  MM(V) = V·(mmr_k + f) − cum_k, in the tier that holds the value; rounded up
 * Source       risk-engine.md §2, §3, §8, §11
 */
import {
  deduction,
  feeOf,
  initialMargin,
  type Market,
  type Side,
  type Tier,
  tierOf,
  tierValue,
  worth,
} from './catalog.ts'
import { markPrice } from './prices.ts'
import { down, type Fraction, least, most, sum, up, zero } from './rational.ts'
import { type Desk, type Position, positionsOf, sizeOf, type World } from './world.ts'

export function exactProfit(market: Market, position: Position, price: Fraction): Fraction {
  const value = worth(market, position.quantity, price)
  const rises = (position.side === 'long') === (market.kind !== 'inverse')
  return rises ? position.entryValue.plus(value) : position.entryValue.minus(value)
}

export function unrealized(market: Market, position: Position, price: Fraction): Fraction {
  return down(exactProfit(market, position, price))
}

/** What a fill at a price worse than the mark loses at once, rounded up. */
export function openLoss(market: Market, side: Side, quantity: Fraction, price: Fraction, mark: Fraction): Fraction {
  const worse = side === 'buy' ? price.isAbove(mark) : price.isBelow(mark)
  if (!worse) return zero
  const values = [worth(market, quantity, price), worth(market, quantity, mark)] as const
  return up(most(...values).minus(least(...values)))
}

/** freeze = ⌈V/L⌉ + ⌈V·f⌉ + openLoss */
export function orderMargin(
  market: Market,
  order: { readonly side: Side; readonly quantity: Fraction; readonly price: Fraction; readonly leverage: number },
  mark: Fraction,
): Fraction {
  const { side, quantity, price, leverage } = order
  return initialMargin(market, quantity, price, leverage)
    .plus(feeOf(market, quantity, price, market.takerFee))
    .plus(openLoss(market, side, quantity, price, mark))
}

export function maintenanceRate(market: Market, value: Fraction): Fraction {
  return (tierOf(market, value) ?? lastTier(market)).rate
}

function lastTier(market: Market): Tier {
  return market.tiers[market.tiers.length - 1]
}

/** Exact; an inverse contract's is in its coin. */
export function exactMaintenance(market: Market, quantity: Fraction, price: Fraction): Fraction {
  const value = tierValue(market, quantity, price)
  const tier = tierOf(market, value) ?? lastTier(market)
  const money = value.times(tier.rate.plus(market.takerFee)).minus(deduction(market, tier))
  return market.kind === 'inverse' ? money.over(price) : money
}

export function maintenance(market: Market, quantity: Fraction, price: Fraction): Fraction {
  return up(exactMaintenance(market, quantity, price))
}

// A desk at its mark

export function deskProfit(world: World, desk: Desk): Fraction {
  const mark = markPrice(world, desk.market)
  return sum(positionsOf(desk).map((position) => unrealized(desk.market, position, mark)))
}

/** Of both sides of a hedge. */
export function deskInitialMargin(world: World, desk: Desk): Fraction {
  const mark = markPrice(world, desk.market)
  return sum(positionsOf(desk).map(({ quantity }) => initialMargin(desk.market, quantity, mark, desk.leverage)))
}

/** Of the larger side of a hedge only. */
export function deskMaintenance(world: World, desk: Desk): Fraction {
  const larger = most(sizeOf(desk, 'long'), sizeOf(desk, 'short'))
  return larger.isZero() ? zero : maintenance(desk.market, larger, markPrice(world, desk.market))
}
