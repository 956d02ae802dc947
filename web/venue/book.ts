/**
 * One order book out of its stream: a snapshot, then changed levels.
 *
 * Chain      each update has to follow the one before (`pseq` of v3, `seq` one higher in v2); otherwise the book is broken
 * Checksum   of the best 25 levels of each side, where the push carries one (v2)
 * Broken     `apply` answers false and whoever keeps the book asks for a new snapshot; until then the old one is shown
 * Levels     the venue's own texts, best first; numbers are made of them where they are drawn
 */
import { crc32 } from './crc32.ts'

/** Price and size as the venue writes them. */
export type Level = readonly [price: string, size: string]

/** What a push of either version says. */
export interface BookPush {
  readonly action: 'snapshot' | 'update'
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
  readonly seq: number
  readonly previous?: number | undefined
  readonly checksum?: number | undefined
}

const checkedLevels = 25

export class Book {
  bids: Level[] = []
  asks: Level[] = []
  #seq: number | undefined

  /** Whether the book is whole after it. */
  apply(push: BookPush): boolean {
    if (push.action === 'snapshot') {
      this.bids = [...push.bids]
      this.asks = [...push.asks]
    } else {
      if (this.#seq === undefined || (push.previous ?? push.seq - 1) !== this.#seq) return this.#broken()
      for (const level of push.bids) put(this.bids, level, -1)
      for (const level of push.asks) put(this.asks, level, 1)
    }
    this.#seq = push.seq
    return push.checksum === undefined || push.checksum === this.checksum() ? true : this.#broken()
  }

  checksum(): number {
    const parts: string[] = []
    for (let index = 0; index < checkedLevels; index++) {
      for (const level of [this.bids[index], this.asks[index]]) if (level) parts.push(level[0], level[1])
    }
    return crc32(parts.join(':'))
  }

  #broken(): false {
    this.#seq = undefined
    return false
  }
}

/** Puts a level in its place; size zero takes it away. `order` 1: lowest price first, -1: highest. */
function put(levels: Level[], level: Level, order: 1 | -1): void {
  const price = Number(level[0])
  let low = 0
  let high = levels.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const there = Number(levels[middle]?.[0])
    if ((there - price) * order < 0) low = middle + 1
    else high = middle
  }
  const found = low < levels.length && Number(levels[low]?.[0]) === price
  const empty = Number(level[1]) === 0
  if (found && empty) levels.splice(low, 1)
  else if (found) levels[low] = level
  else if (!empty) levels.splice(low, 0, level)
}
