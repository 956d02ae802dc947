/**
 * Public market data built from events: the last trades, the 24-hour ticker and the running candles of every instrument,
 * in memory.
 *
 * Fed       with the same events as the history, in the same order; a trade that is known already is left out
 * Restart   `openMarket` refills it from the history before the venue opens
 * Saved     `save` and `restoreFrom`: as a copy in memory, for a venue that goes back to an earlier moment
 * Past      candles that are over are read from the history (`readCandles`). What was before the venue is made by whoever is handed
 *           in for it, joins what is asked, and is kept nowhere here (past.ts, past-records.ts)
 * Sides     who holds a contract and what takers did, by periods (positioning.ts)
 * Not here  depth and prices in force (the engine answers them), trades older than the newest 500 (history/)
 * Source    interface.md E8; design.md §5
 */
import type { InstrumentId } from '../engine/catalog/catalog.ts'
import type { Millis, Ticks } from '../engine/numbers/numbers.ts'
import type { Event, FillEvent, PricesChanged, TradeEvent } from '../engine/protocol/event.ts'
import { type Candle, type History, minuteMs, type PriceKind } from '../history/history.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Interval } from './intervals.ts'
import { isServed, joinedRecords, type Records } from './past-records.ts'
import { Earlier, type Past } from './past.ts'
import {
  type Holders,
  Positioning,
  type PositioningPeriod,
  type PositioningRow,
  type SavedPositioning,
} from './positioning.ts'
import { boundsToRefill, RunningCandles, type SavedCandles } from './running-candles.ts'
import { type DayWindow, type SavedWindow, type Ticker, TickerWindow, tickerWindowStart } from './ticker.ts'
import { recentTradesMax, type SavedTrades, TradeRing } from './trade-ring.ts'

export { readCandles } from './candles.ts'
export { type Interval, intervalNamed, intervals, intervalsAfter, intervalStart } from './intervals.ts'
export { type Past, type PriceOf } from './past.ts'
export { type PositioningPeriod, positioningPeriods, type PositioningRow } from './positioning.ts'
export { type Ticker, tickerPrices, volumes } from './ticker.ts'
export { recentTradesMax } from './trade-ring.ts'
export { type Candle, type PriceKind } from '../history/history.ts'

/** Called when the running candles of a price of an instrument have changed. */
export type CandleListener = (instrument: InstrumentId, priceKind: PriceKind) => void

interface Tape {
  readonly recent: TradeRing
  readonly day: TickerWindow
  readonly candles: Readonly<Record<PriceKind, RunningCandles>>
  /** Undefined until it traded as a contract. */
  positioning: Positioning | undefined
}

interface SavedTape {
  readonly recent: SavedTrades
  readonly day: SavedWindow
  readonly candles: Readonly<Record<PriceKind, SavedCandles>>
  readonly positioning: SavedPositioning | undefined
}

/** A market as it stood: plain data, which later events leave as it is. */
export type SavedMarket = ReadonlyMap<InstrumentId, SavedTape>

/** How many accounts hold a contract on each side, as the last command left it. */
type HoldersOf = (instrument: InstrumentId) => Holders

const nobody: Holders = { long: 0, short: 0 }

export class Market {
  readonly #holdersOf: HoldersOf
  readonly #tapes = new Map<InstrumentId, Tape>()
  readonly #listeners = new Set<CandleListener>()
  readonly #earlier = new Map<InstrumentId, Readonly<Record<PriceKind, Earlier>>>()
  /** What was before the venue; undefined: nothing. */
  readonly past: Past | undefined

  constructor(holdersOf: HoldersOf = () => nobody, past?: Past) {
    this.#holdersOf = holdersOf
    this.past = past
  }

  /** What the history has of prices and funding, with the past before it. */
  records(history: Records, now: Millis): Records {
    return this.past === undefined ? history : joinedRecords(history, this.past, now)
  }

  /** Takes what happened, in order. */
  record(events: readonly Event[]): void {
    for (const event of events) {
      if (event.kind === 'trade') this.#recordTrade(event)
      else if (event.kind === 'prices-changed') this.#recordPrices(event)
      else if (event.kind === 'fill' && event.effect !== 'spot') this.#recordFill(event)
    }
  }

