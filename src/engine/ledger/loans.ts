/**
 * Loans to a wallet and their repayment: the postings, with what is told of them. Whoever calls has checked the bounds.
 *
 * Source  design.md §4.36; risk-engine.md §16, §17
 */
import type { Account } from '../accounts/accounts.ts'
import type { Coin, CoinId } from '../catalog/catalog.ts'
import type { LoanEvent, RepaymentEvent } from '../event.ts'
import { type Amount, amount, divCeil, rateOne } from '../numbers/numbers.ts'
import type { Venue } from '../venue.ts'

/** Wallets that may owe. */
export type MarginWallet = 'crossed_margin' | 'uta'

/** Lends `units` to the wallet; the first hour's interest is owed at once. */
export function lend(
  venue: Venue,
  account: Account,
  wallet: MarginWallet,
  coin: Coin,
  units: Amount,
  cause: LoanEvent['cause'],
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

/** Pays `units` of the debt out of the wallet, at most what is owed and what is there. */
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
