/**
 * The order book alone: src/engine/book in price-time priority, without accounts, money or events.
 *
 * Mix      70 % limit orders, 25 % cancels, 5 % market orders. Nearly half of the limit orders cross the middle, so that about
 *          as many orders leave as come and the number resting stays near where it began; prices crowd towards the touch
 *          (cube of a uniform share of 10,000 ticks)
 * Tape     what happens is drawn once, on a book of its own, and then played on fresh books: the clock sees the book's
 *          work and the table of orders it chains, not the drawing
 * Place,   one window of 1,000 orders is placed, then cancelled in another order, over and over, beside the same number
 * cancel   of resting orders: what the size of the book itself costs. `any` cancels whichever of all resting orders and
 *          places it again: the same work on memory that no cache holds
 */
import { type Book, bestPrice, dequeue, emptyBook, enqueue, firstAt, shrink } from '../src/engine/book/book.ts'
import type { Side } from '../src/engine/command.ts'
import { chance, collectGarbage, median, nsPer, perSecond, report, rounded } from './measure.ts'

const operations = 1_000_000
const rounds = 3
const middle = 6_000_000
const spanTicks = 10_000
const lotsMax = 100
/** Of the limit orders; they reach this far beyond the middle. */
const crossingShare = 0.46
const crossingTicks = 50
const windowOrders = 1_000
const windows = 300
const kinds = { limit: 0, cancel: 1, market: 2 } as const
const quick = process.argv.includes('--quick')
const populations = quick ? [0, 1_000] : [0, 1_000, 10_000, 100_000, 1_000_000]

/** The columns of the orders table that a book needs. */
class Orders {
  readonly previous: Int32Array
  readonly next: Int32Array
  readonly price: Int32Array
  readonly left: Float64Array
  readonly sell: Uint8Array

  constructor(rows: number) {
    this.previous = new Int32Array(rows)
    this.next = new Int32Array(rows)
    this.price = new Int32Array(rows)
    this.left = new Float64Array(rows)
    this.sell = new Uint8Array(rows)
  }

  sideOf(row: number): Side {
    return this.sell[row] === 1 ? 'sell' : 'buy'
  }
}

class Market {
  readonly book: Book = emptyBook()
  readonly orders: Orders
  /** Told of every order that was filled. */
  onFilled: ((row: number) => void) | undefined

  constructor(rows: number) {
    this.orders = new Orders(rows)
  }

  limit(row: number, side: Side, price: number, lots: number): boolean {
    const left = this.sweep(side, price, lots)
    if (left === 0) return false
    this.rest(row, side, price, left)
    return true
  }

  rest(row: number, side: Side, price: number, lots: number): void {
    const { orders } = this
    orders.price[row] = price
    orders.left[row] = lots
    orders.sell[row] = side === 'sell' ? 1 : 0
    enqueue(this.book, orders, row, side, price, lots)
  }

  cancel(row: number): void {
    const { orders } = this
    dequeue(this.book, orders, row, orders.sideOf(row), orders.price[row], orders.left[row])
    orders.left[row] = 0
  }

  /** Takes what the other side offers up to a price; answers what is left. */
  sweep(side: Side, priceLimit: number, lots: number): number {
    const { book, orders } = this
    const other: Side = side === 'buy' ? 'sell' : 'buy'
    let left = lots
    for (let price = bestPrice(book, other); price !== 0 && left > 0; price = bestPrice(book, other)) {
      if (side === 'buy' ? price > priceLimit : price < priceLimit) break
      const maker = firstAt(book, other, price)
      const taken = Math.min(left, orders.left[maker])
      left -= taken
      orders.left[maker] -= taken
      shrink(book, other, price, taken)
      if (orders.left[maker] > 0) break
      dequeue(book, orders, maker, other, price, 0)
      this.onFilled?.(maker)
    }
    return left
  }
}

/** What to do, one column per operand. Rows were given by whoever drew the tape. */
interface Tape {
  readonly kind: Uint8Array
  readonly row: Int32Array
  readonly sell: Uint8Array
  readonly price: Int32Array
  readonly lots: Int32Array
}

/** Orders that rest at the beginning, without meeting each other. */
interface Opening {
  readonly sell: Uint8Array
  readonly price: Int32Array
  readonly lots: Int32Array
}

function distance(share: number): number {
  return 1 + Math.floor(spanTicks * share ** 3)
}

