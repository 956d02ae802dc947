/**
 * The window of a request for candles, and its candles.
 *
 * Window    `startTime` lies in the first candle, and candles begin before `endTime`; of more than `limit` the newest are
 *           answered, and with `startTime` alone the first ones after it
 * Refused   a start after the end (40707), and on the history paths a span over 90 days (40705)
 * Order     oldest first, the running candle included
 * Source    wire/client-endpoints.md §4; wire/v3-endpoints.md §1; wire/rate-limits-and-filters.md §4
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import { type Candle, type Interval, type PriceKind, readCandles } from '../market/market.ts'
import type { Context } from './endpoint.ts'
import { ApiError } from './errors/errors.ts'
import { isOverHistory } from './parsing/time-window.ts'

export interface CandlesAsked {
  readonly priceKind: PriceKind
  readonly interval: Interval
  readonly startTime?: number | undefined
  readonly endTime?: number | undefined
  readonly limit: number
}

export async function candlesAsked(
  { history, market, now }: Context,
  instrument: Instrument,
  { priceKind, interval, startTime: from, endTime: to, limit }: CandlesAsked,
): Promise<readonly Candle[]> {
  if (from !== undefined && to !== undefined && from > to) throw new ApiError('40707')
  return readCandles(
    market.records(history, now),
    { instrument: instrument.id, priceKind, interval, from, to, limit },
    now,
  )
}

/** Refuses a window over more than the history paths allow. */
export function checkPastSpan(
  { now }: Context,
  { startTime, endTime = now }: Pick<CandlesAsked, 'startTime' | 'endTime'>,
): void {
  if (startTime !== undefined && isOverHistory(endTime - startTime)) throw new ApiError('40705')
}
