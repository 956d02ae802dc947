/**
 * The rows of a tape, a millisecond of the venue at a time, in ticks and lots of an instrument.
 *
 * Rounded   prices that are no tick of the instrument: bids down, asks up, trades to the nearest. Sizes to the nearest lot, at least
 *           one. Levels that fall on one tick add up. How often that was is counted
 * Source    lab.md §4.9
 */
import type { Instrument } from '../../engine/catalog/catalog.ts'
import type { Change, MomentRows, Trade } from '../../house-book/house-book.ts'
import { Block, rowKind, type Tape } from '../../tape/tape.ts'

/** Where a reader stands, and what it adds up: plain data. */
export interface SavedMoments {
  readonly block: number
  readonly row: number
  readonly rows: number
  readonly rounded: number
  readonly fine: readonly (readonly (readonly [price: number, amount: number])[])[]
}

export class Moments {
  readonly #tape: Tape
  readonly #block = new Block()
  #loaded = -1
  #number = 0
  #row = 0
  #rows = 0
  #rounded = 0
  readonly #ticks: Ratio
  readonly #lots: Ratio
  /** Where several recorded prices are one tick: amounts of each recorded price, bids and asks. */
  readonly #fine: readonly Map<number, number>[] = [new Map(), new Map()]

  constructor(tape: Tape, { priceStep, priceDecimals, quantityStep, quantityDecimals }: Instrument) {
    this.#tape = tape
    const { price, amount } = tape.contents.scales
    this.#ticks = ratioOf(priceStep, price - priceDecimals)
    this.#lots = ratioOf(quantityStep, amount - quantityDecimals)
  }

  /** Rows that were read. */
  get rows(): number {
    return this.#rows
  }

  get rounded(): number {
    return this.#rounded
  }

  /** When the next rows are, Unix milliseconds of the tape; undefined: there are none. */
  get nextAt(): number | undefined {
    return this.#load() ? Math.floor(this.#block.times[this.#row] / 1_000) : undefined
  }

  /** All rows of the next millisecond that has any. */
  take(): MomentRows | undefined {
    const at = this.nextAt
    if (at === undefined) return undefined
    const trades: Trade[] = []
    let changes: Change[] = []
    let isCleared = false
    const before = this.#rows
    let [index, mark, funding] = [undefined, undefined, undefined] as (number | undefined)[]
    const endUs = (at + 1) * 1_000
    while (this.#load()) {
      const { times, kinds, values, amounts } = this.#block
      const row = this.#row
      if (times[row] >= endUs) break
      const [kind, value, amount] = [kinds[row], values[row], amounts[row]]
      this.#row += 1
      this.#rows += 1
      if (kind <= rowKind.ask) changes.push(this.#change(kind === rowKind.bid, value, amount))
      else if (kind <= rowKind.sell) trades.push(this.#trade(kind === rowKind.buy, value, amount))
      else if (kind === rowKind.clear) {
        isCleared = true
        changes = []
        for (const side of this.#fine) side.clear()
      } else if (kind === rowKind.index) index = value
      else if (kind === rowKind.mark) mark = value
      else if (kind === rowKind.funding) funding = value
    }
    return { at, rows: this.#rows - before, trades, isCleared, changes, index, mark, funding }
  }

  rewind(): void {
    this.#number = 0
    this.#row = 0
    for (const side of this.#fine) side.clear()
  }

  save(): SavedMoments {
    const fine = this.#fine.map((side) => [...side])
    return { block: this.#number, row: this.#row, rows: this.#rows, rounded: this.#rounded, fine }
  }

  restore({ block, row, rows, rounded, fine }: SavedMoments): void {
    this.#number = block
    this.#row = row
    this.#rows = rows
    this.#rounded = rounded
    this.#fine.forEach((side, at) => {
      side.clear()
      for (const [price, amount] of fine[at]) side.set(price, amount)
    })
  }

  /** Whether there is a row to read. */
  #load(): boolean {
    const { blocks } = this.#tape.contents
    if (this.#loaded === this.#number && this.#row < this.#block.length) return true
    while (this.#number < blocks.length && this.#row >= blocks[this.#number].rows) {
      this.#number += 1
      this.#row = 0
    }
    if (this.#number >= blocks.length) return false
    if (this.#loaded !== this.#number) this.#tape.read(this.#number, this.#block)
    this.#loaded = this.#number
    return true
  }

  #change(isBid: boolean, price: number, amount: number): Change {
    const { times, per } = this.#ticks
    const exact = (price * times) / per
    const ticks = isBid ? Math.floor(exact) : Math.ceil(exact)
    if (ticks !== exact) this.#rounded += 1
    if (per <= times) return { isBid, price: ticks, lots: this.#lotsOf(amount) }
    const side = this.#fine[isBid ? 0 : 1]
    if (amount === 0) side.delete(price)
    else side.set(price, amount)
    const first = isBid ? Math.ceil((ticks * per) / times) : Math.floor(((ticks - 1) * per) / times) + 1
    const last = isBid ? Math.ceil(((ticks + 1) * per) / times) - 1 : Math.floor((ticks * per) / times)
    let sum = 0
    for (let at = first; at <= last; at++) sum += side.get(at) ?? 0
    return { isBid, price: ticks, lots: this.#lotsOf(sum) }
  }

  #trade(isBuy: boolean, price: number, amount: number): Trade {
    const exact = (price * this.#ticks.times) / this.#ticks.per
    const ticks = Math.round(exact)
    if (ticks !== exact) this.#rounded += 1
    return { isBuy, price: ticks, lots: this.#lotsOf(amount) }
  }

  #lotsOf(amount: number): number {
    if (amount === 0) return 0
    const exact = (amount * this.#lots.times) / this.#lots.per
    const lots = Math.max(1, Math.round(exact))
    if (lots !== exact) this.#rounded += 1
    return lots
  }
}

/** A recorded number times one and divided by the other is a number of steps. */
interface Ratio {
  readonly times: number
  readonly per: number
}

/** `decimals`: how many more the record has than the instrument. */
function ratioOf(step: number, decimals: number): Ratio {
  return { times: 10 ** Math.max(0, -decimals), per: step * 10 ** Math.max(0, decimals) }
}
