/**
 * Makes the candles that are kept: each trade and each change of a mark or index goes into its minute and its quarter of
 * an hour.
 *
 * Holds    the spans that run are in memory and are put into the table before a commit and before a read, within the
 *          transaction of the events that they are made of; one that was begun before a restart goes on from its row
 */
import { lots, type Lots, type Millis, ticks, type Ticks } from '../engine/numbers/numbers.ts'
import { addPrice, addTrade, flatCandle, minuteMs, type PriceKind, quarterMs } from './candles.ts'
import { candleColumns, type CandleCells, readCandle, type StoredCandle } from './candle-table.ts'
import type { Cell } from './columns.ts'

export interface CandleRows {
  find(...key: readonly Cell[]): unknown
  put(cells: Cell[]): void
}

const spans = [minuteMs, quarterMs]
const columns = Object.values(candleColumns)

export class CandleMaker {
  readonly #rows: CandleRows
  /** By price and instrument: the spans that run. */
  readonly #running = new Map<string, StoredCandle[]>()
  readonly #changed = new Set<StoredCandle[]>()

  constructor(rows: CandleRows) {
    this.#rows = rows
  }

  addTrade(instrument: number, price: number, quantity: number, at: Millis): void {
    const trade: { price: Ticks; quantity: Lots } = { price: ticks(price), quantity: lots(quantity) }
    for (const candle of this.#at('market', instrument, trade.price, at)) addTrade(candle, trade)
  }

  addPrices(instrument: number, mark: number, index: number, at: Millis): void {
    for (const candle of this.#at('mark', instrument, ticks(mark), at)) addPrice(candle, ticks(mark))
    for (const candle of this.#at('index', instrument, ticks(index), at)) addPrice(candle, ticks(index))
  }

  /** What has changed is in the table. */
  flush(): void {
    for (const candles of this.#changed) for (const candle of candles) this.#put(candle)
    this.#changed.clear()
  }

  /** Rows may have gone from the table: what comes next looks there again. */
  forget(): void {
    this.flush()
    this.#running.clear()
  }

  /** The spans of a moment, as they stand. */
  #at(priceKind: PriceKind, instrument: number, price: Ticks, at: Millis): readonly StoredCandle[] {
    const name = `${priceKind} ${instrument}`
    let running = this.#running.get(name)
    if (running === undefined) this.#running.set(name, (running = []))
    for (const [place, spanMs] of spans.entries()) {
      const start = at - (at % spanMs)
      const before = running[place]
      if (before?.start === start) continue
      if (before !== undefined && this.#changed.has(running)) this.#put(before)
      const found = this.#rows.find(instrument, priceKind, spanMs, start) as CandleCells | undefined
      running[place] = found ? readCandle(found) : { ...flatCandle(start, price), instrument, priceKind, spanMs }
    }
    this.#changed.add(running)
    return running
  }

  #put(candle: StoredCandle): void {
    this.#rows.put(columns.map((column) => column.take(candle) as Cell))
  }
}
