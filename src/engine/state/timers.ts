/**
 * What is due when: the engine's own future, run by `run-timers` commands.
 *
 * Order     by due time, then by the order in which they were set
 * Source    design.md §1 (time reaches the engine only as a command's stamp), §6 (`clock/advance`)
 */
import type { InstrumentId } from '../catalog/catalog.ts'
import type { Millis } from '../numbers/numbers.ts'
import type { AccountHandle } from '../vocabulary.ts'

export type Timer =
  | { readonly kind: 'finish-mode-change'; readonly account: AccountHandle }
  | { readonly kind: 'settle-funding'; readonly instrument: InstrumentId }
  | { readonly kind: 'fire-triggers'; readonly instrument: InstrumentId }
  | { readonly kind: 'refresh-marks' }
  /** Hours of loans have begun. */
  | { readonly kind: 'accrue-interest' }
  /** Looking at debtors goes on where a command's share of it ended. */
  | { readonly kind: 'watch-debtors' }
  /** Liquidation goes on where a command's share of it ended. */
  | { readonly kind: 'scan-risk'; readonly instruments: readonly InstrumentId[] }
  /** The countdown of an account has run out. */
  | { readonly kind: 'cancel-all'; readonly account: AccountHandle }
  /** A coin's index may have turned stale. */
  | { readonly kind: 'check-index' }
  /** Prices that were given hold no more. */
  | { readonly kind: 'end-given-prices' }
  /** A deposit or withdrawal is sent, or confirmed. */
  | { readonly kind: 'advance-chain-transfer'; readonly id: number }

export class Timers {
  /**
   * Sorted, next due first. Few at a time: one per contract, per account that changes its mode or counts down, and per
   * deposit or withdrawal that is under way.
   */
  due: { readonly at: Millis; readonly order: number; readonly timer: Timer }[] = []
  set = 0

  add(at: Millis, timer: Timer): void {
    const entry = { at, order: this.set++, timer }
    let index = this.due.length
    while (index > 0 && (this.due[index - 1] as { at: Millis }).at > at) index--
    this.due.splice(index, 0, entry)
  }

  /** Takes off what is not to happen any more. */
  remove(matches: (timer: Timer) => boolean): void {
    this.due = this.due.filter(({ timer }) => !matches(timer))
  }

  nextAt(): Millis | undefined {
    return this.due[0]?.at
  }

  /** The next timer that is due at `at`, taken off the list. */
  take(at: Millis): { readonly at: Millis; readonly timer: Timer } | undefined {
    const first = this.due[0]
    if (first === undefined || first.at > at) return undefined
    this.due.shift()
    return first
  }
}
