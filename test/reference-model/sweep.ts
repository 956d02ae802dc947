/**
 * What an order meets in its book, before anything is changed.
 *
 * Order    best price first, oldest first, at the resting order's price
 * STP      the taker's mode decides on meeting an order of the same family; earlier fills stand
 * Reduce   a resting order that only reduces fills at most what its position has left
 * Solvent  a resting order whose account cannot absorb the loss of the fill goes
 * Budget   a market buy by quote amount takes whole lots while it lasts
 * Source   design.md §4.25, §4.35; risk-engine.md §18, §19
 */
import { opposite, priceOf, reaches } from './books.ts'
import { type Market, type Side, worth } from './catalog.ts'
import { contractAbsorbs, type Match, reducible, spotAbsorbs, SweepUsage } from './solvency.ts'
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

export interface Step extends Match {
  /** Why the maker is removed, with a quantity of zero; empty: it fills. */
  readonly reason: string
}

export interface MatchResult {
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

export function sweep(world: World, taker: Taker): MatchResult {
  const { market, side, stp } = taker
  const matched: MatchResult = { steps: [], filled: zero, paid: zero, worst: zero, stopped: false, spent: false }
  const usage = new SweepUsage()
  const main = world.account(taker.owner).main
  let budget = taker.budget
  for (const maker of opposite(world, market, side)) {
    const price = priceOf(maker)
    if (!reaches(side, taker.limit, price)) break
    if (taker.quantity !== undefined && matched.filled.equals(taker.quantity)) break
    if (stp !== 'none' && world.account(maker.owner).main === main) {
      if (stp !== 'cancel_taker') matched.steps.push({ maker, price, quantity: zero, reason: 'self-trade' })
      if (stp === 'cancel_maker') continue
      matched.stopped = true
      break
    }
    let take = fillable(world, taker, maker, usage)
    if (taker.quantity !== undefined) take = least(take, taker.quantity.minus(matched.filled))
    if (budget !== undefined) take = least(take, downTo(market.lot, budget.over(price)))
    if (take.isZero() && budget === undefined) continue
    if (take.isZero()) {
      matched.spent = true
      break
    }
    if (!canAbsorbLoss(world, taker, { maker, price, quantity: take }, usage)) {
      matched.steps.push({ maker, price, quantity: zero, reason: 'system' })
      continue
    }
    matched.steps.push({ maker, price, quantity: take, reason: '' })
    matched.filled = matched.filled.plus(take)
    matched.worst = price
    if (market.kind !== 'spot') continue
    matched.paid = matched.paid.plus(worth(market, take, price))
    if (budget === undefined) continue
    budget = budget.minus(worth(market, take, price))
    matched.spent = budget.isBelow(worth(market, market.lot, price))
  }
  return matched
}

/** Another order of the same position in the same wallet adds to what its makers take from. */
function isSamePosition(taker: Taker, maker: Order): boolean {
  return taker.owner === maker.owner && taker.wallet === maker.wallet
}

function fillable(world: World, taker: Taker, maker: Order, usage: SweepUsage): Fraction {
  if (!onlyReduces(maker) || isSamePosition(taker, maker)) return maker.remaining
  const desk = world.desk(maker.owner, maker.wallet, maker.market)
  return desk === undefined ? zero : least(maker.remaining, reducible(desk, maker, usage))
}

function canAbsorbLoss(world: World, taker: Taker, match: Match, usage: SweepUsage): boolean {
  if (taker.market.kind === 'spot') return spotAbsorbs(world, taker.market, match, usage)
  const { maker, quantity, price } = match
  const desk = world.desk(maker.owner, maker.wallet, maker.market)
  if (desk === undefined) return false
  return contractAbsorbs(world, desk, maker, { quantity, price, takerAdds: isSamePosition(taker, maker) }, usage)
}
