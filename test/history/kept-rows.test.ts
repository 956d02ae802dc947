/**
 * Newest rows that are kept beside the venue answer as the database does: two histories take the same events, one of them keeps
 * nothing, and both are asked the same at random. Among the asks they trade, restart, go back, are pruned, hear what they
 * have had before, and the catalogue changes.
 *
 * KEPT_ASKS  how many asks; 2,000 unless told otherwise (`npm run kept-rows` asks 100,000)
 * Source     design.md §4.7, §4.27, §8
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { amount, lots } from '../../src/engine/numbers/numbers.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import { type History, openHistory, openHistoryInMemory, type ReadQuery } from '../../src/history/history.ts'
import { RandomRows } from './random-rows.ts'
import { alice, bill, bob, fillNumber, noon, orderNumber } from './samples.ts'

const asksWanted = Number(process.env['KEPT_ASKS'] ?? 2_000)
/** Little enough that lists of accounts come and go. */
const keptBytesMax = 4_000_000

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-kept-'))
})
afterEach(() => rm(directory, { recursive: true }))

/** A row with what it was written under: a text of an earlier catalogue would be seen. Counts how often it writes. */
class WholeRow {
  written = 0

  write(row: object, under: { readonly version: number }): object {
    this.written += 1
    return { ...texted(row), under: under.version }
  }
}

function texted(row: object): object {
  return JSON.parse(JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)))
}

test.each([
  // lists of many accounts come and go; those of few are longer than what is kept
  { accounts: 24, before: 0 },
  { accounts: 2, before: 500 },
])(
  'whatever is asked of $accounts accounts, kept rows answer as the database does',
  { timeout: 900_000 },
  async ({ accounts, before: commandsBefore }) => {
    const rows = new RandomRows(7, accounts)
    const open = (keeps: boolean) =>
      openHistory(join(directory, `${keeps}.sqlite`), { keptBytesMax: keeps ? keptBytesMax : 0 })
    let [keeping, reading] = [await open(true), await open(false)]
    let under = { version: 1 }
    let sequence = 0
    const told: [sequence: number, at: number, events: readonly Event[]][] = []
    const forms = [new WholeRow(), new WholeRow()]
    let asked = 0
    while (asked < asksWanted / 2) {
      for (let command = rows.below(40) + (asked === 0 ? commandsBefore : 0); command >= 0; command--) {
        const events = rows.events()
        told.push([++sequence, rows.now, events])
        if (told.length > 200) told.shift()
        for (const history of [keeping, reading]) history.record(sequence, rows.now, events)
      }
      switch (rows.below(40)) {
        case 0:
          await Promise.all([keeping.close(), reading.close()])
          ;[keeping, reading] = [await open(true), await open(false)]
          break
        case 1: {
          const before = rows.now - 2 * 86_400_000
          await Promise.all([keeping.prune(before), reading.prune(before)])
          break
        }
        case 2:
          under = { version: under.version + 1 }
          break
        case 3:
          // An engine that is rebuilt says again what it said.
          for (const [earlier, at, events] of told) keeping.record(earlier, at, events)
          break
      }
      const queries = Array.from({ length: 60 }, () => rows.query())
      const answers = await Promise.all(
        [keeping, reading].map((history, place) =>
          Promise.all(
            queries.map(async ([name, query]) => [
              await history[name](query as never),
              await history.written(name, query as never, forms[place], under),
            ]),
          ),
        ),
      )
      for (const [index, query] of queries.entries()) {
        expect(answers[0][index], JSON.stringify(query)).toStrictEqual(answers[1][index])
      }
      expect(keeping.health().keptBytes).toBeLessThanOrEqual(keptBytesMax)
      asked += queries.length * 2
    }
    // A good part of it was kept, or this test would say little.
    expect(forms[0].written).toBeLessThan(forms[1].written * 0.9)
    await Promise.all([keeping.close(), reading.close()])
  },
)

/** A form that counts how often it writes. */
function counting() {
  return {
    written: 0,
    write(row: { readonly orderId?: number }) {
      this.written += 1
      return row.orderId ?? 0
    },
  }
}

async function settled(history: History): Promise<void> {
  // The first ask has rows read; the second finds them.
  await history.fills({ uid: alice, limit: 1 })
  await history.fills({ uid: alice, limit: 1 })
}

