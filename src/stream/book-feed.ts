/**
 * The book of one instrument, as changes: a snapshot to begin with, then whatever has changed.
 *
 *   snapshot (sequence n) → update (n + 1, after n) → update (n + 2, after n + 1) → …
 *
 * Holds     applied one after the other the pushes give the book as REST shows it · sequences have no gap and rise, also
 *           over a restart: a feed begins with the number of a command, and no push is made without one
 * Depth     the best 500 levels of each side: a level that leaves them goes with quantity zero
 * Cost      a book that has not changed costs a comparison; one that has is read once, for both versions
 * RPI       the book with retail price improvement is the same one under numbers of its own
 * Source    wire/websocket.md §3 "Order book"
 */
import type { Version } from '../api/api.ts'
import { type Instrument, isFutures } from '../engine/catalog/catalog.ts'
import type { DepthView } from '../engine/protocol/query.ts'
import { Audience, type Feed, type FeedParts } from './feed.ts'
import { changesBetween, type Sides } from './levels.ts'
import type { Push } from './topic.ts'

const levelsMax = 500
/** Spot books are looked at less often than those of futures. */
const paceMs = { spot: 200, futures: 150 } as const

export function bookPaceMs(instrument: Instrument): number {
  return isFutures(instrument) ? paceMs.futures : paceMs.spot
}

export class BookFeed implements Feed {
  readonly audience: Audience
  readonly paceMs: number
  readonly #instrument: Instrument
  readonly #rpi: boolean
  readonly #parts: FeedParts
  /** The command up to which the book was read. */
  #readUpTo: number
  #shown: DepthView
  #sequence: number

  constructor(parts: FeedParts, instrument: Instrument, rpi: boolean) {
    this.audience = new Audience(parts)
    this.paceMs = bookPaceMs(instrument)
    this.#parts = parts
    this.#instrument = instrument
    this.#rpi = rpi
    this.#readUpTo = this.#changedBy()
    this.#sequence = this.#readUpTo
    this.#shown = this.#read()
  }

  look(): void {
    const changedBy = this.#changedBy()
    if (changedBy === this.#readUpTo) return
    this.#readUpTo = changedBy
    const now = this.#read()
    const changes = changesBetween(this.#shown, now)
    if (changes === undefined) return
    this.#shown = now
    const previous = this.#sequence
    this.#sequence += 1
    this.audience.publish('update', this.#parts.core.now(), (protocol) => [
      protocol.book({ ...this.#push(changes), sequence: this.#sequence, previous }),
    ])
  }

  greeting(version: Version): Push {
    return this.audience.push(version, 'snapshot', this.#parts.core.now(), (protocol) => [
      protocol.book({ ...this.#push(this.#shown), sequence: this.#sequence, previous: 0 }),
    ])
  }

  #push(rows: Sides) {
    return {
      instrument: this.#instrument,
      rpi: this.#rpi,
      rows,
      whole: this.#shown,
      levelsMax,
      at: this.#shown.at,
    }
  }

  #changedBy(): number {
    return this.#parts.core.query({ kind: 'book-sequence', instrument: this.#instrument.id })
  }

  #read(): DepthView {
    return this.#parts.core.query({ kind: 'depth', instrument: this.#instrument.id, limit: levelsMax })
  }
}
