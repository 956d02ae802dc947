/**
 * What an account may not have when its mode changes.
 *
 * Source  design.md §3
 */
import type { SetAccountMode } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { type Account, inUse, type Reading } from '../state/state.ts'

/** Without orders, positions and debt a mode may change; `unchanged`: it is in that mode already. */
export function admitModeChange(
  reading: Reading,
  command: SetAccountMode,
): { readonly account: Account } | Refusal | 'unchanged' {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.mode === command.mode) return 'unchanged'
  if (account.mode === 'upgrading' || account.mode === 'switching') return { kind: 'account-changing-mode' }
  const what = notFlat(reading, account)
  if (what !== undefined) return what
  return { account }
}

function notFlat(reading: Reading, account: Account): Refusal | undefined {
  if (account.firstOrder !== 0 || reading.triggers.firstOf.has(account.handle))
    return { kind: 'account-not-flat', what: 'orders' }
  for (const exposure of reading.futures.ofAccount(account.handle)) {
    if (inUse(exposure)) return { kind: 'account-not-flat', what: 'positions' }
  }
  for (const row of reading.ledger.rowsOf(account.handle)) {
    if (reading.ledger.debtOf(row) > 0n) return { kind: 'account-not-flat', what: 'debt' }
  }
  return undefined
}
