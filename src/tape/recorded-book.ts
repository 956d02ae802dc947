/**
 * The book that a recording says, level by level, and which of two levels that meet is the older one.
 *
 * Sides   each sorted with the best at its end, where nearly all that changes is
 * Units   prices and amounts as in the rows
 */

interface Level {
  price: number
  amount: number
  /** Counts what was set, whichever side. */
  readonly change: number
}

export class RecordedBook {
  /** Upwards. */
  readonly bids: Level[] = []
  /** Downwards. */
  readonly asks: Level[] = []
  #changes = 0

  clear(): void {
    this.bids.length = 0
    this.asks.length = 0
  }

  set(isBid: boolean, price: number, amount: number): void {
    const levels = isBid ? this.bids : this.asks
    const at = placeOf(levels, isBid ? 1 : -1, price)
    const isThere = at < levels.length && levels[at].price === price
    this.#changes += 1
    if (amount > 0) levels.splice(at, isThere ? 1 : 0, { price, amount, change: this.#changes })
    else if (isThere) levels.splice(at, 1)
  }

  /** Takes away what a newer level meets, and answers it; undefined: no two levels meet. */
  uncross(): { readonly isBid: boolean; readonly price: number } | undefined {
    const bid = this.bids.at(-1)
    const ask = this.asks.at(-1)
    if (bid === undefined || ask === undefined || bid.price < ask.price) return undefined
    const isBid = bid.change < ask.change
    const { price } = isBid ? bid : ask
    if (isBid) this.bids.pop()
    else this.asks.pop()
    return { isBid, price }
  }

  /** Prices or amounts have more decimals from now on. */
  rescale(field: 'price' | 'amount', factor: number): void {
    for (const level of [...this.bids, ...this.asks]) level[field] *= factor
  }
}

/** Where a price is, or belongs. */
function placeOf(levels: readonly Level[], upwards: 1 | -1, price: number): number {
  let low = 0
  let high = levels.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((levels[middle].price - price) * upwards < 0) low = middle + 1
    else high = middle
  }
  return low
}
