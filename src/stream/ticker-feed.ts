/**
 * The ticker of one instrument, whole in each push, when something but the time has changed.
 */
import type { Version } from '../api/api.ts'
import type { InstrumentId } from '../engine/catalog/catalog.ts'
import { Audience, type Feed, type FeedParts, versions } from './feed.ts'
import type { Protocol } from './socket-protocol.ts'
import type { Push } from './topic.ts'

export class TickerFeed implements Feed {
  readonly audience: Audience
  readonly paceMs = 250
  readonly #instrument: InstrumentId
  readonly #parts: FeedParts
  /** What was pushed last in each version, as it would read at the time zero. */
  readonly #shown: Partial<Record<Version, string>> = {}

  constructor(parts: FeedParts, instrument: InstrumentId) {
    this.audience = new Audience(parts)
    this.#parts = parts
    this.#instrument = instrument
  }

  look(): void {
    for (const version of versions) {
      const topic = this.audience.topics[version]
      if (topic.isEmpty) continue
      const timeless = this.#push(version, 0).data
      if (timeless === this.#shown[version]) continue
      this.#shown[version] = timeless
      topic.publish(this.greeting(version))
    }
  }

  greeting(version: Version): Push {
    return this.#push(version, this.#parts.core.now())
  }

  /** As it stands at a time. */
  #push(version: Version, at: number): Push {
    const { core, market, catalog } = this.#parts
    const instrument = this.#instrument
    const picture = {
      instrument: catalog().instrument(instrument),
      ticker: market.ticker(instrument, core.now()),
      depth: core.query({ kind: 'depth', instrument, limit: 1 }),
      prices: core.query({ kind: 'prices', instrument }),
      now: at,
    }
    return this.audience.push(version, 'snapshot', at, (protocol: Protocol) => [protocol.ticker(picture)])
  }
}
