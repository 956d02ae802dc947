/**
 * Exposures to suppose something with: rows of a table of their own that is not saved, which take turns.
 *
 * Holds   who supposes something is done with it before `supposedMax` others have been supposed: an order needs two
 */
import { assert } from '../numbers/numbers.ts'
import type { Row } from '../storage/storage.ts'
import { type ExposureFields, ExposureRow, ExposureTable, type PositionTable } from './exposure-table.ts'

const supposedMax = 32

export class SupposedExposures {
  readonly #table = new ExposureTable()
  /** How many have been supposed so far. */
  #generation = 0

  /** One that is not kept: its index is below zero, and says which of the supposed it is. */
  newOf(fields: ExposureFields, positions: PositionTable): ExposureRow {
    const row = this.#fill(fields)
    return new ExposureRow(this.#table, positions, row, -this.#generation)
  }

  /** What it has now, positions included. */
  copyOf(exposure: ExposureRow, positions: PositionTable): ExposureRow {
    const row = this.#fill(exposure)
    this.#table.setPosition(row, 'long', exposure.longRow)
    this.#table.setPosition(row, 'short', exposure.shortRow)
    return new ExposureRow(this.#table, positions, row, exposure.index)
  }

  /** The row of one that is not kept has not been used again. */
  assertCurrent({ index }: ExposureRow): void {
    assert(this.#generation + index < supposedMax, 'a supposed exposure is used before its row is used again')
  }

  /** A row that is used again when `supposedMax` others have been. */
  #fill(fields: ExposureFields): Row {
    const row = (this.#generation % supposedMax) + 1
    this.#generation++
    if (row === this.#table.rows) this.#table.allocate()
    this.#table.fill(row, fields)
    return row
  }
}
