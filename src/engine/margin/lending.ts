/**
 * What may be spent and borrowed, and the postings of loans: lending, paying back, what comes in paying debt by itself.
 *
 * Bounds    the leverage of the coin, the account's limit and the lending pool; money with debt leaves only while assets
 *           stay at twice the debt
 * Source    design.md §4.36; risk-engine.md §16, §17
 */
import type { Account, WalletType } from '../accounts/accounts.ts'
import type { Coin, CoinId } from '../catalog/catalog.ts'
import type { RepaymentEvent } from '../event.ts'
import { domainAvailable } from '../futures/futures.ts'
import {
  type Amount,
  amount,
  divCeil,
  divFloor,
  maxAmount,
  minAmount,
  oneCoin,
  rateOne,
  zero,
} from '../numbers/numbers.ts'
import type { Row } from '../state/state.ts'
import type { Venue } from '../venue.ts'

export type MarginWallet = 'crossed_margin' | 'uta'

/** A level at or above this lets money leave: assets are twice the debt. */
const transferLevel = 2n

/** What a spot or margin order, a repayment or a transfer may use of one coin. */
export function spendable(venue: Venue, account: Account, wallet: WalletType, coin: CoinId): Amount {
  if (wallet === 'spot' || wallet === 'p2p' || wallet === 'crossed_margin') {
    return venue.ledger.freeOf(venue.ledger.find(account.handle, wallet, coin))
  }
  return maxAmount(zero, domainAvailable(venue, account.handle, wallet, coin))
}

/** Assets and debt of a margin wallet in USD of 1e-8, at index prices; futures margin does not count as asset. */
function marginAccount(
  venue: Venue,
  account: Account,
  wallet: MarginWallet,
): { readonly assets: bigint; readonly debt: bigint } {
  let assets = 0n
  let debt = 0n
  for (const row of venue.ledger.rowsOf(account.handle)) {
    if (venue.ledger.walletOf(row) !== wallet) continue
    const coin = venue.ledger.coinOf(row)
    const usd = venue.prices.usdE8(coin)
    assets += divFloor(assetUnits(venue, account, wallet, row, coin) * usd, oneCoin)
    debt += divCeil(venue.ledger.debtOf(row) * usd, oneCoin)
  }
  return { assets, debt }
}

function assetUnits(venue: Venue, account: Account, wallet: MarginWallet, row: Row, coin: CoinId): bigint {
  if (wallet === 'crossed_margin') return venue.ledger.balanceOf(row)
  const free = maxAmount(zero, domainAvailable(venue, account.handle, wallet, coin))
  return minAmount(venue.ledger.balanceOf(row), amount(free + venue.ledger.heldOf(row)))
}

/** How much more of a coin the wallet may borrow now. */
export function borrowable(venue: Venue, account: Account, wallet: MarginWallet, coin: Coin): Amount {
  if (!coin.borrowable) return zero
  const { assets, debt } = marginAccount(venue, account, wallet)
  const equity = assets - debt
  const usd = venue.prices.usdE8(coin.id)
  if (equity <= 0n || usd <= 0n) return zero
  const byLeverage = divFloor((equity * BigInt(coin.marginLeverageMax - 1) - debt) * oneCoin, usd)
  const row = venue.ledger.find(account.handle, wallet, coin.id)
  const byAccount = coin.borrowLimit - venue.ledger.principal[row]
  const byPool = coin.lendingPoolLimit + venue.ledger.houseBalance('lendingPool', coin.id)
  let least = byLeverage
  if (byAccount < least) least = byAccount
  if (byPool < least) least = byPool
  return least > 0n ? amount(least) : zero
}

/** What may leave a margin wallet: with debt, only so much that assets stay at twice the debt. */
export function marginTransferable(venue: Venue, account: Account, wallet: MarginWallet, coin: CoinId): Amount {
  const free = spendable(venue, account, wallet, coin)
  const { assets, debt } = marginAccount(venue, account, wallet)
  if (debt === 0n) return free
  const usd = venue.prices.usdE8(coin)
  const spare = divFloor((assets - transferLevel * debt) * oneCoin, usd)
  return spare < free ? maxAmount(zero, amount(spare)) : free
}

/** Lends `units` to the wallet; the first hour's interest is owed at once. The caller has checked the bounds. */
export function lend(
  venue: Venue,
  account: Account,
  wallet: MarginWallet,
  coin: Coin,
  units: Amount,
  cause: 'order' | 'request',
): number {
  const row = venue.ledger.slot(account.handle, wallet, coin.id)
  const loanId = venue.counters.loan++
  const interest = amount(divCeil(units * coin.dailyInterestRate, rateOne * 24n))
  venue.ledger.lend(row, units)
  venue.ledger.accrue(row, interest)
  venue.ledger.updatedAt[row] = venue.at
  const where = { uid: account.uid, wallet, coin: coin.id, at: venue.at }
  venue.emit({ kind: 'loan', loanId, amount: units, cause, ...where })
  if (interest > 0n) venue.emit({ kind: 'interest', id: venue.counters.flow++, amount: interest, ...where })
  return loanId
}

/** Pays `units` of the debt out of the wallet; the caller has bounded them by debt and balance. */
export function payDebt(
  venue: Venue,
  account: Account,
  wallet: MarginWallet,
  coin: CoinId,
  units: Amount,
  cause: RepaymentEvent['cause'],
): number {
  const row = venue.ledger.slot(account.handle, wallet, coin)
  const repayId = venue.counters.repay++
  const paid = venue.ledger.payDebt(row, units)
  venue.ledger.updatedAt[row] = venue.at
  venue.emit({ kind: 'repayment', repayId, uid: account.uid, wallet, coin, ...paid, cause, at: venue.at })
  return repayId
}

/** A unified wallet pays its debt by itself with what comes in and is free (design §4.36). */
export function reduceDebt(venue: Venue, account: Account, wallet: WalletType, coin: CoinId): void {
  if (wallet !== 'uta') return
  const debt = venue.ledger.debtOf(venue.ledger.find(account.handle, wallet, coin))
  if (debt === 0n) return
  const units = minAmount(debt, spendable(venue, account, wallet, coin))
  if (units > 0n) payDebt(venue, account, wallet, coin, units, 'incoming')
}
