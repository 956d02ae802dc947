/**
 * Trigger orders whose price is reached become orders: first the one that its price has passed furthest, then the one that
 * was set first. Prices are read anew after each.
 *
 * Plan      the order as it was asked for; one that closes is cut to what is free
 * TP/SL     closes what it was set for, at most the position; closing orders that rest make way
 * Covers    sells or spends what an order of a pair received; its partner goes unless it found nobody (covers.ts)
 * Partner   goes once this one has closed what it asked for
 * Source    interface.md E3 presets; risk-engine.md §14, §18
 */
import type { Market } from './catalog.ts'
import type { Place } from './commands.ts'
import { placeTriggered } from './placing.ts'
import { coveringOrder } from './covers.ts'
import { latestPrice } from './prices.ts'
import { type Fraction, least, zero } from './rational.ts'
import { follow, isBehind, legsOf, passedBy } from './trailing.ts'
import { endTrigger, removeTrigger } from './trigger-end.ts'
import { sizeOf, type Trigger, type World } from './world.ts'

/** Of one market at a time: a take-profit that meets an order of its owner with another one may go on for long. */
const activatedMax = 64

export function activateTriggers(world: World, market: Market): void {
  for (let activated = 0; ; activated++) {
    if (world.halted.has(market)) return
    follow(world, market)
    const next = due(world, market)
    if (next === undefined) return
    if (activated === activatedMax) return world.continueSoon(market)
    activate(world, next)
  }
}

function due(world: World, market: Market): Trigger | undefined {
  const reached = world.triggers.flatMap((trigger) => {
    const now = trigger.market === market ? latestPrice(world, market, trigger.by) : undefined
    const follows = trigger.trailing !== undefined && trigger.trailing.best === undefined
    if (now === undefined || follows || isBehind(world, trigger)) return []
    const passed = passedBy(trigger, now)
    return passed.sign() < 0 ? [] : [{ trigger, passed }]
  })
  return reached.sort((a, b) => b.passed.compare(a.passed) || a.trigger.number - b.trigger.number)[0]?.trigger
}

function activate(world: World, trigger: Trigger): void {
  const { owner, id, partner } = trigger
  const before = openOf(world, trigger)
  const asked = trigger.order ?? (trigger.cover === undefined ? closing(trigger, before) : coveringOrder(trigger))
  const order = trigger.trailing === undefined ? asked : { ...asked, attached: legsOf(world, trigger) }
  removeTrigger(world, trigger)
  const number = world.orderNumber + 1
  const filledBefore = world.fills.length
  const answer = placeTriggered(world, { ...order, id: '' }, trigger.kind === 'plan' ? 'plan' : 'tpsl')
  if (answer !== 'accepted') {
    world.endedTriggers.push({ owner, id, status: 'failed', failure: answer })
    return
  }
  world.endedTriggers.push({ owner, id, status: 'executed', failure: '' })
  const other = world.triggers.find((candidate) => candidate.number === partner)
  if (other === undefined) return
  if (trigger.cover !== undefined) {
    const isThere = world.orders.some((resting) => resting.number === number)
    if (isThere || world.fills.length > filledBefore) endTrigger(world, other)
    return
  }
  if (world.orders.some((resting) => resting.number === number)) {
    world.partners.set(number, other.number)
    return
  }
  const quantity = order.amount.of === 'quantity' ? order.amount.quantity : zero
  if (!before.minus(openOf(world, trigger)).isBelow(quantity)) endTrigger(world, other)
}

function openOf(world: World, { owner, wallet, market, hold }: Trigger): Fraction {
  const desk = world.desk(owner, wallet, market)
  return desk === undefined || hold === undefined ? zero : sizeOf(desk, hold)
}

/** In the words of v3, which names the position. */
function closing({ owner, market, hold, execute, quantity, stp }: Trigger, open: Fraction): Place {
  return {
    kind: 'place',
    id: '',
    owner,
    market: market.name,
    margin: false,
    loanType: 'normal',
    side: hold === 'long' ? 'sell' : 'buy',
    price: execute,
    amount: { of: 'quantity', quantity: quantity === undefined ? open : least(open, quantity) },
    timeInForce: 'gtc',
    hold,
    trade: 'close',
    reduceOnly: true,
    marginMode: undefined,
    stp,
    attached: undefined,
  }
}
