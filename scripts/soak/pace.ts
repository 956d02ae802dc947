/** For how long a soak goes on, and when it says how far it is. */
const reportEveryMs = 15_000

export class Pace {
  readonly #startedMs = performance.now()
  readonly #minutes: number
  #reportedMs = 0

  constructor(minutes: number) {
    this.#minutes = minutes
  }

  get seconds(): number {
    return (performance.now() - this.#startedMs) / 1_000
  }

  get isOver(): boolean {
    return this.seconds >= this.#minutes * 60
  }

  /** At most every 15 seconds. */
  isTimeToReport(): boolean {
    const nowMs = performance.now() - this.#startedMs
    if (nowMs - this.#reportedMs < reportEveryMs) return false
    this.#reportedMs = nowMs
    return true
  }
}
