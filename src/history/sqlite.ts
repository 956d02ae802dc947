/**
 * The embedded database: all that the history knows of SQLite. Another database is another file like this one.
 *
 * Committed  is safe from a crash of the process; `sync` makes it safe from a loss of power
 * Indexes    hold a row's number unasked: one by account alone gives an account's rows in their order
 * Damage     what is found at opening stops it: a file cut off, tables that SQLite cannot walk (of a file that is read in no
 *            time), rows of commands beyond the noted progress, which would be written once more. A value that is changed
 *            shows to tidemark-verify alone
 * Reading    integers come back as numbers, and those of a result that has one beyond 2^53 as bigint
 * Waiting    calls are synchronous: whoever asks is the history at work (service.ts)
 */
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type CompiledQuery, Kysely, sql, SqliteDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { RulesNote } from '../runtime/runtime.ts'
import type { CandleRows } from './candle-maker.ts'
import { candleColumns, candleKey } from './candle-table.ts'
import { type Cell, type ReadRow, rowMaker } from './columns.ts'
import { type DayTable, Days } from './days.ts'
import { migrationsFor } from './migrations.ts'
import { RowInserter } from './row-inserter.ts'
import type { RowStore } from './row-store.ts'
import { writeRulesNote } from './rules-note.ts'
import { type Schema, type Table, tableList } from './tables.ts'

// Only a primary key of exactly this type is the row's own number.
const migrations = migrationsFor({
  integerType: 'integer',
  tableEnding: sql`strict`,
  keyedTableEnding: sql`strict, without rowid`,
  indexOn: async (db, table, columns) => {
    const found = await sql<{ readonly name: string }>`
      select name from pragma_index_list(${table}) named
      where (select group_concat(name) from pragma_index_info(named.name)) = ${columns.join()}`.execute(db)
    if (found.rows.length === 0) throw new Error(`it is damaged: ${table} have no index by ${columns.join(' and ')}`)
    return found.rows[0].name
  },
})

/**
 * Pages of 4 KiB in the log before it is synced and moved into the database. The journal waits behind what is synced here at
 * once, on the same disk: of four times as much the slowest thousandth of all orders waits for 25 to 37 ms, of this for 15 to 30.
 * So a page changed often is moved more than once (docs/performance/pauses.md).
 */
const checkpointPages = 256
/**
 * The indexes of one day of a busy venue. Days that are over are read from the system's own cache, which has the file anyway: a row
 * takes no more processor time with 64 MB than with 256, and memory stops growing sooner (docs/reliability.md).
 */
const pageCacheKib = 65_536
/** A check of the whole file takes a second for several times as much. */
const quickCheckBytesMax = 64 * 1024 * 1024
/** Statements that are kept: more than there are shapes of queries of a month's days, unless one has lists of many lengths. */
const preparedMax = 1_000
/** Someone else's tool may hold the file for a moment. */
const busyWaitMs = 5_000

type KeyedTable = Pick<Table, 'name' | 'time' | 'key'>

export class SqliteStore implements RowStore {
  readonly jsonArray = 'json_array'
  readonly query: Kysely<Schema>
  readonly days: Days
  readonly #file: DatabaseSync
  readonly #statements: Statements
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #progress: StatementSync

  private constructor(file: DatabaseSync, statements: Statements, query: Kysely<Schema>) {
    this.#file = file
    this.#statements = statements
    this.query = query
    const progress = file.prepare('select applied_at_ms from progress').get()
    this.days = new Days(file, Number(progress?.['applied_at_ms']))
    this.#begin = file.prepare('begin immediate')
    this.#commit = file.prepare('commit')
    this.#progress = file.prepare('update progress set applied_sequence = ?, applied_at_ms = ?')
  }

