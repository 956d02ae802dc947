/**
 * Closing orders against the position that they take from.
 *
 * One-way  a reduce-only order is cut to the position; earlier ones go, oldest first, until all fit
 * Hedge    something free: a market close is cut to it, a limit close beyond it is refused; nothing free: closes that
 *          rest go, oldest first, until the new one fits
 * Later    the position shrinks: they are cut to it, oldest first, and go when nothing is left of them
 * Source   design.md §4.9, §4.10, §4.28, §4.39; risk-engine.md §18
 */
import type { Hold } from './catalog.ts'
import { closeOrder } from './order-end.ts'
import { closingOrders, leftOf } from './holds.ts'
import { type Fraction, least } from './rational.ts'
import { type Desk, type Order, sizeOf, type World } from './world.ts'

export interface Fit {
  readonly quantity: Fraction
  readonly superseded: readonly Order[]
}

export function fitClosing(
  world: World,
  desk: Desk,
  side: Hold,
  requested: Fraction,
  { hedged, market }: { readonly hedged: boolean; readonly market: boolean },
): Fit | string {
  const position = sizeOf(desk, side)
  if (position.isZero()) return 'nothing-to-reduce'
  const free = position.minus(leftOf(closingOrders(world, desk, side)))
  if (hedged && free.sign() > 0) {
    if (!requested.isAbove(free)) return { quantity: requested, superseded: [] }
    return market ? { quantity: free, superseded: [] } : 'insufficient-position'
  }
  if (hedged && !market && requested.isAbove(position)) return 'insufficient-position'
  const quantity = least(requested, position)
  return { quantity, superseded: oldestBeyond(world, desk, side, position.minus(quantity)) }
}

/** The oldest closing orders that must go so that the others together are at most `room`. */
function oldestBeyond(world: World, desk: Desk, side: Hold, room: Fraction): Order[] {
  const staying = closingOrders(world, desk, side)
  const going: Order[] = []
  while (leftOf(staying).isAbove(room)) going.push(staying.shift() as Order)
  return going
}

/** What a smaller position cannot serve any more is taken off its closing orders, the oldest first. */
export function cutClosing(world: World, desk: Desk): void {
  for (const side of ['long', 'short'] as const) {
    for (const order of closingOrders(world, desk, side)) {
      const excess = leftOf(closingOrders(world, desk, side)).minus(sizeOf(desk, side))
      if (excess.sign() <= 0) break
      if (!order.remaining.isAbove(excess)) closeOrder(world, order, 'canceled', 'reduce-only')
      else {
        order.quantity = order.quantity.minus(excess)
        order.remaining = order.remaining.minus(excess)
        world.bookChanged = true
        world.cuts.push({ owner: order.owner, order: order.id, cut: excess })
      }
    }
  }
}
