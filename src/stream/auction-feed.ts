/**
 * The opening auction of a pair. Pairs are listed without one: whoever subscribes is acknowledged and hears nothing.
 */
import { Audience, type Feed, type FeedParts } from './feed.ts'

export class AuctionFeed implements Feed {
  readonly audience: Audience
  readonly paceMs = undefined

  constructor(parts: FeedParts) {
    this.audience = new Audience(parts)
  }

  look(): void {}

  greeting(): undefined {
    return undefined
  }
}
