/**
 * The candles of one instrument and interval: the newest ones to begin with, then the running one as it changes.
 *
 * Ended   when an interval is over, its candle is pushed once more as it has ended, with those after it; also the first one,
 *         whose end may come before it was ever looked at
 * Source  wire/websocket.md §3 "Candles"
 */
import type { Version } from '../api/api.ts'
import type { Instrument } from '../engine/catalog/catalog.ts'
import type { Millis } from '../engine/numbers/numbers.ts'
import { type Candle, type Interval, intervalStart, readCandles } from '../market/market.ts'
import { Audience, type Feed, type FeedParts } from './feed.ts'
import type { Push } from './topic.ts'

/** Candles that a newcomer gets, and that an update has at most. */
const candlesMax = 500

export class CandleFeed implements Feed {
  readonly audience: Audience
  readonly paceMs = 1000
  readonly #instrument: Instrument
  readonly #interval: Interval
  readonly #parts: FeedParts
  readonly #report: (trouble: unknown) => void
  #shown: Candle | undefined
  /** Start of the newest candle that was shown; at first, of the interval in which the feed began. */
  #newest: Millis
  #reading = false

  constructor(parts: FeedParts, instrument: Instrument, interval: Interval, report: (trouble: unknown) => void) {
    this.audience = new Audience(parts)
    this.#parts = parts
    this.#instrument = instrument
    this.#interval = interval
    this.#report = report
    this.#newest = intervalStart(interval, parts.core.now())
  }

  look(): void {
    const { core, market } = this.#parts
    const running = market.candle(this.#instrument.id, 'market', this.#interval, core.now())
    if (running === undefined || this.#reading) return
    if (this.#newest < running.start) {
      void this.#catchUp(this.#newest, running)
    } else if (this.#shown === undefined || !sameCandle(this.#shown, running)) {
      this.#show([running])
    }
  }

  async greeting(version: Version): Promise<Push> {
    const candles = await this.#read(undefined)
    return this.audience.push(version, 'snapshot', this.#parts.core.now(), (protocol) =>
      candles.map((candle) => protocol.candle(this.#instrument, candle)),
    )
  }

  async #catchUp(from: Millis, running: Candle): Promise<void> {
    this.#reading = true
    try {
      this.#show(await this.#read(from))
    } catch (trouble) {
      // Without the history how it ended is not known any more; what runs still is.
      this.#report(trouble)
      this.#show([running])
    } finally {
      this.#reading = false
    }
  }

  #read(from: Millis | undefined): Promise<readonly Candle[]> {
    const { core, history, market } = this.#parts
    const now = core.now()
    const ask = { instrument: this.#instrument.id, priceKind: 'market', interval: this.#interval } as const
    return readCandles(market.records(history, now), { ...ask, from, to: now + 1, limit: candlesMax }, now)
  }

  #show(candles: readonly Candle[]): void {
    const newest = candles.at(-1)
    if (newest === undefined) return
    this.#shown = { ...newest }
    this.#newest = newest.start
    this.audience.publish('update', this.#parts.core.now(), (protocol) =>
      candles.map((candle) => protocol.candle(this.#instrument, candle)),
    )
  }
}

/** Every trade adds to the quantity, so that nothing else can have changed without it. */
function sameCandle(first: Candle, second: Candle): boolean {
  return first.start === second.start && first.quantity === second.quantity
}
