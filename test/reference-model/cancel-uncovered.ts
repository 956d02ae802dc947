/**
 * Opening orders that have outlived what they were admitted with go, newest first.
 *
 * Tier    what would be open is worth more than its leverage allows
 * Margin  the wallet no longer covers what its orders hold
 * Source  risk-engine.md §3, §11
 */
import { leverageCap, type Side, tierValue } from './catalog.ts'
import { closeOrder } from './order-end.ts'
import { desksOf, freeOf, leftOf, openingOrders, sideHold } from './holds.ts'
import { availableOf } from './margin.ts'
import { markPrice } from './prices.ts'
import { zero } from './rational.ts'
import { type Desk, leverageOf, type Order, sizeOf, type World } from './world.ts'

export function cancelUncoveredOrders(world: World, desk: Desk): void {
  for (const side of ['buy', 'sell'] as const) {
    while (isBeyondTier(world, desk, side)) {
      closeOrder(world, openingOrders(world, desk, side).at(-1) as Order, 'canceled', 'system')
    }
  }
  const { owner, wallet, market } = desk
  for (;;) {
    const short = freeOf(world, owner, wallet, market.settle).sign() < 0
    if (!short || availableOf(world, owner, wallet, market.settle).sign() >= 0) return
    const holding = desksOf(world, owner, wallet, market.settle).flatMap((other) =>
      (['buy', 'sell'] as const)
        .filter((side) => sideHold(world, other, side).isAbove(zero))
        .flatMap((side) => openingOrders(world, other, side)),
    )
    const newest = holding.sort((a, b) => b.number - a.number)[0]
    if (newest === undefined) return
    closeOrder(world, newest, 'canceled', 'system')
  }
}

function isBeyondTier(world: World, desk: Desk, side: Side): boolean {
  const { owner, market } = desk
  const hedged = world.isHedged(owner, market)
  const [opens, reduces] = side === 'buy' ? (['long', 'short'] as const) : (['short', 'long'] as const)
  const opening = leftOf(openingOrders(world, desk, side)).minus(hedged ? zero : sizeOf(desk, reduces))
  if (opening.sign() <= 0) return false
  const value = tierValue(market, sizeOf(desk, opens).plus(opening), markPrice(world, market))
  return leverageOf(desk, opens, hedged) > leverageCap(market, value)
}
