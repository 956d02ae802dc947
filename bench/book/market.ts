/**
 * A market to play on: src/engine/book with the least of an orders table beside it.
 *
 * Rows   number orders from 1; whoever plays gives each its row
 */
import { sideOf } from '../../src/engine/book/book.ts'
import { bestPrice, type Book, dequeue, emptyBook, enqueue, firstAt, shrink } from '../../src/engine/book/book.ts'
import type { Side } from '../../src/engine/vocabulary.ts'

/** 32-bit words from one record to the next. */
const words = 8
const wordBytes = 4
/** Before them, in two words, lies what is left. */
const [previousWord, nextWord, priceWord, sellWord] = [2, 3, 4, 5]

/** Neighbours of rows in their levels: a word of each record. */
class Links {
  readonly #words: Int32Array
  readonly #word: number

  constructor(records: Int32Array, word: number) {
    this.#words = records
    this.#word = word
  }

  at(row: number): number {
    return this.#words[row * words + this.#word]
  }

  set(row: number, to: number): void {
    this.#words[row * words + this.#word] = to
  }
}

/** What a book needs of the orders table, side by side as there. */
export class Orders {
  readonly previous: Links
  readonly next: Links
  readonly #words: Int32Array
  readonly #numbers: Float64Array

  constructor(rows: number) {
    const buffer = new ArrayBuffer(rows * words * wordBytes)
    this.#words = new Int32Array(buffer)
    this.#numbers = new Float64Array(buffer)
    this.previous = new Links(this.#words, previousWord)
    this.next = new Links(this.#words, nextWord)
  }

  write(row: number, side: Side, price: number, left: number): void {
    this.#words[row * words + priceWord] = price
    this.#words[row * words + sellWord] = side === 'sell' ? 1 : 0
    this.setLeft(row, left)
  }

  priceOf(row: number): number {
    return this.#words[row * words + priceWord]
  }

  sideOf(row: number): Side {
    return this.#words[row * words + sellWord] === 1 ? 'sell' : 'buy'
  }

  leftOf(row: number): number {
    return this.#numbers[row * (words / 2)]
  }

  setLeft(row: number, left: number): void {
    this.#numbers[row * (words / 2)] = left
  }
}

export class Market {
  readonly book: Book = emptyBook()
  readonly orders: Orders
  readonly rows: number
  /** Called with every order that was filled. */
  onFilled: ((row: number) => void) | undefined

  constructor(rows: number) {
    this.rows = rows
    this.orders = new Orders(rows)
  }

  get resting(): number {
    let resting = 0
    for (let row = 1; row < this.rows; row++) if (this.orders.leftOf(row) > 0) resting++
    return resting
  }

  limit(row: number, side: Side, price: number, lots: number): boolean {
    const left = this.sweep(side, price, lots)
    if (left === 0) return false
    this.rest(row, side, price, left)
    return true
  }

  rest(row: number, side: Side, price: number, lots: number): void {
    const { orders } = this
    orders.write(row, side, price, lots)
    enqueue(sideOf(this.book, side), orders, row, price, lots)
  }

  cancel(row: number): void {
    const { orders } = this
    dequeue(sideOf(this.book, orders.sideOf(row)), orders, row, orders.priceOf(row), orders.leftOf(row))
    orders.setLeft(row, 0)
  }

  /** Takes what the other side offers up to a price; answers what is left. */
  sweep(side: Side, priceLimit: number, lots: number): number {
    const { book, orders } = this
    const other: Side = side === 'buy' ? 'sell' : 'buy'
    let left = lots
    for (let price = bestPrice(book, other); price !== 0 && left > 0; price = bestPrice(book, other)) {
      if (side === 'buy' ? price > priceLimit : price < priceLimit) break
      const maker = firstAt(book, other, price)
      const offered = orders.leftOf(maker)
      const taken = Math.min(left, offered)
      left -= taken
      orders.setLeft(maker, offered - taken)
      shrink(book, other, price, taken)
      if (taken < offered) break
      dequeue(sideOf(book, other), orders, maker, price, 0)
      this.onFilled?.(maker)
    }
    return left
  }
}
