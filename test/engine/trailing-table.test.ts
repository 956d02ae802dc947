/**
 * The table of trailing orders against a plain model: all orders in a list, of which every price looks at each.
 *
 * Model   an order knows its own best price. Due is who has been passed furthest, then the lowest number. Of orders on one
 *         side, by one price and with one rate only the one that was active first is asked: the others are not due before it
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Ticks } from '../../src/engine/numbers/numbers.ts'
import { TrailingTable } from '../../src/engine/state/trailing-table.ts'
import type { TriggerPrice } from '../../src/engine/vocabulary.ts'

interface Trailing {
  readonly id: number
  readonly sells: boolean
  by: TriggerPrice
  rate: number
  price: number
  rises: boolean
  /** When it began to wait. */
  since: number
  /** Its turn among those that became active; zero: it waits. */
  turn: number
  best: number
}

type Prices = Record<TriggerPrice, number>

class Model {
  readonly orders: Trailing[] = []
  #steps = 0
  #turns = 0

  wait(order: Trailing): void {
    order.since = ++this.#steps
    order.turn = 0
    order.best = 0
  }

  follow(prices: Prices): void {
    for (const order of this.orders) {
      const now = prices[order.by]
      if (order.turn > 0 && now > 0) order.best = order.sells ? Math.max(order.best, now) : Math.min(order.best, now)
    }
    for (const by of ['last', 'mark'] as const) {
      const now = prices[by]
      const isReached = ({ price, rises }: Trailing) => price === 0 || (rises ? price <= now : price >= now)
      const reached = this.orders.filter((order) => order.by === by && order.turn === 0 && now > 0 && isReached(order))
      const upwards = ({ rises, price }: Trailing) => rises || price === 0
      reached.sort((a, b) => {
        if (upwards(a) !== upwards(b)) return upwards(a) ? -1 : 1
        return (upwards(a) ? a.price - b.price : b.price - a.price) || a.since - b.since
      })
      for (const order of reached) Object.assign(order, { turn: ++this.#turns, best: now })
    }
  }

  due(prices: Prices): Trailing | undefined {
    const active = this.orders.filter(({ turn }) => turn > 0)
    const firsts = active.filter((order) => !active.some((other) => isAlike(order, other) && other.turn < order.turn))
    const passed = (order: Trailing) => (prices[order.by] - duePrice(order)) * (order.sells ? -1 : 1)
    const due = firsts.filter((order) => prices[order.by] > 0 && duePrice(order) > 0 && passed(order) >= 0)
    return due.toSorted((a, b) => passed(b) - passed(a) || a.id - b.id)[0]
  }
}

function isAlike(a: Trailing, b: Trailing): boolean {
  return a.by === b.by && a.sells === b.sells && a.rate === b.rate
}

/** In whole numbers of 64 bits: price <= best × (1 − rate), for a buy price >= best × (1 + rate). */
function duePrice({ sells, best, rate }: Trailing): number {
  const exact = BigInt(best) * BigInt(10_000 + (sells ? -rate : rate))
  return Number(sells ? exact / 10_000n : (exact + 9_999n) / 10_000n)
}

const by = fc.constantFrom('last', 'mark')
const rate = fc.constantFrom(1, 50, 100, 101, 150, 300, 1_000)
const price = fc.oneof(fc.constant(0), fc.integer({ min: 970, max: 1_030 }))
/** Prices mostly creep, so that orders live to see some best prices; now and then one leaps, or is not there. */
const move = fc.oneof({ weight: 6, arbitrary: fc.integer({ min: -4, max: 4 }) }, fc.integer({ min: -40, max: 40 }))
const some = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
/** One in ten. */
const few = fc.integer({ min: 1, max: 10 }).map((drawn) => drawn === 1)
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ add: fc.record({ by, rate, price, sells: fc.boolean(), rises: fc.boolean() }) }),
  },
  { weight: 8, arbitrary: fc.record({ last: move, mark: move, traded: fc.boolean(), saved: few }) },
  { weight: 1, arbitrary: fc.record({ remove: some }) },
  { weight: 1, arbitrary: fc.record({ setRate: some, rate }) },
  { weight: 1, arbitrary: fc.record({ restart: some, by, rate, price, rises: fc.boolean() }) },
)
const instrument = 3

