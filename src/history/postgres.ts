/**
 * PostgreSQL as the history's database: its tables, its rows, and who may write.
 *
 * Days      tables that grow with trading are partitioned by the day (UTC) of their command; a day goes by dropping its partition
 * Writer    one at a time: it holds the advisory lock of its database as long as it lives
 * Venue     a database has the history of one venue, which the first writer notes
 * Committed is flushed by PostgreSQL (`synchronous_commit`), so what was answered survives a loss of power there
 * Reading   integers come back as numbers, those beyond 2^53 as bigint; a statement ends after five seconds
 * Source    scale.md §8
 */
import {
  type CompiledQuery,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresDialect,
  replaceWithNoncontingentExpression,
  sql,
} from 'kysely'
import { Migrator } from 'kysely/migration'
import pg from 'pg'
import { type FlavourTables, migrationsFor } from './migrations.ts'
import type { Progress } from './row-export.ts'
import type { RowStore } from './row-store.ts'
import { type Schema, type Table, tableList } from './tables.ts'

const poolMax = 8
const statementTimeoutMs = 5_000
/** Of a server that hangs: nothing waits longer for its answer, or for a connection. */
const answerMsMax = 6_000
const connectMsMax = 2_000
/** As `server_version_num` has it. */
const serverVersionMin = 150_000
/** Any number that nobody else takes: `tidemark` in letters of a telephone. */
const writerLock = 84_336_275

const byDay = tableList.filter((table) => table.byDay)

/** Tables as the migrations make them, before a table has its newest shape. */
const flavourTables: FlavourTables = {
  partitionedBy: new Map(byDay.map(({ name, ended }) => [name, ended])),
  counted: new Set(tableList.filter(({ key, names }) => !names.includes(key)).map(({ name }) => name)),
}

const migrations = migrationsFor({
  integerType: 'int8',
  tableEnding: sql``,
  keyedTableEnding: sql``,
  ...flavourTables,
  indexOn: async (db, table, columns) => {
    const found = await sql<{ readonly name: string }>`
      select indexname name from pg_indexes where schemaname = current_schema and tablename = ${table}
      and indexdef like ${`%(${columns.join(', ')})`}`.execute(db)
    if (found.rows.length === 0) throw new Error(`${table} have no index by ${columns.join(' and ')}`)
    return found.rows[0].name
  },
})

/** Connections to a database, as many as `max`. Whoever asks waits for seconds at most. */
export function poolOf(url: string, max = poolMax): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    statement_timeout: statementTimeoutMs,
    query_timeout: answerMsMax,
    connectionTimeoutMillis: connectMsMax,
    keepAlive: true,
    types: { getTypeParser: (type: number) => parserOf(type) },
    application_name: 'tidemark',
  })
  // An idle connection that breaks is replaced by the pool; the next statement says what is wrong.
  pool.on('error', () => undefined)
  // One in use says it to whoever asks it next: between two statements nobody else hears it.
  pool.on('connect', (client) => void client.on('error', () => undefined))
  return pool
}

/** What is among none: `in ()` is no statement in PostgreSQL, as it is in the embedded database. */
const amongNone = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })

/** Reads of a database that somebody writes. Nothing is changed by it. */
export class PostgresRows implements RowStore {
  readonly query: Kysely<Schema>
  #closing: Promise<void> | undefined
  readonly pool: pg.Pool
  readonly jsonArray = 'json_build_array'
  /** PostgreSQL looks for them itself. */
  readonly days = { over: () => [], showAll: () => undefined }

  constructor(url: string) {
    this.pool = poolOf(url)
    this.query = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: this.pool }), plugins: [amongNone] })
  }

  async rows<Row>({ sql: text, parameters }: CompiledQuery<Row>): Promise<Row[]> {
    return (await this.pool.query(text, [...parameters])).rows as Row[]
  }

  each<Row>(query: CompiledQuery<Row>): Promise<Row[]> {
    return this.rows(query)
  }

  firstKeyAt({ name, time, key }: KeyedTable, at: number): Promise<number | undefined> {
    return this.#keyBy(`select ${key} as key from ${name} where ${time} >= $1 order by ${time}, ${key} limit 1`, at)
  }

  lastKeyAt({ name, time, key }: KeyedTable, at: number): Promise<number | undefined> {
    return this.#keyBy(
      `select ${key} as key from ${name} where ${time} <= $1 order by ${time} desc, ${key} desc limit 1`,
      at,
    )
  }

  async #keyBy(text: string, at: number): Promise<number | undefined> {
    const { rows } = await this.pool.query(text, [at])
    return rows.length === 0 ? undefined : Number(rows[0].key)
  }

  /** The last command that is in it: every read that begins afterwards sees its rows. Zero: there is none. */
  async progress(): Promise<Progress> {
    return progressOf(await this.pool.query(progressText))
  }

  /** What is asked at the moment is answered first. */
  close(): Promise<void> {
    this.#closing ??= this.pool.end()
    return this.#closing
  }
}

type KeyedTable = Pick<Table, 'name' | 'time' | 'key'>

/** What is told on it: how far the history is, as "sequence time". */
export const appliedChannel = 'applied'

export const progressText = 'select applied_sequence, applied_at_ms from progress'

export function progressOf({ rows: [row] }: pg.QueryResult): Progress {
  return { sequence: Number(row?.applied_sequence ?? 0), at: Number(row?.applied_at_ms ?? 0) }
}

/** The rule that somebody broke who wants to write, or read, here. */
export class WrongDatabase extends Error {
  override name = 'WrongDatabase'
}

export class WriterTaken extends WrongDatabase {
  constructor() {
    super('another process writes this history, and only one may')
  }
}

