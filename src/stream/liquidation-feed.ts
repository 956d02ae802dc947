/**
 * What liquidations offer to the book of one contract, or of all of a line, each as it happens. What was before is in the HTTP
 * list.
 */
import type { Version } from '../api/api.ts'
import type { Category, Instrument } from '../engine/catalog/catalog.ts'
import type { LiquidationOffer } from '../history/history.ts'
import { Audience, type Feed, type FeedParts } from './feed.ts'
import type { Push } from './topic.ts'

export class LiquidationFeed implements Feed {
  readonly audience: Audience
  readonly paceMs = undefined
  readonly #about: Instrument | Category
  readonly #parts: FeedParts
  /** Newest first. */
  #waiting: LiquidationOffer[] = []

  constructor(parts: FeedParts, about: Instrument | Category) {
    this.audience = new Audience(parts)
    this.#parts = parts
    this.#about = about
  }

  covers({ instrument }: LiquidationOffer): boolean {
    if (typeof this.#about !== 'string') return this.#about.id === instrument
    return this.#parts.catalog().instrument(instrument).category === this.#about
  }

  take(offer: LiquidationOffer): void {
    this.#waiting.unshift(offer)
  }

  look(): void {
    if (this.#waiting.length === 0) return
    const offers = this.#waiting
    this.#waiting = []
    const catalog = this.#parts.catalog()
    this.audience.publish('update', this.#parts.core.now(), ({ liquidation }) =>
      liquidation === undefined ? [] : offers.map((offer) => liquidation(offer, catalog)),
    )
  }

  greeting(version: Version): Push {
    this.look()
    return this.audience.push(version, 'snapshot', this.#parts.core.now(), () => [])
  }
}
