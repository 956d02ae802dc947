/**
 * Borrows and repays one coin on request. Whether, and how much: account-rules/borrowing.ts.
 *
 * Source  interface.md E11; design.md §4.36 (without debt refused, above the debt cut to it); risk-engine.md §17
 */
import { admitLoan, admitRepayment } from '../account-rules/account-rules.ts'
import { lend, payDebt } from '../loans/loans.ts'
import type { Borrow, Repay } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'

export function borrow(state: State, command: Borrow): Reply {
  const decided = admitLoan(state, command)
  if ('kind' in decided) return refused(decided)

  const { account, wallet, coin } = decided
  const loanId = lend(state, account, wallet, { coin, units: command.amount, cause: 'request' })
  return { kind: 'borrowed', loanId, amount: command.amount }
}

export function repay(state: State, command: Repay): Reply {
  const decided = admitRepayment(state, command)
  if ('kind' in decided) return refused(decided)

  const { account, wallet, coin, row, units } = decided
  const repayId = payDebt(state, account, wallet, { coin: coin.id, units, cause: 'request' })
  return { kind: 'repaid', repayId, repaid: units, remaining: state.ledger.debtOf(row) }
}
