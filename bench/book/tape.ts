/**
 * What happens to a book: drawn once, on a book of its own, so that the clock sees the book's work and not the drawing.
 *
 * Mix      70 % limit orders, 25 % cancels, 5 % market orders. Nearly half of the limit orders cross the middle, so that after
 *          25 operations or so one order more rests; prices crowd towards the touch (cube of a uniform share of 10,000 ticks)
 */
import type { Side } from '../../src/engine/vocabulary.ts'
import { random } from '../measure.ts'
import { Market } from './market.ts'

export const operations = 1_000_000
const middle = 6_000_000
const spanTicks = 10_000
const lotsMax = 100
/** Of the limit orders; they reach this far beyond the middle. */
const crossingShare = 0.46
const crossingTicks = 50
export const kinds = { limit: 0, cancel: 1, market: 2 } as const

/** What to do, one column per operand. Rows were given by whoever drew the tape. */
export interface Tape {
  readonly kind: Uint8Array
  readonly row: Int32Array
  readonly sell: Uint8Array
  readonly price: Int32Array
  readonly lots: Int32Array
}

/** Orders that rest at the beginning, without meeting each other. */
export interface Opening {
  readonly sell: Uint8Array
  readonly price: Int32Array
  readonly lots: Int32Array
}

function distance(share: number): number {
  return 1 + Math.floor(spanTicks * share ** 3)
}

export function drawOpening(resting: number): Opening {
  const draw = random(resting + 1)
  const sell = new Uint8Array(resting).map(() => (draw() < 0.5 ? 1 : 0))
  const price = Int32Array.from(sell, (isSell) => middle + (isSell === 1 ? 1 : -1) * distance(draw()))
  return { sell, price, lots: Int32Array.from({ length: resting }, () => 1 + Math.floor(draw() * lotsMax)) }
}

export function open({ sell, price, lots }: Opening, spare: number): Market {
  const market = new Market(sell.length + spare + 1)
  for (let index = 0; index < sell.length; index++) {
    market.rest(index + 1, sell[index] === 1 ? 'sell' : 'buy', price[index], lots[index])
  }
  return market
}

/** Draws the operations on a book that it plays them on, so that every cancel finds its order. */
export function drawTape(opening: Opening): { readonly tape: Tape; readonly restingAtEnd: number } {
  const draw = random(7)
  const resting = opening.sell.length
  const market = open(opening, operations)
  const live = Int32Array.from({ length: resting + operations }, (_, index) => (index < resting ? index + 1 : 0))
  const place = new Int32Array(resting + operations + 1)
  for (let index = 0; index < resting; index++) place[index + 1] = index
  let count = resting
  const gone = (row: number) => {
    const at = place[row]
    const last = live[--count]
    live[at] = last
    place[last] = at
  }
  market.onFilled = gone

  const tape: Tape = {
    kind: new Uint8Array(operations),
    row: new Int32Array(operations),
    sell: new Uint8Array(operations),
    price: new Int32Array(operations),
    lots: new Int32Array(operations),
  }
  for (let index = 0; index < operations; index++) {
    const what = draw()
    const sell = draw() < 0.5
    const side: Side = sell ? 'sell' : 'buy'
    const lots = 1 + Math.floor(draw() * lotsMax)
    const row = resting + index + 1
    tape.sell[index] = sell ? 1 : 0
    tape.lots[index] = lots
    if (what < 0.25 && count > 0) {
      tape.kind[index] = kinds.cancel
      tape.row[index] = live[Math.floor(draw() * count)]
      market.cancel(tape.row[index])
      gone(tape.row[index])
    } else if (what < 0.3) {
      tape.kind[index] = kinds.market
      market.sweep(side, sell ? 1 : 2 ** 30 - 1, lots)
    } else {
      const away = draw() < crossingShare ? -Math.floor(draw() * crossingTicks) : distance(draw())
      const price = middle + (sell ? away : -away)
      tape.kind[index] = kinds.limit
      tape.row[index] = row
      tape.price[index] = price
      if (market.limit(row, side, price, lots)) {
        place[row] = count
        live[count++] = row
      }
    }
  }
  return { tape, restingAtEnd: count }
}

/** The first `count` operations of a tape. */
export function play(market: Market, { kind, row, sell, price, lots }: Tape, count: number): void {
  for (let index = 0; index < count; index++) {
    const side: Side = sell[index] === 1 ? 'sell' : 'buy'
    if (kind[index] === kinds.limit) market.limit(row[index], side, price[index], lots[index])
    else if (kind[index] === kinds.cancel) market.cancel(row[index])
    else market.sweep(side, sell[index] === 1 ? 1 : 2 ** 30 - 1, lots[index])
  }
}