test('the text of a row is made once in each form, until the row or the catalogue is another', async () => {
  const history = await openHistory(':memory:')
  for (let n = 1; n <= 10; n++) history.record(n, noon + n, [fillNumber(n)])
  await settled(history)
  const [one, other, catalog] = [counting(), counting(), {}]
  const query = { uid: alice, limit: 10 }
  await history.written('fills', query, one, catalog)
  await history.written('fills', query, one, catalog)
  expect(one.written).toBe(10)
  await history.written('fills', query, other, catalog)
  expect([one.written, other.written]).toEqual([10, 10])
  history.record(11, noon + 11, [fillNumber(11)])
  const page = await history.written('fills', query, one, catalog)
  expect(page).toEqual({ ids: [11, 10, 9, 8, 7, 6, 5, 4, 3, 2], texts: page.ids.map(String), next: 2, last: 2 })
  expect(one.written).toBe(11)
  await history.written('fills', query, one, {})
  expect(one.written).toBe(21)
  await history.close()
})

test('what was recorded is in the next page, whoever asks', async () => {
  const history = await openHistory(':memory:')
  await settled(history)
  for (let n = 1; n <= 600; n++) {
    history.record(n, noon + n, [fillNumber(2 * n), orderNumber(2 * n), fillNumber(2 * n + 1, { uid: bob })])
    const { rows } = await history.fills({ uid: alice, limit: 1 })
    expect(rows.map(({ execId }) => execId)).toEqual([2 * n])
  }
  await history.close()
})

test('an order that ended late stands by its number, and below what is kept the database answers', async () => {
  const history = await openHistory(':memory:')
  const ids = async (query: Partial<ReadQuery<'orders'>> = {}) =>
    (await history.orders({ uid: alice, limit: 500, ...query })).rows.map(({ orderId }) => orderId)
  await ids()
  await ids()
  const orders = Array.from({ length: 400 }, (_, index) => index + 1)
  const late = [3, 250, 399]
  let sequence = 0
  for (const n of [...orders.filter((id) => !late.includes(id)), ...late]) {
    history.record(++sequence, noon + 1_000 + sequence, [orderNumber(n)])
  }
  expect(await ids({ limit: 3 })).toEqual([400, 399, 398])
  expect(await ids()).toEqual(orders.toReversed())
  expect(await ids({ beforeOrderId: 252, limit: 3 })).toEqual([251, 250, 249])
  expect(await ids({ beforeOrderId: 5, limit: 3 })).toEqual([4, 3, 2])
  await history.close()
})

test('orders that end while the newest are being read leave no gap', async () => {
  const history = await openHistory(':memory:')
  let sequence = 0
  for (let n = 5; n <= 300; n++) history.record(++sequence, noon + 1_000, [orderNumber(n)])
  const first = history.orders({ uid: alice, limit: 1 })
  for (const late of [1, 2, 3]) history.record(++sequence, noon + 1_000, [orderNumber(late)])
  await first
  // A later read: the first rows have come before it is answered.
  await history.orders({ uid: alice, limit: 500 })
  for (const limit of [100, 128, 129, 130, 131]) {
    const { rows } = await history.orders({ uid: alice, limit })
    expect(rows.map(({ orderId }) => orderId)).toEqual(Array.from({ length: limit }, (_, index) => 300 - index))
  }
  await history.close()
})

test('bills are not answered past the fills that are kept', async () => {
  const history = await openHistory(':memory:')
  // One coin has the oldest fills alone, and a few bills among all of them.
  for (let n = 1; n <= 400; n++) {
    history.record(n, noon + n, [
      fillNumber(10 * n, { at: noon + n, feeCoin: n <= 280 ? 1 : 0, paidCoin: undefined }),
      { ...bill, id: 10 * n + 5, coin: n % 100 === 0 ? 1 : 0, at: noon + n },
    ])
  }
  const ids = async (limit: number) =>
    (await history.bills({ uid: alice, wallet: 'usdt_futures', coin: 1, limit })).rows.map(({ id }) => id)
  await ids(500)
  const all = await ids(500)
  expect(all.slice(0, 4)).toEqual([4005, 3005, 2800, 2790])
  for (let limit = 1; limit < 30; limit++) expect(await ids(limit)).toEqual(all.slice(0, limit))
  await history.close()
})

test('a history that went back has what was saved, and no newer rows', async () => {
  const history = await openHistoryInMemory()
  history.record(1, noon, [fillNumber(1), { ...bill, id: 2 }])
  const saved = await history.save()
  await settled(history)
  history.record(2, noon + 3, [fillNumber(3), { ...bill, id: 4 }])
  await history.restore(saved)
  expect((await history.fills({ uid: alice, limit: 5 })).rows.map(({ execId }) => execId)).toEqual([1])
  history.record(2, noon + 5, [fillNumber(5, { quantity: lots(7), balance: amount(8n) })])
  expect((await history.fills({ uid: alice, limit: 5 })).rows.map(({ execId }) => execId)).toEqual([5, 1])
  await history.close()
})
