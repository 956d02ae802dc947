/**
 * Pools of collateral, and which of them are breached.
 *
 * Pool      an isolated position, the cross positions of one wallet and margin coin, or a unified account as a whole
 * Breached  equity <= maintenance, as exact fractions (a unified account's are booked in US dollars)
 * Worst     maintenance over equity; who has nothing left comes first, the more is missing the earlier
 * Source    risk-engine.md §5, §6, §14, §16
 */
import type { Hold } from './catalog.ts'
import { debtOf } from './debts.ts'
import { markPrice } from './prices.ts'
import { type Fraction, fraction, most, sum } from './rational.ts'
import { unifiedMarginOf } from './unified-margin.ts'
import { exactMaintenance, exactProfit } from './value.ts'
import { type Desk, positionOf, positionsOf, sizeOf, type Wallet, type World } from './world.ts'

export interface Pool {
  readonly owner: string
  readonly wallet: Wallet
  /** Undefined: all coins of a unified account. */
  readonly coin: string | undefined
  /** Those with positions. */
  readonly desks: readonly Desk[]
  /** Side of an isolated position. */
  readonly side: Hold | undefined
}

export interface MarginState {
  readonly equity: Fraction
  readonly maintenance: Fraction
}

/** In the order in which the account came to its contracts. */
export function poolsOf(world: World, owner: string): Pool[] {
  const pools: Pool[] = []
  const unified = world.account(owner).unified
  for (const desk of world.desks) {
    if (desk.owner !== owner || positionsOf(desk).length === 0) continue
    const { wallet, market, marginMode } = desk
    if (marginMode === 'isolated') {
      for (const { side } of positionsOf(desk)) pools.push({ owner, wallet, coin: market.settle, desks: [desk], side })
      continue
    }
    const coin = wallet === 'uta' ? undefined : market.settle
    const index = pools.findIndex((pool) => pool.side === undefined && pool.wallet === wallet && pool.coin === coin)
    const pool = pools[index]
    if (pool === undefined) pools.push({ owner, wallet, coin, desks: [desk], side: undefined })
    else pools[index] = { ...pool, desks: [...pool.desks, desk] }
  }
  // A unified account that owes is a pool even without a position.
  const hasUnified = pools.some((pool) => pool.wallet === 'uta' && pool.coin === undefined)
  const owing = world.purses.some((purse) => purse.owner === owner && !debtOf(world, purse).isZero())
  if (unified && !hasUnified && owing) pools.push({ owner, wallet: 'uta', coin: undefined, desks: [], side: undefined })
  return pools
}

export function marginStateOf(world: World, { owner, wallet, coin, desks, side }: Pool): MarginState {
  if (coin === undefined) return unifiedMarginOf(world, owner)
  if (side !== undefined) {
    const desk = desks[0]
    const position = positionOf(desk, side)
    if (position === undefined) throw new Error('a pool has a position')
    const mark = markPrice(world, desk.market)
    return {
      equity: position.margin.plus(exactProfit(desk.market, position, mark)),
      maintenance: exactMaintenance(desk.market, position.quantity, mark),
    }
  }
  const profits = desks.flatMap((desk) =>
    positionsOf(desk).map((position) => exactProfit(desk.market, position, markPrice(world, desk.market))),
  )
  const needs = desks.map((desk) => exactMaintenance(desk.market, largerSide(desk), markPrice(world, desk.market)))
  return { equity: world.purse(owner, wallet, coin).balance.plus(sum(profits)), maintenance: sum(needs) }
}

export function largerSide(desk: Desk): Fraction {
  return most(sizeOf(desk, 'long'), sizeOf(desk, 'short'))
}

export function isBreached(world: World, pool: Pool): boolean {
  const { equity, maintenance } = marginStateOf(world, pool)
  return !equity.isAbove(maintenance)
}

/** The pool as it is now, if it is still breached. */
export function stillBreached(world: World, { owner, wallet, coin, side, desks }: Pool): Pool | undefined {
  const now = poolsOf(world, owner).find(
    (pool) =>
      pool.wallet === wallet &&
      pool.coin === coin &&
      pool.side === side &&
      (side === undefined || pool.desks[0] === desks[0]),
  )
  return now !== undefined && isBreached(world, now) ? now : undefined
}

/** Breached pools of everybody but the insurance fund, worst first; of equals by account, then contract, then side. */
export function breachedPools(world: World): Pool[] {
  const found = world.accounts
    .filter(({ name }) => name !== fundName)
    .flatMap(({ name }, account) =>
      poolsOf(world, name)
        .filter((pool) => isBreached(world, pool))
        .map((pool) => ({ pool, account, rank: rankOf(world, pool) })),
    )
  const contract = ({ desks }: Pool) => (desks[0] === undefined ? 0 : world.markets.indexOf(desks[0].market))
  const sideRank = ({ side }: Pool) => [undefined, 'long', 'short'].indexOf(side)
  return found
    .sort(
      (a, b) =>
        b.rank.compare(a.rank) ||
        a.account - b.account ||
        contract(a.pool) - contract(b.pool) ||
        sideRank(a.pool) - sideRank(b.pool),
    )
    .map(({ pool }) => pool)
}

export const fundName = 'fund'
/** More than any ratio of maintenance to equity, in the steps in which it is compared. */
const nothingLeft = fraction(10n ** 18n)

/** In steps of 1e-9; what is missing counts in the finest units that it is known in. */
function rankOf(world: World, pool: Pool): Fraction {
  const { equity, maintenance } = marginStateOf(world, pool)
  if (equity.sign() > 0) return fraction(maintenance.over(equity).times(fraction(1_000_000_000)).floor())
  const units = fraction(pool.coin === undefined ? 10n ** 8n : 10n ** 20n)
  return nothingLeft.plus(fraction(equity.negative().times(units).ceil()))
}
