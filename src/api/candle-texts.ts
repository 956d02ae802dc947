/**
 * Candles as JSON: the texts of those that are over are kept, and the running one is added.
 *
 * Kept     for requests without a window, by instrument, price, interval and limit, as long as the same interval runs
 * Anew     when the instrument is listed otherwise, rows of the history have gone, or something came late or was taken back
 *          (`Market.closedCandles`)
 * Bound    a form keeps so many bytes; what was asked for longest ago goes first
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import { type Candle, intervalsAfter, intervalStart } from '../market/market.ts'
import { type CandlesAsked, candlesAsked } from './candles.ts'
import type { Context } from './endpoint.ts'
import { type JsonText, listText } from './json-text.ts'

/** What a kept text holds for. */
interface Under {
  readonly instrument: Instrument
  /** Start of the candle that runs. */
  readonly start: number
  readonly closed: object
  readonly generation: number | undefined
}

interface KeptCandles extends Under {
  /** The rows, without the brackets of their list. */
  readonly text: string
}

const keptBytesMax = 8 * 1024 * 1024

export class CandleTexts<Row> {
  readonly #show: (candle: Candle, instrument: Instrument) => Row
  readonly #bytesMax: number
  /** What was asked for longest ago comes first. */
  readonly #kept = new Map<string, KeptCandles>()
  #bytes = 0

  constructor(show: (candle: Candle, instrument: Instrument) => Row, bytesMax = keptBytesMax) {
    this.#show = show
    this.#bytesMax = bytesMax
  }

  /** As `candlesAsked`. */
  async listOf(context: Context, instrument: Instrument, asked: CandlesAsked): Promise<JsonText<Row[]>> {
    const { history, market, now } = context
    const { priceKind, interval, limit } = asked
    const start = intervalStart(interval, now)
    const span = { from: intervalsAfter(interval, start, 1 - limit), now }
    const { generation } = history
    const isNewest = asked.startTime === undefined && asked.endTime === undefined
    const closed =
      isNewest && generation !== undefined ? market.closedCandles(instrument.id, priceKind, span) : undefined
    if (closed === undefined) {
      const candles = await candlesAsked(context, instrument, asked)
      return listText(candles.map((candle) => this.#text(candle, instrument)))
    }
    const running = market.candle(instrument.id, priceKind, interval, now)
    const name = `${instrument.id} ${priceKind} ${interval} ${limit}`
    const under = { instrument, start, closed, generation }
    let text = this.#found(name, under)
    if (text === undefined) {
      const over = await candlesAsked(context, instrument, { ...asked, endTime: start, limit: limit - 1 })
      text = over.map((candle) => this.#text(candle, instrument)).join(',')
      this.#keep(name, { ...under, text })
    }
    const rows = running === undefined ? [text] : [text, this.#text(running, instrument)]
    return listText(rows.filter((row) => row !== ''))
  }

  #text(candle: Candle, instrument: Instrument): string {
    return JSON.stringify(this.#show(candle, instrument))
  }

  #found(name: string, { instrument, start, closed, generation }: Under): string | undefined {
    const kept = this.#kept.get(name)
    if (kept?.closed !== closed || kept.start !== start) return undefined
    if (kept.generation !== generation || kept.instrument !== instrument) return undefined
    this.#kept.delete(name)
    this.#kept.set(name, kept)
    return kept.text
  }

  #keep(name: string, kept: KeptCandles): void {
    this.#drop(name)
    this.#kept.set(name, kept)
    this.#bytes += kept.text.length
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#bytesMax) return
      this.#drop(oldest)
    }
  }

  #drop(name: string): void {
    this.#bytes -= this.#kept.get(name)?.text.length ?? 0
    this.#kept.delete(name)
  }
}
