/**
 * The least that a book in price-time priority is: a level for every tick of the tape's range, orders as links between rows of
 * typed arrays. Nothing is checked, nobody has an account, and a price beyond the range has no place.
 */
import type { Opening, Tape } from './tape.ts'
import { kinds } from './tape.ts'

const lowest = 5_989_000
const ticks = 22_000

export class BareBook {
  readonly #head = new Int32Array(ticks)
  readonly #tail = new Int32Array(ticks)
  readonly #next: Int32Array
  readonly #previous: Int32Array
  readonly #level: Int32Array
  readonly #lots: Int32Array
  #bid = -1
  #ask = ticks
  resting = 0

  constructor(opening: Opening, spare: number) {
    const rows = opening.price.length + spare + 1
    this.#next = new Int32Array(rows)
    this.#previous = new Int32Array(rows)
    this.#level = new Int32Array(rows)
    this.#lots = new Int32Array(rows)
    for (let at = 0; at < opening.price.length; at++) {
      this.#rest(at + 1, opening.sell[at] === 1, opening.price[at] - lowest, opening.lots[at])
    }
  }

  play({ kind, row, sell, price, lots }: Tape, count: number): void {
    for (let at = 0; at < count; at++) {
      const isSell = sell[at] === 1
      if (kind[at] === kinds.limit) {
        const level = price[at] - lowest
        const left = this.#sweep(isSell, level, lots[at])
        if (left > 0) this.#rest(row[at], isSell, level, left)
      } else if (kind[at] === kinds.cancel) this.#remove(row[at])
      else this.#sweep(isSell, isSell ? 0 : ticks - 1, lots[at])
    }
  }

  #sweep(isSell: boolean, limit: number, wanted: number): number {
    let left = wanted
    while (left > 0 && (isSell ? this.#bid >= limit : this.#ask <= limit)) {
      const level = isSell ? this.#bid : this.#ask
      if (level < 0 || level >= ticks) return left
      const maker = this.#head[level]
      const lots = Math.min(left, this.#lots[maker])
      left -= lots
      this.#lots[maker] -= lots
      if (this.#lots[maker] === 0) this.#remove(maker)
    }
    return left
  }

  #rest(row: number, isSell: boolean, level: number, lots: number): void {
    const last = this.#tail[level]
    this.#level[row] = level
    this.#lots[row] = lots
    this.#previous[row] = last
    this.#next[row] = 0
    this.#tail[level] = row
    if (last === 0) this.#head[level] = row
    else this.#next[last] = row
    if (isSell && level < this.#ask) this.#ask = level
    if (!isSell && level > this.#bid) this.#bid = level
    this.resting++
  }

  #remove(row: number): void {
    const level = this.#level[row]
    const [next, previous] = [this.#next[row], this.#previous[row]]
    if (previous === 0) this.#head[level] = next
    else this.#next[previous] = next
    if (next === 0) this.#tail[level] = previous
    else this.#previous[next] = previous
    this.resting--
    if (this.#head[level] !== 0) return
    if (level === this.#bid) while (this.#bid >= 0 && this.#head[this.#bid] === 0) this.#bid--
    if (level === this.#ask) while (this.#ask < ticks && this.#head[this.#ask] === 0) this.#ask++
  }
}
