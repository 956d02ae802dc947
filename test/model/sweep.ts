/**
 * What an order meets in its book, before anything is changed.
 *
 * Order    best price first, oldest first, at the resting order's price
 * STP      the taker's mode decides on meeting an order of the same family; earlier fills stand
 * Reduce   a resting order that only reduces fills at most what its position has left
 * Carried  a resting order whose account does not carry the fill goes
 * Budget   a market buy by quote amount takes whole lots while it lasts
 * Source   design.md §4.25, §4.35; risk-engine.md §18, §19
 */
import { opposite, priceOf, reaches } from './books.ts'
import { type Market, type Side, worth } from './catalog.ts'
import { carriesContract, carriesSpot, reducible, Taken } from './carrying.ts'
import { downTo, type Fraction, least, zero } from './rational.ts'
import { onlyReduces, type Order, type StpMode, type Wallet, type World } from './world.ts'

export interface Taker {
  readonly owner: string
  readonly wallet: Wallet
  readonly market: Market
  readonly side: Side
  readonly stp: StpMode
  /** Worst price it may trade at. */
  readonly limit: Fraction
  /** Undefined: as much as the budget pays for. */
  readonly quantity: Fraction | undefined
  readonly budget: Fraction | undefined
}

export interface Step {
  readonly maker: Order
  readonly price: Fraction
  /** Zero: the maker is removed. */
  readonly quantity: Fraction
  readonly reason: string
}

export interface Plan {
  readonly steps: Step[]
  filled: Fraction
  paid: Fraction
  /** Price of the last fill; zero: none. */
  worst: Fraction
  /** The rest of the taker goes. */
  stopped: boolean
  /** The budget does not pay for one more lot. */
  spent: boolean
}

export function sweep(world: World, taker: Taker): Plan {
  const { market, side, stp } = taker
  const plan: Plan = { steps: [], filled: zero, paid: zero, worst: zero, stopped: false, spent: false }
  const taken = new Taken()
  const main = world.account(taker.owner).main
  let budget = taker.budget
  for (const maker of opposite(world, market, side)) {
    const price = priceOf(maker)
    if (!reaches(side, taker.limit, price)) break
    if (taker.quantity !== undefined && plan.filled.equals(taker.quantity)) break
    if (stp !== 'none' && world.account(maker.owner).main === main) {
      if (stp !== 'cancel_taker') plan.steps.push({ maker, price, quantity: zero, reason: 'self-trade' })
      if (stp === 'cancel_maker') continue
      plan.stopped = true
      break
    }
    let take = fillable(world, taker, maker, taken)
    if (taker.quantity !== undefined) take = least(take, taker.quantity.minus(plan.filled))
    if (budget !== undefined) take = least(take, downTo(market.lot, budget.over(price)))
    if (take.isZero() && budget === undefined) continue
    if (take.isZero()) {
      plan.spent = true
      break
    }
    if (!carries(world, taker, maker, take, price, taken)) {
      plan.steps.push({ maker, price, quantity: zero, reason: 'system' })
      continue
    }
    plan.steps.push({ maker, price, quantity: take, reason: '' })
    plan.filled = plan.filled.plus(take)
    plan.worst = price
    if (market.kind !== 'spot') continue
    plan.paid = plan.paid.plus(worth(market, take, price))
    if (budget === undefined) continue
    budget = budget.minus(worth(market, take, price))
    plan.spent = budget.isBelow(worth(market, market.lot, price))
  }
  return plan
}

/** Another order of the same position in the same wallet adds to what its makers take from. */
function isSamePosition(taker: Taker, maker: Order): boolean {
  return taker.owner === maker.owner && taker.wallet === maker.wallet
}

function fillable(world: World, taker: Taker, maker: Order, taken: Taken): Fraction {
  if (!onlyReduces(maker) || isSamePosition(taker, maker)) return maker.remaining
  const desk = world.desk(maker.owner, maker.wallet, maker.market)
  return desk === undefined ? zero : least(maker.remaining, reducible(desk, maker, taken))
}

function carries(world: World, taker: Taker, maker: Order, quantity: Fraction, price: Fraction, taken: Taken): boolean {
  if (taker.market.kind === 'spot') return carriesSpot(world, taker.market, maker, quantity, price, taken)
  const desk = world.desk(maker.owner, maker.wallet, maker.market)
  if (desk === undefined) return false
  return carriesContract(world, desk, maker, { quantity, price, takerAdds: isSamePosition(taker, maker) }, taken)
}
