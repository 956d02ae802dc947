/**
 * Rows of typed columns with integer handles: state that grows with users and orders.
 *
 * Layout    a subclass declares its columns: typed arrays of `initialRows` entries, plain arrays, or fields that lie side by
 *           side (fields.ts). For fields its constructor calls `layOut`
 * Views     typed arrays lie side by side too when a subclass says how long a row is, and calls `layOut`. Then the entry of a
 *           row is at row × entries per row. For what handles read (state/exposure-table.ts): there is no call in between
 * Rows      handles start at 1, 0 means none; a freed row is used again, last freed first
 * Holds     columns grow together, so every handle below `rows` is valid in each of them
 */
import { type Column, columnStrip, copyRows, Field, layColumns, layOut, type Strip } from './fields.ts'
import type { Row } from './row.ts'

const initialRows = 64
/** Copying a little more often costs less than half of a table that nobody uses. */
const growth = 1.25

export abstract class Table {
  /** Rows ever used, the unused row 0 included. */
  rows = 1
  freed: Row[] = []
  /** Length of every column. Not a field that is saved: spare capacity is not state. */
  #capacity = initialRows
  /** Where lies what lies side by side. */
  #records = new ArrayBuffer(0)
  /** Of typed arrays that lie side by side; 0: each lies by itself. */
  readonly #rowBytes: number

  constructor(rowBytes = 0) {
    this.#rowBytes = rowBytes
  }

  allocate(): Row {
    const again = this.freed.pop()
    if (again !== undefined) return again
    if (this.rows === this.#capacity) this.grow()
    return this.rows++
  }

  free(row: Row): void {
    this.freed.push(row)
  }

  /** Every column up to the last used row, most of them as views: to be read before anything changes. */
  save(): Record<string, unknown> {
    const saved: Record<string, unknown> = {}
    const copies: [to: Strip, from: Strip][] = []
    const copied = (column: Column, from: Strip) => {
      copies.push([columnStrip(column), from])
      return column
    }
    for (const [name, value] of Object.entries(this)) {
      if (value instanceof Field) saved[name] = copied(value.column(this.rows), value.strip)
      else if (!isColumn(value)) saved[name] = value
      else if (this.#rowBytes === 0) saved[name] = value.subarray(0, this.rows)
      else saved[name] = copied(columnLike(value, this.rows), columnStrip(value, this.#rowBytes))
    }
    copyRows(copies, this.rows)
    return saved
  }

  /** Columns that the saved table did not have are empty, those that it had with wider numbers are made narrow. */
  load(saved: Record<string, unknown>): void {
    const fields = this as unknown as Record<string, unknown>
    const { rows } = saved as { readonly rows: number }
    this.#capacity = rows
    this.#records = new ArrayBuffer(0)
    this.layOut()
    const copies: [to: Strip, from: Strip][] = []
    for (const [name, field] of Object.entries(fields)) {
      const value = saved[name]
      if (field instanceof Field) {
        if (isColumn(value)) copies.push([field.strip, columnStrip(field.column(rows, value))])
      } else if (!isColumn(field)) fields[name] = value ?? field
      else {
        const isSame = isColumn(value) && value.constructor === field.constructor
        const column = isSame ? value : columnLike(field, rows, value as Column | undefined)
        if (this.#rowBytes === 0) fields[name] = column
        else copies.push([columnStrip(field, this.#rowBytes), columnStrip(column)])
      }
    }
    copyRows(copies, rows)
  }

  /** Gives what lies side by side room for every row. */
  protected layOut(): void {
    if (this.#rowBytes > 0) {
      const columns = this as unknown as Record<string, Column>
      this.#records = layColumns(columns, this.#capacity, this.#rowBytes, this.#records)
      return
    }
    const fields = Object.values(this).filter((field) => field instanceof Field)
    if (fields.length > 0) this.#records = layOut(fields, this.#capacity, this.#records)
  }

  private grow(): void {
    this.#capacity = Math.max(initialRows, Math.ceil(this.#capacity * growth))
    this.layOut()
    if (this.#rowBytes > 0) return
    const columns = this as unknown as Record<string, Column>
    for (const [name, value] of Object.entries(columns)) {
      if (!isColumn(value)) continue
      columns[name] = columnLike(value, this.#capacity, value)
    }
  }
}

/** A column of the same type as `field` with `length` entries, the first of them from `values`. */
function columnLike(field: Column, length: number, values?: Column): Column {
  const column = new (field.constructor as new (length: number) => Column)(length)
  if (values !== undefined) column.set(values as never)
  return column
}

function isColumn(value: unknown): value is Column {
  return ArrayBuffer.isView(value)
}
