/**
 * What may wait: work of those who come last gets a small share of each turn of the event loop, so that everybody else waits
 * for no more than that share.
 *
 * Turn    the loop first reads all that is ready; then work that may wait is begun, the oldest first, until the share is
 *         spent. At least one piece a turn
 * Spent   is all time from the beginning of one piece to that of the next: what it does and what follows from it at once.
 *         What it waits for elsewhere is not counted
 * Idle    turns are short when there is nothing else to do: then nearly all time is that of those who may wait
 * Source  docs/decisions/0016-strangers-wait.md
 */
const shareMs = 1

export interface TurnShareOptions {
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  /** Calls back once the loop has read all that was ready. */
  readonly afterReading: (over: () => void) => void
  /** Calls back once all that followed at once is done. */
  readonly afterThis: (over: () => void) => void
}

const eventLoop: TurnShareOptions = {
  clock: () => performance.now(),
  afterReading: (over) => void setImmediate(over),
  // A tick follows when no microtask is left.
  afterThis: (over) => queueMicrotask(() => process.nextTick(over)),
}

export class TurnShare {
  readonly #options: TurnShareOptions
  #waiting: (() => void)[] = []
  #next = 0
  #isScheduled = false

  constructor(options = eventLoop) {
    this.#options = options
  }

  /** How many pieces wait. */
  get waiting(): number {
    return this.#waiting.length - this.#next
  }

  /** Begins the work in its order, after what is read in this turn. It must not throw. */
  enter(work: () => void): void {
    this.#waiting.push(work)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#options.afterReading(() => this.#work(this.#options.clock()))
  }

  #work(startedMs: number): void {
    const work = this.#waiting[this.#next++]
    if (this.#next === this.#waiting.length) {
      this.#waiting = []
      this.#next = 0
    }
    work?.()
    this.#options.afterThis(() => {
      const isSpent = this.#options.clock() - startedMs >= shareMs
      if (this.waiting > 0 && !isSpent) return this.#work(startedMs)
      this.#isScheduled = false
      if (this.waiting > 0) this.#schedule()
    })
  }
}
