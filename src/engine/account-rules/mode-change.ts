/**
 * What an account may not have when its mode changes.
 *
 * Source  design.md §3
 */
import type { Refusal } from '../protocol/reply.ts'
import { type Account, inUse, type Reading } from '../state/state.ts'

export function notFlat(reading: Reading, account: Account): Refusal | undefined {
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
