/**
 * Trailing orders: they follow the best price since they are active, and are due when the price turns back by their rate.
 *
 * Waits    for its activation price, on either side of the price; without one from the first price that comes
 * Follows  a sell the highest price, a buy the lowest, at each reading of last and mark
 * Due      a sell at best × (1 − rate), down to a tick; a buy at best × (1 + rate), up to a tick
 * Becomes  an order at market; a stop closes what it was set for, at most the position
 * Changed  another rate keeps the best price; another activation price, or kind of price, begins anew
 * Source   docs/risk.md; docs/decisions/0025-trailing-orders.md
 */
import type { Market, Side } from './catalog.ts'
import type { Answer, ChangeTrailing, Leg, Legs, Trail, TrailStop, TrailTerms } from './commands.ts'
import { directionOf } from './contracts.ts'
import { latestPrice } from './prices.ts'
import { downTo, type Fraction, least, most, one, upTo, zero } from './rational.ts'
import { endTrigger } from './trigger-end.ts'
import { changeAmount, checkPart, checkShape, heldDesk, limits, reference, shared, tpslOf, wait } from './triggers.ts'
import { sizeOf, type Trailing, type Trigger, type World } from './world.ts'

export function setTrail(world: World, command: Trail): Answer {
  const { order, by, activation } = command
  const { owner, id, stp } = order
  const market = world.market(order.market)
  if (world.halted.has(market)) return 'instrument-closed'
  const direction = directionOf(order, world.isHedged(owner, market))
  if (direction === undefined) return 'position-side-required'
  const at = activation ?? reference(world, market, by)
  const refusal = limits(world, owner, market, id, 1) ?? checkShape(market, order, at, direction.reduces !== undefined)
  if (refusal !== undefined) return refusal
  const follows = followFrom(world, market, direction.side, command)
  wait(world, { ...shared(world, owner, market), kind: 'plan', id, by, order, stp, ...follows })
  return 'accepted'
}

/** One for the whole position: a new one replaces the old. */
export function setTrailStop(world: World, command: TrailStop): Answer {
  const { owner, id, quantity, by, stp } = command
  const market = world.market(command.market)
  if (world.halted.has(market)) return 'instrument-closed'
  const held = heldDesk(world, owner, market, command.hold)
  if (held === undefined) return 'trigger-position-short'
  const { desk, hold } = held
  const replaced = quantity === undefined ? tpslOf(world, desk, hold).filter(isWholeStop) : []
  const refusal = limits(world, owner, market, id, 1 - replaced.length) ?? checkPart(quantity, sizeOf(desk, hold))
  if (refusal !== undefined) return refusal
  for (const old of replaced) endTrigger(world, old)
  const follows = followFrom(world, market, hold === 'long' ? 'sell' : 'buy', command)
  wait(world, { ...shared(world, owner, market), kind: 'trailing-stop', id, hold, quantity, by, stp, ...follows })
  return 'accepted'
}

function isWholeStop({ kind, quantity }: Trigger): boolean {
  return kind === 'trailing-stop' && quantity === undefined
}

export function changeTrailing(world: World, command: ChangeTrailing): Answer {
  const { owner, id, activation, by, rate, profitRate, lossRate, amount } = command
  const trigger = world.triggers.find((other) => other.owner === owner && other.id === id)
  const trailing = trigger?.trailing
  if (trigger === undefined || trailing === undefined) return 'trigger-unknown'
  const { market } = trigger
  const refusal = changeAmount(world, trigger, amount, activation ?? reference(world, market, by))
  if (refusal !== undefined) return refusal
  const anew = by !== trigger.by || !isSame(activation, trailing.activation)
  trigger.by = by
  Object.assign(trailing, { rate, profitRate, lossRate })
  if (anew) Object.assign(trigger, followFrom(world, market, trailing.side, command))
  else if (trailing.best !== undefined) trigger.price = duePrice(market, trailing, trailing.best)
  return 'accepted'
}

