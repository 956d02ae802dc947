/**
 * Sums by key that one sweep of a book gathers. Most sweeps need one, which is kept without a table.
 *
 * Cleared   a table goes as a whole. The table that a cleared map had would hold on to its next one, and so on
 */
const none = -1

export class Sums<Value> {
  readonly #zero: Value
  #key = none
  #value: Value
  #others: Map<number, Value> | undefined

  constructor(zero: Value) {
    this.#zero = zero
    this.#value = zero
  }

  /** Zero where nothing was set. */
  at(key: number): Value {
    if (key === this.#key) return this.#value
    return this.#others?.get(key) ?? this.#zero
  }

  /** Keys are not negative. */
  set(key: number, value: Value): void {
    if (this.#key === none) this.#key = key
    if (key === this.#key) this.#value = value
    else {
      this.#others ??= new Map()
      this.#others.set(key, value)
    }
  }

  clear(): void {
    this.#key = none
    this.#others = undefined
  }
}
