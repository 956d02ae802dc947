/**
 * Notes of debtors in cross margin whose wallets have changed, or whose terms have.
 *
 * Read    by liquidation/debtor-watch.ts, which checks them when a command ends
 * Source  risk-engine.md §17
 */
import { everybody, isWaiting, type State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'

/** Something changed in a wallet: if it is a debtor's, the account is checked when the command ends. */
export function noteDebtor(state: State, row: Row): void {
  const { debtors, ledger } = state
  if (ledger.walletOf(row) !== 'crossed_margin') return
  const account = ledger.account[row]
  const isDebtor = ledger.principal[row] > 0n || isWaiting(debtors.waiting, account)
  if (isDebtor) debtors.changed.add(account)
}

/** After the levels or the limits of prices were changed: every debtor is checked again. */
export function noteAllDebtors(state: State): void {
  const { waiting, changed } = state.debtors
  for (const account of everybody(waiting)) changed.add(account)
}
