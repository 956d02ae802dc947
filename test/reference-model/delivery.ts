/**
 * Delivery: a contract ends at a price. Its orders go, then all positions are closed at it, free of fees.
 *
 * After   orders elsewhere that the wallet no longer covers go
 * Source  design.md §6, §4.26
 */
import { cancelUncoveredOrders } from './cancel-uncovered.ts'
import type { Market } from './catalog.ts'
import { closeOrder } from './order-end.ts'
import { fundName } from './pools.ts'
import { type Fraction, zero } from './rational.ts'
import { fillForced, sweepFund } from './takeover.ts'
import { positionsOf, type World } from './world.ts'

export function deliver(world: World, market: Market, price: Fraction): void {
  for (const order of world.orders.filter((other) => other.market === market))
    closeOrder(world, order, 'canceled', 'system')
  for (const desk of world.desks.filter((other) => other.market === market)) {
    for (const { side, quantity } of positionsOf(desk)) {
      fillForced(world, desk, { side, effect: 'close', quantity, price, feeRate: zero, scope: 'taker' })
      if (desk.owner === fundName) sweepFund(world, desk)
    }
  }
  world.halted.add(market)
  for (const desk of world.desks.filter((other) => other.market === market)) cancelUncoveredOrders(world, desk)
}
