/**
 * The order books of the package registry, behind the three operations of a tape.
 *
 * Same     every operation of a tape is one that both packages have, so none is skipped
 * Ids      texts, as both ask for; made before the clock runs. What an operation answers is dropped
 */
import { OrderBook as HftBook } from 'hft-limit-order-book'
import { OrderBook as NodejsBook } from 'nodejs-order-book'
import type { Side } from '../../src/engine/vocabulary.ts'
import { kinds, type Opening, type Tape } from './tape.ts'

/** What both packages offer, as far as a tape needs it. */
interface PackageBook {
  limit(order: { readonly id: string; readonly side: Side; readonly size: number; readonly price: number }): unknown
  market(order: { readonly side: Side; readonly size: number }): unknown
  cancel(id: string): unknown
  snapshot(): { readonly bids: readonly PackageLevel[]; readonly asks: readonly PackageLevel[] }
}

interface PackageLevel {
  readonly orders: readonly unknown[]
}

/** Their own types name the sides by enumerations of the same words. */
const books = {
  'nodejs-order-book': NodejsBook as unknown as new () => PackageBook,
  'hft-limit-order-book': HftBook as unknown as new () => PackageBook,
}
export type PackageName = keyof typeof books
export const packages = Object.keys(books) as PackageName[]

export class Peer {
  readonly #book: PackageBook
  readonly #ids: readonly string[]

  constructor(name: PackageName, opening: Opening, tape: Tape) {
    const resting = opening.sell.length
    this.#book = new books[name]()
    this.#ids = Array.from({ length: resting + tape.kind.length + 1 }, (_, row) => `order-${row}`)
    for (let index = 0; index < resting; index++) {
      const side = opening.sell[index] === 1 ? 'sell' : 'buy'
      this.#book.limit({ id: this.#ids[index + 1], side, size: opening.lots[index], price: opening.price[index] })
    }
  }

  /** The first `count` operations of a tape. */
  play({ kind, row, sell, price, lots }: Tape, count: number): void {
    const ids = this.#ids
    const book = this.#book
    for (let index = 0; index < count; index++) {
      const side: Side = sell[index] === 1 ? 'sell' : 'buy'
      const size = lots[index]
      if (kind[index] === kinds.limit) book.limit({ id: ids[row[index]], side, size, price: price[index] })
      else if (kind[index] === kinds.cancel) book.cancel(ids[row[index]])
      else book.market({ side, size })
    }
  }

  get resting(): number {
    const { bids, asks } = this.#book.snapshot()
    return [...bids, ...asks].reduce((sum, { orders }) => sum + orders.length, 0)
  }
}
