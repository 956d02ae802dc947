/**
 * Signatures of the last window, in two generations so that the memory is bounded by what one window brings. Clocks that leap move none
 * of it.
 */
const seenMax = 1_000_000

export class SeenSignatures {
  readonly #lengthMs: number
  #current = new Set<string>()
  #previous = new Set<string>()
  /** By the clock that `before` is told. */
  #rotatedAtMs = 0

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs
  }

  /** Whether this one was here before; if not, it is now. */
  before(signature: string, nowMs: number): boolean {
    const age = nowMs - this.#rotatedAtMs
    if (age >= this.#lengthMs || this.#current.size >= seenMax) {
      this.#previous = age >= 2 * this.#lengthMs ? new Set() : this.#current
      this.#current = new Set()
      this.#rotatedAtMs = nowMs
    }
    if (this.#current.has(signature) || this.#previous.has(signature)) return true
    this.#current.add(signature)
    return false
  }

  save(): SavedSignatures {
    return { current: new Set(this.#current), previous: new Set(this.#previous), rotatedAtMs: this.#rotatedAtMs }
  }

  restore({ current, previous, rotatedAtMs }: SavedSignatures): void {
    this.#current = new Set(current)
    this.#previous = new Set(previous)
    this.#rotatedAtMs = rotatedAtMs
  }
}

export interface SavedSignatures {
  readonly current: ReadonlySet<string>
  readonly previous: ReadonlySet<string>
  readonly rotatedAtMs: number
}
