/**
 * The public trades of one instrument: those of the last moments to begin with, then each as it happens.
 *
 * Holds   nobody gets a trade twice: what waits to be pushed goes out before a newcomer gets the last ones
 */
import type { Version } from '../api/api.ts'
import type { InstrumentId } from '../engine/catalog/catalog.ts'
import type { TradeEvent } from '../engine/protocol/event.ts'
import { Audience, type Feed, type FeedParts } from './feed.ts'
import type { Push } from './topic.ts'

/** Trades that a newcomer gets. */
const recentMax = 50

export class TradeFeed implements Feed {
  readonly audience: Audience
  readonly instrument: InstrumentId
  readonly paceMs = undefined
  readonly #parts: FeedParts
  /** Newest first. */
  #waiting: TradeEvent[] = []

  constructor(parts: FeedParts, instrument: InstrumentId) {
    this.audience = new Audience(parts)
    this.#parts = parts
    this.instrument = instrument
  }

  take(trade: TradeEvent): void {
    this.#waiting.unshift(trade)
  }

  look(): void {
    if (this.#waiting.length === 0) return
    const trades = this.#waiting
    this.#waiting = []
    const catalog = this.#parts.catalog()
    this.audience.publish('update', this.#parts.core.now(), (protocol) =>
      trades.map((trade) => protocol.trade(trade, catalog)),
    )
  }

  greeting(version: Version): Push {
    this.look()
    const { core, market } = this.#parts
    const catalog = this.#parts.catalog()
    const trades = market.recentTrades([this.instrument], recentMax)
    return this.audience.push(version, 'snapshot', core.now(), (protocol) =>
      trades.map((trade) => protocol.trade(trade, catalog)),
    )
  }
}
