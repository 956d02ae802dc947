/**
 * What the record says of each price level, and what of it the house has in the book: one side, sorted, the best at the end.
 */
import type { Ticks } from '../engine/numbers/numbers.ts'
import type { OrderId, Side, Uid } from '../engine/vocabulary.ts'

/** An order of the house that rests, or is about to. */
export interface HouseOrder {
  readonly uid: Uid
  level: Level
  /** Zero: it is on its way. */
  orderId: OrderId | 0
  /** Left of it, and filled. */
  lots: number
  filled: number
  /** The command by which it came to the end of its queue. */
  entered: number
}

export interface Level {
  readonly side: Side
  readonly price: Ticks
  /** Lots that the record has there. */
  recorded: number
  /** First to last. */
  readonly orders: HouseOrder[]
  /** Lots that others took, at a moment (milliseconds): they come back little by little. */
  taken: number
  takenAt: number
  /** Lots that were put back behind a recorded trade, until the record says what it left. */
  putBack: number
}

export class LevelSide {
  readonly side: Side
  readonly sorted: Level[] = []
  readonly #at = new Map<number, Level>()

  constructor(side: Side) {
    this.side = side
  }

  get size(): number {
    return this.sorted.length
  }

  find(price: number): Level | undefined {
    return this.#at.get(price)
  }

  get(price: Ticks): Level {
    const known = this.#at.get(price)
    if (known !== undefined) return known
    const level: Level = { side: this.side, price, recorded: 0, orders: [], taken: 0, takenAt: 0, putBack: 0 }
    this.#at.set(price, level)
    this.sorted.splice(this.#place(price), 0, level)
    return level
  }

  /** Of a level that has nothing any more. */
  drop(level: Level): void {
    this.#at.delete(level.price)
    this.sorted.splice(this.#place(level.price), 1)
  }

  clear(): void {
    this.sorted.length = 0
    this.#at.clear()
  }

  #place(price: number): number {
    const upwards = this.side === 'buy' ? 1 : -1
    let low = 0
    let high = this.sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.sorted[middle].price - price) * upwards < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

export function houseLots({ orders }: Level): number {
  let sum = 0
  for (const { lots } of orders) sum += lots
  return sum
}

/** What the house is to have there at a moment: what the record has, less what others took and has not come back. */
export function wantedLots(level: Level, now: number, healMs: number): number {
  return Math.max(0, level.recorded - missingLots(level, now, healMs))
}

/** `healMs`: half of it is back after so long; 0: all at once, infinite: never. */
export function missingLots({ taken, takenAt }: Level, now: number, healMs: number): number {
  if (taken === 0 || healMs === 0) return 0
  if (healMs === Number.POSITIVE_INFINITY) return taken
  return Math.floor(taken * 2 ** (-(now - takenAt) / healMs))
}

/** So many more were taken. */
export function noteTaken(level: Level, lots: number, now: number, healMs: number): void {
  level.taken = missingLots(level, now, healMs) + lots
  level.takenAt = now
}
