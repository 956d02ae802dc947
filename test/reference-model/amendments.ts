/**
 * Resting orders with other terms, and new orders in their place: admitted as if the order were not there.
 *
 * Less     at the same price: keeps its place in the queue and its part of what it holds
 * Else     goes to the back and trades as a taker if it crosses; it keeps what it has filled, its number and its id
 * Filled   as much as is filled already ends it as filled, whatever the minimums; less is refused
 * Refused  the order stays as it is, or goes if its owner wants that
 * Replace  the old order goes, the new one takes its loan; without a quantity it has what the old one had left
 * Source   docs/interface.md, v3 and v2 `modify-order`, `cancel-replace-order`
 */
import { checkQuantity, checkValue } from './checks.ts'
import type { Amend, Answer, Place, Replace } from './commands.ts'
import { closeOrder } from './order-end.ts'
import { placeAgain } from './placing.ts'
import { down, type Fraction, zero } from './rational.ts'
import { giveBack } from './spot.ts'
import { onlyReduces, type Order, type World } from './world.ts'
import { worth } from './catalog.ts'

export function amend(world: World, command: Amend): Answer {
  const order = orderOf(world, command)
  if (order === undefined) return 'order-unknown'
  const refusal = change(world, order, command)
  if (refusal === 'accepted' || refusal === 'order-unchanged' || !command.orCancel) return refusal
  closeOrder(world, order, 'canceled', 'user')
  return `canceled instead: ${refusal}`
}

function orderOf(world: World, { owner, id }: Amend | Replace): Order | undefined {
  return world.orders.find((order) => order.owner === owner && order.id === id)
}

function change(world: World, order: Order, { price = order.price, quantity = order.quantity }: Amend): Answer {
  const { market, filled } = order
  const samePrice = price === undefined || order.price?.equals(price) === true
  if (samePrice && quantity.equals(order.quantity)) return 'order-unchanged'
  if (order.reduceOnly) return 'order-only-reduces'
  if (quantity.isBelow(filled)) return 'quantity-below-filled'
  if (filled.sign() > 0 && quantity.equals(filled)) {
    Object.assign(order, { price, quantity, remaining: zero })
    closeOrder(world, order, 'filled', '')
    return 'accepted'
  }
  if (!samePrice || quantity.isAbove(order.quantity)) {
    const amount = { of: 'quantity', quantity: quantity.minus(filled) } as const
    return placeAgain(world, { ...asPlaced(world, order), price, amount }, order, filled)
  }
  const fault =
    checkQuantity(market, price, quantity, onlyReduces(order)) ??
    (onlyReduces(order) ? undefined : checkValue(market, price ?? zero, quantity))
  if (fault !== undefined) return fault
  lessen(world, order, quantity)
  return 'accepted'
}

function lessen(world: World, order: Order, quantity: Fraction): void {
  const { market, remaining, hold, side, price = zero } = order
  const left = remaining.minus(order.quantity.minus(quantity))
  order.quantity = quantity
  order.remaining = left
  if (market.kind === 'spot') {
    order.hold = side === 'buy' ? worth(market, left, price) : left
    giveBack(world, order, hold.minus(order.hold))
  } else {
    order.hold = hold.minus(down(hold.times(remaining.minus(left)).over(remaining)))
    world.bookChanged = true
  }
}

export function replace(world: World, command: Replace): Answer {
  const order = orderOf(world, command)
  if (order === undefined) return 'order-unknown'
  const { price = order.price, quantity = order.remaining, newId } = command
  const samePrice = price === undefined || order.price?.equals(price) === true
  // A pair's order is placed anew with the terms that it has.
  if (order.market.kind !== 'spot' && samePrice && quantity.equals(order.remaining)) return 'order-unchanged'
  if (world.isTaken(order.owner, newId)) return 'duplicate-client-order-id'
  return placeAgain(
    world,
    { ...asPlaced(world, order), id: newId, price, amount: { of: 'quantity', quantity } },
    order,
    undefined,
  )
}

/** In the words of v3, which names the position. */
function asPlaced(world: World, order: Order): Place {
  const { id, owner, market, margin, loanType, side, price, intent, reduceOnly, stp, attached, timeInForce } = order
  const opens = intent !== 'close'
  const hold = (side === 'buy') === opens ? 'long' : 'short'
  return {
    kind: 'place',
    id,
    owner,
    market: market.name,
    margin,
    loanType,
    side,
    price,
    amount: { of: 'quantity', quantity: order.remaining },
    timeInForce,
    hold: world.isHedged(owner, market) ? hold : undefined,
    trade: undefined,
    reduceOnly,
    marginMode: undefined,
    stp,
    attached,
  }
}
