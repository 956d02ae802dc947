/**
 * The index prices of one instrument, or of all that a category lists: all of them to begin with, then those that have changed.
 *
 * Listed  what is listed later is told as a change
 * Source  docs/streams.md "Channels"
 */
import type { Version } from '../api/api.ts'
import type { Category, Instrument, InstrumentId } from '../engine/catalog/catalog.ts'
import type { PricesView } from '../engine/protocol/query.ts'
import { Audience, type Feed, type FeedParts } from './feed.ts'
import type { Push } from './topic.ts'

export class IndexPriceFeed implements Feed {
  readonly audience: Audience
  readonly paceMs = 250
  readonly #about: Instrument | Category
  readonly #parts: FeedParts
  #shown: ReadonlyMap<InstrumentId, PricesView>

  constructor(parts: FeedParts, about: Instrument | Category) {
    this.audience = new Audience(parts)
    this.#parts = parts
    this.#about = about
    this.#shown = this.#read()
  }

  look(): void {
    const now = this.#read()
    const changed = [...now.values()].filter(
      ({ instrument, indexPrice }) => this.#shown.get(instrument)?.indexPrice !== indexPrice,
    )
    if (changed.length === 0) return
    this.#shown = now
    const { core, catalog } = this.#parts
    this.audience.publish('update', core.now(), ({ indexPrice }) =>
      indexPrice === undefined ? [] : changed.map((prices) => indexPrice(prices, catalog(), core.now())),
    )
  }

  greeting(version: Version): Push {
    const { core, catalog } = this.#parts
    return this.audience.push(version, 'snapshot', core.now(), ({ indexPrice }) =>
      indexPrice === undefined
        ? []
        : [...this.#shown.values()].map((prices) => indexPrice(prices, catalog(), core.now())),
    )
  }

  #read(): Map<InstrumentId, PricesView> {
    const { core, catalog } = this.#parts
    const listed = typeof this.#about === 'string' ? catalog().list(this.#about) : [this.#about]
    return new Map(listed.map(({ id }) => [id, core.query({ kind: 'prices', instrument: id })]))
  }
}
