/**
 * Tables that keep a day each answer as one table would: pages, windows and single orders over many days, through restarts
 * and pruning. The twin is a list.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type History, openHistory } from '../../src/history/history.ts'
import { tries } from '../support/depth.ts'
import { takeBackBefore } from './earlier.ts'
import { alice, bob, fillNumber, noon, orderNumber, tradeNumber } from './samples.ts'

const dayMs = 86_400_000
const midnight = noon - (noon % dayMs)

let directory: string
let file: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-days-'))
  file = join(directory, 'history.sqlite')
})
afterEach(() => rm(directory, { recursive: true }))

interface EndedOrder {
  readonly id: number
  readonly uid: number
  readonly createdAt: number
  readonly at: number
}

/** Orders that rested for up to three days; numbers in the order of creation, rows in the order of their ends. */
const venues = fc
  .array(
    fc.record({
      uid: fc.constantFrom(alice, bob),
      start: fc.integer({ min: 0, max: 6 * dayMs - 1 }),
      rest: fc.oneof(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 3 * dayMs })),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((orders): EndedOrder[] =>
    orders
      .toSorted((a, b) => a.start - b.start)
      .map(({ uid, start, rest }, index) => {
        return { id: index + 1, uid, createdAt: midnight + start, at: midnight + start + rest }
      }),
  )

/** Every order with a fill and a trade at its end, as one command each. */
function record(history: History, orders: readonly EndedOrder[]): void {
  for (const [index, { id, uid, createdAt, at }] of orders.toSorted((a, b) => a.at - b.at).entries()) {
    history.record(index + 1, at, [
      fillNumber(index + 1, { uid, orderId: id, at }),
      tradeNumber(index + 1, { instrument: uid, at }),
      orderNumber(id, { uid, clientOid: `o${id}`, createdAt, updatedAt: at }),
    ])
  }
}

async function orderIds(history: History, uid: number, limit: number, from?: number, to?: number): Promise<number[]> {
  const seen: number[] = []
  let beforeOrderId: number | undefined
  do {
    const page = await history.orders({ uid, limit, from, to, beforeOrderId })
    seen.push(...page.rows.map(({ orderId }) => orderId))
    beforeOrderId = page.next
  } while (beforeOrderId !== undefined)
  return seen
}

async function fillTimes(history: History, uid: number, limit: number, from?: number, to?: number): Promise<number[]> {
  const seen: number[] = []
  let beforeExecId: number | undefined
  do {
    const page = await history.fills({ uid, limit, from, to, beforeExecId })
    seen.push(...page.rows.map(({ at }) => at))
    beforeExecId = page.next
  } while (beforeExecId !== undefined)
  return seen
}

const newestFirst = (a: number, b: number) => b - a

test('pages and windows over days are those of a list, after a restart and a pruning too', async () => {
  const moments = fc.option(fc.integer({ min: midnight - dayMs, max: midnight + 10 * dayMs }), { nil: undefined })
  let runs = 0
  await fc.assert(
    fc.asyncProperty(
      venues,
      fc.integer({ min: 1, max: 7 }),
      moments,
      moments,
      fc.integer({ min: 0, max: 9 }),
      async (orders, limit, from, to, prunedDays) => {
        const path = `${file}-${++runs}`
        const first = await openHistory(path)
        // Stopped in the middle, and recorded everything again: what it has is dropped.
        record(first, orders.slice(0, Math.ceil(orders.length / 2)).length === orders.length ? orders : [])
        record(first, orders)
        await first.close()
        const history = await openHistory(path)
        record(history, orders)
        const check = async (kept: readonly EndedOrder[]) => {
          for (const uid of [alice, bob]) {
            const own = kept.filter((order) => order.uid === uid)
            const inside = (at: number) => at >= (from ?? 0) && at <= (to ?? Infinity)
            expect(await orderIds(history, uid, limit, from, to)).toEqual(
              own
                .filter(({ createdAt }) => inside(createdAt))
                .map(({ id }) => id)
                .sort(newestFirst),
            )
            expect(await fillTimes(history, uid, limit, from, to)).toEqual(
              own
                .map(({ at }) => at)
                .filter(inside)
                .sort(newestFirst),
            )
            for (const { id } of own) {
              expect((await history.order({ uid, orderId: id }))?.orderId).toBe(id)
              expect((await history.order({ uid, clientOid: `o${id}` }))?.orderId).toBe(id)
              expect((await history.orderTimeline({ orderId: id })).fills).toHaveLength(1)
            }
          }
        }
        await check(orders)
        const before = midnight + prunedDays * dayMs
        await history.prune(before)
        await check(orders.filter(({ at }) => at >= before))
        await history.close()
        // A day that is over is a table, and goes with it.
        const database = new DatabaseSync(path, { readOnly: true })
        const days = database.prepare(
          `select name from sqlite_schema where name glob 'fills_20[0-9]*' and type = 'table'`,
        )
        const newest = Math.max(...orders.map(({ at }) => Math.floor(at / dayMs)))
        const due = new Set(
          orders.map(({ at }) => Math.floor(at / dayMs)).filter((day) => day < newest && day * dayMs >= before),
        )
        expect(days.all()).toHaveLength(due.size)
        database.close()
      },
    ),
    { numRuns: tries(12) },
  )
})

test('a day on which an old order ended alone hides no newer ones of the day before', async () => {
  const history = await openHistory(':memory:')
  const endedOn = [2, 3, 3, 1, 1, 3]
  const orders = endedOn.map((day, index) => {
    return { id: index + 1, uid: alice, createdAt: midnight + index, at: midnight + day * dayMs }
  })
  record(history, orders)
  for (const limit of [1, 2, 3]) expect(await orderIds(history, alice, limit)).toEqual([6, 5, 4, 3, 2, 1])
  await history.close()
})

test('orders are found by their client order ids in days before these were put before accounts, too', async () => {
  const orders = (id: number, day: number) => {
    const at = midnight + day * dayMs
    return orderNumber(id, { clientOid: `o${id % 2}`, createdAt: at, updatedAt: at })
  }
  const first = await openHistory(file)
  first.record(1, midnight + dayMs, [orders(1, 1)])
  await first.close()
  takeBackBefore('009-client-oids-first', file)
  // Such a release puts its first day away, and gives the indexes of the next one names of its own.
  const day = `orders_${new Date(midnight + dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`
  const database = new DatabaseSync(file)
  const [{ sql }] = database.prepare(`select sql from sqlite_schema where name = 'orders'`).all()
  database.exec(`
    alter table orders rename to ${day};
    ${String(sql)};
    create index ${day}_next_by_uid on orders (uid);
    create index ${day}_next_by_uid_client_oid on orders (uid, client_oid)`)
  database.close()
  const again = await openHistory(file)
  for (const id of [2, 3, 4]) again.record(id, midnight + id * dayMs, [orders(id, id)])
  for (const [clientOid, ids] of [
    ['o0', [4, 2]],
    ['o1', [3, 1]],
    ['o', []],
  ] as const) {
    const { rows } = await again.orders({ uid: alice, clientOid, limit: 5 })
    expect(rows.map(({ orderId }) => orderId)).toEqual(ids)
    expect((await again.orders({ uid: bob, clientOid, limit: 5 })).rows).toEqual([])
  }
  await again.close()
  expect(indexesOf(day)).toContain('uid,client_oid')
  expect(indexesOf('orders')).toContain('client_oid,uid')
  expect(indexesOf('triggers')).toContain('client_oid,uid')
  for (const table of ['orders', 'triggers']) expect(indexesOf(table)).not.toContain('uid,client_oid')
})

function indexesOf(table: string): string[] {
  using database = new DatabaseSync(file)
  const columns = `select group_concat(name) from pragma_index_info(one.name)`
  const found = database.prepare(`select (${columns}) as columns from pragma_index_list(?) one`).all(table)
  return found.map((index) => String(index['columns']))
}

test('the rows of a history from before there were days are its first day, whatever their age', async () => {
  const first = await openHistory(':memory:')
  await first.close()
  const history = await openHistory(file)
  history.record(1, midnight, [fillNumber(1, { at: midnight })])
  await history.close()
  const database = new DatabaseSync(file)
  database.exec(`update fills set at_ms = ${midnight - 40 * dayMs}`)
  database.close()
  const again = await openHistory(file)
  again.record(2, midnight + dayMs, [fillNumber(2, { at: midnight + dayMs })])
  expect(await fillTimes(again, alice, 1)).toEqual([midnight + dayMs, midnight - 40 * dayMs])
  await again.prune(midnight + dayMs)
  expect(await fillTimes(again, alice, 1)).toEqual([midnight + dayMs])
  await again.close()
})

test('more days than one statement of SQL can name', async () => {
  const history = await openHistory(':memory:')
  const days = 420
  for (let day = 0; day < days; day++) {
    const at = midnight + day * dayMs
    history.record(day + 1, at, [fillNumber(day + 1, { at, orderId: day % 2 })])
  }
  expect(await fillTimes(history, alice, 400)).toHaveLength(days)
  expect((await history.orderTimeline({ orderId: 1 })).fills).toHaveLength(days / 2)
  expect(await history.lineage({ uid: alice, limit: 3 })).toMatchObject([
    { sequence: days },
    {},
    { sequence: days - 2 },
  ])
  await history.prune(midnight + (days - 1) * dayMs)
  expect(await fillTimes(history, alice, 10)).toEqual([midnight + (days - 1) * dayMs])
  await history.close()
})
