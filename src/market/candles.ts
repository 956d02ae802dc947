/**
 * Candles of any interval from the history.
 *
 * Quiet        an interval without a trade stands at the last price, with nothing traded; before the first trade there
 *              is none
 * Mark, index  hold between two changes: a candle of theirs begins with the price that was
 * Source       wire/client-endpoints.md §4; wire/v3-endpoints.md §1
 */
import type { InstrumentId } from '../engine/catalog/catalog.ts'
import type { Millis, Ticks } from '../engine/numbers/numbers.ts'
import { type Candle, flatCandle, type History, type PriceKind } from '../history/history.ts'
import { type Interval, intervalsAfter, intervalStart } from './intervals.ts'

export interface CandlesQuery {
  readonly instrument: InstrumentId
  readonly priceKind: PriceKind
  readonly interval: Interval
  /** The first candle is the one that this lies in. */
  readonly from?: Millis | undefined
  /** Candles that begin before it. */
  readonly to?: Millis | undefined
  readonly limit: number
}

/** Oldest first, the running one included: the newest `limit` before `to`, or with `from` alone the first ones. */
export async function readCandles(
  history: Pick<History, 'candles'>,
  { instrument, priceKind, interval, from, to, limit }: CandlesQuery,
  now: Millis,
): Promise<readonly Candle[]> {
  const newest = intervalStart(interval, Math.min(now, (to ?? now + 1) - 1))
  const oldest = from === undefined ? undefined : intervalStart(interval, from)
  const last =
    oldest === undefined || to !== undefined ? newest : Math.min(newest, intervalsAfter(interval, oldest, limit - 1))
  const first = Math.max(intervalsAfter(interval, last, 1 - limit), oldest ?? 0, 0)
  const bounds: Millis[] = []
  for (let start = intervalStart(interval, first); start <= last; start = intervalsAfter(interval, start, 1)) {
    bounds.push(start)
  }
  if (bounds.length === 0) return []
  const end = intervalsAfter(interval, last, 1)
  const { before, candles } = await history.candles({ instrument, priceKind, bounds: [...bounds, end] })
  return filled(priceKind, bounds, before, candles)
}

/** A candle for each bound from the first price on. */
function filled(
  priceKind: PriceKind,
  bounds: readonly Millis[],
  before: Ticks | undefined,
  candles: readonly Candle[],
): Candle[] {
  const shown: Candle[] = []
  let last = before
  let next = 0
  for (const start of bounds) {
    const candle = candles[next]?.start === start ? candles[next++] : undefined
    const drawn = shownCandle(priceKind, start, last, candle)
    if (drawn === undefined) continue
    shown.push(drawn)
    last = drawn.closePrice
  }
  return shown
}

/** What an interval shows: `before` is the last price before it, `candle` what happened in it. */
export function shownCandle(
  priceKind: PriceKind,
  start: Millis,
  before: Ticks | undefined,
  candle: Candle | undefined,
): Candle | undefined {
  if (candle === undefined) return before === undefined ? undefined : flatCandle(start, before)
  if (priceKind === 'market' || before === undefined) return candle
  return {
    ...candle,
    openPrice: before,
    highPrice: before > candle.highPrice ? before : candle.highPrice,
    lowPrice: before < candle.lowPrice ? before : candle.lowPrice,
  }
}