test('active orders, their best prices and who is due are those of the model, over any course', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 50, maxLength: 250, size: 'max' }), (steps) => {
      const model = new Model()
      let table = new TrailingTable()
      let id = 0
      let last = 1_000
      let mark = 1_000
      const pick = (share: number) => model.orders[Math.floor(share * model.orders.length)]
      const drop = (order: Trailing) => {
        model.orders.splice(model.orders.indexOf(order), 1)
        table.remove(order.id)
      }
      for (const entry of steps) {
        if ('add' in entry) {
          const order = { ...entry.add, id: ++id, since: 0, turn: 0, best: 0 }
          model.orders.push(order)
          model.wait(order)
          // Its row among the trigger orders has the same number here.
          table.add(order.id, order.id, {
            ...terms(order),
            instrument,
            sells: order.sells,
            takeProfitRate: 0,
            stopLossRate: 0,
          })
        } else if ('traded' in entry) {
          last = Math.max(900, last + entry.last)
          mark = Math.max(900, mark + entry.mark)
          const prices = { last: (entry.traded ? last : 0) as Ticks, mark: mark as Ticks }
          model.follow(prices)
          table.follow(instrument, prices)
          expectSame(model, table)
          for (let due = model.due(prices); due !== undefined; due = model.due(prices)) {
            expect(table.trigger.at(table.dueNow(instrument, prices))).toBe(due.id)
            drop(due)
          }
          expect(table.dueNow(instrument, prices)).toBe(0)
          if (entry.saved) {
            const loaded = new TrailingTable()
            loaded.load(structuredClone(table.save()))
            table = loaded
          }
        } else if (model.orders.length === 0) continue
        else if ('remove' in entry) drop(pick(entry.remove))
        else if ('setRate' in entry) {
          const order = pick(entry.setRate)
          order.rate = entry.rate
          table.setRate(order.id, entry.rate)
        } else {
          const order = pick(entry.restart)
          const { restart: _share, ...rest } = entry
          Object.assign(order, rest)
          model.wait(order)
          table.restart(order.id, terms(order))
        }
      }
      expectSame(model, table)
    }),
    { numRuns: 60, endOnFailure: true },
  )
})

function terms({ by: kind, rate: share, price: from, rises }: Trailing) {
  return { by: kind, rate: share, price: from as Ticks | 0, rises }
}

function expectSame(model: Model, table: TrailingTable): void {
  const waitsFor = (order: Trailing) => (order.turn === 0 ? Math.max(order.price, 1) : duePrice(order))
  const found = model.orders.map(({ id }) => table.find(id)).map((row) => [table.bestOf(row), table.priceOf(row)])
  expect(found).toEqual(model.orders.map((order) => [order.best, waitsFor(order)]))
}

test('a table from which all have gone holds nothing but used rows', () => {
  const table = new TrailingTable()
  const order = { by: 'last', rate: 100, price: 0, rises: true } as const
  for (let id = 1; id <= 50; id++) {
    table.add(id, id, { ...order, instrument, sells: id % 2 === 0, takeProfitRate: 0, stopLossRate: 0 })
    table.follow(instrument, { last: (1_000 + id) as Ticks, mark: 1_000 as Ticks })
  }
  for (let id = 1; id <= 50; id++) table.remove(id)
  const { sells, buys } = table.watches[instrument]?.last ?? { sells: undefined, buys: undefined }
  for (const trail of [sells, buys]) expect([trail?.runs, trail?.queues.size]).toEqual([[], 0])
  expect(table.rowOf.size).toBe(0)
})
