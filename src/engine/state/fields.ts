/**
 * Fields of rows that lie side by side in one buffer: for a table whose rows are used as a whole, by whoever comes. Such a row is
 * three lines of memory; with a column for each field it would be as many lines as it has fields.
 *
 * Place     the widest fields first, so that each lies at a multiple of its width
 * Constant  rows have `recordBytes` in every table, so that finding a field takes no more than finding an entry of a column
 * Saved     as columns: what is saved does not tell how rows lie in memory
 */
import { assert } from '../numbers/numbers.ts'
import type { Row } from './table.ts'

export const recordBytes = 136

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

  lie(buffer: ArrayBuffer, place: number): void {
    this.view = new this.#type(buffer, place)
  }

  /** What the first rows have in this field. */
  column(rows: number): C {
    const column = new this.#type(rows)
    const step = recordBytes / this.bytes
    for (let row = 0; row < rows; row++) column[row] = this.view[row * step]
    return column
  }

  fill(column: Column): void {
    const step = recordBytes / this.bytes
    for (let row = 0; row < column.length; row++) this.view[row * step] = column[row]
  }
}

// One class for each type of column: compilers see which it is.

export class Float64Field extends Field<Float64Array> {
  constructor() {
    super(Float64Array)
  }

  at(row: Row): number {
    return this.view[row * (recordBytes / 8)]
  }

  set(row: Row, value: number): void {
    this.view[row * (recordBytes / 8)] = value
  }
}

export class BigInt64Field extends Field<BigInt64Array> {
  constructor() {
    super(BigInt64Array)
  }

  at(row: Row): bigint {
    return this.view[row * (recordBytes / 8)]
  }

  set(row: Row, value: bigint): void {
    this.view[row * (recordBytes / 8)] = value
  }
}

export class Int32Field extends Field<Int32Array> {
  constructor() {
    super(Int32Array)
  }

  at(row: Row): number {
    return this.view[row * (recordBytes / 4)]
  }

  set(row: Row, value: number): void {
    this.view[row * (recordBytes / 4)] = value
  }
}

export class Uint16Field extends Field<Uint16Array> {
  constructor() {
    super(Uint16Array)
  }

  at(row: Row): number {
    return this.view[row * (recordBytes / 2)]
  }

  set(row: Row, value: number): void {
    this.view[row * (recordBytes / 2)] = value
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

/** Gives fields their places in a buffer. */
export function layOut(fields: readonly Field[], buffer: ArrayBuffer): void {
  let place = 0
  for (const field of fields.toSorted((a, b) => b.bytes - a.bytes)) {
    field.lie(buffer, place)
    place += field.bytes
  }
  assert(place <= recordBytes, 'a row has room for its fields')
}
