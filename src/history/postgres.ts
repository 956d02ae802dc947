/**
 * PostgreSQL as the history's database: its tables, its rows, and who may write.
 *
 * Days      tables that grow with trading are partitioned by the day (UTC) of their command; a day goes by dropping its partition
 * Writer    one at a time: it holds the advisory lock of its database as long as it lives
 * Committed is flushed by PostgreSQL (`synchronous_commit`), so what was answered survives a loss of power there
 * Reading   integers come back as numbers, those beyond 2^53 as bigint; a statement ends after five seconds
 * Source    scale.md §8
 */
import { type CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import pg from 'pg'
import { type FlavourTables, migrationsFor } from './migrations.ts'
import type { RowStore } from './row-store.ts'
import { type Schema, type Table, tableList } from './tables.ts'

const poolMax = 8
const statementTimeoutMs = 5_000
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

/** Reads of a database that somebody writes. Nothing is changed by it. */
export class PostgresRows implements RowStore {
  readonly query: Kysely<Schema>
  #closing: Promise<void> | undefined
  readonly pool: pg.Pool
  readonly jsonArray = 'json_build_array'
  /** PostgreSQL looks for them itself. */
  readonly days = { over: () => [], showAll: () => undefined }

  constructor(url: string) {
    this.pool = new pg.Pool({
      connectionString: url,
      max: poolMax,
      statement_timeout: statementTimeoutMs,
      types: { getTypeParser: (type: number) => parserOf(type) },
      application_name: 'tidemark',
    })
    // An idle connection that breaks is replaced by the pool; the next statement says what is wrong.
    this.pool.on('error', () => undefined)
    this.query = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: this.pool }) })
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
  async appliedSequence(): Promise<number> {
    const { rows } = await this.pool.query('select applied_sequence from progress')
    return Number(rows[0]?.applied_sequence ?? 0)
  }

  /** What is asked at the moment is answered first. */
  close(): Promise<void> {
    this.#closing ??= this.pool.end()
    return this.#closing
  }
}

type KeyedTable = Pick<Table, 'name' | 'time' | 'key'>

/**
 * Brings the tables up to date and becomes the writer; the connection is the writer's. Rejects while there is another one, and for
 * tables of a later release.
 */
export async function becomeWriter(store: PostgresRows): Promise<pg.Client> {
  const client = new pg.Client({ ...store.pool.options, statement_timeout: 0 })
  try {
    await client.connect()
    const { rows } = await client.query('select pg_try_advisory_lock($1) locked', [writerLock])
    if (rows[0].locked !== true) throw new Error('another process writes this history')
    const migrator = new Migrator({ db: store.query, provider: { getMigrations: async () => migrations } })
    const { error } = await migrator.migrateToLatest()
    if (error !== undefined) throw error instanceof Error ? error : new Error('cannot bring the tables up to date')
    await client.query(
      'insert into progress ("only", applied_sequence, applied_at_ms) values (1, 0, 0) on conflict do nothing',
    )
    // Questions that ask every day name them so in every database.
    for (const { name } of byDay) await client.query(`create or replace view all_${name} as select * from ${name}`)
    return client
  } catch (error) {
    await client.end()
    throw error
  }
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
