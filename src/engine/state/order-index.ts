/**
 * Row by order number, for millions of live orders without garbage: buckets by the low bits of the number, each a chain
 * of rows.
 *
 * Spread    numbers come one after another, so neighbours in time are neighbours here and chains are short
 * Not here  what is saved: the rows say which orders live, and are added again after loading
 */
import { noRow, type Row } from '../storage/storage.ts'
import type { OrderId } from '../vocabulary.ts'

const sizeMin = 128
/** As of a table. */
const growth = 1.25

/** Numbers of orders, by row. */
interface Ids {
  at(row: Row): OrderId
}

export class OrderIndex {
  /** First row of each bucket; as many buckets as a power of two, more than live orders. */
  #first = new Int32Array(sizeMin)
  /** By row: the next of its bucket. */
  #next = new Int32Array(sizeMin)
  #count = 0

  find(ids: Ids, id: OrderId): Row {
    let row = this.#first[this.#bucket(id)]
    while (row !== noRow && ids.at(row) !== id) row = this.#next[row]
    return row
  }

  /** The first row among those with such a number; 0: there is none. */
  firstOf(id: OrderId): Row {
    return this.#first[this.#bucket(id)]
  }

  /** The next one of the same. */
  after(row: Row): Row {
    return this.#next[row]
  }

  /** All rows below `rows` that live, into an index that is empty. */
  fill(ids: Ids, rows: number): void {
    let size = sizeMin
    while (size < rows) size *= 2
    this.#first = new Int32Array(size)
    this.#next = new Int32Array(rows)
    for (let row = 1; row < rows; row++) if (ids.at(row) !== 0) this.add(ids, row)
  }

  add(ids: Ids, row: Row): void {
    if (row >= this.#next.length) this.#next = widened(this.#next, Math.ceil(row * growth))
    if (this.#count >= this.#first.length) this.#widen(ids)
    const bucket = this.#bucket(ids.at(row))
    this.#next[row] = this.#first[bucket]
    this.#first[bucket] = row
    this.#count++
  }

  /** The row is in the index. */
  remove(ids: Ids, row: Row): void {
    const bucket = this.#bucket(ids.at(row))
    let before = this.#first[bucket]
    if (before === row) this.#first[bucket] = this.#next[row]
    else {
      while (this.#next[before] !== row) before = this.#next[before]
      this.#next[before] = this.#next[row]
    }
    this.#count--
  }

  #bucket(id: OrderId): number {
    return (id | 0) & (this.#first.length - 1)
  }

  #widen(ids: Ids): void {
    const before = this.#first
    this.#first = new Int32Array(before.length * 2)
    for (let row of before) {
      while (row !== noRow) {
        const after = this.#next[row]
        const bucket = this.#bucket(ids.at(row))
        this.#next[row] = this.#first[bucket]
        this.#first[bucket] = row
        row = after
      }
    }
  }
}

function widened(column: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(length)
  wider.set(column)
  return wider
}
