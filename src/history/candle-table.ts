/**
 * Minutes and quarters of an hour as a table, and the events that they are made of on their way to it.
 *
 * Key      instrument, price, span and start: a row is replaced while its span runs
 * Sums     are text: a minute of many trades may count more lots than 64 bits hold
 * Crossing trades come as rows of their own table; changes of mark and index come as rows that are kept nowhere else
 */
import { ticks } from '../engine/numbers/numbers.ts'
import type { PricesChanged } from '../engine/protocol/event.ts'
import type { Candle, PriceKind } from './candles.ts'
import { type CellsOf, columnKinds, whole } from './columns.ts'

/** Of one instrument and price; `spanMs` is a minute or a quarter of an hour. */
export interface StoredCandle extends Candle {
  readonly instrument: number
  readonly priceKind: PriceKind
  readonly spanMs: number
}

const candle = columnKinds<StoredCandle>()

export const candleColumns = {
  instrument_id: candle.number((row) => row.instrument),
  price_kind: candle.word((row) => row.priceKind),
  span_ms: candle.number((row) => row.spanMs),
  start_ms: candle.number((row) => row.start),
  open_ticks: candle.number((row) => row.openPrice),
  high_ticks: candle.number((row) => row.highPrice),
  low_ticks: candle.number((row) => row.lowPrice),
  close_ticks: candle.number((row) => row.closePrice),
  quantity_lots: candle.text((row) => String(row.quantity)),
  ticks_times_lots: candle.text((row) => String(row.ticksTimesLots)),
  lots_per_tick_e12: candle.text((row) => String(row.lotsPerTick)),
}

export const candleKey = ['instrument_id', 'price_kind', 'span_ms', 'start_ms'] as const

export type CandleCells = CellsOf<typeof candleColumns>

export function readCandle(cells: CandleCells): StoredCandle {
  return {
    instrument: whole(cells.instrument_id),
    priceKind: cells.price_kind,
    spanMs: whole(cells.span_ms),
    start: whole(cells.start_ms),
    openPrice: ticks(whole(cells.open_ticks)),
    highPrice: ticks(whole(cells.high_ticks)),
    lowPrice: ticks(whole(cells.low_ticks)),
    closePrice: ticks(whole(cells.close_ticks)),
    quantity: BigInt(cells.quantity_lots),
    ticksTimesLots: BigInt(cells.ticks_times_lots),
    lotsPerTick: BigInt(cells.lots_per_tick_e12),
  }
}

const change = columnKinds<PricesChanged>()

export const priceChangeColumns = {
  instrument_id: change.number((row) => row.instrument),
  mark_ticks: change.number((row) => row.markPrice),
  index_ticks: change.number((row) => row.indexPrice),
  at_ms: change.number((row) => row.at),
}
