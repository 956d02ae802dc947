/**
 * The unified account: every coin of its wallet stands behind all of its cross positions and debts.
 *
 *   equity_c = balance − debt + Σ uPnL settled in c
 *   adj      = Σ_{equity > 0} Σ_slices ⌊slice × ratio⌋ − Σ_{equity < 0} ⌈|equity| × index⌉
 *   needed   = Σ IM + Σ order margin + Σ_{equity < 0} |equity| × imr_c        maintenance likewise, without orders
 *
 * Booked   in US dollars at 1e-8: what counts down, what is needed up
 * Source   risk-engine.md §16
 */
import type { Coin } from './catalog.ts'
import { deskHold, freeOf } from './holds.ts'
import { debtOf } from './debts.ts'
import { down, type Fraction, fraction, least, most, sum, up, zero } from './rational.ts'
import { deskInitialMargin, deskMaintenance, deskProfit } from './value.ts'
import { positionsOf, type World } from './world.ts'

export interface UnifiedMargin {
  readonly equity: Fraction
  readonly initial: Fraction
  readonly maintenance: Fraction
}

export function unifiedMarginOf(world: World, owner: string): UnifiedMargin {
  const desks = world.desks.filter((desk) => desk.owner === owner && desk.wallet === 'uta')
  const cross = desks.filter(({ marginMode }) => marginMode === 'cross')
  const dollars = (money: Fraction, coin: string) => up(money.times(world.usdOf(coin)))
  const parts = world.coins.map((coin) => {
    const purse = world.purse(owner, 'uta', coin.name)
    const profits = cross.filter(({ market }) => market.settle === coin.name).map((desk) => deskProfit(world, desk))
    const equity = purse.balance.minus(debtOf(world, purse)).plus(sum(profits))
    if (equity.isZero()) return { equity, initial: zero, maintenance: zero }
    if (equity.sign() > 0) {
      const counted = collateralValue(coin, down(equity.times(world.usdOf(coin.name))))
      return { equity: counted, initial: zero, maintenance: zero }
    }
    const owed = dollars(equity.negative(), coin.name)
    return {
      equity: owed.negative(),
      initial: up(owed.times(coin.debtInitial)),
      maintenance: up(owed.times(coin.debtMaintenance)),
    }
  })
  const orders = desks.map((desk) => dollars(deskHold(world, desk), desk.market.settle))
  const initials = cross.map((desk) => dollars(deskInitialMargin(world, desk), desk.market.settle))
  const maintenances = cross.map((desk) => dollars(deskMaintenance(world, desk), desk.market.settle))
  return {
    equity: sum(parts.map(({ equity }) => equity)),
    initial: sum([...parts.map(({ initial }) => initial), ...orders, ...initials]),
    maintenance: sum([...parts.map(({ maintenance }) => maintenance), ...maintenances]),
  }
}

/** Each slice of value counts at its own ratio. */
export function collateralValue({ collateral }: Coin, value: Fraction): Fraction {
  let counted = zero
  let from = zero
  for (const { to, ratio } of collateral) {
    if (!value.isAbove(from)) break
    counted = counted.plus(down(least(value, to).minus(from).times(ratio)))
    from = to
  }
  return counted
}

/** Adjusted equity in a coin. */
export function unifiedEquity(world: World, owner: string, coin: string): Fraction {
  return down(unifiedMarginOf(world, owner).equity.over(world.usdOf(coin)))
}

/** What new risk may use, in a coin. */
export function unifiedAvailable(world: World, owner: string, coin: string): Fraction {
  const { equity, initial } = unifiedMarginOf(world, owner)
  return down(equity.minus(initial).over(world.usdOf(coin)))
}

/** What of a coin may be spent or leave: what lies free, and no more than the margin can spare: below nothing of its own it is debt. */
export function unifiedSpendable(world: World, owner: string, coin: string): Fraction {
  const free = freeOf(world, owner, 'uta', coin)
  if (!carriesRisk(world, owner)) return free
  const spare = unifiedAvailable(world, owner, coin)
  const own = most(zero, coinEquity(world, owner, coin))
  if (!spare.isAbove(own)) return least(free, spare)
  const { debtInitial } = world.coins.find(({ name }) => name === coin) as Coin
  return least(free, own.plus(down(spare.minus(own).over(fraction(1).plus(debtInitial)))))
}

function coinEquity(world: World, owner: string, coin: string): Fraction {
  const purse = world.purse(owner, 'uta', coin)
  const desks = world.desks.filter((desk) => desk.owner === owner && desk.wallet === 'uta')
  const cross = desks.filter(({ market, marginMode }) => marginMode === 'cross' && market.settle === coin)
  return purse.balance.minus(debtOf(world, purse)).plus(sum(cross.map((desk) => deskProfit(world, desk))))
}

export function carriesRisk(world: World, owner: string): boolean {
  const desks = world.desks.filter((desk) => desk.owner === owner && desk.wallet === 'uta')
  if (desks.some((desk) => positionsOf(desk).length > 0 || !deskHold(world, desk).isZero())) return true
  return world.purses.some((purse) => purse.owner === owner && purse.wallet === 'uta' && !debtOf(world, purse).isZero())
}
