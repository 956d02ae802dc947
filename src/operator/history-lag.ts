/**
 * How long history has been behind: since when an event that was recorded has not been committed.
 *
 * Looks   at intervals: what was recorded at one look is what the next ones wait for, so it tells too little by at most the
 *         time between two looks
 */
import type { History } from '../history/history.ts'

export class HistoryLag {
  readonly #history: Pick<History, 'health'>
  readonly #nowMs: () => number
  #awaited: { readonly sequence: number; readonly sinceMs: number } | undefined
  #ms = 0

  constructor(history: Pick<History, 'health'>, nowMs: () => number = () => performance.now()) {
    this.#history = history
    this.#nowMs = nowMs
  }

  /** Zero while everything of the last look but one is committed. */
  get ms(): number {
    return this.#ms
  }

  look(): void {
    const { recordedSequence, committedSequence } = this.#history.health()
    const nowMs = this.#nowMs()
    if (this.#awaited !== undefined && committedSequence < this.#awaited.sequence) {
      this.#ms = nowMs - this.#awaited.sinceMs
      return
    }
    this.#ms = 0
    this.#awaited = committedSequence < recordedSequence ? { sequence: recordedSequence, sinceMs: nowMs } : undefined
  }
}
