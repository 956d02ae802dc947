/**
 * What was before a venue was, as it is asked for, and as those look back on it who keep only what was since.
 *
 * Port     who makes a past is not known here; it answers at once, from no store
 * Seam     all of a past lies before its end, a full minute, and all that the venue did lies behind it: both are simply joined
 * Source   interface.md E10; docs/market.md
 */
import type { InstrumentId } from '../engine/catalog/catalog.ts'
import type { Millis, Ticks } from '../engine/numbers/numbers.ts'
import type { FundingSettled } from '../engine/protocol/event.ts'
import type { Candle, PriceKind, ReadQuery } from '../history/history.ts'

/** One price of one instrument. */
export interface PriceOf {
  readonly instrument: InstrumentId
  readonly priceKind: PriceKind
}

export interface Past {
  /** Unix milliseconds, full minutes: from where to where an instrument has a past; undefined: it has none. */
  spanOf(instrument: InstrumentId): { readonly from: Millis; readonly to: Millis } | undefined
  /** Between bounds of whole minutes, oldest first; a span in which nothing happened has none. */
  candles(query: ReadQuery<'candles'>): readonly Candle[]
  /** The last one before a moment; undefined: there was none yet. */
  priceBefore(of: PriceOf, moment: Millis): Ticks | undefined
  /** Newest first, all of them. */
  fundingRates(instrument: InstrumentId): readonly FundingSettled[]
  /** How many hours were made until now: what answers cost. */
  readonly hoursMade: number
}

/** What was before a moment, and from then to the end of the past. */
interface Found {
  readonly before: Ticks | undefined
  /** Undefined: nothing happened. */
  readonly candle: Candle | undefined
}

/** One price of one instrument, as those look back on it who keep only what was since. */
export class Earlier {
  readonly #past: Past
  readonly #of: PriceOf
  /** What was asked last by each name. */
  readonly #asked = new Map<string, { readonly from: Millis; readonly found: Found }>()

  constructor(past: Past, instrument: InstrumentId, priceKind: PriceKind) {
    this.#past = past
    this.#of = { instrument, priceKind }
  }

  /** `name`: for whom it is remembered. */
  since(from: Millis, name: string): Found {
    let asked = this.#asked.get(name)
    if (asked?.from !== from) {
      asked = { from, found: this.#find(from) }
      this.#asked.set(name, asked)
    }
    return asked.found
  }

  #find(from: Millis): Found {
    const span = this.#past.spanOf(this.#of.instrument)
    if (span === undefined) return { before: undefined, candle: undefined }
    const [candle] = from < span.to ? this.#past.candles({ ...this.#of, bounds: [from, span.to] }) : []
    return { before: this.#past.priceBefore(this.#of, from), candle }
  }
}
