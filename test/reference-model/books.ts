/**
 * Books, read off the list of open orders: best price first, oldest first.
 *
 * Source  interface.md E2
 */
import type { Market, Side } from './catalog.ts'
import type { Fraction } from './rational.ts'
import type { Order, World } from './world.ts'

/** Resting orders that an order of a side meets, best first. */
export function opposite(world: World, market: Market, side: Side): Order[] {
  const resting = world.orders.filter((order) => order.resting && order.market === market && order.side !== side)
  const rising = side === 'buy' ? 1 : -1
  return resting.sort((a, b) => rising * priceOf(a).compare(priceOf(b)) || a.turn - b.turn)
}

/** Limit price of a resting order. */
export function priceOf({ price }: Order): Fraction {
  if (price === undefined) throw new Error('market orders do not rest')
  return price
}

export function reaches(side: Side, limit: Fraction, price: Fraction): boolean {
  return side === 'buy' ? !price.isAbove(limit) : !price.isBelow(limit)
}
