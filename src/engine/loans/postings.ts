/**
 * Lending and paying back: the postings, and what is published of them. Callers have checked the bounds.
 *
 * Order   of a payment: interest first, then principal, oldest loan first
 * Source  design.md §4.36; risk-engine.md §16, §17
 */
import type { Coin, CoinId } from '../catalog/catalog.ts'
import { bill } from '../ledger-postings/ledger-postings.ts'
import { type Amount, amount } from '../numbers/numbers.ts'
import type { LoanEvent, RepaymentEvent } from '../protocol/event.ts'
import type { MarginWallet } from '../records/records.ts'
import type { Account, State } from '../state/state.ts'
import { noteDebtor } from './debtors.ts'
import { bookInterest, openLoan, reduceLoans } from './interest.ts'

/** Lends `units` to the wallet; the first hour's interest is owed at once. Answers the loan's number. */
export function lend(
  state: State,
  account: Account,
  wallet: MarginWallet,
  { coin, units, cause }: { readonly coin: Coin; readonly units: Amount; readonly cause: LoanEvent['cause'] },
): number {
  const { ledger } = state
  const row = ledger.slot(account.handle, wallet, coin.id)
  bookInterest(state, row)
  const loanId = state.counters.loan++
  ledger.lend(row, units)
  ledger.updatedAt[row] = state.at
  state.emit({ kind: 'loan', loanId, uid: account.uid, wallet, coin: coin.id, amount: units, cause, at: state.at })
  bill(state, row, 'borrow', units)
  openLoan(state, row, loanId, units)
  if (wallet === 'uta') ledger.watchAccount(account.handle)
  noteDebtor(state, row)
  return loanId
}

/** Pays `units` of the debt out of the wallet, at most what is owed and what is there. Answers the repayment's number. */
export function payDebt(
  state: State,
  account: Account,
  wallet: MarginWallet,
  { coin, units, cause }: { readonly coin: CoinId; readonly units: Amount; readonly cause: RepaymentEvent['cause'] },
): number {
  const { ledger } = state
  const row = ledger.slot(account.handle, wallet, coin)
  bookInterest(state, row)
  const repayId = state.counters.repay++
  const watch = state.repaymentWatch
  if (watch?.account === account.handle && watch.wallet === wallet) watch.repayId ??= repayId
  const paid = ledger.payDebt(row, units)
  reduceLoans(state, row, paid.principal)
  ledger.updatedAt[row] = state.at
  state.emit({ kind: 'repayment', repayId, uid: account.uid, wallet, coin, ...paid, cause, at: state.at })
  bill(state, row, 'interest', amount(-paid.interest), { balance: amount(ledger.balanceOf(row) + paid.principal) })
  bill(state, row, 'repay', amount(-paid.principal))
  noteDebtor(state, row)
  return repayId
}
