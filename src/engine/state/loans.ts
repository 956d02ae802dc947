/** Loans as they are kept: a row each, in the order of their next hour. */
import { noRow, type Row, Table } from '../storage/storage.ts'

export class Loans extends Table {
  loanId = new Float64Array(64)
  /** Row of the ledger that owes it. */
  owedBy = new Int32Array(64)
  principal = new BigInt64Array(64)
  startedAt = new Float64Array(64)
  /** When its next hour begins. */
  dueAt = new Float64Array(64)
  previous = new Int32Array(64)
  next = new Int32Array(64)
  first: Row = noRow
  last: Row = noRow
  /** Loans of a ledger row, oldest first; a row without loans has no entry. */
  ofRow = new Map<Row, Row[]>()
  /** Whether the timer is set. */
  timed = false

  get count(): number {
    return this.rows - 1 - this.freed.length
  }
}
