/**
 * Orders that wait for a price: plans, and the take-profit and stop-loss of a position.
 *
 * Set       a plan waits for the rise or the fall that leads to its price; a take-profit lies beyond the price, a stop-loss
 *           before it. One of each for a whole position: a new one replaces the old
 * Price     the last one, before the first trade the mark
 * Change    a plan then waits for the rise or the fall that leads to its new price
 * End       with their position; a partner when the other has closed what it asked for
 * Not here  what comes of one whose price is reached (activation.ts)
 * Source    interface.md E3 presets; design.md §4.6, §4.11, §4.18
 */
import { type Hold, type Market, tierValue } from './catalog.ts'
import { checkQuantity } from './checks.ts'
import type { Answer, ChangeTrigger, Legs, OrderAmount, Place, Plan, Protect, TriggerPrice } from './commands.ts'
import { directionOf } from './contracts.ts'
import { latestPrice, markPrice } from './prices.ts'
import { type Fraction, downTo } from './rational.ts'
import { endTrigger } from './trigger-end.ts'
import { openOrdersMax, tradingWallet, type Desk, type Order, sizeOf, type Trigger, type World } from './world.ts'

export function setPlan(world: World, command: Plan): Answer {
  const { order, trigger, by } = command
  const { owner, id } = order
  const market = world.market(order.market)
  if (world.halted.has(market)) return 'instrument-closed'
  const named = market.kind === 'spot' || directionOf(order, world.isHedged(owner, market)) !== undefined
  if (!named) return 'position-side-required'
  const refusal =
    limits(world, owner, market, id, 1) ??
    checkShape(market, order, order.price ?? trigger, reduces(world, market, order))
  if (refusal !== undefined) return refusal
  const rises = !reference(world, market, by).isAbove(trigger)
  const terms = { kind: 'plan', id, price: trigger, by, rises, order, stp: order.stp } as const
  wait(world, { ...shared(world, owner, market, order.margin), ...terms })
  return 'accepted'
}

/** Whether a plan only takes from a position. */
function reduces(world: World, market: Market, order: Place): boolean {
  return market.kind !== 'spot' && directionOf(order, world.isHedged(order.owner, market))?.reduces !== undefined
}

/** Quantity and value at the price that the order will ask for. */
export function checkShape(market: Market, order: Place, at: Fraction, onlyReduces: boolean): string | undefined {
  const { price, amount } = order
  const spends = market.kind === 'spot' && order.side === 'buy' && price === undefined
  if (spends !== (amount.of === 'quote')) return 'quantity-unit-unsuitable'
  if (amount.of === 'quote') {
    return amount.budget.isBelow(market.notionalMin) || amount.budget.sign() <= 0 ? 'notional-below-minimum' : undefined
  }
  const quantity = contracts(market, amount, at)
  const wrong = checkQuantity(market, price, quantity, onlyReduces)
  if (wrong !== undefined || onlyReduces) return wrong
  return tierValue(market, quantity, at).isBelow(market.notionalMin) ? 'notional-below-minimum' : undefined
}

function contracts(market: Market, amount: Exclude<OrderAmount, { of: 'quote' }>, price: Fraction): Fraction {
  if (amount.of === 'quantity') return amount.quantity
  return downTo(market.lot, amount.size.times(price))
}

export function setTpsl(world: World, command: Protect): Answer {
  const { owner, legs, stp } = command
  const market = world.market(command.market)
  if (world.halted.has(market)) return 'instrument-closed'
  const held = heldDesk(world, owner, market, command.hold)
  if (held === undefined) return 'trigger-position-short'
  const { desk, hold } = held
  const asked = listed(legs)
  const replaced = asked.flatMap(({ profit, leg }) =>
    leg.quantity === undefined
      ? tpslOf(world, desk, hold).filter((other) => other.kind === kindOf(profit) && other.quantity === undefined)
      : [],
  )
  for (const [place, { profit, leg }] of asked.entries()) {
    const refusal =
      limits(world, owner, market, leg.id, asked.length - replaced.length) ??
      checkPart(leg.quantity, sizeOf(desk, hold)) ??
      checkSide(world, market, hold, profit, leg)
    if (refusal !== undefined) return refusal
    if (place > 0 && leg.id !== '' && leg.id === asked[0].leg.id) return 'duplicate-client-order-id'
  }
  for (const old of replaced) endTrigger(world, old)
  pair(asked.map(({ profit, leg }) => protect(world, desk, hold, profit, { ...leg, stp, entry: undefined })))
  return 'accepted'
}

