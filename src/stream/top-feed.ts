/**
 * The best levels of one book, all of them in each push, when one of them has changed.
 *
 * Source  wire/websocket.md §3: books1, books5, books15, books50
 */
import type { Version } from '../api/api.ts'
import type { Instrument } from '../engine/catalog/catalog.ts'
import type { DepthView } from '../engine/protocol/query.ts'
import { bookPaceMs } from './book-feed.ts'
import { Audience, type Feed, type FeedParts } from './feed.ts'
import { changesBetween } from './levels.ts'
import type { Protocol } from './socket-protocol.ts'
import type { Push } from './topic.ts'

/** The best level of each side alone is looked at more often. */
const bestPaceMs = 60

export class TopFeed implements Feed {
  readonly audience: Audience
  readonly paceMs: number
  readonly #instrument: Instrument
  readonly #levels: number
  readonly #rpi: boolean
  readonly #parts: FeedParts
  #readUpTo: number
  #shown: DepthView

  constructor(
    parts: FeedParts,
    instrument: Instrument,
    { levels, rpi }: { readonly levels: number; readonly rpi: boolean },
  ) {
    this.audience = new Audience(parts)
    this.paceMs = levels === 1 ? bestPaceMs : bookPaceMs(instrument)
    this.#parts = parts
    this.#instrument = instrument
    this.#levels = levels
    this.#rpi = rpi
    this.#readUpTo = this.#changedBy()
    this.#shown = this.#read()
  }

  look(): void {
    const changedBy = this.#changedBy()
    if (changedBy === this.#readUpTo) return
    this.#readUpTo = changedBy
    const now = this.#read()
    if (changesBetween(this.#shown, now) === undefined) return
    this.#shown = now
    this.audience.publish('snapshot', this.#parts.core.now(), this.#rows)
  }

  greeting(version: Version): Push {
    return this.audience.push(version, 'snapshot', this.#parts.core.now(), this.#rows)
  }

  readonly #rows = (protocol: Protocol): readonly unknown[] => {
    return [
      protocol.book({
        instrument: this.#instrument,
        rpi: this.#rpi,
        rows: this.#shown,
        whole: this.#shown,
        levelsMax: this.#levels,
        sequence: this.#readUpTo,
        previous: 0,
        at: this.#shown.at,
      }),
    ]
  }

  #changedBy(): number {
    return this.#parts.core.query({ kind: 'book-sequence', instrument: this.#instrument.id })
  }

  #read(): DepthView {
    return this.#parts.core.query({ kind: 'depth', instrument: this.#instrument.id, limit: this.#levels })
  }
}
