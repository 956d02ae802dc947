/**
 * What open orders hold.
 *
 * Spot      what they may still spend
 * Futures   the margin that opening orders ask for; of a side that would first reduce the opposite position, only the
 *           part that would open counts, in proportion, rounded up
 * Source    risk-engine.md §11, §20.3
 */
import type { Hold, Side } from './catalog.ts'
import { type Fraction, sum, up, zero } from './rational.ts'
import { type Desk, type Order, onlyReduces, sizeOf, type Wallet, type World } from './world.ts'

/** Open orders of a desk that may open, of one side of the book. */
export function openingOrders(world: World, desk: Desk, side: Side): Order[] {
  return deskOrders(world, desk).filter((order) => order.side === side && !onlyReduces(order))
}

/** Open orders that may only take from a position of a desk. */
export function closingOrders(world: World, desk: Desk, side: Hold): Order[] {
  return deskOrders(world, desk).filter(
    (order) => onlyReduces(order) && order.side === (side === 'long' ? 'sell' : 'buy'),
  )
}

export function deskOrders(world: World, { owner, wallet, market }: Desk): Order[] {
  return world.orders.filter((order) => order.market === market && order.owner === owner && order.wallet === wallet)
}

export function leftOf(orders: readonly Order[]): Fraction {
  return sum(orders.map(({ remaining }) => remaining))
}

/** An order that makes way for another, or gets other terms (`filled`: how much of it is, the rest being placed anew). */
export interface Earlier {
  readonly order: Order
  readonly filled: Fraction | undefined
}

/** What would be found if an order were not there. */
export function without<T>(world: World, earlier: Earlier | undefined, find: () => T): T {
  const { orders } = world
  world.orders = orders.filter((other) => other !== earlier?.order)
  const found = find()
  world.orders = orders
  return found
}

/** What the opening orders of a side ask for. */
export interface Asking {
  readonly quantity: Fraction
  readonly margin: Fraction
}

export function askingOf(world: World, desk: Desk, side: Side): Asking {
  const orders = openingOrders(world, desk, side)
  return { quantity: leftOf(orders), margin: sum(orders.map(({ hold }) => hold)) }
}

/** Orders that would only reduce hold no margin: what is asked for counts in the proportion that would open. */
export function heldFor({ quantity, margin }: Asking, desk: Desk, side: Side, hedged: boolean): Fraction {
  const reducible = hedged ? zero : sizeOf(desk, side === 'buy' ? 'short' : 'long')
  if (!quantity.isAbove(reducible)) return zero
  return up(margin.times(quantity.minus(reducible)).over(quantity))
}

export function sideHold(world: World, desk: Desk, side: Side): Fraction {
  return heldFor(askingOf(world, desk, side), desk, side, world.isHedged(desk.owner, desk.market))
}

export function deskHold(world: World, desk: Desk): Fraction {
  return sideHold(world, desk, 'buy').plus(sideHold(world, desk, 'sell'))
}

/** Everything that open orders hold of one coin in one wallet. */
export function heldOf(world: World, owner: string, wallet: Wallet, coin: string): Fraction {
  const spot = world.orders.filter(
    (order) =>
      order.owner === owner &&
      order.wallet === wallet &&
      order.market.kind === 'spot' &&
      coin === (order.side === 'buy' ? order.market.quote : order.market.base),
  )
  const desks = desksOf(world, owner, wallet, coin)
  return sum([...spot.map(({ hold }) => hold), ...desks.map((desk) => deskHold(world, desk))])
}

export function desksOf(world: World, owner: string, wallet: Wallet, coin: string): Desk[] {
  return world.desks.filter((desk) => desk.owner === owner && desk.wallet === wallet && desk.market.settle === coin)
}

/** Balance less holds. */
export function freeOf(world: World, owner: string, wallet: Wallet, coin: string): Fraction {
  return world.purse(owner, wallet, coin).balance.minus(heldOf(world, owner, wallet, coin))
}