  /** Opens or makes the file and brings its tables up to date. */
  static async open(path: string): Promise<SqliteStore> {
    const size = checkedSize(path)
    // For its owner alone; SQLite gives the files beside it the same mode.
    if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600))
    const file = new DatabaseSync(path)
    try {
      file.exec(`
        pragma busy_timeout = ${busyWaitMs};
        pragma journal_mode = wal;
        pragma synchronous = normal;
        pragma wal_autocheckpoint = ${checkpointPages};
        pragma cache_size = -${pageCacheKib};
        pragma temp_store = memory;
      `)
      const statements = new Statements(file)
      const query = new Kysely<Schema>({ dialect: new SqliteDialect({ database: statements }) })
      assertKnown(file)
      const migrator = new Migrator({ db: query, provider: { getMigrations: async () => migrations } })
      const { error } = await migrator.migrateToLatest()
      if (error !== undefined) throw error instanceof Error ? error : new Error('cannot bring the tables up to date')
      file.exec('insert into progress (only, applied_sequence, applied_at_ms) values (1, 0, 0) on conflict do nothing')
      if (size <= quickCheckBytesMax) {
        const found = file.prepare('pragma quick_check(1)').get()?.['quick_check']
        if (found !== 'ok') throw new Error(`it is damaged: ${String(found).replaceAll(/\s+/g, ' ')}`)
      }
      const store = new SqliteStore(file, statements, query)
      store.#checkProgress()
      return store
    } catch (error) {
      file.close()
      throw error
    }
  }

  /** Of what `save` gave; it is in memory, and sound as it was then. */
  static restored(saved: Uint8Array): SqliteStore {
    const file = new DatabaseSync(':memory:')
    file.deserialize(saved)
    file.exec(`pragma cache_size = -${pageCacheKib}; pragma temp_store = memory;`)
    const statements = new Statements(file)
    return new SqliteStore(
      file,
      statements,
      new Kysely<Schema>({ dialect: new SqliteDialect({ database: statements }) }),
    )
  }

  /** All that is committed, as the bytes of a database file. */
  save(): Uint8Array {
    return this.#file.serialize()
  }

  /** The last command that is in it, and its time. */
  progress(): { readonly sequence: number; readonly at: number } {
    const row = this.#file.prepare('select applied_sequence, applied_at_ms from progress').get()
    return { sequence: Number(row?.['applied_sequence']), at: Number(row?.['applied_at_ms']) }
  }

  appliedSequence(): number {
    return Number(this.#file.prepare('select applied_sequence from progress').get()?.['applied_sequence'])
  }

  /** On disk when this returns. */
  noteRules(note: RulesNote): void {
    this.#file.exec('pragma synchronous = full')
    writeRulesNote(this.#file, note)
    this.#file.exec('pragma synchronous = normal')
  }

  #checkProgress(): void {
    const applied = this.appliedSequence()
    for (const { name, key } of tableList) {
      const last = this.#file.prepare(`select sequence from ${name} order by ${key} desc limit 1`).get()
      if (last === undefined || Number(last['sequence']) <= applied) continue
      const reached = Number(last['sequence'])
      throw new Error(`it is damaged: it says that it reaches command ${applied}, ${name} reach ${reached}`)
    }
  }

  /** Inserts one row, given as its cells in the order of the table's columns. */
  inserter(table: Table): (cells: Cell[]) => void {
    const rows = new RowInserter(this.#file, table)
    if (!table.byDay) return (cells) => rows.insert(cells)
    const time = table.names.indexOf(table.ended)
    return (cells) => {
      this.days.turnAt(table, Number(cells[time]))
      rows.insert(cells)
    }
  }

  /** The rows of a query of one table; of a day that is over in its place. */
  rows<Row>({ sql: text, parameters }: CompiledQuery<Row>, { name }: Pick<Table, 'name'>, day?: DayTable): Row[] {
    const inPlace = day === undefined ? text : text.replace(`from "${name}"`, `from "${day.name}"`)
    return this.#statements.prepare(inPlace).all(parameters) as Row[]
  }

  /** The lowest number of the rows at or after a time. */
  firstKeyAt({ name, time, key }: KeyedTable, at: number, day?: DayTable): number | undefined {
    const from = day?.name ?? name
    return this.#keyBy(`select ${key} key from ${from} where ${time} >= ? order by ${time}, ${key} limit 1`, at)
  }

  /** The highest number of the rows at or before a time. */
  lastKeyAt({ name, time, key }: KeyedTable, at: number, day?: DayTable): number | undefined {
    const from = day?.name ?? name
    return this.#keyBy(
      `select ${key} key from ${from} where ${time} <= ? order by ${time} desc, ${key} desc limit 1`,
      at,
    )
  }

  #keyBy(text: string, at: number): number | undefined {
    const [row] = this.#statements.prepare(text).all([at])
    return row === undefined ? undefined : Number(row['key'])
  }

  /** The rows of candles: one found by its key, one put in its place. */
  candleRows(): CandleRows {
    const names = Object.keys(candleColumns)
    const key = candleKey.map((name) => `${name} = ?`).join(' and ')
    const find = this.#file.prepare(`select * from candles where ${key}`)
    const places = names.map(() => '?').join(', ')
    const put = this.#file.prepare(`insert or replace into candles (${names.join(', ')}) values (${places})`)
    return {
      find: (...cells) => find.get(...cells),
      put: (cells) => void put.run(...cells),
    }
  }

  begin(): void {
    this.#begin.run()
  }

  /** Everything since `begin` and the sequence that it brings the history to. Whatever fails before it leaves nothing. */
  commit(sequence: number, at: number): void {
    this.#progress.run(sequence, at)
    this.#commit.run()
  }

  /** Everything committed is on disk when this returns: a commit at this level syncs the whole log before it. */
  sync(): void {
    this.#file.exec('pragma synchronous = full')
    this.#file.exec('update progress set applied_sequence = applied_sequence')
    this.#file.exec('pragma synchronous = normal')
  }

  /** Deletes the oldest rows before a time, at most so many; answers how many there were. */
  deleteOldest(table: Table, before: number, limit: number): number {
    const { name, key, goesBy } = table
    const goes = goesBy.map((time) => `${time} < :before`).join(' and ')
    const statement = this.#file.prepare(`
      delete from ${name} where ${key} in (
        select ${key} from ${name} where ${goes} order by ${goesBy[0]} limit :limit
      )`)
    return Number(statement.run({ before, limit }).changes)
  }

  /** The same with candles, but the newest of a price stays: until there is another one it is what the price is. */
  deleteOldestCandles(before: number, limit: number): number {
    const key = candleKey.join(', ')
    const same = ['instrument_id', 'price_kind', 'span_ms'].map((name) => `newer.${name} = old.${name}`).join(' and ')
    const statement = this.#file.prepare(`
      delete from candles where (${key}) in (
        select ${key} from candles old
        where start_ms < :before and exists (
          select 1 from candles newer where ${same} and newer.start_ms > old.start_ms
        )
        order by start_ms limit :limit
      )`)
    return Number(statement.run({ before, limit }).changes)
  }

  /** One row after the other, without holding them all. */
  *each<Row>(compiled: CompiledQuery<Row>): Iterable<Row> {
    const statement = this.#file.prepare(compiled.sql)
    statement.setReadBigInts(true)
    yield* statement.iterate(...(compiled.parameters as SQLInputValue[])) as Iterable<Row>
  }

  /** Moves the log into the database and lets go of the file. */
  close(): void {
    this.#file.close()
  }
}

/** Throws for a file whose tables a later release has changed. */
function assertKnown(file: DatabaseSync): void {
  const isThere = file.prepare("select 1 from sqlite_master where name = 'kysely_migration'").get()
  if (isThere === undefined) return
  for (const { name } of file.prepare('select name from kysely_migration order by name').all()) {
    if (Object.hasOwn(migrations, String(name))) continue
    throw new Error(`it is of a later release, which made ${String(name)} of it; start that release`)
  }
}

/** Bytes of the file; zero: there is none yet. Throws for one that lacks pages which its header counts. */
function checkedSize(path: string): number {
  if (!existsSync(path)) return 0
  const { size } = statSync(path)
  const log = `${path}-wal`
  const header = Buffer.alloc(32)
  const descriptor = openSync(path, 'r')
  readSync(descriptor, header, 0, header.length, 0)
  closeSync(descriptor)
  // Pages that are in the log alone are not missing. A header of another version of SQLite does not count them.
  if (size < header.length || (existsSync(log) && statSync(log).size > 0)) return size
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  if (size < header.readUInt32BE(28) * pageBytes) throw new Error('it is damaged: the file ends before its last page')
  return size
}

/** The shape of a database that the query builder was written for. It asks for the same few statements over and over. */
class Statements {
  readonly #file: DatabaseSync
  readonly #prepared = new Map<string, ReturnType<typeof statementFor>>()

  constructor(file: DatabaseSync) {
    this.#file = file
  }

  close(): void {
    this.#file.close()
  }

  prepare(text: string): ReturnType<typeof statementFor> {
    const known = this.#prepared.get(text)
    if (known !== undefined) return known
    if (this.#prepared.size === preparedMax) this.#prepared.clear()
    const statement = statementFor(this.#file, text)
    this.#prepared.set(text, statement)
    return statement
  }
}

function statementFor(file: DatabaseSync, text: string) {
  const statement = file.prepare(text)
  statement.setReturnArrays(true)
  const names = statement.columns().map(({ name }) => name)
  const rowOf = rowMaker(names)
  const cellsOf = (parameters: readonly unknown[]) =>
    statement.all(...(parameters as SQLInputValue[])) as unknown as unknown[][]
  return {
    reader: names.length > 0,
    all: (parameters: readonly unknown[]): ReadRow[] => wholeCells(statement, () => cellsOf(parameters)).map(rowOf),
    run: (parameters: readonly unknown[]) => statement.run(...(parameters as SQLInputValue[])),
    *iterate(parameters: readonly unknown[]): Generator<ReadRow> {
      for (const cells of wholeCells(statement, () => cellsOf(parameters))) yield rowOf(cells)
    },
  }
}

/** Numbers are read in a third of the time that bigints take, and few results have an integer that none holds. */
function wholeCells(statement: StatementSync, read: () => unknown[][]): unknown[][] {
  try {
    return read()
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_OUT_OF_RANGE') throw error
  }
  statement.setReadBigInts(true)
  try {
    return read()
  } finally {
    statement.setReadBigInts(false)
  }
}
