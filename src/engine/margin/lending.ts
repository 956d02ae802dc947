/**
 * What may be spent, borrowed and taken out, and the postings of loans: lending, paying back, what comes in paying by itself.
 *
 * Bounds    the borrow level and the leverage that the account chose for the coin, what one account may owe, the pool of
 *           the coin; money with debt leaves only while assets stay at the transfer level
 * Order     of a payment: interest first, then principal, oldest loan first
 * Source    design.md §4.36; risk-engine.md §16, §17
 */
import type { Account, WalletType } from '../accounts/accounts.ts'
import type { Coin, CoinId } from '../catalog/catalog.ts'
import type { LoanEvent, RepaymentEvent } from '../event.ts'
import { domainAvailable, walletSpendable } from '../futures/futures.ts'
import { type Amount, amount, divFloor, maxAmount, minAmount, rateOne, zero } from '../numbers/numbers.ts'
import { isCoinFrozen } from '../pricing/pricing.ts'
import type { Venue } from '../venue.ts'
import { bill } from './bills.ts'
import { noteDebtor } from './debtors.ts'
import { doubtfulOf } from './doubtful.ts'
import { type MarginWallet, standingOf } from './level.ts'
import { coinLeverage } from './leverage.ts'
import { bookInterest, debtOf, openLoan, reduceLoans } from './loans.ts'

/** What a spot or margin order, a repayment or a transfer may use of one coin. */
export function spendable(venue: Venue, account: Account, wallet: WalletType, coin: CoinId): Amount {
  if (wallet === 'spot' || wallet === 'p2p' || wallet === 'crossed_margin') {
    return venue.ledger.freeOf(venue.ledger.find(account.handle, wallet, coin))
  }
  if (wallet === 'uta') return maxAmount(zero, walletSpendable(venue, account.handle, coin))
  return maxAmount(zero, domainAvailable(venue, account.handle, wallet, coin))
}

/** What of a coin is lent out, over all accounts. */
export function lentOut(venue: Venue, coin: CoinId): Amount {
  return amount(-venue.ledger.houseBalance('lendingPool', coin))
}

/**
 * How much more of a coin the wallet may borrow now. A, D: assets and debt, x: the loan, all at index prices.
 * leverage L: x <= A·(L − 1) − D·L        borrow level b: (A + x) / (D + x) >= b, so x <= (A − b·D) / (b − 1)
 */
export function borrowable(venue: Venue, account: Account, wallet: MarginWallet, coin: Coin): Amount {
  if (!coin.borrowable || isCoinFrozen(venue, coin.id)) return zero
  const usd = venue.prices.usdE8(coin.id)
  const doubtful = doubtfulOf(venue, account, wallet)
  if (usd <= 0n || doubtful.owed) return zero
  const { assets: all, debt } = standingOf(venue, account, wallet)
  const assets = all - doubtful.assets
  const leverage = BigInt(coinLeverage(venue, account, coin))
  const { borrow } = venue.settings.margin
  const bounds = [
    divFloor(assets * (leverage - 1n) - debt * leverage, usd),
    coin.borrowLimit - owedOf(venue, account, coin.id),
    coin.lendingPoolLimit - lentOut(venue, coin.id),
  ]
  if (borrow > rateOne) bounds.push(divFloor(assets * rateOne - borrow * debt, (borrow - rateOne) * usd))
  const least = bounds.reduce((a, b) => (b < a ? b : a))
  return least > 0n ? amount(least) : zero
}

/** Principal that an account owes of a coin, over its wallets. */
function owedOf(venue: Venue, account: Account, coin: CoinId): bigint {
  const { ledger } = venue
  return (
    ledger.principal[ledger.find(account.handle, 'crossed_margin', coin)] +
    ledger.principal[ledger.find(account.handle, 'uta', coin)]
  )
}

/** What may leave a margin wallet: with debt, only so much that assets stay at the transfer level. */
export function marginTransferable(venue: Venue, account: Account, wallet: MarginWallet, coin: CoinId): Amount {
  const free = spendable(venue, account, wallet, coin)
  const { assets, debt } = standingOf(venue, account, wallet)
  if (debt === 0n) return free
  const usd = venue.prices.usdE8(coin)
  const spare = divFloor(assets * rateOne - venue.settings.margin.transfer * debt, usd * rateOne)
  return spare < free ? maxAmount(zero, amount(spare)) : free
}

/** Lends `units` to the wallet; the first hour's interest is owed at once. The caller has checked the bounds. */
export function lend(
  venue: Venue,
  account: Account,
  wallet: MarginWallet,
  coin: Coin,
  units: Amount,
  cause: LoanEvent['cause'],
): number {
  const { ledger } = venue
  const row = ledger.slot(account.handle, wallet, coin.id)
  bookInterest(venue, row)
  const loanId = venue.counters.loan++
  ledger.lend(row, units)
  ledger.updatedAt[row] = venue.at
  venue.emit({ kind: 'loan', loanId, uid: account.uid, wallet, coin: coin.id, amount: units, cause, at: venue.at })
  bill(venue, row, 'borrow', units)
  openLoan(venue, row, loanId, units)
  if (wallet === 'uta') ledger.watchAccount(account.handle)
  noteDebtor(venue, row)
  return loanId
}

/**
 * A balance of a unified wallet below zero becomes a loan with its first hour's interest; limits do not apply, for the
 * money is gone already (risk-engine §16).
 */
export function negativeToLoan(venue: Venue, account: Account, coin: CoinId): void {
  const balance = venue.ledger.balanceOf(venue.ledger.find(account.handle, 'uta', coin))
  if (balance < 0n) lend(venue, account, 'uta', venue.catalog.coins[coin], amount(-balance), 'shortfall')
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
  const { ledger } = venue
  const row = ledger.slot(account.handle, wallet, coin)
  bookInterest(venue, row)
  const repayId = venue.counters.repay++
  const paid = ledger.payDebt(row, units)
  reduceLoans(venue, row, paid.principal)
  ledger.updatedAt[row] = venue.at
  venue.emit({ kind: 'repayment', repayId, uid: account.uid, wallet, coin, ...paid, cause, at: venue.at })
  bill(venue, row, 'repay', amount(-units))
  noteDebtor(venue, row)
  return repayId
}

/** A unified wallet pays its debt by itself with what comes in and is free (design §4.36). */
export function reduceDebt(venue: Venue, account: Account, wallet: WalletType, coin: CoinId, incoming: Amount): void {
  if (wallet !== 'uta') return
  const debt = debtOf(venue, venue.ledger.find(account.handle, wallet, coin))
  if (debt === 0n) return
  const units = minAmount(minAmount(debt, incoming), spendable(venue, account, wallet, coin))
  if (units > 0n) payDebt(venue, account, wallet, coin, units, 'incoming')
}
