/**
 * How much a margin wallet may borrow, lose and let go.
 *
 * Level     ML = assets / debt at index prices in US dollars, exact; of a unified account assets are what its margin
 *           spares beyond its debt
 * Levels    money leaves above 2, a loan leaves at least 1.5, at 1.1 the wallet is liquidated
 * Source    design.md §4.36; risk-engine.md §16, §17
 */
import type { Coin, Market, Side } from './catalog.ts'
import { debtOf, lend, payDebt, principalOf } from './debts.ts'
import { freeOf } from './holds.ts'
import { availableOf, crossProfit } from './margin.ts'
import { down, type Fraction, fraction, least, most, one, sum, zero } from './rational.ts'
import { unifiedMarginOf, unifiedSpendable } from './unified-margin.ts'
import type { Purse, Wallet, World } from './world.ts'

const transferLevel = fraction(2)
const borrowLevel = fraction('1.5')
export const liquidationLevel = fraction('1.1')

export function isMarginWallet(wallet: Wallet): boolean {
  return wallet === 'crossed_margin' || wallet === 'uta'
}

/** What comes into a unified wallet pays its debt, as far as it is not held; into another one if the order repays. */
export function payWithIncoming(world: World, purse: Purse, incoming: Fraction, repays = false): void {
  const { owner, wallet, coin } = purse
  if (wallet !== 'uta' && !repays) return
  const money = least(debtOf(world, purse), incoming, freeOf(world, owner, wallet, coin))
  if (money.isAbove(zero)) payDebt(world, purse, money)
}

/** A unified wallet below zero borrows what it lacks, whatever the bounds. */
export function lendShortfall(world: World, purse: Purse): void {
  if (purse.wallet === 'uta' && purse.balance.isBelow(zero)) lend(world, purse, purse.balance.negative())
}

/** What a spot or margin order, a repayment or a withdrawal may use. */
export function spendable(world: World, owner: string, wallet: Wallet, coin: string): Fraction {
  if (wallet === 'spot' || wallet === 'crossed_margin') return freeOf(world, owner, wallet, coin)
  if (wallet === 'uta') return most(zero, unifiedSpendable(world, owner, coin))
  return most(zero, availableOf(world, owner, wallet, coin))
}

export interface Level {
  readonly assets: Fraction
  readonly debt: Fraction
}

export function levelOf(world: World, owner: string, wallet: Wallet): Level {
  const purses = world.purses.filter((purse) => purse.owner === owner && purse.wallet === wallet)
  const owed = purses.map((purse) => {
    // What futures have lost beyond the balance of a unified wallet is debt before it is a loan.
    const equity = purse.balance.plus(wallet === 'uta' ? crossProfit(world, owner, wallet, purse.coin) : zero)
    return debtOf(world, purse).plus(most(zero, equity.negative())).times(world.usdOf(purse.coin))
  })
  const debt = sum(owed)
  if (wallet === 'uta') {
    const { equity, initial } = unifiedMarginOf(world, owner)
    return { assets: most(zero, equity.minus(initial)).plus(debt), debt }
  }
  return { assets: sum(purses.map(({ balance, coin }) => balance.times(world.usdOf(coin)))), debt }
}

/**
 * How much more of a coin may be borrowed, x in US dollars: the leverage L leaves x <= A·(L − 1) − D·L, the borrow level b
 * leaves (A + x) / (D + x) >= b; and what the account may owe, and what the pool has.
 */
export function borrowable(world: World, owner: string, wallet: Wallet, coin: Coin): Fraction {
  if (!coin.borrowable) return zero
  const usd = world.usdOf(coin.name)
  const { assets, debt } = levelOf(world, owner, wallet)
  const leverage = fraction(coin.leverageMax)
  const byLeverage = assets.times(leverage.minus(one)).minus(debt.times(leverage))
  const byLevel = assets.minus(debt.times(borrowLevel)).over(borrowLevel.minus(one))
  const owed = (['crossed_margin', 'uta'] as const).map((kind) => principalOf(world.purse(owner, kind, coin.name)))
  const byAccount = coin.borrowLimit.minus(sum(owed))
  const byPool = coin.poolLimit.plus(world.houseBalance('lendingPool', coin.name))
  return most(zero, least(down(byLeverage.over(usd)), down(byLevel.over(usd)), byAccount, byPool))
}

/**
 * Whether a wallet may lose so much in US dollars and borrow for it: an order that borrows leaves the level and leverage
 * at which its coin may be borrowed, any other what lies above liquidation.
 */
export function levelAllows(
  world: World,
  owner: string,
  wallet: Wallet,
  loss: Fraction,
  loan: { readonly coin: Coin; readonly money: Fraction } | undefined,
): boolean {
  const { assets, debt } = levelOf(world, owner, wallet)
  if (loan === undefined) return debt.isZero() || assets.minus(loss).isAbove(debt.times(liquidationLevel))
  const owed = debt.plus(loan.money.times(world.usdOf(loan.coin.name)))
  const equity = assets.minus(debt).minus(loss)
  const byLeverage = equity.times(fraction(loan.coin.leverageMax - 1))
  return !owed.isAbove(byLeverage) && !equity.plus(owed).isBelow(owed.times(borrowLevel))
}

/** What a spot trade loses at index prices, in US dollars. */
export function indexLoss(world: World, market: Market, side: Side, quote: Fraction, base: Fraction): Fraction {
  const paid = quote.times(world.usdOf(market.quote))
  const got = base.times(world.usdOf(market.base))
  return side === 'buy' ? paid.minus(got) : got.minus(paid)
}

export function owes(world: World, owner: string, wallet: Wallet): boolean {
  return world.purses.some(
    (purse) => purse.owner === owner && purse.wallet === wallet && !debtOf(world, purse).isZero(),
  )
}

/** What may leave a wallet: with debt, only so much that assets stay at twice the debt. */
export function transferable(world: World, owner: string, wallet: Wallet, coin: string): Fraction {
  const free = spendable(world, owner, wallet, coin)
  if (!isMarginWallet(wallet)) return most(zero, free)
  const { assets, debt } = levelOf(world, owner, wallet)
  if (debt.isZero()) return most(zero, free)
  const spare = down(assets.minus(debt.times(transferLevel)).over(world.usdOf(coin)))
  return most(zero, least(spare, free))
}
