/**
 * What a futures wallet has, and may still use.
 *
 * Cross     available = W − holds + min(0, Σ uPnL) − Σ IM, at mark prices
 * Isolated  margin and PnL of the position stand outside the wallet
 * Unified   all coins count together (unified-margin.ts)
 * Source    risk-engine.md §6, §7
 */
import { desksOf, freeOf } from './holds.ts'
import { type Fraction, least, most, sum, up, zero } from './rational.ts'
import { unifiedAvailable, unifiedEquity, unifiedMarginOf, unifiedSpendable } from './unified-margin.ts'
import { deskInitialMargin, deskMaintenance, deskProfit } from './value.ts'
import type { Desk, Wallet, World } from './world.ts'

export function crossDesks(world: World, owner: string, wallet: Wallet, coin: string): Desk[] {
  return desksOf(world, owner, wallet, coin).filter(({ marginMode }) => marginMode === 'cross')
}

export function crossProfit(world: World, owner: string, wallet: Wallet, coin: string): Fraction {
  return sum(crossDesks(world, owner, wallet, coin).map((desk) => deskProfit(world, desk)))
}

/** Balance and what the cross positions would bring at their marks. */
export function equityOf(world: World, owner: string, wallet: Wallet, coin: string): Fraction {
  if (wallet === 'uta') return unifiedEquity(world, owner, coin)
  return world.purse(owner, wallet, coin).balance.plus(crossProfit(world, owner, wallet, coin))
}

/** What all that is open, and of a unified wallet owed, needs to stay. */
export function maintenanceOf(world: World, owner: string, wallet: Wallet, coin: string): Fraction {
  if (wallet === 'uta') return up(unifiedMarginOf(world, owner).maintenance.over(world.usdOf(coin)))
  return sum(crossDesks(world, owner, wallet, coin).map((desk) => deskMaintenance(world, desk)))
}

/** What may be set apart of one coin, or leave: a unified wallet has of it no more than lies free. */
export function ownAvailable(world: World, owner: string, wallet: Wallet, coin: string): Fraction {
  const available = wallet === 'uta' ? unifiedSpendable(world, owner, coin) : availableOf(world, owner, wallet, coin)
  return most(zero, available)
}

/** What new risk may use; below zero when what is carried asks for more than there is. */
export function availableOf(world: World, owner: string, wallet: Wallet, coin: string): Fraction {
  if (wallet === 'uta') return unifiedAvailable(world, owner, coin)
  const margins = crossDesks(world, owner, wallet, coin).map((desk) => deskInitialMargin(world, desk))
  return freeOf(world, owner, wallet, coin)
    .plus(least(zero, crossProfit(world, owner, wallet, coin)))
    .minus(sum(margins))
}
