/**
 * The running candle of every interval, of one price of one instrument.
 *
 * Cost     a trade changes the minute alone; when a minute is over it is added to the longer intervals, and a candle that
 *          is asked for is those minutes and the running one
 * Over     `closed` stands for what the candles before the running one show, for whoever keeps them
 * Quiet    an interval in which nothing has happened yet stands at the last price
 */
import type { Millis, Ticks } from '../engine/numbers/numbers.ts'
import type { TradeEvent } from '../engine/protocol/event.ts'
import {
  addCandle,
  addPrice,
  addTrade,
  type Candle,
  flatCandle,
  joinCandles,
  minuteMs,
  minuteOf,
  type PriceKind,
} from '../history/history.ts'
import { shownCandle } from './candles.ts'
import { type Interval, intervals, intervalStart } from './intervals.ts'
import type { Earlier } from './past.ts'

/** Minutes of an interval that are over. */
interface Settled {
  readonly start: Millis
  /** The last price before it. */
  readonly before: Ticks | undefined
  /** Undefined: nothing happened in them. */
  readonly candle: Candle | undefined
}

export interface SavedCandles {
  readonly minute: Candle | undefined
  readonly settled: ReadonlyMap<Interval, Settled>
}

export class RunningCandles {
  readonly #priceKind: PriceKind
  /** The newest minute in which something happened. */
  #minute: Candle | undefined
  #settled = new Map<Interval, Settled>()
  #closed = {}
  /** The minute in which that was last asked for. */
  #closedAt: Millis = 0

  constructor(priceKind: PriceKind) {
    this.#priceKind = priceKind
  }

  save(): SavedCandles {
    return { minute: this.#minute && { ...this.#minute }, settled: copied(this.#settled) }
  }

  restore({ minute, settled }: SavedCandles): void {
    this.#closed = {}
    this.#minute = minute && { ...minute }
    this.#settled = copied(settled)
  }

  /** Answers the minute that it went into. */
  addTrade(trade: TradeEvent): Candle {
    this.#see(trade.at)
    const minute = this.#minuteAt(trade.at, trade.price)
    addTrade(minute, trade)
    return minute
  }

  /** A price as it is from a moment on. One that is older than the newest minute is known already. */
  addPrice(price: Ticks, at: Millis): void {
    this.#see(at)
    if (minuteOf(at) >= (this.#minute?.start ?? 0)) addPrice(this.#minuteAt(at, price), price)
  }

  /** Undefined while there never was a price; `earlier`: what was before any that was added. */
  at(interval: Interval, now: Millis, earlier?: Earlier): Candle | undefined {
    const minute = this.#minute
    const start = intervalStart(interval, Math.max(now, minute?.start ?? 0))
    const settled = this.#settled.get(interval)
    const within = settled?.start === start ? settled : undefined
    const runs = minute !== undefined && minute.start >= start
    const parts = [within?.candle, runs ? minute : undefined].filter((part) => part !== undefined)
    const last = runs ? undefined : minute?.closePrice
    const before = within === undefined ? (last ?? lastOf(settled)) : within.before
    const past = earlier?.since(start, interval)
    if (past?.candle !== undefined) parts.unshift(past.candle)
    return shownCandle(this.#priceKind, start, before ?? past?.before, joinCandles(parts, start))
  }

  /** Stands for the candles that are over: another object once one of them may have changed. */
  closed(now: Millis): object {
    this.#closedAt = Math.max(this.#closedAt, minuteOf(now))
    return this.#closed
  }

  /** What happened before a minute can be told of after it: it waited for its place in the journal. */
  #see(at: Millis): void {
    if (at < this.#closedAt) this.#closed = {}
  }

  /** Takes the place of what was known: what the history has at the bounds that `boundsToRefill` named. */
  refill(now: Millis, before: Ticks | undefined, found: readonly Candle[]): void {
    const running = minuteOf(now)
    this.#closed = {}
    this.#minute = found.find(({ start }) => start === running)
    this.#settled.clear()
    for (const interval of intervals) {
      const start = intervalStart(interval, now)
      const earlier = found.findLast((candle) => candle.start < start)
      const over = found.filter((candle) => candle.start >= start && candle.start < running)
      this.#settled.set(interval, {
        start,
        before: earlier?.closePrice ?? before,
        candle: joinCandles(over, start),
      })
    }
  }

  #minuteAt(at: Millis, price: Ticks): Candle {
    const start = minuteOf(at)
    const minute = this.#minute
    if (minute !== undefined && start <= minute.start) return minute
    if (minute !== undefined) this.#settle(minute)
    return (this.#minute = flatCandle(start, price))
  }

  #settle(minute: Candle): void {
    for (const interval of intervals) {
      const start = intervalStart(interval, minute.start)
      const settled = this.#settled.get(interval)
      if (settled?.start === start && settled.candle) addCandle(settled.candle, minute)
      else {
        const before = settled?.start === start ? settled.before : lastOf(settled)
        this.#settled.set(interval, { start, before, candle: { ...minute, start } })
      }
    }
  }
}

function copied(settled: ReadonlyMap<Interval, Settled>): Map<Interval, Settled> {
  return new Map(
    [...settled].map(([interval, { start, before, candle }]) => {
      return [interval, { start, before, candle: candle && { ...candle } }]
    }),
  )
}

function lastOf(settled: Settled | undefined): Ticks | undefined {
  return settled?.candle?.closePrice ?? settled?.before
}

/** Bounds of time between which the history is asked, so that all running candles can be made of the answer. */
export function boundsToRefill(now: Millis): Millis[] {
  const minute = minuteOf(now)
  const starts = intervals.map((interval) => intervalStart(interval, now))
  return [...new Set([...starts, minute, minute + minuteMs])].sort((a, b) => a - b)
}
