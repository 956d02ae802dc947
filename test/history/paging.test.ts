/**
 * Pages neither repeat nor miss a row while new rows arrive, and pruning takes the old ones only.
 */
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type History, openHistory, type Page } from '../../src/history/history.ts'
import { alice, bob, everyKind, fillNumber, noon, orderNumber, position, tradeNumber, transfer } from './samples.ts'

const dayMs = 86_400_000

// One for all tests, emptied in between: starting the thread takes longer than they do.
let history: History
let sequence = 0
/** Rows so far, which number them. */
let rows = 0
beforeAll(async () => {
  history = await openHistory(':memory:')
})
afterEach(async () => {
  await history.prune(Number.MAX_SAFE_INTEGER)
  rows = 0
})
afterAll(() => history.close())

/** Rows of every paged kind arrive, some of Alice and some of Bob. */
function arrive(ofWhom: readonly boolean[], days = 0): void {
  for (const isAlice of ofWhom) {
    const n = ++rows
    const at = noon + days * dayMs + n
    const uid = isAlice ? alice : bob
    history.record(++sequence, at, [
      fillNumber(n, { uid, at }),
      orderNumber(n, { uid, createdAt: at, updatedAt: at }),
      tradeNumber(n, { instrument: uid, at }),
      { ...transfer, transferId: n, fromUid: uid, toUid: n % 2 === 0 ? uid : 10_003, at },
      // Closed in another order than opened.
      { ...position, positionId: 1_000_000 - n, uid, closedAt: at },
    ])
  }
}

const kinds: Readonly<Record<string, (limit: number, before: number | undefined) => Promise<Page<number>>>> = {
  fills: async (limit, beforeExecId) =>
    numbers(await history.fills({ uid: alice, limit, beforeExecId }), (row) => row.execId),
  orders: async (limit, beforeOrderId) =>
    numbers(await history.orders({ uid: alice, limit, beforeOrderId }), (row) => row.orderId),
  trades: async (limit, beforeMatchId) =>
    numbers(await history.trades({ instrument: alice, limit, beforeMatchId }), (row) => row.matchId),
  transfers: async (limit, beforeId) =>
    numbers(await history.transfers({ uid: alice, limit, beforeId }), (row) => row.transferId),
  positions: async (limit, beforeId) =>
    numbers(await history.positions({ uid: alice, limit, beforeId }), (row) => 1_000_000 - row.positionId),
}

function numbers<Row>(page: Page<Row>, number: (row: Row) => number): Page<number> {
  return { rows: page.rows.map(number), next: page.next, last: page.last }
}

const ofNobody = { uid: alice, limit: 5 } as const
const amongNone: Readonly<Record<string, () => Promise<Page<unknown>>>> = {
  'fills of no category': () => history.fills({ ...ofNobody, categories: [] }),
  'fills of no wallet': () => history.fills({ ...ofNobody, wallets: [] }),
  'orders of no category': () => history.orders({ ...ofNobody, categories: [] }),
  'orders of no state': () => history.orders({ ...ofNobody, statuses: [] }),
  'orders of no cause': () => history.orders({ ...ofNobody, causes: [] }),
  'triggers of no kind': () => history.triggers({ ...ofNobody, kinds: [] }),
  'triggers of no state': () => history.triggers({ ...ofNobody, statuses: [] }),
  'triggers of no wallet': () => history.triggers({ ...ofNobody, wallets: [] }),
  'repayments of no number': () => history.repayments({ ...ofNobody, ids: [] }),
  'conversions of no wallet': () => history.conversions({ ...ofNobody, wallets: [] }),
  'positions of no contract': () => history.positions({ ...ofNobody, instruments: [] }),
  'positions of no wallet': () => history.positions({ ...ofNobody, wallets: [] }),
  'funding of no contract': () => history.fundingPayments({ ...ofNobody, instruments: [] }),
  'what liquidations offered in no contract': () => history.liquidationOffers({ instruments: [], limit: 5 }),
}

test.each(Object.keys(amongNone))('%s: none, and no fault', async (what) => {
  history.record(++sequence, noon, everyKind)
  expect((await amongNone[what]()).rows).toEqual([])
})

test('hours of an insurance fund that never moved: none', async () => {
  expect(await history.insuranceHours({ coin: 77, limit: 5 })).toEqual([])
})

test.each(Object.keys(kinds))('pages of %s, with new rows between them', async (kind) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { maxLength: 30 }),
      fc.array(fc.boolean(), { maxLength: 5 }),
      fc.integer({ min: 1, max: 10 }),
      async (before, between, limit) => {
        arrive(before)
        // As of the first page: everything there is, in one page.
        const all = await kinds[kind](100_000, undefined)
        expect(all.next).toBeUndefined()
        const seen: number[] = []
        let next: number | undefined
        do {
          const page: Page<number> = await kinds[kind](limit, next)
          expect(page.rows.length).toBeLessThanOrEqual(limit)
          seen.push(...page.rows)
          next = page.next
          arrive(between)
        } while (next !== undefined)
        expect(seen).toEqual(all.rows)
        expect(seen).toEqual(seen.toSorted((a, b) => b - a))
      },
    ),
    { numRuns: 15 },
  )
})

test('a page that ends exactly with the last row has no next one', async () => {
  arrive([true, true, true])
  expect(await history.fills({ uid: alice, limit: 3 })).toMatchObject({ next: undefined, last: 1 })
  expect(await history.fills({ uid: alice, limit: 2 })).toMatchObject({ next: 2, last: 2 })
})

test('pruning takes the days before the time from every table, in as many steps as it needs', async () => {
  arrive(Array.from({ length: 4_989 }, () => true))
  arrive(
    Array.from({ length: 11 }, () => true),
    1,
  )
  await history.prune(noon)
  for (const read of Object.values(kinds)) expect((await read(10_000, undefined)).rows).toHaveLength(5_000)
  await history.prune(noon + dayMs)
  for (const [kind, read] of Object.entries(kinds)) {
    const { rows: kept } = await read(10_000, undefined)
    expect([kind, kept.length, kept.at(-1)]).toEqual([kind, 11, 4_990])
  }
})

test('pruning empties every table when all is old', async () => {
  history.record(++sequence, noon, everyKind)
  await history.prune(noon + dayMs)
  const query = { uid: alice, limit: 1 }
  const pages = await Promise.all([
    history.fills(query),
    history.orders(query),
    history.trades({ instrument: 3, limit: 1 }),
    history.transfers(query),
    history.externalFlows(query),
    history.loans(query),
    history.repayments(query),
    history.interest(query),
    history.fundingPayments(query),
    history.positions(query),
    history.rebates({ uid: bob, limit: 1 }),
  ])
  for (const page of pages) expect(page.rows).toEqual([])
  expect(await history.fundingRates({ instrument: 3, offset: 0, limit: 1 })).toEqual([])
})

test('an order that rested long is as old as its end', async () => {
  history.record(++sequence, noon, [
    orderNumber(1, { updatedAt: noon + dayMs }),
    orderNumber(2, { updatedAt: noon + 50 }),
  ])
  await history.prune(noon + dayMs)
  expect((await history.orders({ uid: alice, limit: 10 })).rows.map((row) => row.orderId)).toEqual([1])
})