function listed({ profit, loss }: Legs) {
  const both = [
    { profit: true, leg: profit },
    { profit: false, leg: loss },
  ]
  return both.flatMap(({ profit: takes, leg }) => (leg === undefined ? [] : [{ profit: takes, leg }]))
}

function checkSide(
  world: World,
  market: Market,
  hold: Hold,
  profit: boolean,
  { trigger, by }: { readonly trigger: Fraction; readonly by: TriggerPrice },
): string | undefined {
  const price = reference(world, market, by)
  const above = profit === (hold === 'long')
  if (above ? trigger.isAbove(price) : trigger.isBelow(price)) return undefined
  return `${hold}-${profit ? 'take-profit' : 'stop-loss'}-not-${above ? 'above' : 'below'}`
}

/** Take-profit and stop-loss that an order carries, for what a fill of it has opened. */
export function extendAttached(world: World, desk: Desk, order: Order, hold: Hold, quantity: Fraction): void {
  const made: Trigger[] = []
  for (const { profit, leg } of listed(order.attached ?? {})) {
    const known = tpslOf(world, desk, hold).find(
      (other) => other.entry === order.number && other.kind === kindOf(profit),
    )
    if (known?.quantity !== undefined) known.quantity = known.quantity.plus(quantity)
    else
      made.push(protect(world, desk, hold, profit, { ...leg, id: '', quantity, stp: order.stp, entry: order.number }))
  }
  pair(made)
}

interface Terms {
  readonly id: string
  readonly trigger: Fraction
  readonly by: TriggerPrice
  readonly execute: Fraction | undefined
  readonly quantity: Fraction | undefined
  readonly stp: Trigger['stp']
  readonly entry: number | undefined
}

function protect(world: World, desk: Desk, hold: Hold, profit: boolean, terms: Terms): Trigger {
  const { trigger, ...rest } = terms
  const rises = profit === (hold === 'long')
  const kind = kindOf(profit)
  return wait(world, { ...shared(world, desk.owner, desk.market), ...rest, kind, hold, price: trigger, rises })
}

/** The legs of what an order carries, the take-profit first. */
export function attachedOf(attached: Legs | undefined) {
  return listed(attached ?? {}).map(({ profit, leg }) => ({ kind: kindOf(profit), leg }))
}

export function pair([first, second]: readonly Trigger[]): void {
  if (first === undefined || second === undefined) return
  first.partner = second.number
  second.partner = first.number
}

export function shared(world: World, owner: string, market: Market, margin = false) {
  const wallet = tradingWallet(world.account(owner), market, margin)
  const none = {
    order: undefined,
    cover: undefined,
    hold: undefined,
    execute: undefined,
    quantity: undefined,
    entry: undefined,
  }
  return { ...none, trailing: undefined, number: ++world.orderNumber, owner, wallet, market, partner: undefined }
}

export function wait(world: World, trigger: Trigger): Trigger {
  world.triggers.push(trigger)
  if (trigger.id !== '') world.ids.set(`${trigger.owner} ${trigger.id}`, Number.POSITIVE_INFINITY)
  return trigger
}

export function limits(world: World, owner: string, market: Market, id: string, more: number): string | undefined {
  if (id !== '' && world.isTaken(owner, id)) return 'duplicate-client-order-id'
  return more > 0 && world.openOf(owner, market) + more > openOrdersMax ? 'open-orders-max' : undefined
}

export function reference(world: World, market: Market, by: TriggerPrice): Fraction {
  return latestPrice(world, market, by) ?? markPrice(world, market)
}

function onlySide({ long, short }: Desk): Hold | undefined {
  if (long !== undefined && short !== undefined) return undefined
  return long === undefined ? 'short' : 'long'
}

/** What closes a position: take-profits, stop-losses, trailing stops. */
export function tpslOf(world: World, { owner, wallet, market }: Desk, hold: Hold): Trigger[] {
  return world.triggers.filter(
    (other) => other.owner === owner && other.wallet === wallet && other.market === market && other.hold === hold,
  )
}

