/**
 * The past of one price of one instrument: the candle of any span of whole minutes.
 *
 * Sums     an hour is the sum of its minutes, noted when it is first looked at; a longer span is the sum of its hours and of the
 *          minutes at its ends. So every candle is exactly what its minutes are, whatever the interval
 * Memory   eight numbers an hour once looked at (125 kB for 90 days), and the minutes of one hour
 */
import { type Millis, ticks, type Ticks } from '../../engine/numbers/numbers.ts'
import type { Candle } from '../../history/history.ts'
import type { WalkSpan } from './coin-walk.ts'
import { emptyMinutes, type HourTerms, type Minutes, writeHour } from './instrument-hour.ts'

const minuteMs = 60_000
const hourMs = 3_600_000

/** What is added up; prices of zero: nothing yet. */
class Sum {
  open = 0
  high = 0
  low = 0
  close = 0
  lots = 0n
  ticksTimesLots = 0n
  lotsPerTick = 0n

  add(open: number, high: number, low: number, close: number): void {
    if (this.open === 0) [this.open, this.high, this.low] = [open, high, low]
    if (high > this.high) this.high = high
    if (low < this.low) this.low = low
    this.close = close
  }
}

export class InstrumentPast {
  readonly #terms: HourTerms
  readonly #span: WalkSpan
  readonly #minutes: Minutes = emptyMinutes()
  /** Which hour they are of. */
  #hour = -1
  #count = 0
  /** How many hours were made, again or for the first time. */
  hoursMade = 0
  /** Of each hour, where `open` is not undefined; the sums are whole, and exact: instrument-hour.ts. */
  readonly #noted: Uint8Array
  readonly #prices: Float64Array
  /** Lots, lots × (price - open) in ticks, lots per tick. */
  readonly #traded: Float64Array

  constructor(terms: HourTerms, span: WalkSpan) {
    this.#terms = terms
    this.#span = span
    const hours = span.lastHour - span.firstHour + 1
    this.#noted = new Uint8Array(hours)
    this.#prices = new Float64Array(4 * hours)
    this.#traded = new Float64Array(3 * hours)
  }

  /** From `from` inclusive to `to`, whole minutes; undefined: nothing happened in it. */
  candle(from: Millis, to: Millis): Candle | undefined {
    const { firstHour, lastHour, lastMinutes } = this.#span
    const first = Math.max(from, firstHour * hourMs)
    const end = Math.min(to, lastHour * hourMs + lastMinutes * minuteMs)
    const sum = new Sum()
    for (let at = first; at < end; ) {
      const hour = Math.floor(at / hourMs)
      const next = Math.min(end, (hour + 1) * hourMs)
      if (next - at === hourMs) this.#addHour(hour, sum)
      else this.#addMinutes(hour, (at % hourMs) / minuteMs, (next - at) / minuteMs, sum)
      at = next
    }
    return sum.open === 0 ? undefined : candleOf(from, sum)
  }

  /** The last price before a moment; undefined: there was none yet. */
  priceBefore(moment: Millis): Ticks | undefined {
    const { firstHour, lastHour, lastMinutes } = this.#span
    const end = Math.min(moment, lastHour * hourMs + lastMinutes * minuteMs)
    for (let hour = Math.ceil(end / hourMs) - 1; hour >= firstHour; hour--) {
      this.#make(hour)
      const before = Math.min(this.#count, Math.floor((end - hour * hourMs) / minuteMs))
      for (let minute = before - 1; minute >= 0; minute--) {
        if (this.#minutes.close[minute] !== 0) return ticks(this.#minutes.close[minute])
      }
    }
    return undefined
  }

  /** The price at the beginning of a minute. */
  priceAt(moment: Millis): Ticks | undefined {
    const hour = Math.floor(moment / hourMs)
    if (hour < this.#span.firstHour || hour > this.#span.lastHour) return undefined
    this.#make(hour)
    const minute = (moment % hourMs) / minuteMs
    return minute < this.#count ? ticks(this.#minutes.open[minute]) : undefined
  }

  #addHour(hour: number, sum: Sum): void {
    const place = hour - this.#span.firstHour
    if (this.#noted[place] === 0) this.#note(hour, place)
    const prices = this.#prices
    const open = prices[4 * place]
    if (open === 0) return
    sum.add(open, prices[4 * place + 1], prices[4 * place + 2], prices[4 * place + 3])
    const lots = BigInt(this.#traded[3 * place])
    if (lots === 0n) return
    sum.lots += lots
    sum.ticksTimesLots += lots * BigInt(open) + BigInt(this.#traded[3 * place + 1])
    sum.lotsPerTick += BigInt(this.#traded[3 * place + 2])
  }

  #note(hour: number, place: number): void {
    const { firstHour, lastHour } = this.#span
    if (hour < firstHour || hour > lastHour) return
    this.#make(hour)
    const { open, high, low, close, middle, lots, lotsPerTick } = this.#minutes
    const sum = new Sum()
    let [traded, apart, perTick] = [0, 0, 0]
    for (let minute = 0; minute < this.#count; minute++) {
      if (open[minute] === 0) continue
      sum.add(open[minute], high[minute], low[minute], close[minute])
      traded += lots[minute]
      apart += lots[minute] * (middle[minute] - sum.open)
      perTick += lotsPerTick[minute]
    }
    this.#prices.set([sum.open, sum.high, sum.low, sum.close], 4 * place)
    this.#traded.set([traded, apart, perTick], 3 * place)
    this.#noted[place] = 1
  }

  #addMinutes(hour: number, first: number, count: number, sum: Sum): void {
    this.#make(hour)
    const { open, high, low, close, middle, lots, lotsPerTick } = this.#minutes
    for (let minute = first; minute < first + count; minute++) {
      if (open[minute] === 0) continue
      sum.add(open[minute], high[minute], low[minute], close[minute])
      if (lots[minute] === 0) continue
      const traded = BigInt(lots[minute])
      sum.lots += traded
      sum.ticksTimesLots += traded * BigInt(middle[minute])
      sum.lotsPerTick += BigInt(lotsPerTick[minute])
    }
  }

  #make(hour: number): void {
    if (this.#hour === hour) return
    this.#count = writeHour(this.#terms, hour, this.#span.lastHour - hour, this.#minutes)
    this.#hour = hour
    this.hoursMade += 1
  }
}

function candleOf(start: Millis, { open, high, low, close, lots, ticksTimesLots, lotsPerTick }: Sum): Candle {
  const prices = { openPrice: ticks(open), highPrice: ticks(high), lowPrice: ticks(low), closePrice: ticks(close) }
  return { start, ...prices, quantity: lots, ticksTimesLots, lotsPerTick }
}
