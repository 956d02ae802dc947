/**
 * What was before a venue was: candles and funding rates up to its beginning, and how they are joined with its own.
 *
 * Port     who makes a past is not known here; it answers at once, from no store
 * Seam     all of a past lies before its end, a full minute, and all that the venue did lies behind it: both are simply joined
 * Kept     as long as the venue's own first day is; without that there would be a hole between the two
 * Source   interface.md E10; docs/market.md
 */
import type { InstrumentId } from '../engine/catalog/catalog.ts'
import type { Millis } from '../engine/numbers/numbers.ts'
import type { FundingSettled } from '../engine/protocol/event.ts'
import {
  addCandle,
  type Answer,
  type Candle,
  type History,
  type PriceKind,
  type ReadQuery,
} from '../history/history.ts'

export interface Past {
  /** Unix milliseconds, a full minute: where the past of an instrument ends; undefined: it has none. */
  endOf(instrument: InstrumentId): Millis | undefined
  /** As History.candles answers, of what was before the end. */
  candles(query: ReadQuery<'candles'>): Answer<'candles'>
  /** Newest first, all of them. */
  fundingRates(instrument: InstrumentId): readonly FundingSettled[]
}

/** So long are records served after a moment, those of the past from its end on. */
const servedMs = 90 * 86_400_000

/** The records of a venue as they are served now, with those of the past before them. */
export function joinedRecords(
  history: Pick<History, 'candles' | 'fundingRates'>,
  past: Past,
  now: Millis,
): Pick<History, 'candles' | 'fundingRates'> {
  return {
    async candles(query) {
      const own = await history.candles(query)
      const end = past.endOf(query.instrument)
      if (end === undefined) return own
      if (now - end <= servedMs) return joined(past.candles(query), own)
      // Its last price still holds where nothing was traded since.
      const isBehind = query.bounds[0] >= end && own.before === undefined
      return isBehind ? { ...own, before: past.candles(query).before } : own
    },
    async fundingRates(query) {
      const own = await history.fundingRates(query)
      const end = past.endOf(query.instrument)
      if (own.length === query.limit || end === undefined || now - end > servedMs) return own
      // How many there are of its own is known where they end.
      const skipped =
        own.length > 0 || query.offset === 0
          ? 0
          : query.offset - (await history.fundingRates({ ...query, offset: 0, limit: query.offset })).length
      const older = past.fundingRates(query.instrument)
      return [...own, ...older.slice(skipped, skipped + query.limit - own.length)]
    },
  }
}

function joined(past: Answer<'candles'>, own: Answer<'candles'>): Answer<'candles'> {
  const before = own.before ?? past.before
  const [last, first] = [past.candles.at(-1), own.candles[0]]
  if (last === undefined || last.start !== first?.start) return { before, candles: [...past.candles, ...own.candles] }
  const both = { ...last }
  addCandle(both, first)
  return { before, candles: [...past.candles.slice(0, -1), both, ...own.candles.slice(1)] }
}

type Found = Answer<'candles'>

/** One price of one instrument, as those look back on it who keep only what was since. */
export class Earlier {
  readonly #past: Past
  readonly #of: { readonly instrument: InstrumentId; readonly priceKind: PriceKind }
  /** What was asked last by each name. */
  readonly #asked = new Map<string, { readonly from: Millis; readonly found: Found }>()

  constructor(past: Past, instrument: InstrumentId, priceKind: PriceKind) {
    this.#past = past
    this.#of = { instrument, priceKind }
  }

  /** The last price before a moment, and what happened from then to the end of the past. `name`: for whom it is remembered. */
  since(from: Millis, name: string): { readonly before: Found['before']; readonly candle: Candle | undefined } {
    let asked = this.#asked.get(name)
    if (asked?.from !== from) {
      asked = { from, found: this.#find(from) }
      this.#asked.set(name, asked)
    }
    const { before, candles } = asked.found
    return { before, candle: candles[0] }
  }

  #find(from: Millis): Found {
    const end = this.#past.endOf(this.#of.instrument)
    if (end === undefined) return { before: undefined, candles: [] }
    return this.#past.candles({ ...this.#of, bounds: [from, Math.max(from, end)] })
  }
}
