/**
 * All accounts that somebody watches, and which of them an event concerns.
 */
import type { Event } from '../engine/protocol/event.ts'
import { AccountFeed, type AccountFeedParts } from './account-feed.ts'
import type { PrivateChannel } from './socket-protocol.ts'
import type { Member } from './topic.ts'

export class AccountFeeds {
  readonly #parts: AccountFeedParts
  readonly #onTrouble: (trouble: unknown) => void
  readonly #feeds = new Map<number, AccountFeed>()
  readonly #recorded = new Set<AccountFeed>()
  /** Those with a channel that follows prices. */
  readonly #priced = new Set<AccountFeed>()

  constructor(parts: AccountFeedParts, onTrouble: (trouble: unknown) => void) {
    this.#parts = parts
    this.#onTrouble = onTrouble
  }

  /** The events of one command; whether something is to be pushed at the end of this turn. */
  record(events: readonly Event[]): boolean {
    if (this.#feeds.size === 0) return false
    const concerned = new Map<AccountFeed, Event[]>()
    let priced = false
    for (const event of events) {
      if (event.kind === 'prices-changed') priced = true
      for (const uid of uidsOf(event)) {
        const feed = this.#feeds.get(uid)
        if (feed === undefined) continue
        const own = concerned.get(feed)
        if (own === undefined) concerned.set(feed, [event])
        else if (own.at(-1) !== event) own.push(event)
      }
    }
    for (const [feed, own] of concerned) {
      feed.record(own)
      this.#recorded.add(feed)
    }
    for (const feed of priced ? this.#priced : []) {
      feed.recordPrices()
      this.#recorded.add(feed)
    }
    return this.#recorded.size > 0
  }

  /** Pushes what was recorded. */
  flush(): void {
    for (const feed of this.#recorded) {
      this.#recorded.delete(feed)
      feed.flush(this.#onTrouble)
    }
  }

  /** Pushes state that waits for its pace. */
  pushAll(): void {
    for (const feed of this.#feeds.values()) feed.pushDue(this.#onTrouble)
  }

  join(uid: number, channel: PrivateChannel, member: Member, argument: string): void {
    let feed = this.#feeds.get(uid)
    if (feed === undefined) {
      feed = new AccountFeed(uid, this.#parts)
      this.#feeds.set(uid, feed)
    }
    feed.join(channel, member, argument)
    if (feed.followsPrices) this.#priced.add(feed)
  }

  leave(uid: number, channel: PrivateChannel, member: Member, argument: string): void {
    const feed = this.#feeds.get(uid)
    if (feed === undefined) return
    feed.leave(channel, member, argument)
    if (!feed.followsPrices) this.#priced.delete(feed)
    if (!feed.isEmpty) return
    feed.close()
    this.#feeds.delete(uid)
    this.#recorded.delete(feed)
  }

  close(): void {
    for (const feed of this.#feeds.values()) feed.close()
  }
}

/** The accounts that an event concerns. */
function uidsOf(event: Event): readonly number[] {
  switch (event.kind) {
    case 'order-ended':
      return [event.order.uid]
    case 'trigger-ended':
      return [event.trigger.uid]
    case 'transfer':
      return [event.fromUid, event.toUid]
    case 'position-moved':
      return [event.fromUid, event.toUid]
    case 'rebate':
      return [event.brokerUid]
    case 'trade':
    case 'funding-settled':
    case 'prices-changed':
    case 'instrument-frozen':
    case 'instrument-unfrozen':
    case 'catalog-changed':
      return []
    default:
      return [event.uid]
  }
}
