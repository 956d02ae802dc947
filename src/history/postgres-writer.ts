/**
 * Writes batches of rows into PostgreSQL. The sequence that they reach is committed with them, so that a crash leaves both or
 * neither.
 *
 * Rows      go by COPY, one of each table in a transaction
 * Days      are there before the rows that need them (postgres-days.ts)
 * Candles   only what these batches add is made here, and PostgreSQL adds it to what is there
 * Progress  moves from where this writer left it, else nothing is committed: somebody else has written. Who listens to `applied` is
 *           told it, as "sequence time", when it is committed
 * Unknown   a connection may break while a commit is under way: `goOn` with another one looks what became of it
 * Text      PostgreSQL keeps no NUL: it becomes the sign for what cannot be shown (U+FFFD)
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { CandleMaker } from './candle-maker.ts'
import { candleColumns, candleKey } from './candle-table.ts'
import { type Cell, RowUnpacker } from './columns.ts'
import { startOfDay } from './days.ts'
import { priceChanges, type Table, tableList, tables } from './tables.ts'
import { type DaysNeeded, needDay, Partitions } from './postgres-days.ts'
import { appliedChannel, letGo, progressOf, progressText, WrongDatabase } from './postgres.ts'
import type { Chunk, Progress } from './row-export.ts'
import { type Batch, figuresOf, priceFigures, tradeFigures } from './writer.ts'

/** Rows of a table deleted in one go: little enough that writing goes on between. */
const pruneRowsMax = 20_000

const columns = [...tableList.map((table) => table.columns), priceChanges.columns]

/** What one transaction writes, and how far it brings the history. */
export interface Gathered extends Progress {
  /** By the place of the table: its rows as COPY reads them. */
  readonly lines: string[][]
  readonly days: DaysNeeded
  readonly candles: Map<string, Cell[]>
}

export class PostgresWriter {
  #client: pg.Client
  readonly #unpacker = new RowUnpacker()
  #applied: number
  readonly #partitions = new Partitions()

  /** `applied`: the last command that is in it. */
  constructor(client: pg.Client, applied: number) {
    this.#client = client
    this.#applied = applied
  }

  /** Batches in their order, each once. */
  gather(batches: readonly Batch[]): Gathered {
    const lines: string[][] = tableList.map(() => [])
    const days: DaysNeeded = new Map()
    const candles: Gathered['candles'] = new Map()
    const keyOf = (key: readonly unknown[]) => key.join(' ')
    const maker = new CandleMaker({
      find: (...key) => rowOf(candles.get(keyOf(key))),
      put: (cells) => void candles.set(keyOf(cells.slice(0, candleKey.length)), cells),
    })
    const take = (place: number, cells: Cell[]) => {
      if (place === priceChanges.place) return maker.addPrices(...figuresOf(cells, priceFigures))
      const table = tableList[place]
      if (place === tables.trades.place) maker.addTrade(...figuresOf(cells, tradeFigures))
      needDay(days, table, cells)
      lines[place].push(lineOf(cells))
    }
    for (const { rows } of batches) for (const _part of this.#unpacker.each(rows, columns, take, Infinity));
    maker.flush()
    const { sequence, at } = batches[batches.length - 1]
    return { lines, days, candles, sequence, at }
  }

  /**
   * All of it or, if it rejects, none, unless the connection broke: then `goOn` says. A server that has not done it in time is taken
   * for one that went away.
   */
  async write(gathered: Gathered, withinMs: number): Promise<void> {
    const client = this.#client
    const late = setTimeout(() => client.connection.stream.destroy(), withinMs)
    try {
      await this.#writeAll(gathered)
    } finally {
      clearTimeout(late)
    }
  }

  async #writeAll({ lines, days, candles, ...reached }: Gathered): Promise<void> {
    await this.#partitions.make(this.#client, days)
    await this.#client.query('begin')
    for (const table of tableList) await this.#copy(table, lines[table.place])
    await this.#candles(addCandlesText, [...candles.values()])
    await this.#reach(reached)
  }

  /**
   * Rows of another history that has more: those of commands behind this one's last, and the candles that they are in. All of them
   * or none.
   */
  async fill({ chunks, ...reached }: Filling): Promise<void> {
    await this.#client.query('begin')
    for await (const { place, rows } of chunks) {
      if (place === undefined) await this.#candles(putCandlesText, rows)
      else {
        const table = tableList[place]
        const days: DaysNeeded = new Map()
        for (const cells of rows) needDay(days, table, cells)
        await this.#partitions.make(this.#client, days)
        await this.#copy(table, rows.map(lineOf))
      }
    }
    await this.#reach(reached)
  }

