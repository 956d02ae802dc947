/**
 * Fields of rows that lie side by side in one buffer: for a table whose rows are used as a whole, by whoever comes. Such a row is
 * three lines of memory; with a column for each field it would be as many lines as it has fields.
 *
 * Place     the widest fields first, so that each lies at a multiple of its width
 * Constant  rows have `recordBytes` in every table, so that a field is found nearly as quickly as an entry of a column
 * Columns   typed arrays of a table that says how long a row is lie side by side likewise (`layColumns`). An entry is at row ×
 *           entries per row
 * Saved     as columns: what is saved does not tell how rows lie in memory. Columns are copied some rows at a time, which stay in
 *           the processor's caches until all their fields have been
 */
import { assert } from '../numbers/numbers.ts'
import type { Row } from './row.ts'

const recordBytes = 136
/** Entries of a view from one row to the next, by their width. Compilers know constants that are not exported. */
const steps8 = recordBytes / 8
const steps4 = recordBytes / 4
const steps2 = recordBytes / 2

export type Column = Float64Array | Int32Array | Uint16Array | Uint8Array | BigInt64Array

type ColumnType<C extends Column> = {
  new (length: number): C
  new (buffer: ArrayBuffer, place?: number): C
  readonly BYTES_PER_ELEMENT: number
}

export abstract class Field<C extends Column = Column> {
  /** All of the buffer, from the field's place in the first row on. */
  protected view: C
  readonly #type: ColumnType<C>

  constructor(type: ColumnType<C>) {
    this.#type = type
    this.view = new type(0)
  }

  get bytes(): number {
    return this.#type.BYTES_PER_ELEMENT
  }

  layAt(buffer: ArrayBuffer, place: number): void {
    this.view = new this.#type(buffer, place)
  }

  /** A column of the field's type: of `values`, or empty. */
  column(rows: number, values?: Column): C {
    if (values?.constructor === this.#type) return values as C
    const column = new this.#type(rows)
    if (values !== undefined) column.set(values as never)
    return column
  }

  /** The field's part of the buffer, for copying. */
  get strip(): Strip {
    return stripOf(this.view.buffer as ArrayBuffer, this.view.byteOffset, this.bytes, recordBytes)
  }
}

/** Values that lie `step` apart, as words or bytes, of which each has `count`. */
export interface Strip {
  readonly units: Int32Array | Uint8Array
  readonly step: number
  readonly count: number
}

function stripOf(buffer: ArrayBuffer, place: number, bytes: number, stepBytes: number): Strip {
  const unit = bytes % 4 === 0 ? 4 : 1
  const units = new (unit === 4 ? Int32Array : Uint8Array)(buffer, place)
  return { units, step: stepBytes / unit, count: bytes / unit }
}

const rowsAtOnce = 512

/** The values of a column, or of one that lies among others in rows of `rowBytes`, for copying. */
export function columnStrip({ buffer, byteOffset, BYTES_PER_ELEMENT }: Column, rowBytes = BYTES_PER_ELEMENT): Strip {
  return stripOf(buffer as ArrayBuffer, byteOffset, BYTES_PER_ELEMENT, rowBytes)
}

/** Copies the first rows of each. */
export function copyRows(copies: readonly (readonly [to: Strip, from: Strip])[], rows: number): void {
  for (let first = 0; first < rows; first += rowsAtOnce) {
    const end = Math.min(first + rowsAtOnce, rows)
    for (const [to, from] of copies) {
      const copy = to.units instanceof Int32Array ? copyWords : copyBytes
      copy(to, from, first, end)
    }
  }
}

// One function for words and one for bytes, one class for each type of column: compilers see which it is.

function copyWords(to: Strip, from: Strip, first: number, end: number): void {
  const target = to.units as Int32Array
  const source = from.units as Int32Array
  const { step: targetStep, count } = to
  const { step: sourceStep } = from
  for (let unit = 0; unit < count; unit++) {
    let at = first * targetStep + unit
    let of = first * sourceStep + unit
    for (let row = first; row < end; row++, at += targetStep, of += sourceStep) target[at] = source[of]
  }
}

function copyBytes(to: Strip, from: Strip, first: number, end: number): void {
  const target = to.units as Uint8Array
  const source = from.units as Uint8Array
  const { step: targetStep, count } = to
  const { step: sourceStep } = from
  for (let unit = 0; unit < count; unit++) {
    let at = first * targetStep + unit
    let of = first * sourceStep + unit
    for (let row = first; row < end; row++, at += targetStep, of += sourceStep) target[at] = source[of]
  }
}

export class Float64Field extends Field<Float64Array> {
  constructor() {
    super(Float64Array)
  }

  at(row: Row): number {
    return this.view[row * steps8]
  }

  set(row: Row, value: number): void {
    this.view[row * steps8] = value
  }
}

export class BigInt64Field extends Field<BigInt64Array> {
  constructor() {
    super(BigInt64Array)
  }

  at(row: Row): bigint {
    return this.view[row * steps8]
  }

  set(row: Row, value: bigint): void {
    this.view[row * steps8] = value
  }
}

export class Int32Field extends Field<Int32Array> {
  constructor() {
    super(Int32Array)
  }

  at(row: Row): number {
    return this.view[row * steps4]
  }

  set(row: Row, value: number): void {
    this.view[row * steps4] = value
  }
}

export class Uint16Field extends Field<Uint16Array> {
  constructor() {
    super(Uint16Array)
  }

  at(row: Row): number {
    return this.view[row * steps2]
  }

  set(row: Row, value: number): void {
    this.view[row * steps2] = value
  }
}

export class Uint8Field extends Field<Uint8Array> {
  constructor() {
    super(Uint8Array)
  }

  at(row: Row): number {
    return this.view[row * recordBytes]
  }

  set(row: Row, value: number): void {
    this.view[row * recordBytes] = value
  }
}

/** Gives fields their places in a buffer for so many rows, which has what was in the one before; answers it. */
export function layOut(fields: readonly Field[], rows: number, before: ArrayBuffer): ArrayBuffer {
  const buffer = grown(before, rows * recordBytes)
  let place = 0
  for (const field of fields.toSorted((a, b) => b.bytes - a.bytes)) {
    field.layAt(buffer, place)
    place += field.bytes
  }
  assert(place <= recordBytes, 'a row has room for its fields')
  return buffer
}

/** As `layOut`, for columns that lie side by side in rows of `rowBytes`: replaces those in `columns` by views. */
export function layColumns(
  columns: Record<string, Column>,
  rows: number,
  rowBytes: number,
  before: ArrayBuffer,
): ArrayBuffer {
  const buffer = grown(before, rows * rowBytes)
  let place = 0
  const names = Object.keys(columns).filter((name) => ArrayBuffer.isView(columns[name]))
  for (const name of names.toSorted((a, b) => columns[b].BYTES_PER_ELEMENT - columns[a].BYTES_PER_ELEMENT)) {
    const type = columns[name].constructor as ColumnType<Column>
    columns[name] = new type(buffer, place)
    place += type.BYTES_PER_ELEMENT
  }
  assert(place <= rowBytes, 'a row has room for its columns')
  return buffer
}

function grown(before: ArrayBuffer, bytes: number): ArrayBuffer {
  // A transfer touches all of the memory that it takes.
  return before.byteLength === 0 ? new ArrayBuffer(bytes) : before.transfer(bytes)
}
