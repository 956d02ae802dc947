/**
 * Public market data built from events: the last trades and the 24-hour ticker of every instrument, in memory.
 *
 * Fed       with the same events as the history, in the same order; a trade that is known already is left out
 * Restart   `restore` refills it from the history before the venue opens
 * Not here  depth and prices in force (the engine answers them), trades older than the newest 500 (history/)
 * Source    interface.md E8; design.md §5
 */
import type { InstrumentId } from '../engine/catalog/catalog.ts'
import type { Event, TradeEvent } from '../engine/event.ts'
import type { Millis } from '../engine/numbers/numbers.ts'
import type { History } from '../history/history.ts'
import { type Ticker, TickerWindow, tickerWindowStart } from './ticker.ts'
import { recentTradesMax, TradeRing } from './trade-ring.ts'

export { type Ticker, volumes } from './ticker.ts'
export { recentTradesMax } from './trade-ring.ts'

interface Tape {
  readonly recent: TradeRing
  readonly day: TickerWindow
}

export class Market {
  readonly #tapes = new Map<InstrumentId, Tape>()

  /** Takes what happened, in order. */
  record(events: readonly Event[]): void {
    for (const event of events) {
      if (event.kind !== 'trade') continue
      const { recent, day } = this.#tape(event.instrument)
      if (event.matchId <= (recent.newest()?.matchId ?? 0)) continue
      recent.add(event)
      day.add(event)
    }
  }

  /** The last trades of these instruments together, newest first; of each at most 500 are known. */
  recentTrades(instruments: readonly InstrumentId[], limit: number): readonly TradeEvent[] {
    const found = instruments.flatMap((instrument) => this.#tapes.get(instrument)?.recent.newestFirst(limit) ?? [])
    if (instruments.length > 1) found.sort((a, b) => b.matchId - a.matchId)
    return found.slice(0, limit)
  }

  /** The last 24 hours; undefined if the instrument never traded. */
  ticker(instrument: InstrumentId, now: Millis): Ticker | undefined {
    return this.#tapes.get(instrument)?.day.at(now)
  }

  /** Refills these instruments from the history, in place of what was known of them. Nothing is recorded meanwhile. */
  async restore(
    history: Pick<History, 'trades' | 'tradeMinutes'>,
    instruments: readonly InstrumentId[],
    now: Millis,
  ): Promise<void> {
    for (const instrument of instruments) {
      const { rows } = await history.trades({ instrument, limit: recentTradesMax })
      const minutes = await history.tradeMinutes({ instrument, from: tickerWindowStart(now) })
      this.#tapes.delete(instrument)
      if (rows.length === 0) continue
      const { recent, day } = this.#tape(instrument)
      for (const trade of rows.toReversed()) recent.add(trade)
      day.refill(minutes, rows[0].price)
    }
  }

  #tape(instrument: InstrumentId): Tape {
    let tape = this.#tapes.get(instrument)
    if (tape === undefined) {
      tape = { recent: new TradeRing(), day: new TickerWindow() }
      this.#tapes.set(instrument, tape)
    }
    return tape
  }
}
