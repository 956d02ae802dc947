/** The book of one instrument from its pushes: each says which one came before it, and one that is missing is noticed. */
import type { Push } from './sockets.ts'

type Level = readonly [price: string, size: string]

export class Book {
  readonly #bids = new Map<number, number>()
  readonly #asks = new Map<number, number>()
  #seq: number | undefined
  #at = 0

  /** False: it does not fit, and the book is worth nothing. */
  take({ action, data: [row] }: Push): boolean {
    const {
      a = [],
      b = [],
      seq,
      pseq,
    } = row as { a?: Level[]; b?: Level[]; seq: string | number; pseq: string | number }
    if (action === 'snapshot') {
      this.#bids.clear()
      this.#asks.clear()
    } else if (Number(pseq) !== this.#seq) {
      this.#seq = undefined
      return false
    }
    change(this.#bids, b)
    change(this.#asks, a)
    this.#seq = Number(seq)
    this.#at = Date.now()
    return true
  }

  forget(): void {
    this.#seq = undefined
  }

  /** Undefined: not known, or a side is empty, or nothing was heard for a while. */
  mid(ageMsMax: number): number | undefined {
    if (this.#seq === undefined || Date.now() - this.#at > ageMsMax) return undefined
    if (this.#bids.size === 0 || this.#asks.size === 0) return undefined
    const [bid, ask] = [Math.max(...this.#bids.keys()), Math.min(...this.#asks.keys())]
    return bid < ask ? (bid + ask) / 2 : undefined
  }
}

function change(side: Map<number, number>, levels: readonly Level[]): void {
  for (const [price, size] of levels) {
    if (Number(size) === 0) side.delete(Number(price))
    else side.set(Number(price), Number(size))
  }
}
