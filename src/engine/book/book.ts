/**
 * One order book: resting limit orders of one instrument in price-time priority.
 *
 * Layout      two ladders of price levels; each level a queue of orders, oldest first, chained through the links
 * Invariants  best bid < best ask after every command · a level that exists is never empty · the quantity of a level
 *             is the sum of what its orders have left
 * Cost        adding, removing and stepping to the next level do not depend on how many orders rest
 * Not here    holds and margin (settlement/, margin/), trigger orders (triggers/), public depth over time (market/)
 * Source      interface.md E2, E3; design.md §2
 */
import { assert } from '../numbers/numbers.ts'
import type { Row } from '../storage/storage.ts'
import type { Side } from '../vocabulary.ts'
import {
  emptyLadder,
  type Ladder,
  ladderLeaf,
  ladderNext,
  ladderQuantity,
  ladderRemove,
  ladderTouch,
  placeOf,
  type ReadonlyLadder,
} from './ladder.ts'

/** Queue links of the orders table: the neighbours of an order in its level. */
export interface QueueLinks {
  readonly previous: Links
  readonly next: Links
}

interface Links {
  at(row: Row): Row
  set(row: Row, to: Row): void
}

export interface Book {
  readonly bids: Ladder
  readonly asks: Ladder
}

/** A book that is only read: every book is one, but it cannot be written. */
export interface ReadonlyBook {
  readonly bids: ReadonlyLadder
  readonly asks: ReadonlyLadder
}

export function emptyBook(): Book {
  return { bids: emptyLadder(-1), asks: emptyLadder(1) }
}

/** Best price of a side, 0 when it is empty. */
export function bestPrice(book: ReadonlyBook, side: Side): number {
  return side === 'buy' ? book.bids.best : book.asks.best
}

/** The next price of a side behind `price`, 0 when there is none. */
export function nextPrice(book: ReadonlyBook, side: Side, price: number): number {
  return side === 'buy' ? ladderNext(book.bids, price - 1) : ladderNext(book.asks, price + 1)
}

/** First order in the queue at an occupied price. */
export function firstAt(book: ReadonlyBook, side: Side, price: number): Row {
  return ladderLeaf(side === 'buy' ? book.bids : book.asks, price).head[placeOf(price)]
}

/** Quantity of the level at an occupied price, lots. */
export function quantityAt(book: ReadonlyBook, side: Side, price: number): number {
  return ladderLeaf(side === 'buy' ? book.bids : book.asks, price).quantity[placeOf(price)]
}

/** Lots that rest at any price of a side. */
export function quantityResting(book: ReadonlyBook, side: Side, price: number): number {
  return ladderQuantity(side === 'buy' ? book.bids : book.asks, price)
}

/** The bids, or the asks. */
export function sideOf(book: Book, side: Side): Ladder {
  return side === 'buy' ? book.bids : book.asks
}

/** Puts an order at the back of its level of a side. */
export function enqueue(ladder: Ladder, links: QueueLinks, row: Row, price: number, quantity: number): void {
  const leaf = ladderTouch(ladder, price)
  const index = placeOf(price)
  const last = leaf.tail[index]
  links.previous.set(row, last)
  links.next.set(row, 0)
  if (last === 0) leaf.head[index] = row
  else links.next.set(last, row)
  leaf.tail[index] = row
  leaf.quantity[index] = leaf.quantity[index] + quantity
}

/** Puts an order that is the last of its level further to the front: before all those that `isLater` says come after it. */
export function moveForward(
  ladder: Ladder,
  links: QueueLinks,
  row: Row,
  price: number,
  isLater: (other: Row) => boolean,
): void {
  const last = links.previous.at(row)
  let before = last
  while (before !== 0 && isLater(before)) before = links.previous.at(before)
  if (before === last) return
  const leaf = ladderLeaf(ladder, price)
  const index = placeOf(price)
  const after = before === 0 ? leaf.head[index] : links.next.at(before)
  leaf.tail[index] = last
  links.next.set(last, 0)
  links.previous.set(row, before)
  links.next.set(row, after)
  links.previous.set(after, row)
  if (before === 0) leaf.head[index] = row
  else links.next.set(before, row)
}

/** Takes an order out of its level; `quantity` is what it had left. */
export function dequeue(ladder: Ladder, links: QueueLinks, row: Row, price: number, quantity: number): void {
  const leaf = ladderLeaf(ladder, price)
  const index = placeOf(price)
  const before = links.previous.at(row)
  const after = links.next.at(row)
  if (before === 0) leaf.head[index] = after
  else links.next.set(before, after)
  if (after === 0) leaf.tail[index] = before
  else links.previous.set(after, before)
  leaf.quantity[index] = leaf.quantity[index] - quantity
  if (leaf.head[index] === 0) {
    assert(leaf.quantity[index] === 0, 'an empty level has no quantity')
    ladderRemove(ladder, price)
  }
}

/** Takes `quantity` lots off a level: an order there keeps its place with less. */
export function shrink(book: Book, side: Side, price: number, quantity: number): void {
  const leaf = ladderLeaf(sideOf(book, side), price)
  const index = placeOf(price)
  leaf.quantity[index] = leaf.quantity[index] - quantity
}
