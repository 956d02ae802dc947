/** Who writes history in PostgreSQL: over a server that goes away and comes back, and one clear line for what is wrong with a database. */
import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { RowPacker } from '../../src/history/columns.ts'
import { openHistoryInPostgres, type PostgresHistoryOptions } from '../../src/history/postgres-history.ts'
import { assertServerVersion, becomeWriter, connectionBeside, letGo, PostgresRows } from '../../src/history/postgres.ts'
import { unlessSlow } from '../../src/history/postgres-trouble.ts'
import { PostgresWriter } from '../../src/history/postgres-writer.ts'
import { ProgressWatch } from '../../src/history/progress-watch.ts'
import { packEvent } from '../../src/history/tables.ts'
import { freePorts } from '../gateway/processes.ts'
import { ask, launchedPostgres } from '../support/postgres.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { alice, fill, fillNumber, noon } from './samples.ts'

const postgres = await launchedPostgres()

function theServer() {
  if (postgres === undefined) throw new Error('there is no PostgreSQL')
  return postgres
}

describe.skipIf(postgres === undefined)('a server that goes away', () => {
  test('has all rows when it is back, once', async () => {
    const url = await theServer().database()
    const troubles: unknown[] = []
    const history = await openHistoryInPostgres(url, { onAway: (trouble) => void troubles.push(trouble) })
    history.record(1, noon, [fillNumber(1)])
    await history.flush()
    await theServer().kill()
    for (let number = 2; number <= 40; number++) history.record(number, noon + number, [fillNumber(number)])
    const flushed = history.flush()
    await vi.waitUntil(() => troubles.length > 0, { timeout: 10_000 })
    await theServer().start()
    await flushed
    expect(troubles.at(-1)).toBeUndefined()
    expect((await history.fills({ uid: alice, limit: 100 })).rows).toHaveLength(40)
    expect(await ask(url, 'select applied_sequence from progress')).toEqual([{ applied_sequence: '40' }])
    await history.close()
  })

  test('refuses reads meanwhile, each by itself', async () => {
    const history = await openHistoryInPostgres(await theServer().database(), { keptBytesMax: 0 })
    history.record(1, noon, [fill])
    await history.flush()
    await theServer().kill()
    await expect(history.fills({ uid: alice, limit: 1 })).rejects.toThrow('history failed: a read was refused')
    expect(history.health().state).toBe('working')
    await theServer().start()
    expect((await history.fills({ uid: alice, limit: 1 })).rows).toHaveLength(1)
    await history.close()
  })

  test('has committed what nobody heard of: it is looked up, and not written again', async () => {
    const url = await theServer().database()
    const store = new PostgresRows(url)
    const writer = new PostgresWriter(await becomeWriter(store), 0)
    const packer = new RowPacker()
    packer.begin({ sequence: 1, command: 'place-order' })
    packEvent(packer, fill)
    const batch = { sequence: 1, at: noon, events: 1, rows: packer.take() }
    const gathered = writer.gather([batch])
    await writer.write(gathered, 10_000)
    await writer.end()
    // As one whose connection broke before the answer.
    const unheard = new PostgresWriter(connectionBeside(store), 0)
    expect(await unheard.goOn(await becomeWriter(store), gathered)).toBe(true)
    await unheard.end()
    await store.close()
    expect(await ask(url, 'select * from fills')).toHaveLength(1)
  })

  test('hangs, and is taken for away: what it was in the middle of is written once', async () => {
    const url = await theServer().database()
    const troubles: unknown[] = []
    const onAway = (trouble: unknown) => void troubles.push(trouble)
    const history = await openHistoryInPostgres(url, { onAway, writeMsMax: 300 })
    const other = new pg.Client(url)
    await other.connect()
    await other.query('begin; select * from progress for update')
    history.record(1, noon, [fill])
    const flushed = history.flush()
    await vi.waitUntil(() => troubles.length > 0, { timeout: 10_000 })
    await other.query('rollback')
    await other.end()
    await flushed
    expect(await ask(url, 'select * from fills')).toHaveLength(1)
    await history.close()
  })

  /** Ends what the writer is in the middle of, and leaves its connection as it is: as a server that has no room does. */
  async function cancelWriting(url: string): Promise<void> {
    const waits = "datname = current_database() and wait_event_type = 'Lock' and application_name = 'tidemark'"
    const canceled = async () =>
      (await ask(url, `select pg_cancel_backend(pid) from pg_stat_activity where ${waits}`)).length > 0
    await vi.waitUntil(canceled, { timeout: 20_000 })
  }

  test('refuses one transaction, and has the connection on: it is written once, without a wait', async () => {
    const url = await theServer().database()
    const troubles: unknown[] = []
    const history = await openHistoryInPostgres(url, { onAway: (trouble) => void troubles.push(trouble) })
    const other = new pg.Client(url)
    await other.connect()
    await other.query('begin; select * from progress for update')
    history.record(1, noon, [fill])
    const flushed = history.flush()
    await cancelWriting(url)
    await other.query('rollback')
    await other.end()
    // The lock of the one writer is that of its own connection.
    await vi.waitUntil(() => troubles.length > 1 && troubles.at(-1) === undefined, { timeout: 20_000 })
    await flushed
    expect(await ask(url, 'select * from fills')).toHaveLength(1)
    await history.close()
  })

  test('refuses to prune, and goes on to write', async () => {
    const url = await theServer().database()
    const history = await openHistoryInPostgres(url)
    const other = new pg.Client(url)
    await other.connect()
    await other.query('begin; lock table candles')
    const refused = history.prune(noon).catch((error: Error) => error.message)
    await cancelWriting(url)
    expect(await refused).toContain('canceling statement')
    await other.query('rollback')
    await other.end()
    history.record(1, noon, [fill])
    await history.flush()
    expect(history.health().state).toBe('working')
    expect(await ask(url, 'select * from fills')).toHaveLength(1)
    await history.close()
  })

  test('keeps nobody from ending', async () => {
    const history = await openHistoryInPostgres(await theServer().database())
    await theServer().kill()
    history.record(1, noon, [fill])
    await expect(history.close()).rejects.toThrow('history failed')
    await theServer().start()
  })
})

