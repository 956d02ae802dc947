/** The queue links of a book without a table of orders beside it. */
import type { QueueLinks } from '../../../src/engine/book/book.ts'

export function queueLinks(): QueueLinks {
  return { previous: new Rows(), next: new Rows() }
}

/** A number for each row, zero at first. */
export class Rows {
  readonly #values: number[] = []

  at(row: number): number {
    return this.#values[row] ?? 0
  }

  set(row: number, value: number): void {
    this.#values[row] = value
  }
}
