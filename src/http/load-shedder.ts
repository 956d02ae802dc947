/**
 * How much new work one turn of the event loop takes. What it reads beyond that is refused, and only its head was looked
 * at. So nobody waits behind more than the processor can do soon.
 *
 * Turn     everything that was ready when the loop looked is read in one go: who is read last has waited for all before
 * Takes    256 calls in any case, and more for 25 ms. So a pause of the process refuses nobody, nor does a load that waits for
 *          its answers on so many connections
 * Behind   only what lasts is too much: turns have been longer for a quarter of a second, none of it without one. A burst
 *          is taken whole
 * Refuses  then what is read later in a turn. Refusing may take a third of the time that taking did. That is less than a
 *          fifth of all time, since what was taken is journaled, applied and answered besides. Calls that this time does
 *          not suffice to refuse are taken, and wait
 * Not here what is new work and what is served always (api/endpoint.ts), a disk or an engine that falls behind (runtime/)
 */
const takenMin = 256
const turnMs = 25
const behindMs = 250
const refusingPerTaking = 1 / 3
/** What may be saved up for refusing. */
const creditMsMax = 25

export interface LoadShedderOptions {
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  /** Calls back once the loop has read all that was ready. */
  readonly afterTurn: (over: () => void) => void
}

const eventLoop: LoadShedderOptions = { clock: () => performance.now(), afterTurn: (over) => void setImmediate(over) }

export class LoadShedder {
  readonly #options: LoadShedderOptions
  /** When the turn began; undefined between turns. */
  #startedMs: number | undefined
  /** Calls taken in this turn. */
  #taken = 0
  /** Since when turns are too long, and when one last was. */
  #longSinceMs: number | undefined
  #longLastMs = 0
  /** As of the beginning of the turn. */
  #behind = false
  #lastMs = 0
  #lastTaken = false
  /** Time that refusing may still take; below zero when the last refusal took longer. */
  #creditMs = 0

  constructor(options = eventLoop) {
    this.#options = options
  }

  /** Whether one more call is taken; if not, nothing may be done for it. */
  takes(): boolean {
    const nowMs = this.#options.clock()
    const startedMs = this.#startedMs ?? this.#begin(nowMs)
    if (this.#taken > 0) this.#note(nowMs)
    const isLong = this.#taken >= takenMin && nowMs - startedMs >= turnMs
    if (isLong) {
      this.#longSinceMs ??= nowMs
      this.#longLastMs = nowMs
    }
    this.#lastMs = nowMs
    this.#lastTaken = !(isLong && this.#behind && this.#creditMs > 0)
    if (this.#lastTaken) this.#taken += 1
    return this.#lastTaken
  }

  #begin(nowMs: number): number {
    this.#startedMs = nowMs
    this.#taken = 0
    if (nowMs - this.#longLastMs > behindMs) this.#longSinceMs = undefined
    this.#behind = this.#longSinceMs !== undefined && nowMs - this.#longSinceMs >= behindMs
    this.#options.afterTurn(() => {
      this.#note(this.#options.clock())
      this.#startedMs = undefined
    })
    return nowMs
  }

  /** What the last call took, in either account. */
  #note(nowMs: number): void {
    const spentMs = nowMs - this.#lastMs
    const earnedMs = this.#lastTaken ? spentMs * refusingPerTaking : -spentMs
    this.#creditMs = Math.min(creditMsMax, this.#creditMs + earnedMs)
  }
}
