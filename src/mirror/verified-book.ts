/**
 * One book of another venue as its channel pushes it: a snapshot, then changes, each behind the one before.
 *
 * Verified  the sequence of each push, and its checksum over the best 25 levels where it has one
 * Whole     a push is read before any of it is taken; after BookBroken the book is worth nothing until a snapshot comes
 * Source    docs/streams.md "What holds: sequence and checksum"; wire/websocket.md §3 "Order book"
 */
import { crc32 } from 'node:zlib'
import type { Change } from '../house-book/house-book.ts'
import type { BookPush, SourceLevel } from './readings.ts'
import { BookBroken, wrong } from './wrong.ts'

const checkedLevels = 25

export class VerifiedBook {
  readonly #bids = new Map<number, SourceLevel>()
  readonly #asks = new Map<number, SourceLevel>()
  #sequence: number | undefined

  /** Of the last push; undefined: no snapshot came yet. */
  get sequence(): number | undefined {
    return this.#sequence
  }

  get bids(): ReadonlyMap<number, SourceLevel> {
    return this.#bids
  }

  get asks(): ReadonlyMap<number, SourceLevel> {
    return this.#asks
  }

  /** What has changed by it. Throws BookBroken, and MirrorWrong for a book that no market can have. */
  take(push: BookPush, at: string): readonly Change[] {
    const { isSnapshot, bids, asks, sequence, previous } = push
    if (!isSnapshot && previous !== this.#sequence) {
      const last = this.#sequence
      this.forget()
      throw new BookBroken(`${at}: push ${sequence} follows ${previous}, and ${last ?? 'none'} was the last`)
    }
    if (isSnapshot) this.forget()
    change(this.#bids, bids)
    change(this.#asks, asks)
    this.#sequence = sequence
    this.#check(push, at)
    return [
      ...bids.map(({ price, lots }): Change => ({ isBid: true, price, lots })),
      ...asks.map(({ price, lots }): Change => ({ isBid: false, price, lots })),
    ]
  }

  forget(): void {
    this.#sequence = undefined
    this.#bids.clear()
    this.#asks.clear()
  }

  #check({ isSnapshot, checksum }: BookPush, at: string): void {
    const bids = best(this.#bids, -1)
    const asks = best(this.#asks, 1)
    if (bids.length > 0 && asks.length > 0 && bids[0].price >= asks[0].price) {
      this.forget()
      throw wrong(`${at}: b`, bids[0].texts, `crosses the best ask ${asks[0].texts}`)
    }
    // Snapshots may come with a zero in its place.
    if (checksum === undefined || (isSnapshot && checksum === 0)) return
    const texts: string[] = []
    for (let place = 0; place < checkedLevels; place++) {
      for (const side of [bids, asks]) if (place < side.length) texts.push(side[place].texts)
    }
    const reckoned = crc32(texts.join(':')) | 0
    if (reckoned === checksum) return
    const { sequence } = this
    this.forget()
    throw new BookBroken(`${at}: checksum of push ${sequence} is ${checksum}, and the book has ${reckoned}`)
  }
}

function change(side: Map<number, SourceLevel>, levels: readonly SourceLevel[]): void {
  for (const level of levels) {
    if (level.lots === 0) side.delete(level.price)
    else side.set(level.price, level)
  }
}

/** The best levels; `direction` 1: prices rise from the best on. */
function best(side: ReadonlyMap<number, SourceLevel>, direction: 1 | -1): SourceLevel[] {
  return [...side.values()].sort((a, b) => (a.price - b.price) * direction).slice(0, checkedLevels)
}
