/**
 * Who owes in cross margin: the state of their watch, and the notes of whose wallets have changed.
 *
 * Kept    by liquidation/debtors.ts, which looks at them when a command ends and says what the heap means
 * Source  risk-engine.md §17
 */
import type { AccountHandle } from '../accounts/accounts.ts'
import type { Row } from '../state/state.ts'
import type { Venue } from '../venue.ts'

export class Debtors {
  /** Way of the reference so far, and distance of the prices from it. */
  base = 0
  away = 0
  /** USD prices of the reference, by coin. */
  reference: bigint[] = []
  /** Accounts with debt; the one to be looked at first on top. */
  heap: AccountHandle[] = []
  placeOf = new Map<AccountHandle, number>()
  /** `base + away` at which an account is looked at again. */
  wakeAt = new Map<AccountHandle, number>()
  /** Accounts that any change of prices may concern. */
  near = new Set<AccountHandle>()
  changed = new Set<AccountHandle>()
  called = new Set<AccountHandle>()
  /** Breached accounts that wait to be liquidated, worst first. */
  breached = new Set<AccountHandle>()
  timed = false
}

/** Something changed in a wallet: if it is a debtor's, he is looked at when the command ends. */
export function noteDebtor(venue: Venue, row: Row): void {
  const { debtors, ledger } = venue
  if (ledger.walletOf(row) !== 'crossed_margin') return
  const account = ledger.account[row]
  const isDebtor = ledger.principal[row] > 0n || debtors.placeOf.has(account) || debtors.near.has(account)
  if (isDebtor) debtors.changed.add(account)
}

/** After the levels themselves were changed: everybody is looked at again. */
export function noteAllDebtors(venue: Venue): void {
  const { heap, near, changed } = venue.debtors
  for (const account of [...heap, ...near]) changed.add(account)
}