  #recordTrade(trade: TradeEvent): void {
    const { recent, day, candles } = this.#tape(trade.instrument)
    if (trade.matchId <= (recent.newest()?.matchId ?? 0)) return
    recent.add(trade)
    day.add(candles.market.addTrade(trade), trade.price)
    this.#publish(trade.instrument, 'market')
  }

  #recordFill({ instrument, scope, effect, bookSide, quantity, at }: FillEvent): void {
    const positioning = this.#positioning(instrument, at)
    if (scope === 'taker') positioning.add(at, { side: bookSide, lots: quantity, opens: effect === 'open' })
    positioning.setHolders(at, this.#holdersOf(instrument))
  }

  /** Before what happens now is counted: who held the contract until then is not known any more, those who hold it now are. */
  #positioning(instrument: InstrumentId, at: Millis): Positioning {
    const tape = this.#tape(instrument)
    tape.positioning ??= new Positioning(this.#holdersOf(instrument), at)
    return tape.positioning
  }

  #recordPrices({ instrument, markPrice, indexPrice, at }: PricesChanged): void {
    const { candles } = this.#tape(instrument)
    candles.mark.addPrice(markPrice, at)
    candles.index.addPrice(indexPrice, at)
    this.#publish(instrument, 'mark')
    this.#publish(instrument, 'index')
  }

  #publish(instrument: InstrumentId, priceKind: PriceKind): void {
    for (const listener of this.#listeners) listener(instrument, priceKind)
  }

  /** The last trades of these instruments together, newest first; of each at most 500 are known. */
  recentTrades(instruments: readonly InstrumentId[], limit: number): readonly TradeEvent[] {
    const found = instruments.flatMap((instrument) => this.#tapes.get(instrument)?.recent.newestFirst(limit) ?? [])
    if (instruments.length > 1) found.sort((a, b) => b.matchId - a.matchId)
    return found.slice(0, limit)
  }

  /** The last 24 hours and the day of UTC; undefined if the instrument never traded. */
  ticker(instrument: InstrumentId, now: Millis): Ticker | undefined {
    const tape = this.#known(instrument)
    const earlier = this.#earlierOf(instrument, 'market')
    const window: DayWindow | undefined = tape?.day.at(now, earlier)
    if (tape === undefined || window === undefined) return undefined
    return { ...window, openPriceUtc: tape.candles.market.at('1Dutc', now, earlier)?.openPrice ?? window.lastPrice }
  }

  /** Sides of a contract by periods, oldest first; the last one runs. */
  positioning(instrument: InstrumentId, period: PositioningPeriod, now: Millis): readonly PositioningRow[] {
    const known = this.#tapes.get(instrument)?.positioning ?? new Positioning(this.#holdersOf(instrument), now)
    return known.rows(period, now)
  }

  /** The candle that runs now; undefined while there never was such a price. */
  candle(instrument: InstrumentId, priceKind: PriceKind, interval: Interval, now: Millis): Candle | undefined {
    return this.#known(instrument)?.candles[priceKind].at(interval, now, this.#earlierOf(instrument, priceKind))
  }

  /**
   * Stands for the candles of a span that are over: they are the same as long as this is the same object. Undefined: they may
   * change without a word.
   */
  closedCandles(
    instrument: InstrumentId,
    priceKind: PriceKind,
    { from, now }: { readonly from: Millis; readonly now: Millis },
  ): object | undefined {
    const span = this.past?.spanOf(instrument)
    if (span !== undefined && from < span.to && !isServed(span, now)) return undefined
    return this.#known(instrument)?.candles[priceKind].closed(now)
  }

  /** Of an instrument with a past there is something to tell before anything has happened. */
  #known(instrument: InstrumentId): Tape | undefined {
    return this.past?.spanOf(instrument) === undefined ? this.#tapes.get(instrument) : this.#tape(instrument)
  }

  #earlierOf(instrument: InstrumentId, priceKind: PriceKind): Earlier | undefined {
    const { past } = this
    if (past === undefined) return undefined
    let earlier = this.#earlier.get(instrument)
    if (earlier === undefined) {
      const of = (kind: PriceKind) => new Earlier(past, instrument, kind)
      earlier = { market: of('market'), mark: of('mark'), index: of('index') }
      this.#earlier.set(instrument, earlier)
    }
    return earlier[priceKind]
  }

  /** Tells of every change of running candles, of all intervals at once; answers how to end it. */
  onCandles(listener: CandleListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Refills these instruments from the history, in place of what was known of them. Nothing is recorded meanwhile. */
  async restore(
    history: Pick<History, 'trades' | 'candles'>,
    instruments: readonly InstrumentId[],
    now: Millis,
  ): Promise<void> {
    for (const instrument of instruments) {
      this.#tapes.delete(instrument)
      const { recent, day, candles } = this.#tape(instrument)
      const { rows } = await history.trades({ instrument, limit: recentTradesMax })
      for (const trade of rows.toReversed()) recent.add(trade)
      const lastPrice: Ticks | undefined = rows[0]?.price
      const minutes = await history.candles({ instrument, priceKind: 'market', bounds: minutesOfWindow(now) })
      day.refill(minutes.candles, lastPrice)
      for (const priceKind of ['market', 'mark', 'index'] as const) {
        const found = await history.candles({ instrument, priceKind, bounds: boundsToRefill(now) })
        candles[priceKind].refill(now, found.before, found.candles)
      }
    }
  }

  save(): SavedMarket {
    return new Map(
      [...this.#tapes].map(
        ([
          instrument,
          {
            recent,
            day,
            candles: { market, mark, index },
            positioning,
          },
        ]) => {
          const candles = { market: market.save(), mark: mark.save(), index: index.save() }
          return [instrument, { recent: recent.save(), day: day.save(), candles, positioning: positioning?.save() }]
        },
      ),
    )
  }

  /** Takes the place of all that was known, also of another market. `saved` can be restored again; listeners stay. */
  restoreFrom(saved: SavedMarket): void {
    this.#tapes.clear()
    for (const [instrument, tape] of saved) {
      const { recent, day, candles } = this.#tape(instrument)
      recent.restore(tape.recent)
      day.restore(tape.day)
      for (const priceKind of ['market', 'mark', 'index'] as const) candles[priceKind].restore(tape.candles[priceKind])
      if (tape.positioning !== undefined) this.#positioning(instrument, 0).restore(tape.positioning)
    }
  }

  #tape(instrument: InstrumentId): Tape {
    let tape = this.#tapes.get(instrument)
    if (tape === undefined) {
      const candles = {
        market: new RunningCandles('market'),
        mark: new RunningCandles('mark'),
        index: new RunningCandles('index'),
      }
      tape = { recent: new TradeRing(), day: new TickerWindow(), candles, positioning: undefined }
      this.#tapes.set(instrument, tape)
    }
    return tape
  }
}