/**
 * Brings the tables up to date and becomes the writer of a venue, which is named if anybody knows it; the connection is the
 * writer's. Rejects with WrongDatabase, or with what PostgreSQL says.
 */
export function becomeWriter(store: PostgresRows, venue?: string): Promise<pg.Client> {
  return lockedConnection(store, async (client) => {
    const done = await assertKnown(client)
    // Another venue's tables are left as they are.
    await noteVenue(client, venue)
    if (done < Object.keys(migrations).length) await migrate(store)
    await client.query(
      'insert into progress ("only", applied_sequence, applied_at_ms) values (1, 0, 0) on conflict do nothing',
    )
    // Questions that ask every day name them so in every database.
    for (const { name } of byDay) await client.query(`create or replace view all_${name} as select * from ${name}`)
  })
}

/** A table may have grown for years: a change of it takes as long as it takes. */
async function migrate({ pool }: PostgresRows): Promise<void> {
  const patient = new pg.Pool({ ...pool.options, max: 1, statement_timeout: 0, query_timeout: 0 })
  patient.on('error', () => undefined)
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: patient }) })
  try {
    const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest()
    if (error !== undefined) throw error instanceof Error ? error : new Error('cannot bring the tables up to date')
  } finally {
    await db.destroy()
  }
}

/** The same for the writer whose connection broke: its tables are there. */
export function becomeWriterAgain(store: PostgresRows, venue?: string): Promise<pg.Client> {
  return lockedConnection(store, (client) => assertVenue(client, venue))
}

/** Whether somebody writes it now. Rejects with what PostgreSQL says. */
export async function isWritten(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectMsMax,
    query_timeout: answerMsMax,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query(
      `select 1 from pg_locks where locktype = 'advisory' and granted and classid = 0 and objid = $1 and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())`,
      [writerLock],
    )
    return rows.length > 0
  } finally {
    await letGo(client)
  }
}

async function lockedConnection(
  store: PostgresRows,
  prepare: (client: pg.Client) => Promise<void>,
): Promise<pg.Client> {
  const client = connectionBeside(store)
  try {
    await client.connect()
    await assertServer(client)
    const { rows } = await client.query('select pg_try_advisory_lock($1) locked', [writerLock])
    if (rows[0].locked !== true) throw new WriterTaken()
    await prepare(client)
    return client
  } catch (error) {
    await letGo(client)
    throw error
  }
}

/** Rejects with WrongDatabase where a reader of this release cannot read, or is of another venue. */
export async function assertReadable(client: pg.Client, venue: string): Promise<void> {
  await assertServer(client)
  const done = await assertKnown(client)
  if (done < Object.keys(migrations).length) {
    const what = done === 0 ? 'there is no history in it' : 'its history is of an earlier release'
    throw new WrongDatabase(`${what}: start "tidemark history" of this release first`)
  }
  const { rows } = await client.query('select id from venue')
  if (rows.length > 0 && rows[0].id !== venue) throw new WrongDatabase(otherVenue)
}

/** Outside of the pool: for who keeps a connection. It may take any time for an answer. */
export function connectionBeside({ pool }: PostgresRows, timeouts: pg.ClientConfig = {}): pg.Client {
  const client = new pg.Client({ ...pool.options, statement_timeout: 0, query_timeout: 0, ...timeouts })
  // One that breaks says so to whoever asks next.
  client.on('error', () => undefined)
  return client
}

/** Ends a connection, also one whose server hangs. */
export async function letGo(client: pg.Client): Promise<void> {
  const hard = setTimeout(() => client.connection.stream.destroy(), connectMsMax)
  await client.end().catch(() => undefined)
  clearTimeout(hard)
}

export async function assertServer(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as shown",
  )
  assertServerVersion(rows[0].number, rows[0].shown)
}

export function assertServerVersion(number: number, shown: string): void {
  if (number >= serverVersionMin) return
  throw new WrongDatabase(`it is PostgreSQL ${shown}, and ${serverVersionMin / 10_000} or later is needed`)
}

/** Throws for tables that a later release has changed; answers how many steps were done. */
async function assertKnown(client: pg.Client): Promise<number> {
  const there = await client.query("select to_regclass('kysely_migration') is not null as there")
  if (there.rows[0].there !== true) return 0
  const { rows } = await client.query('select name from kysely_migration order by name')
  for (const { name } of rows) {
    if (Object.hasOwn(migrations, name)) continue
    throw new WrongDatabase(`it is of a later release, which made ${name} of it; start that release`)
  }
  return rows.length
}

const otherVenue = 'it has the history of another venue: name a database of its own'

/** Makes the note of whose database it is, if there is none. Rejects with WrongDatabase where it is another's. */
export async function noteVenue(client: pg.ClientBase, venue: string | undefined): Promise<void> {
  await client.query('create table if not exists venue (id text primary key)')
  await assertVenue(client, venue)
}

async function assertVenue(client: pg.ClientBase, venue: string | undefined): Promise<void> {
  if (venue === undefined) return
  const { rows } = await client.query('select id from venue')
  if (rows.length > 0 && rows[0].id !== venue) throw new WrongDatabase(otherVenue)
  if (rows.length > 0) return
  const there = await client.query("select to_regclass('progress') is not null as there")
  const progress = there.rows[0].there === true ? progressOf(await client.query(progressText)).sequence : 0
  if (progress > 0) throw new WrongDatabase('it has a history, and nobody noted of which venue')
  await client.query('insert into venue (id) values ($1)', [venue])
}

const types = { bool: 16, int8: 20, int4: 23, numeric: 1_700 }

function parserOf(type: number): (text: string) => unknown {
  switch (type) {
    case types.bool:
      return (text) => text === 't'
    case types.int8:
    case types.int4:
    case types.numeric:
      return integerOf
    default:
      return (text) => text
  }
}

function integerOf(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}
