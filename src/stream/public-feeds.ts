/**
 * All feeds of the market that somebody watches: made with the first subscriber, gone with the last.
 */
import type { InstrumentId } from '../engine/catalog/catalog.ts'
import type { Event, Liquidation } from '../engine/protocol/event.ts'
import { offersOf } from '../history/history.ts'
import { BookFeed } from './book-feed.ts'
import { CandleFeed } from './candle-feed.ts'
import type { Feed, FeedParts } from './feed.ts'
import { LiquidationFeed } from './liquidation-feed.ts'
import { Pacer } from './pacer.ts'
import type { PublicChannel } from './socket-protocol.ts'
import { TickerFeed } from './ticker-feed.ts'
import { TopFeed } from './top-feed.ts'
import type { Member } from './topic.ts'
import { TradeFeed } from './trade-feed.ts'

export class PublicFeeds {
  readonly #parts: FeedParts
  readonly #report: (trouble: unknown) => void
  readonly #feeds = new Map<string, Feed>()
  readonly #trades = new Map<InstrumentId, TradeFeed>()
  readonly #liquidations = new Map<InstrumentId, LiquidationFeed>()
  readonly #pacer: Pacer

  /** `letGo`: something could not be looked at, whoever watches is to begin anew; `report`: all else that went wrong. */
  constructor(parts: FeedParts, letGo: (trouble: unknown) => void, report: (trouble: unknown) => void) {
    this.#parts = parts
    this.#report = report
    this.#pacer = new Pacer({ core: parts.core, onTrouble: letGo })
  }

  /** Whether something is to be pushed at the end of this turn. */
  record(events: readonly Event[]): boolean {
    let recorded = false
    if (this.#trades.size === 0 && this.#liquidations.size === 0) return recorded
    for (const event of events) {
      if (event.kind === 'liquidation' && this.#takeOffers(event)) recorded = true
      const feed = event.kind === 'trade' ? this.#trades.get(event.instrument) : undefined
      if (feed === undefined || event.kind !== 'trade') continue
      feed.take(event)
      recorded = true
    }
    return recorded
  }

  #takeOffers(liquidation: Liquidation): boolean {
    let recorded = false
    for (const offer of offersOf(liquidation)) {
      const feed = this.#liquidations.get(offer.instrument)
      if (feed === undefined) continue
      feed.take(offer)
      recorded = true
    }
    return recorded
  }

  /** Pushes what was recorded. */
  flush(): void {
    for (const feed of this.#trades.values()) feed.look()
    for (const feed of this.#liquidations.values()) feed.look()
  }

  /** Pushes what has changed and would be looked at later. */
  lookAtAll(): void {
    this.#pacer.lookAtAll()
  }

  /** Greets a member and lets him in; `stays` says whether he is still there once the greeting is written. */
  async join(channel: PublicChannel, member: Member, argument: string, stays: () => boolean): Promise<void> {
    const feed = this.#feedOf(channel)
    const topic = feed.audience.topics[channel.version]
    try {
      const found = feed.greeting(channel.version)
      const greeting = found instanceof Promise ? await found : found
      if (!stays()) return
      // The others may have left meanwhile, and the feed with them.
      if (this.#feeds.get(nameOf(channel)) !== feed) return await this.join(channel, member, argument, stays)
      topic.greet(member, argument, greeting)
      topic.add(member, argument)
    } finally {
      this.#closeIfEmpty(channel, feed)
    }
  }

  leave(channel: PublicChannel, member: Member, argument: string): void {
    const feed = this.#feeds.get(nameOf(channel))
    if (feed === undefined) return
    feed.audience.topics[channel.version].remove(member, argument)
    this.#closeIfEmpty(channel, feed)
  }

  close(): void {
    this.#pacer.close()
  }

  #feedOf(channel: PublicChannel): Feed {
    const name = nameOf(channel)
    const open = this.#feeds.get(name)
    if (open !== undefined) return open
    const feed = this.#make(channel)
    this.#feeds.set(name, feed)
    if (feed instanceof TradeFeed) this.#trades.set(channel.instrument.id, feed)
    if (feed instanceof LiquidationFeed) this.#liquidations.set(channel.instrument.id, feed)
    if (feed.paceMs !== undefined) this.#pacer.add(feed, feed.paceMs)
    return feed
  }

  #make({ instrument, show }: PublicChannel): Feed {
    switch (show.kind) {
      case 'ticker':
        return new TickerFeed(this.#parts, instrument.id)
      case 'trades':
        return new TradeFeed(this.#parts, instrument.id)
      case 'liquidations':
        return new LiquidationFeed(this.#parts)
      case 'books':
        return new BookFeed(this.#parts, instrument)
      case 'top':
        return new TopFeed(this.#parts, instrument, show.levels)
      case 'candles':
        return new CandleFeed(this.#parts, instrument, show.interval, this.#report)
    }
  }

  #closeIfEmpty(channel: PublicChannel, feed: Feed): void {
    const name = nameOf(channel)
    if (!feed.audience.isEmpty || this.#feeds.get(name) !== feed) return
    this.#feeds.delete(name)
    if (feed instanceof TradeFeed) this.#trades.delete(channel.instrument.id)
    if (feed instanceof LiquidationFeed) this.#liquidations.delete(channel.instrument.id)
    if (feed.paceMs !== undefined) this.#pacer.remove(feed, feed.paceMs)
  }
}

function nameOf({ instrument, show }: PublicChannel): string {
  const detail = show.kind === 'top' ? show.levels : show.kind === 'candles' ? show.interval : ''
  return `${show.kind} ${instrument.id} ${detail}`
}