function drawOpening(resting: number): Opening {
  const draw = chance(resting + 1)
  const sell = new Uint8Array(resting).map(() => (draw() < 0.5 ? 1 : 0))
  const price = Int32Array.from(sell, (one) => middle + (one === 1 ? 1 : -1) * distance(draw()))
  return { sell, price, lots: Int32Array.from({ length: resting }, () => 1 + Math.floor(draw() * lotsMax)) }
}

function open({ sell, price, lots }: Opening, spare: number): Market {
  const market = new Market(sell.length + spare + 1)
  for (let index = 0; index < sell.length; index++) {
    market.rest(index + 1, sell[index] === 1 ? 'sell' : 'buy', price[index], lots[index])
  }
  return market
}

/** Draws the operations on a book that it plays them on, so that every cancel finds its order. */
function drawTape(opening: Opening): { readonly tape: Tape; readonly restingAtEnd: number } {
  const draw = chance(7)
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

function play(market: Market, { kind, row, sell, price, lots }: Tape): void {
  for (let index = 0; index < operations; index++) {
    const side: Side = sell[index] === 1 ? 'sell' : 'buy'
    if (kind[index] === kinds.limit) market.limit(row[index], side, price[index], lots[index])
    else if (kind[index] === kinds.cancel) market.cancel(row[index])
    else market.sweep(side, sell[index] === 1 ? 1 : 2 ** 30 - 1, lots[index])
  }
}

function benchMix(resting: number): void {
  const opening = drawOpening(resting)
  const { tape, restingAtEnd } = drawTape(opening)
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const market = open(opening, operations)
    collectGarbage()
    times.push(nsPer(operations, () => play(market, tape)))
  }
  const ns = median(times)
  report({
    bench: 'book',
    case: `mix, ${resting} resting`,
    count: operations,
    figures: { operationsPerSecond: perSecond(ns), operationNs: rounded(ns), restingAtEnd },
  })
}

/** A thousand orders at a time are placed and cancelled beside `resting` others; which, and in which order, is drawn before. */
function benchPlaceAndCancel(resting: number, which: 'window' | 'any'): void {
  const draw = chance(11)
  const opening = drawOpening(resting)
  const market = open(opening, windowOrders)
  const rows = new Int32Array(windowOrders)
  const shuffled = new Int32Array(windowOrders)
  const place = () => {
    for (const row of rows) {
      // An order of the window is a copy of one that rests; any of the others is placed as it was.
      const index = (row - 1) % resting
      market.rest(row, opening.sell[index] === 1 ? 'sell' : 'buy', opening.price[index], opening.lots[index])
    }
  }
  const cancel = () => {
    for (const row of shuffled) market.cancel(row)
  }
  let placeNs = 0
  let cancelNs = 0
  for (let window = -50; window < windows; window++) {
    if (which === 'window') rows.forEach((_, index) => (rows[index] = resting + 1 + index))
    else drawDistinct(rows, resting, draw)
    shuffled.set(rows)
    shuffle(shuffled, draw)
    if (which === 'window') shuffle(rows, draw)
    const placed = which === 'window' ? nsPer(windowOrders, place) : 0
    const canceled = nsPer(windowOrders, cancel)
    const placedAgain = which === 'any' ? nsPer(windowOrders, place) : 0
    if (window < 0) continue
    placeNs += placed + placedAgain
    cancelNs += canceled
  }
  report({
    bench: 'book',
    case: which === 'window' ? `window beside ${resting} resting` : `any of ${resting} resting`,
    count: windowOrders * windows,
    figures: { placeNs: rounded(placeNs / windows), cancelNs: rounded(cancelNs / windows) },
  })
}

function drawDistinct(rows: Int32Array, among: number, draw: () => number): void {
  const drawn = new Set<number>()
  while (drawn.size < rows.length) drawn.add(1 + Math.floor(draw() * among))
  rows.set([...drawn])
}

function shuffle(rows: Int32Array, draw: () => number): void {
  for (let index = rows.length - 1; index > 0; index--) {
    const other = Math.floor(draw() * (index + 1))
    const row = rows[index]
    rows[index] = rows[other]
    rows[other] = row
  }
}

for (const resting of populations) benchMix(resting)
for (const resting of populations.filter((one) => one === 1_000 || one === 1_000_000)) {
  benchPlaceAndCancel(resting, 'window')
  benchPlaceAndCancel(resting, 'any')
}
