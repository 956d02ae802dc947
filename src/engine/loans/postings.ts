/**
 * Lending and paying back: the postings, with what is told of them. Whoever calls has checked the bounds.
 *
 * Order   of a payment: interest first, then principal, oldest loan first
 * Source  design.md §4.36; risk-engine.md §16, §17
 */
import type { Coin, CoinId } from '../catalog/catalog.ts'
import { bill } from '../ledger-postings/ledger-postings.ts'
import { type Amount, amount } from '../numbers/numbers.ts'
import type { LoanEvent, RepaymentEvent } from '../protocol/event.ts'
import type { MarginWallet } from '../records/records.ts'
import type { AccountRow, Venue } from '../state/state.ts'
import { noteDebtor } from './debtors.ts'
import { bookInterest, openLoan, reduceLoans } from './interest.ts'

/** Lends `units` to the wallet; the first hour's interest is owed at once. */
export function lend(
  venue: Venue,
  account: AccountRow,
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

/** Pays `units` of the debt out of the wallet, at most what is owed and what is there. */
export function payDebt(
  venue: Venue,
  account: AccountRow,
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
  bill(venue, row, 'interest', amount(-paid.interest), { balance: amount(ledger.balanceOf(row) + paid.principal) })
  bill(venue, row, 'repay', amount(-paid.principal))
  noteDebtor(venue, row)
  return repayId
}
