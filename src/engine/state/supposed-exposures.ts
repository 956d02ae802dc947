/**
 * Exposures to suppose something with: rows of a table of their own that is not saved, which take turns.
 *
 * Holds   who supposes something is done with it before `supposedMax` others have been supposed: an order needs two
 */
import { assert } from '../numbers/numbers.ts'
import { type ExposureFields, ExposureRow, ExposureTable, type PositionTable } from './exposure-table.ts'

const supposedMax = 32

export class SupposedExposures {
  readonly #table = new ExposureTable()
  /** How many have been supposed so far. */
  #generation = 0

  /** In a row that is used again when `supposedMax` others have been. */
  suppose(fields: ExposureFields, positions: PositionTable, index: number): ExposureRow {
    const row = (this.#generation % supposedMax) + 1
    this.#generation++
    if (row === this.#table.rows) this.#table.allocate()
    this.#table.fill(row, fields)
    return new ExposureRow(this.#table, positions, row, index, this.#generation)
  }

  /** What it has now, positions included. */
  copyOf(exposure: ExposureRow, positions: PositionTable): ExposureRow {
    const copy = this.suppose(exposure, positions, exposure.index)
    this.#table.setPosition(copy.row, 'long', exposure.longRow)
    this.#table.setPosition(copy.row, 'short', exposure.shortRow)
    return copy
  }

  /** Its row has not been used again. */
  assertCurrent({ generation }: ExposureRow): void {
    assert(this.#generation - generation < supposedMax, 'a supposed exposure is used before its row is used again')
  }
}