function kindOf(profit: boolean): 'take-profit' | 'stop-loss' {
  return profit ? 'take-profit' : 'stop-loss'
}

/** The position that is meant: of a side, or the only one that there is. */
export function heldDesk(
  world: World,
  owner: string,
  market: Market,
  side: Hold | undefined,
): { readonly desk: Desk; readonly hold: Hold } | undefined {
  const desk = world.desk(owner, tradingWallet(world.account(owner), market, false), market)
  const hold = side ?? (desk === undefined ? undefined : onlySide(desk))
  return desk === undefined || hold === undefined || sizeOf(desk, hold).isZero() ? undefined : { desk, hold }
}

/** A part of a position, none (undefined) being all of it. */
export function checkPart(quantity: Fraction | undefined, open: Fraction): string | undefined {
  if (quantity?.isAbove(open)) return 'trigger-position-short'
  return quantity?.isZero() ? 'quantity-below-minimum' : undefined
}

/** Other terms of a trigger order that does not trail. A price on the wrong side is refused but for plans. */
export function changeTrigger(world: World, command: ChangeTrigger): Answer {
  const { trigger: price, by, execute, amount, attached } = command
  const trigger = world.triggerOf(command)
  if (trigger === undefined || trigger.trailing !== undefined) return 'trigger-unknown'
  const { market, order, hold } = trigger
  const refusal =
    order !== undefined
      ? changePlan(world, trigger, order, command)
      : hold !== undefined
        ? (checkSide(world, market, hold, trigger.kind === 'take-profit', command) ??
          (trigger.quantity === undefined ? undefined : changeAmount(world, trigger, amount, price)))
        : changeCover(world, trigger, command)
  if (refusal !== undefined) return refusal
  Object.assign(trigger, { price, by, execute })
  if (order === undefined || trigger.order === undefined) return 'accepted'
  trigger.rises = !reference(world, market, by).isAbove(price)
  trigger.order = { ...trigger.order, attached: reduces(world, market, order) ? order.attached : attached }
  return 'accepted'
}

function changePlan(world: World, trigger: Trigger, order: Place, command: ChangeTrigger): string | undefined {
  const { market } = trigger
  const { execute, amount = order.amount } = command
  const changed = { ...order, price: execute, amount }
  const refusal = checkShape(market, changed, execute ?? command.trigger, reduces(world, market, order))
  if (refusal === undefined) trigger.order = changed
  return refusal
}

/** It counts in the coin in which it was set. */
function changeCover(world: World, { market, cover, kind }: Trigger, command: ChangeTrigger): string | undefined {
  const { trigger, by, execute, amount } = command
  if (cover === undefined) throw new Error('it covers what an order received')
  const price = reference(world, market, by)
  const above = (kind === 'take-profit') === (cover.side === 'sell')
  if (above ? !trigger.isAbove(price) : !trigger.isBelow(price))
    return above ? 'trigger-not-above' : 'trigger-not-below'
  if (amount === undefined) return undefined
  if (amount.of === 'base' || (amount.of === 'quote') !== (cover.side === 'buy')) return 'quantity-unit-unsuitable'
  const money = amount.of === 'quote' ? amount.budget : amount.quantity
  const wrong =
    amount.of === 'quantity' ? checkQuantity(market, execute, money, true) : money.sign() > 0 ? undefined : tooSmall
  if (wrong === undefined) cover.money = money
  return wrong
}

const tooSmall = 'quantity-below-minimum'

/** Another amount of a trigger order, checked as if it were set with it at a price. */
export function changeAmount(
  world: World,
  trigger: Trigger,
  amount: OrderAmount | undefined,
  price: Fraction,
): string | undefined {
  const { owner, market, hold, order } = trigger
  if (order !== undefined) {
    const changed = amount === undefined ? order : { ...order, amount }
    const refusal = checkShape(market, changed, price, reduces(world, market, order))
    if (refusal === undefined) trigger.order = changed
    return refusal
  }
  if (amount?.of !== 'quantity') return undefined
  const held = heldDesk(world, owner, market, hold)
  if (held === undefined) throw new Error('what closes a position has one')
  const refusal = checkPart(amount.quantity, sizeOf(held.desk, held.hold))
  if (refusal === undefined) trigger.quantity = amount.quantity
  return refusal
}