test.skipIf(postgres === undefined)('how far it is is told to whoever listens, once it is committed', async () => {
  const url = await theServer().database()
  const history = await openHistoryInPostgres(url)
  const client = new pg.Client(url)
  await client.connect()
  await client.query('listen applied')
  const told = new Promise((resolve) => client.once('notification', ({ payload }) => resolve(payload)))
  history.record(7, noon, [fill])
  expect(await told).toBe(`7 ${noon}`)
  await client.end()
  await history.close()
})

describe.skipIf(postgres === undefined)('one clear line', () => {
  const refusal = async (url: string, options: PostgresHistoryOptions = {}) => {
    try {
      const history = await openHistoryInPostgres(url, options)
      await history.close()
      return 'it was opened'
    } catch (error) {
      return (error as Error).message.replace(`--postgres ${new URL(url).host}`, 'THERE')
    }
  }
  const changed = (url: string, change: Partial<URL>) => Object.assign(new URL(url), change).href

  test('nobody listens there', async () => {
    const [port] = await freePorts(1)
    const url = changed(await theServer().database(), { port: String(port), pathname: '/venue' })
    expect(await refusal(url)).toBe(
      'history failed: THERE/venue: nobody listens there: PostgreSQL is not running, or elsewhere',
    )
  })

  test('there is no such database', async () => {
    const url = changed(await theServer().database(), { pathname: '/nowhere' })
    expect(await refusal(url)).toBe(
      'history failed: THERE/nowhere: there is no such database: "createdb nowhere" makes it',
    )
  })

  test('the user is nobody there, and no password is told', async () => {
    const url = changed(await theServer().database(), { username: 'mallory', password: 'geheim', pathname: '/venue_1' })
    const said = await refusal(url)
    expect(said).toBe(
      'history failed: THERE/venue_1: PostgreSQL does not let mallory in: role "mallory" does not exist',
    )
  })

  test('it is the history of another venue', async () => {
    const url = await theServer().database()
    expect(await refusal(url, { venue: 'one' })).toBe('it was opened')
    expect(await refusal(url, { venue: 'other' })).toMatch(
      /^history failed: THERE\/venue_[0-9]+: it has the history of another venue: name a database of its own$/,
    )
    expect(await refusal(url, { venue: 'one' })).toBe('it was opened')
  })

  test('it is of a later release', async () => {
    const url = await theServer().database()
    expect(await refusal(url)).toBe('it was opened')
    await ask(url, "insert into kysely_migration values ('999-later', '2030-01-01')")
    expect(await refusal(url)).toMatch(/it is of a later release, which made 999-later of it; start that release$/)
  })

  test('there is another writer', async () => {
    const url = await theServer().database()
    const first = await openHistoryInPostgres(url)
    expect(await refusal(url)).toMatch(/: another process writes this history, and only one may$/)
    await first.close()
  })

  test('the server is too old', () => {
    expect(() => assertServerVersion(140_011, '14.11')).toThrow('it is PostgreSQL 14.11, and 15 or later is needed')
    expect(() => assertServerVersion(150_000, '15.0')).not.toThrow()
  })
})

describe.skipIf(postgres === undefined)('a start at a server that is slow', () => {
  test('leaves no connection behind', async () => {
    const url = await theServer().database()
    await (await openHistoryInPostgres(url, { venue: 'one' })).close()
    const holder = new pg.Client({ connectionString: url })
    await holder.connect()
    await holder.query('begin; lock table venue')
    const store = new PostgresRows(url)
    const opening = ProgressWatch.open(store, 'one')
    // Longer than from one look of it to the next.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await holder.query('commit')
    await holder.end()
    const ours =
      "select query from pg_stat_activity where datname = current_database() and application_name = 'tidemark'"
    // On a machine that is slow itself it may have been told that the server is.
    await opening.then(
      async (watch) => {
        // Whoever else has connected has read how far it is by now.
        const isRead = async () => (await ask(url, ours)).every(({ query }) => String(query).endsWith('from progress'))
        await vi.waitUntil(isRead, { timeout: 10_000 })
        await watch.close()
      },
      () => undefined,
    )
    await store.close()
    await vi.waitUntil(async () => (await ask(url, ours)).length === 0, { timeout: 10_000 })
  })

  test('waits for tables that take longer than a statement may', async () => {
    const url = await theServer().database()
    const holder = new pg.Client({ connectionString: url })
    await holder.connect()
    await holder.query('begin; create table fills (another int)')
    const store = new PostgresRows(url)
    const opening = becomeWriter(store, 'one')
    await new Promise((resolve) => setTimeout(resolve, 7_000))
    await holder.query('rollback')
    await holder.end()
    await letGo(await opening)
    await store.close()
  })

  test('asks again', async () => {
    const url = new URL(await theServer().database())
    const proxy = await TcpProxy.before(Number(url.port))
    url.port = String(proxy.port)
    proxy.silence()
    const store = new PostgresRows(url.href)
    const opening = unlessSlow(() => becomeWriter(store, 'one'))
    await vi.waitUntil(() => proxy.given[0] >= 2, { timeout: 20_000 })
    proxy.mend()
    await letGo(await opening)
    await store.close()
    await proxy.close()
  })
})