  /**
   * By another connection, of the one writer, once this one has ended. Answers whether what was under way when the last one broke
   * is committed.
   */
  async goOn(client: pg.Client, { sequence }: Progress): Promise<boolean> {
    this.#client = client
    const found = progressOf(await client.query(progressText)).sequence
    if (found !== this.#applied && found !== sequence) throw this.#elsewhere()
    this.#applied = found
    return found === sequence
  }

  /** Lets go of the connection, with the lock and whatever is not committed. */
  end(): Promise<void> {
    return letGo(this.#client)
  }

  async #reach({ sequence, at }: Progress): Promise<void> {
    const moved = await this.#client.query(
      'update progress set applied_sequence = $1, applied_at_ms = $2 where applied_sequence = $3',
      [sequence, at, this.#applied],
    )
    if (moved.rowCount !== 1) throw this.#elsewhere()
    await this.#client.query('select pg_notify($1, $2)', [appliedChannel, `${sequence} ${at}`])
    await this.#client.query('commit')
    this.#applied = sequence
  }

  #elsewhere(): WrongDatabase {
    return new WrongDatabase(`somebody else has written it: it is not at command ${this.#applied} any more`)
  }

  async #copy({ name, names }: Table, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return
    const into = this.#client.query(copyFrom(`copy ${name} (${names.join(', ')}) from stdin`))
    await pipeline(Readable.from([`${lines.join('\n')}\n`]), into)
  }

  async #candles(text: string, rows: readonly Cell[][]): Promise<void> {
    if (rows.length === 0) return
    await this.#client.query(
      text,
      candleNames.map((_name, place) => rows.map((cells) => cells[place])),
    )
  }

  /**
   * Drops the partitions of days that are over by a time, and deletes older rows of other tables, at most so many of each at a time;
   * answers whether there may be more.
   */
  async prune(at: number): Promise<boolean> {
    const before = startOfDay(at)
    await this.#partitions.dropOver(this.#client, before)
    await this.#client.query('begin')
    try {
      const more = await this.#deleteBefore(before)
      await this.#client.query('commit')
      return more
    } catch (error) {
      // The same connection writes on, where it is still there.
      await this.#client.query('rollback').catch(() => undefined)
      throw error
    }
  }

  async #deleteBefore(before: number): Promise<boolean> {
    let more = false
    for (const { name, key, goesBy } of tableList.filter((table) => !table.byDay)) {
      const goes = goesBy.map((time) => `${time} < $1`).join(' and ')
      const oldest = `select ${key} from ${name} where ${goes} order by ${goesBy[0]} limit ${pruneRowsMax}`
      const gone = await this.#client.query(`delete from ${name} where ${key} in (${oldest})`, [before])
      more ||= gone.rowCount === pruneRowsMax
    }
    // The newest of a price stays: until there is another one it is what the price is.
    const same = ['instrument_id', 'price_kind', 'span_ms'].map((name) => `newer.${name} = old.${name}`).join(' and ')
    await this.#client.query(
      `delete from candles old where start_ms < $1 and exists (
        select 1 from candles newer where ${same} and newer.start_ms > old.start_ms
      )`,
      [before],
    )
    return more
  }
}

/** Rows of another history, in parts. */
export interface Filling extends Progress {
  readonly chunks: AsyncIterable<Chunk>
}

function lineOf(cells: readonly Cell[]): string {
  return cells.map(copied).join('\t')
}

/** A cell as text of COPY. */
function copied(cell: Cell): string {
  if (cell === null) return '\\N'
  return typeof cell === 'string' ? cell.replaceAll(/[\\\t\n\r\0]/g, (sign) => escapes[sign]) : String(cell)
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '\uFFFD',
}

const candleNames = Object.keys(candleColumns)

function rowOf(cells: readonly Cell[] | undefined): Record<string, Cell> | undefined {
  return cells && Object.fromEntries(candleNames.map((name, place) => [name, cells[place]]))
}

const sumOf = (name: string) => `${name} = (candles.${name}::numeric + excluded.${name}::numeric)::text`

const insertCandles = `
  insert into candles (${candleNames.join(', ')})
  select * from unnest(${Object.values(candleColumns)
    .map(({ kind }, place) => `$${place + 1}::${kind === 'number' ? 'int8' : 'text'}[]`)
    .join(', ')})
  on conflict (${candleKey.join(', ')}) do update set`

const addCandlesText = `${insertCandles}
    high_ticks = greatest(candles.high_ticks, excluded.high_ticks),
    low_ticks = least(candles.low_ticks, excluded.low_ticks),
    close_ticks = excluded.close_ticks,
    ${['quantity_lots', 'ticks_times_lots', 'lots_per_tick_e12'].map(sumOf).join(', ')}`

const putCandlesText = `${insertCandles}
    ${candleNames.map((name) => `${name} = excluded.${name}`).join(', ')}`
