/**
 * A market to play on: src/engine/book with the least of an orders table beside it.
 *
 * Rows   number orders from 1; whoever plays gives each its row
 */
import { type Book, bestPrice, dequeue, emptyBook, enqueue, firstAt, shrink } from '../../src/engine/book/book.ts'
import type { Side } from '../../src/engine/command.ts'

/** Neighbours of rows in their levels. */
export class Links {
  readonly #rows: Int32Array

  constructor(rows: number) {
    this.#rows = new Int32Array(rows)
  }

  at(row: number): number {
    return this.#rows[row]
  }

  set(row: number, to: number): void {
    this.#rows[row] = to
  }
}

/** The columns of the orders table that a book needs. */
class Orders {
  readonly previous: Links
  readonly next: Links
  readonly price: Int32Array
  readonly left: Float64Array
  readonly sell: Uint8Array

  constructor(rows: number) {
    this.previous = new Links(rows)
    this.next = new Links(rows)
    this.price = new Int32Array(rows)
    this.left = new Float64Array(rows)
    this.sell = new Uint8Array(rows)
  }

  sideOf(row: number): Side {
    return this.sell[row] === 1 ? 'sell' : 'buy'
  }
}

export class Market {
  readonly book: Book = emptyBook()
  readonly orders: Orders
  /** Told of every order that was filled. */
  onFilled: ((row: number) => void) | undefined

  constructor(rows: number) {
    this.orders = new Orders(rows)
  }

  get resting(): number {
    return this.orders.left.reduce((sum, left) => sum + (left > 0 ? 1 : 0), 0)
  }

  limit(row: number, side: Side, price: number, lots: number): boolean {
    const left = this.sweep(side, price, lots)
    if (left === 0) return false
    this.rest(row, side, price, left)
    return true
  }

  rest(row: number, side: Side, price: number, lots: number): void {
    const { orders } = this
    orders.price[row] = price
    orders.left[row] = lots
    orders.sell[row] = side === 'sell' ? 1 : 0
    enqueue(this.book, orders, row, side, price, lots)
  }

  cancel(row: number): void {
    const { orders } = this
    dequeue(this.book, orders, row, orders.sideOf(row), orders.price[row], orders.left[row])
    orders.left[row] = 0
  }

  /** Takes what the other side offers up to a price; answers what is left. */
  sweep(side: Side, priceLimit: number, lots: number): number {
    const { book, orders } = this
    const other: Side = side === 'buy' ? 'sell' : 'buy'
    let left = lots
    for (let price = bestPrice(book, other); price !== 0 && left > 0; price = bestPrice(book, other)) {
      if (side === 'buy' ? price > priceLimit : price < priceLimit) break
      const maker = firstAt(book, other, price)
      const taken = Math.min(left, orders.left[maker])
      left -= taken
      orders.left[maker] -= taken
      shrink(book, other, price, taken)
      if (orders.left[maker] > 0) break
      dequeue(book, orders, maker, other, price, 0)
      this.onFilled?.(maker)
    }
    return left
  }
}