/** A bound at each minute of the ticker's window, the running one included. */
function minutesOfWindow(now: Millis): Millis[] {
  const bounds: Millis[] = []
  for (let bound = tickerWindowStart(now); bound <= now + minuteMs; bound += minuteMs) bounds.push(bound)
  return bounds
}

/** Refills a market from the history, while events that come meanwhile wait; what the history had of those is dropped. */
export async function openMarket(
  runtime: Pick<Runtime, 'addConsumer' | 'query' | 'now'>,
  history: History,
  { saved, past }: { readonly saved?: SavedMarket | undefined; readonly past?: Past | undefined } = {},
): Promise<Market> {
  const market = new Market((instrument) => runtime.query({ kind: 'holders', instrument }), past)
  if (saved !== undefined) {
    market.restoreFrom(saved)
    runtime.addConsumer({ record: (_sequence, _at, events) => market.record(events) })
    return market
  }
  const waiting: (readonly Event[])[] = []
  let take = (events: readonly Event[]): void => void waiting.push(events)
  runtime.addConsumer({ record: (_sequence, _at, events) => take(events) })
  const { instruments } = runtime.query({ kind: 'catalog' })
  await market.restore(
    history,
    instruments.map((instrument) => instrument.id),
    runtime.now(),
  )
  take = (events) => market.record(events)
  for (const events of waiting) market.record(events)
  return market
}
