/**
 * How an order leaves: it holds nothing any more, and what it borrowed and did not use is paid back.
 *
 * Id      stays taken for a day
 * Source  risk-engine.md §11, §17; design.md §4.6
 */
import { debtOf, payDebt } from './debts.ts'
import { freeOf } from './holds.ts'
import { least, zero } from './rational.ts'
import { endPartner } from './trigger-end.ts'
import type { Order, World } from './world.ts'

const dayMs = 86_400_000

export function closeOrder(world: World, order: Order, status: 'filled' | 'canceled', reason: string): void {
  const { id, owner, wallet, market, side, hold, loan, quantity, filled, fee, realized } = order
  world.orders = world.orders.filter((other) => other !== order)
  if (market.kind === 'spot' && hold.isAbove(zero)) {
    const coin = side === 'buy' ? market.quote : market.base
    const purse = world.purse(owner, wallet, coin)
    const unused = least(hold, freeOf(world, owner, wallet, coin), loan, debtOf(world, purse))
    if (unused.isAbove(zero)) payDebt(world, purse, unused)
  }
  order.hold = zero
  if (order.resting && market.kind !== 'spot') world.bookChanged = true
  if (id !== '') world.ids.set(`${owner} ${id}`, world.at + dayMs)
  world.ended.push({ owner, order: id, status, reason, quantity, filled, fee, realized })
  endPartner(world, order, status)
}
