/**
 * How much one account of the house takes on one side of a book.
 *
 * Bound   orders and position of an account are worth at most 2^60 units, of the base coin and of the quote (of USD, inverse). A coin of
 *         a thousandth of a cent comes there with 140,000 dollars. A quarter is for orders; positions and dearer marks have the rest
 * Source  design.md §2 (overflow is checked, never wrapped)
 */
import type { Instrument } from '../engine/catalog/catalog.ts'

const unitsMost = 2 ** 58

export class Capacity {
  /** Units of the coin that a lot is counted in, and units of the quote for each tick of its price. */
  readonly #lotUnits: number
  readonly #tickUnits: number

  constructor({ priceStep, priceDecimals, quantityStep, quantityDecimals, kind }: Instrument) {
    this.#lotUnits = quantityStep * 10 ** (8 - quantityDecimals)
    this.#tickUnits = kind === 'inverse' ? 0 : (this.#lotUnits * priceStep) / 10 ** priceDecimals
  }

  /** Lots at a price, in ticks. At least one. */
  at(price: number): number {
    return Math.max(1, Math.floor(unitsMost / Math.max(this.#lotUnits, price * this.#tickUnits)))
  }
}
