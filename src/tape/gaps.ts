/**
 * Where a recording has nothing: a distance between two rows of its book, of its trades or of its candles that is too long.
 *
 * Candles   one is missing where two are further apart than the closest two of the block
 */
import { type Block, rowKind } from './columns.ts'

const book = 0
const trades = 1
const candles = 2
const streamNames = ['the book', 'trades', 'candles']

export class Gaps {
  readonly #gapUs: number
  /** The time of the last row of each stream. */
  readonly #last = [Number.NaN, Number.NaN, Number.NaN]
  #candleUs = Number.POSITIVE_INFINITY
  #count = 0
  #longestUs = 0
  #first: string | null = null

  constructor(gapMs: number) {
    this.#gapUs = gapMs * 1_000
  }

  see({ times, kinds, length }: Block): void {
    this.#learnCandle(times, kinds, length)
    for (let at = 0; at < length; at++) {
      const stream = streamOf(kinds[at])
      if (stream === undefined) continue
      const time = times[at]
      const distance = time - this.#last[stream]
      if (distance > (stream === candles ? this.#candleUs : this.#gapUs)) this.#note(stream, distance)
      this.#last[stream] = time
    }
  }

  report() {
    return { count: this.#count, longestMs: Math.round(this.#longestUs / 1_000), first: this.#first }
  }

  #note(stream: number, distance: number): void {
    this.#count += 1
    this.#longestUs = Math.max(this.#longestUs, distance)
    const at = new Date(Math.floor(this.#last[stream] / 1_000)).toISOString()
    this.#first ??= `${streamNames[stream]}: nothing for ${Math.round(distance / 1_000)} ms after ${at}`
  }

  #learnCandle(times: Float64Array, kinds: Uint8Array, length: number): void {
    let last = Number.NaN
    for (let at = 0; at < length; at++) {
      if (kinds[at] !== rowKind.candle) continue
      const distance = times[at] - last
      if (distance > 0 && distance < this.#candleUs) this.#candleUs = distance
      last = times[at]
    }
  }
}

function streamOf(kind: number): number | undefined {
  if (kind <= rowKind.ask || kind === rowKind.clear) return book
  if (kind <= rowKind.sell) return trades
  return kind === rowKind.candle ? candles : undefined
}
