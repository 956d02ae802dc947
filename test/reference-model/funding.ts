/**
 * Funding: longs pay shorts, or get, at each boundary.
 *
 * Payment  Δ = −s·F·worth at the mark, rounded down; what is left over is rounding's
 * Charged  cross: to the wallet; isolated: to the margin, then to the position's profit, then to the fund
 * Source   risk-engine.md §13
 */
import { type Market, worth } from './catalog.ts'
import { payWithIncoming } from './loans.ts'
import { markPrice, samplesOf } from './prices.ts'
import { cancelUncoveredOrders } from './cancel-uncovered.ts'
import { coverWallet, payFromProfit, purseOf } from './shortfall.ts'
import { down, type Fraction, most, zero } from './rational.ts'
import { type Desk, type Position, positionsOf, type World } from './world.ts'

export function settleFunding(world: World, market: Market, rate: Fraction): void {
  const mark = markPrice(world, market)
  const desks = world.desks.filter((desk) => desk.market === market)
  let over = zero
  for (const desk of desks) {
    for (const position of positionsOf(desk)) {
      const due = worth(market, position.quantity, mark).times(rate)
      const payment = down(position.side === 'long' ? due.negative() : due)
      over = over.minus(payment)
      position.funding = (position.funding ?? zero).plus(payment)
      if (desk.marginMode === 'isolated') chargeMargin(world, desk, position, payment)
      else chargeWallet(world, desk, payment)
    }
  }
  world.postHouse('clearing', 'rounding', market.settle, over)
  samplesOf(world, market).latest = rate
  for (const desk of desks) cancelUncoveredOrders(world, desk)
}

function chargeMargin(world: World, desk: Desk, position: Position, payment: Fraction): void {
  const { settle } = desk.market
  const after = position.margin.plus(payment)
  const margin = most(zero, after)
  world.postHouse('clearing', 'isolatedMargin', settle, margin.minus(position.margin))
  position.margin = margin
  if (!after.isBelow(zero)) return
  const short = after.negative()
  const won = payFromProfit(world, desk, position, short)
  world.postHouse('insurance', 'clearing', settle, short.minus(won))
}

function chargeWallet(world: World, desk: Desk, payment: Fraction): void {
  const purse = purseOf(world, desk)
  world.post('clearing', purse, payment)
  coverWallet(world, desk)
  payWithIncoming(world, purse, payment)
}
