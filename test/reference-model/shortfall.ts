/**
 * Who pays what a wallet or an isolated position cannot: first profit on paper, then a loan (unified wallets), then the
 * insurance fund.
 *
 * Profit  that pays is taken out of a position's entry value: F' = F − money, realized so much more
 * Order   the largest profit first, of equals the older position
 * Source  risk-engine.md §4, §6, §14, §16
 */
import { desksOf } from './holds.ts'
import { lendShortfall } from './loans.ts'
import { markPrice } from './prices.ts'
import { unrealized } from './value.ts'
import { type Fraction, least, most, zero } from './rational.ts'
import { type Desk, type Position, positionsOf, type Purse, type World } from './world.ts'

export function purseOf(world: World, desk: Desk): Purse {
  return world.purse(desk.owner, desk.wallet, desk.market.settle)
}

/** Brings the wallet of a desk back to zero when it lies below. */
export function coverWallet(world: World, desk: Desk): void {
  const purse = purseOf(world, desk)
  for (const { position, profit } of winners(world, desk)) {
    if (!purse.balance.isBelow(zero)) return
    const money = least(profit, purse.balance.negative())
    realize(position, money)
    world.post('clearing', purse, money)
  }
  if (!purse.balance.isBelow(zero)) return
  if (purse.wallet === 'uta') lendShortfall(world, purse)
  else world.post('insurance', purse, purse.balance.negative())
}

function winners(world: World, desk: Desk): { readonly position: Position; readonly profit: Fraction }[] {
  return desksOf(world, desk.owner, desk.wallet, desk.market.settle)
    .filter(({ marginMode }) => marginMode === 'cross')
    .flatMap((other) =>
      positionsOf(other).map((position) => ({
        position,
        profit: position.quantity.isZero() ? zero : unrealized(other.market, position, markPrice(world, other.market)),
      })),
    )
    .filter(({ profit }) => profit.isAbove(zero))
    .sort((a, b) => b.profit.compare(a.profit) || a.position.number - b.position.number)
}

/** What of an isolated position's shortfall its own profit pays; it stays in the clearing account. */
export function payFromProfit(world: World, desk: Desk, position: Position, shortfall: Fraction): Fraction {
  if (position.quantity.isZero()) return zero
  const profit = most(zero, unrealized(desk.market, position, markPrice(world, desk.market)))
  const money = least(profit, shortfall)
  realize(position, money)
  return money
}

function realize(position: Position, money: Fraction): void {
  position.entryValue = position.entryValue.minus(money)
  position.realized = position.realized.plus(money)
}
