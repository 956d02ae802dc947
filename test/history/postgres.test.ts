/**
 * The contract of the history holds in PostgreSQL as it does in the embedded database: the same tests once more. What concerns a
 * writer and its database is beside them.
 */
import { afterAll, describe, expect, test, vi } from 'vitest'
import { openHistoryInPostgres } from '../../src/history/postgres-history.ts'
import { ask, launchedPostgres } from '../support/postgres.ts'
import { alice, fill, fillNumber, fundingRate, noon } from './samples.ts'

const files = vi.hoisted(() => new Map<string, Promise<string>>())

/** A file is a database that stays; memory is a new one each time. */
vi.mock('../../src/history/history.ts', async (original) => ({
  ...(await original<object>()),
  openHistory: async (file: string) => {
    const database = files.get(file) ?? theServer().database()
    if (file !== ':memory:') files.set(file, database)
    return openHistoryInPostgres(await database)
  },
}))

const postgres = await launchedPostgres()

function theServer() {
  if (postgres === undefined) throw new Error('there is no PostgreSQL')
  return postgres
}

/** Files share their modules with those that ran before in the same worker: there the tests have been told already. */
async function again(tests: () => Promise<object>): Promise<void> {
  vi.resetModules()
  await tests()
}

// Who comes after in this worker has the embedded database again.
afterAll(() => void vi.resetModules())

describe.skipIf(postgres === undefined)('in PostgreSQL', () => {
  describe('what goes in comes out', async () => {
    await again(() => import('./history.test.ts'))
  })
  describe('pages', async () => {
    await again(() => import('./paging.test.ts'))
  })
  describe('causes', async () => {
    await again(() => import('./lineage.test.ts'))
  })
  describe('bills', async () => {
    await again(() => import('./bills.test.ts'))
  })
  describe('bills add up', async () => {
    await again(() => import('./bills-add-up.test.ts'))
  })
  describe('candles', async () => {
    await again(() => import('./candles.test.ts'))
  })
  describe('candles of any interval', async () => {
    await again(() => import('../market/candles.test.ts'))
  })
  describe('a market that is refilled', async () => {
    await again(() => import('../market/market.test.ts'))
  })
  describe('samples of equity', async () => {
    await again(() => import('./equity.test.ts'))
  })
  describe('exactly once', async () => {
    await again(() => import('./exactly-once.test.ts'))
  })

  test('there is one writer at a time', async () => {
    const url = await theServer().database()
    const first = await openHistoryInPostgres(url)
    await expect(openHistoryInPostgres(url)).rejects.toThrow('another process writes this history')
    await first.close()
    await (await openHistoryInPostgres(url)).close()
  })

  test('nothing is written beside somebody who moved the progress', async () => {
    const url = await theServer().database()
    const history = await openHistoryInPostgres(url)
    history.record(1, noon, [fill])
    await history.flush()
    await ask(url, 'update progress set applied_sequence = 5')
    history.record(2, noon, [fillNumber(1_000), fundingRate])
    await expect(history.flush()).rejects.toThrow('somebody else has written it')
    expect(await ask(url, 'select * from fills')).toHaveLength(1)
    expect(await ask(url, 'select * from funding_rates')).toHaveLength(0)
    await history.close()
  })

  test('rows lie in the partition of their day, and a day goes with it', async () => {
    const url = await theServer().database()
    const history = await openHistoryInPostgres(url)
    const next = noon + 86_400_000
    history.record(1, next, [fillNumber(1, { at: noon }), fillNumber(2, { at: next })])
    const days = () =>
      ask(url, "select inhrelid::regclass::text as day from pg_inherits where inhparent = 'fills'::regclass order by 1")
    const nameOf = (at: number) => `fills_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`
    await history.flush()
    // The next day is there before its first row.
    const ahead = { day: nameOf(next + 86_400_000) }
    expect(await days()).toEqual([{ day: nameOf(noon) }, { day: nameOf(next) }, ahead])
    await history.prune(next)
    expect(await days()).toEqual([{ day: nameOf(next) }, ahead])
    expect((await history.fills({ uid: alice, limit: 10 })).rows).toHaveLength(1)
    await history.close()
  })

  test('any text comes back as it was', async () => {
    const history = await openHistoryInPostgres(await theServer().database())
    const clientOid = 'a\tb\\n\n\r\\N "ü" \u{1f30a}'
    history.record(1, noon, [{ ...fill, clientOid }])
    expect((await history.fills({ uid: alice, limit: 10 })).rows).toEqual([{ ...fill, clientOid }])
    await history.close()
  })
})
