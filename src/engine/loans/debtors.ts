/**
 * Who owes in cross margin: the state of their watch, and the notes of whose wallets have changed.
 *
 * Kept    by liquidation/debtors.ts, which looks at them when a command ends
 * Source  risk-engine.md §17
 */
import { everybody, isWaiting, type State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'

/** Something changed in a wallet: if it is a debtor's, he is looked at when the command ends. */
export function noteDebtor(state: State, row: Row): void {
  const { debtors, ledger } = state
  if (ledger.walletOf(row) !== 'crossed_margin') return
  const account = ledger.account[row]
  const isDebtor = ledger.principal[row] > 0n || isWaiting(debtors.waiting, account)
  if (isDebtor) debtors.changed.add(account)
}

/** After the levels themselves were changed: everybody is looked at again. */
export function noteAllDebtors(state: State): void {
  const { waiting, changed } = state.debtors
  for (const account of everybody(waiting)) changed.add(account)
}
