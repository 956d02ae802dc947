/** Calls that take turns, and reads that are shared: what keeps a list of many calls within the venue's limits. */

/** Longer than the venue's second: calls may be faster on their way than those before them. */
const windowMs = 1_100

/** So many calls in a second, the others later. */
export class Turns {
  readonly #most: number
  /** When the last calls were sent, or will be; oldest first. */
  #taken: readonly number[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** Resolves when the next call may be sent. */
  async take(): Promise<void> {
    const now = Date.now()
    const before = this.#taken.at(-this.#most)
    const at = this.#taken.length < this.#most ? now : Math.max(now, (before ?? 0) + windowMs)
    this.#taken = [...this.#taken, at].slice(-this.#most)
    if (at > now) await new Promise((resolve) => setTimeout(resolve, at - now))
  }
}

/** One read at a time: whoever asks during one gets the next, and so does everybody else who asks until that begins. */
export class SharedRead<T> {
  readonly #read: () => Promise<T>
  #running: Promise<T> | undefined
  #next: Promise<T> | undefined

  constructor(read: () => Promise<T>) {
    this.#read = read
  }

  get(): Promise<T> {
    if (this.#running === undefined) return this.#begin()
    this.#next ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    )
    return this.#next
  }

  #begin(): Promise<T> {
    this.#next = undefined
    this.#running = this.#read().finally(() => (this.#running = undefined))
    return this.#running
  }
}
