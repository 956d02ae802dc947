/**
 * All feeds of the market that somebody watches: made with the first subscriber, gone with the last.
 */
import type { Category, Instrument, InstrumentId } from '../engine/catalog/catalog.ts'
import type { Event, Liquidation } from '../engine/protocol/event.ts'
import { offersOf } from '../history/history.ts'
import { AuctionFeed } from './auction-feed.ts'
import { BookFeed } from './book-feed.ts'
import { CandleFeed } from './candle-feed.ts'
import type { Feed, FeedParts } from './feed.ts'
import { IndexPriceFeed } from './index-price-feed.ts'
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
  readonly #liquidations = new Set<LiquidationFeed>()
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
      for (const feed of this.#liquidations) {
        if (!feed.covers(offer)) continue
        feed.take(offer)
        recorded = true
      }
    }
    return recorded
  }

  /** Pushes what was recorded. */
  flush(): void {
    for (const feed of this.#trades.values()) feed.look()
    for (const feed of this.#liquidations) feed.look()
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
      if (greeting !== undefined) topic.greet(member, argument, greeting)
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
    if (feed instanceof TradeFeed) this.#trades.set(feed.instrument, feed)
    if (feed instanceof LiquidationFeed) this.#liquidations.add(feed)
    if (feed.paceMs !== undefined) this.#pacer.add(feed, feed.paceMs)
    return feed
  }

  #make({ about, show }: PublicChannel): Feed {
    switch (show.kind) {
      case 'liquidations':
        return new LiquidationFeed(this.#parts, about)
      case 'index-prices':
        return new IndexPriceFeed(this.#parts, about)
      case 'auction':
        return new AuctionFeed(this.#parts)
      case 'ticker':
        return new TickerFeed(this.#parts, one(about).id)
      case 'trades':
        return new TradeFeed(this.#parts, one(about).id)
      case 'books':
        return new BookFeed(this.#parts, one(about), show.rpi)
      case 'top':
        return new TopFeed(this.#parts, one(about), show)
      case 'candles':
        return new CandleFeed(this.#parts, one(about), show.interval, this.#report)
    }
  }

  #closeIfEmpty(channel: PublicChannel, feed: Feed): void {
    const name = nameOf(channel)
    if (!feed.audience.isEmpty || this.#feeds.get(name) !== feed) return
    this.#feeds.delete(name)
    if (feed instanceof TradeFeed) this.#trades.delete(feed.instrument)
    if (feed instanceof LiquidationFeed) this.#liquidations.delete(feed)
    if (feed.paceMs !== undefined) this.#pacer.remove(feed, feed.paceMs)
  }
}

function nameOf({ about, show }: PublicChannel): string {
  return `${JSON.stringify(show)} ${typeof about === 'string' ? about : about.id}`
}

function one(about: Instrument | Category): Instrument {
  if (typeof about === 'string') throw new Error(`nothing is shown for all of ${about}`)
  return about
}
