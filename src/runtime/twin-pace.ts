/**
 * How fast a twin follows the journal: it works for a millisecond and rests for two, as long as it is well ahead of the venue.
 *
 * Rests  since one that wants a whole core is in everybody's way, however low its priority: the system lets it finish its turn of
 *        some milliseconds first (docs/performance/pauses.md)
 * Ahead  twice as fast as the venue was, by the stamps of its commands. A slower one works without rest until it is ahead again,
 *        or it would be further behind with every snapshot of a busy venue
 */
import type { Millis } from '../engine/numbers/numbers.ts'

export const workMs = 1
export const restMs = 2
export const paceMin = 2

export class TwinPace {
  #from: { readonly at: Millis; readonly ms: number } | undefined
  #workUntilMs = 0

  /** Whether to rest now, with all commands up to the stamp `at` applied; `nowMs` of a clock that never goes back. */
  isRestDue(at: Millis, nowMs: number): boolean {
    if (this.#from === undefined) {
      this.#from = { at, ms: nowMs }
      this.goOn(nowMs)
    }
    if (nowMs < this.#workUntilMs) return false
    return (nowMs - this.#from.ms) * paceMin < at - this.#from.at
  }

  /** The rest is over. */
  goOn(nowMs: number): void {
    this.#workUntilMs = nowMs + workMs
  }
}