function isSame(first: Fraction | undefined, second: Fraction | undefined): boolean {
  return first === undefined || second === undefined ? first === second : first.equals(second)
}

/** As it waits when it begins. */
function followFrom(world: World, market: Market, side: Side, terms: TrailTerms) {
  const { rate, activation, by, profitRate, lossRate } = terms
  const now = reference(world, market, by)
  const waits = ++world.trailingWaits
  const trailing: Trailing = { side, rate, activation, waits, best: undefined, turn: 0, profitRate, lossRate }
  return { trailing, price: activation ?? now, rises: activation === undefined || !now.isAbove(activation) }
}

/**
 * Orders of a market whose activation price is reached become active: first those without one, then those that waited for a rise,
 * then those that waited for a fall; of each the furthest passed first. Then all follow.
 */
export function follow(world: World, market: Market): void {
  const all = world.triggers.flatMap((trigger) => {
    const { trailing } = trigger
    const now = latestPrice(world, market, trigger.by)
    return trigger.market === market && trailing !== undefined && now !== undefined ? [{ trigger, trailing, now }] : []
  })
  const reached = all
    .filter(({ trailing }) => trailing.best === undefined)
    .map((waiting) => ({ ...waiting, group: groupOf(waiting.trigger), passed: passedWhileWaiting(waiting) }))
    .filter(({ passed }) => passed.sign() >= 0)
    .sort((a, b) => a.group - b.group || b.passed.compare(a.passed) || a.trailing.waits - b.trailing.waits)
  for (const { trigger, trailing, now } of reached) {
    trailing.best = now
    trailing.turn = ++world.trailingTurns
    trigger.rises = trailing.side === 'buy'
  }
  for (const { trigger, trailing, now } of all) {
    if (trailing.best === undefined) continue
    trailing.best = trailing.side === 'sell' ? most(trailing.best, now) : least(trailing.best, now)
    trigger.price = duePrice(market, trailing, trailing.best)
  }
}

function passedWhileWaiting({ trigger, now }: { readonly trigger: Trigger; readonly now: Fraction }): Fraction {
  return trigger.trailing?.activation === undefined ? zero : passedBy(trigger, now)
}

function groupOf({ trailing, rises }: Trigger): number {
  return trailing?.activation === undefined ? 0 : rises ? 1 : 2
}

/** How far a price has passed the one that is waited for; below zero: not yet. */
export function passedBy({ price, rises }: Trigger, now: Fraction): Fraction {
  return rises ? now.minus(price) : price.minus(now)
}

function duePrice({ tick }: Market, { side, rate }: Trailing, best: Fraction): Fraction {
  return side === 'sell' ? downTo(tick, best.times(one.minus(rate))) : upTo(tick, best.times(one.plus(rate)))
}

/** Of one side, kind of price and rate the one that was active first is triggered first. */
export function isBehind(world: World, { market, by, trailing }: Trigger): boolean {
  if (trailing === undefined) return false
  return world.triggers.some(
    (other) =>
      other.market === market &&
      other.by === by &&
      other.trailing?.best !== undefined &&
      other.trailing.side === trailing.side &&
      other.trailing.rate.equals(trailing.rate) &&
      other.trailing.turn < trailing.turn,
  )
}

/** Take-profit and stop-loss of what it opens, so far from the last price when it is triggered, down to whole ticks. */
export function legsOf(world: World, { market, trailing }: Trigger): Legs | undefined {
  if (trailing === undefined) return undefined
  const last = reference(world, market, 'last')
  const leg = (rate: Fraction, above: boolean): Leg | undefined => {
    if (rate.isZero()) return undefined
    const trigger = downTo(market.tick, last.times(above ? one.plus(rate) : one.minus(rate)))
    return { id: '', trigger, by: 'last', execute: undefined, quantity: undefined }
  }
  const buys = trailing.side === 'buy'
  return { profit: leg(trailing.profitRate, buys), loss: leg(trailing.lossRate, !buys) }
}
