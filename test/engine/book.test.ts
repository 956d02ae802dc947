/**
 * The order book against a plain one: a sorted array with the same rules. Both take the same random orders and are asked
 * the same questions; the plain one is the specification of the fast one.
 */
import { sideOf } from '../../src/engine/book/book.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bestPrice,
  type Book,
  dequeue,
  emptyBook,
  enqueue,
  firstAt,
  nextPrice,
  quantityAt,
  shrink,
} from '../../src/engine/book/book.ts'
import { emptyLadder, ladderNext, ladderRemove, ladderTouch } from '../../src/engine/book/ladder.ts'
import { InvariantBroken, priceTicksMax } from '../../src/engine/numbers/numbers.ts'
import { decode, encode } from '../../src/engine/storage/storage.ts'
import type { Side } from '../../src/engine/vocabulary.ts'
import { queueLinks } from './support/links.ts'

interface PlainOrder {
  readonly row: number
  readonly side: Side
  readonly price: number
  quantity: number
}

/** Both books at once. */
class Twins {
  book: Book = emptyBook()
  readonly links = queueLinks()
  /** In order of arrival. */
  plain: PlainOrder[] = []

  add(order: PlainOrder): void {
    enqueue(sideOf(this.book, order.side), this.links, order.row, order.price, order.quantity)
    this.plain.push(order)
  }

  remove(order: PlainOrder): void {
    dequeue(sideOf(this.book, order.side), this.links, order.row, order.price, order.quantity)
    this.plain = this.plain.filter((other) => other !== order)
  }

  reduce(order: PlainOrder, by: number): void {
    shrink(this.book, order.side, order.price, by)
    order.quantity -= by
  }

  expectEqual(): void {
    for (const side of ['buy', 'sell'] as const) expect(this.levels(side)).toEqual(this.plainLevels(side))
  }

  private levels(side: Side): (readonly [price: number, quantity: number, rows: number[]])[] {
    const found: (readonly [number, number, number[]])[] = []
    for (let price = bestPrice(this.book, side); price !== 0; price = nextPrice(this.book, side, price)) {
      const rows: number[] = []
      let before = 0
      for (let row = firstAt(this.book, side, price); row !== 0; row = this.links.next.at(row)) {
        expect(this.links.previous.at(row)).toBe(before)
        rows.push(row)
        before = row
      }
      found.push([price, quantityAt(this.book, side, price), rows])
    }
    return found
  }

  private plainLevels(side: Side): (readonly [price: number, quantity: number, rows: number[]])[] {
    const orders = this.plain.filter((order) => order.side === side)
    const prices = [...new Set(orders.map(({ price }) => price))].sort((a, b) => (side === 'buy' ? b - a : a - b))
    return prices.map((price) => {
      const level = orders.filter((order) => order.price === price)
      return [price, level.reduce((sum, order) => sum + order.quantity, 0), level.map(({ row }) => row)]
    })
  }
}

/** Prices that share leaves, branches and words, lie beside their edges, and at both ends of the range. */
const price = fc.oneof(
  fc.constantFrom(50, 51), // so few that queues grow
  fc.integer({ min: 1, max: 70 }),
  fc.integer({ min: 1000, max: 1100 }),
  fc.constantFrom(31, 32, 33, 1023, 1024, 1025, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 31 * 1024, 32 * 1024 - 1, 32 * 1024),
  fc.integer({ min: 1, max: priceTicksMax }),
  fc.integer({ min: priceTicksMax - 40, max: priceTicksMax }),
)

const step = fc.record({
  kind: fc.constantFrom('add', 'add', 'add', 'remove', 'reduce'),
  side: fc.constantFrom<Side>('buy', 'sell'),
  price,
  quantity: fc.integer({ min: 1, max: 2 ** 40 }),
  pick: fc.nat(),
})

test('a book agrees with a plain one, whatever comes and goes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const twins = new Twins()
      let row = 0
      for (const { kind, side, price: at, quantity, pick } of steps) {
        const picked = twins.plain[pick % Math.max(1, twins.plain.length)]
        if (kind === 'add' || picked === undefined) twins.add({ row: ++row, side, price: at, quantity })
        else if (kind === 'remove') twins.remove(picked)
        else twins.reduce(picked, quantity % picked.quantity)
        twins.expectEqual()
      }
      // As saved and loaded, it goes on as before.
      twins.book = decode(encode(twins.book)) as Book
      twins.expectEqual()
      for (const order of twins.plain) twins.remove(order)
      twins.expectEqual()
      expect(twins.book.bids.branches.every((branch) => branch === undefined)).toBe(true)
      expect(twins.book.asks.branches.every((branch) => branch === undefined)).toBe(true)
    }),
    { numRuns: 150 },
  )
})

test('orders leave a queue from its front, its middle and its end, and the others keep their order', () => {
  for (const first of [1, 2, 3, 4]) {
    for (const second of [1, 2, 3, 4]) {
      if (first === second) continue
      const twins = new Twins()
      for (const row of [1, 2, 3, 4]) twins.add({ row, side: 'sell', price: 100, quantity: row * 10 })
      for (const gone of [first, second]) {
        twins.remove(twins.plain.find(({ row }) => row === gone)!)
        twins.expectEqual()
      }
      twins.add({ row: 5, side: 'sell', price: 100, quantity: 7 })
      twins.expectEqual()
    }
  }
})

test('a price around which nothing rests, and one that no book carries, stop the command', () => {
  const twins = new Twins()
  twins.add({ row: 1, side: 'sell', price: 100, quantity: 5 })
  for (const at of [100 + 1024, 100 + 2 ** 20]) expect(() => firstAt(twins.book, 'sell', at)).toThrow(InvariantBroken)
  expect(() => quantityAt(twins.book, 'buy', 100)).toThrow(InvariantBroken)
  for (const at of [0, -1, priceTicksMax + 1]) {
    expect(() => twins.add({ row: 4, side: 'buy', price: at, quantity: 5 })).toThrow(InvariantBroken)
  }
  twins.expectEqual()
  twins.add({ row: 2, side: 'buy', price: 1, quantity: 5 })
  twins.add({ row: 3, side: 'buy', price: priceTicksMax, quantity: 5 })
  twins.expectEqual()
})

test('a level that holds more than its last order had is a defect', () => {
  const twins = new Twins()
  twins.add({ row: 1, side: 'buy', price: 100, quantity: 5 })
  expect(() => dequeue(sideOf(twins.book, 'buy'), twins.links, 1, 100, 4)).toThrow(InvariantBroken)
})

test.each([1, -1] as const)('the next occupied price is found from anywhere, walking %i', (direction) => {
  fc.assert(
    fc.property(fc.uniqueArray(price, { minLength: 1, maxLength: 60 }), fc.array(price), (occupied, asked) => {
      const ladder = emptyLadder(direction)
      for (const number of occupied) ladderTouch(ladder, number)
      const removed = occupied.filter((_, index) => index % 3 === 0)
      for (const number of removed) ladderRemove(ladder, number)
      const left = occupied.filter((number) => !removed.includes(number))
      const next = (from: number) => {
        const beyond = left.filter((number) => (number - from) * direction >= 0)
        return beyond.length === 0 ? 0 : direction === 1 ? Math.min(...beyond) : Math.max(...beyond)
      }
      expect(ladder.best).toBe(next(direction === 1 ? 1 : priceTicksMax))
      for (const from of [...asked, ...occupied, 0, 1, priceTicksMax, priceTicksMax + 1]) {
        const expected = from < 1 || from > priceTicksMax ? 0 : next(from)
        expect(ladderNext(ladder, from)).toBe(expected)
      }
    }),
  )
})
