/**
 * One order book as its public channel pushes it: a snapshot, then changes, each behind the one before.
 *
 * Holds     the levels are those of the venue after the last push; a push that does not follow on is a gap, and the book is
 *           then worth nothing
 * Texts     prices and quantities stay the texts that they came as; levels are ordered by their digits, never rounded
 * Source    docs/streams.md "What holds: sequence and checksum"
 */

export type Level = readonly [price: string, quantity: string]

export interface BookPush {
  readonly action: 'snapshot' | 'update'
  readonly data: readonly {
    readonly a: readonly Level[]
    readonly b: readonly Level[]
    readonly seq: number
    readonly pseq: number
    readonly ts: string
  }[]
}

/** A push went missing. */
export class BookGap extends Error {
  override name = 'BookGap'
}

export interface BookShown {
  readonly sequence: number
  readonly at: number
  /** Best first. */
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
}

export class LiveBook {
  readonly #bids = new Map<string, string>()
  readonly #asks = new Map<string, string>()
  #sequence = 0
  #at = 0

  take({ action, data }: BookPush): void {
    for (const { a, b, seq, pseq, ts } of data) {
      if (action === 'snapshot') {
        this.#bids.clear()
        this.#asks.clear()
      } else if (pseq !== this.#sequence) {
        throw new BookGap(`push ${seq} follows ${pseq}, and ${this.#sequence} was the last`)
      }
      change(this.#asks, a)
      change(this.#bids, b)
      this.#sequence = seq
      this.#at = Number(ts)
    }
  }

  shown(depth: number): BookShown {
    const asks = [...this.#asks].sort(([first], [second]) => compareDecimals(first, second)).slice(0, depth)
    const bids = [...this.#bids].sort(([first], [second]) => compareDecimals(second, first)).slice(0, depth)
    return { sequence: this.#sequence, at: this.#at, bids, asks }
  }
}

function change(side: Map<string, string>, levels: readonly Level[]): void {
  for (const [price, quantity] of levels) {
    if (/^[0.]+$/.test(quantity)) side.delete(price)
    else side.set(price, quantity)
  }
}

/** Of two decimals without signs: by their whole parts, then digit by digit. */
export function compareDecimals(first: string, second: string): number {
  const [whole, fraction = ''] = first.split('.')
  const [secondWhole, secondFraction = ''] = second.split('.')
  const digits = Math.max(fraction.length, secondFraction.length)
  const scaled = (start: string, end: string) => BigInt(start + end.padEnd(digits, '0'))
  const difference = scaled(whole, fraction) - scaled(secondWhole, secondFraction)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
