/**
 * The last trades of one instrument: a new one takes the place of the oldest.
 */
import type { TradeEvent } from '../engine/protocol/event.ts'

export const recentTradesMax = 500

export interface SavedTrades {
  readonly trades: readonly TradeEvent[]
  readonly oldest: number
}

export class TradeRing {
  #trades: TradeEvent[] = []
  /** Place of the oldest once the ring is full; the next trade goes there. */
  #oldest = 0

  /** Trades are never written to: copies share them. */
  save(): SavedTrades {
    return { trades: [...this.#trades], oldest: this.#oldest }
  }

  restore({ trades, oldest }: SavedTrades): void {
    this.#trades = [...trades]
    this.#oldest = oldest
  }

  add(trade: TradeEvent): void {
    if (this.#trades.length < recentTradesMax) {
      this.#trades.push(trade)
      return
    }
    this.#trades[this.#oldest] = trade
    this.#oldest = (this.#oldest + 1) % recentTradesMax
  }

  newest(): TradeEvent | undefined {
    return this.#trades.at(this.#oldest - 1)
  }

  /** At most so many, newest first. */
  newestFirst(limit: number): TradeEvent[] {
    const found: TradeEvent[] = []
    for (let back = 1; back <= Math.min(limit, this.#trades.length); back++) {
      found.push(this.#trades.at(this.#oldest - back) as TradeEvent)
    }
    return found
  }
}
