/**
 * Writes batches of rows into PostgreSQL. The sequence that they reach is committed with them, so that a crash leaves both or
 * neither.
 *
 * Rows      go by COPY, one of each table in a transaction
 * Days      partitions are made with the first row of their day, within its transaction
 * Candles   only what these batches add is made here, and PostgreSQL adds it to what is there
 * Progress  moves from where this writer left it, else nothing is committed: somebody else has written
 * Text      PostgreSQL keeps no NUL: it becomes the sign for what cannot be shown (U+FFFD)
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { CandleMaker } from './candle-maker.ts'
import { candleColumns, candleKey } from './candle-table.ts'
import { type Cell, RowUnpacker } from './columns.ts'
import { dayMs, dayNamed, nameOfDay, startOfDay } from './days.ts'
import { priceChanges, type Table, tableList, tables } from './tables.ts'
import { type Batch, figuresOf, priceFigures, tradeFigures } from './writer.ts'

const columns = [...tableList.map((table) => table.columns), priceChanges.columns]

/** What one transaction writes. */
interface Gathered {
  /** By the place of the table: its rows as COPY reads them. */
  readonly lines: string[][]
  /** By the name of the table and the start of the day. */
  readonly days: Map<string, { readonly table: Table; readonly day: number }>
  readonly candles: Map<string, Cell[]>
}

export class PostgresWriter {
  readonly #client: pg.Client
  readonly #unpacker = new RowUnpacker()
  #applied: number
  /** Partitions that are known to be there. */
  readonly #made = new Set<string>()

  /** `applied`: the last command that is in it. */
  constructor(client: pg.Client, applied: number) {
    this.#client = client
    this.#applied = applied
  }

  /** All of them or, if it rejects, none: the writer is of no use afterwards. */
  async write(batches: readonly Batch[]): Promise<void> {
    const last = batches.at(-1)
    if (last === undefined) return
    const { lines, days, candles } = this.#gather(batches)
    await this.#client.query('begin')
    for (const [name, { table, day }] of days) await this.#makeDay(name, table, day)
    for (const table of tableList) await this.#copy(table, lines[table.place])
    await this.#addCandles([...candles.values()])
    const moved = await this.#client.query(
      'update progress set applied_sequence = $1, applied_at_ms = $2 where applied_sequence = $3',
      [last.sequence, last.at, this.#applied],
    )
    if (moved.rowCount !== 1)
      throw new Error(`somebody else has written it: it is not at command ${this.#applied} any more`)
    await this.#client.query('commit')
    this.#applied = last.sequence
    for (const name of days.keys()) this.#made.add(name)
  }

  #gather(batches: readonly Batch[]): Gathered {
    const lines: string[][] = tableList.map(() => [])
    const days: Gathered['days'] = new Map()
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
      if (table.byDay) {
        const day = startOfDay(Number(cells[table.names.indexOf(table.ended)]))
        const name = `${table.name}_${nameOfDay(day)}`
        if (!this.#made.has(name)) days.set(name, { table, day })
      }
      lines[place].push(cells.map(copied).join('\t'))
    }
    for (const { rows } of batches) for (const _part of this.#unpacker.each(rows, columns, take, Infinity));
    maker.flush()
    return { lines, days, candles }
  }

  async #makeDay(name: string, table: Table, day: number): Promise<void> {
    await this.#client.query(
      `create table if not exists ${name} partition of ${table.name} for values from (${day}) to (${day + dayMs})`,
    )
  }

  async #copy({ name, names }: Table, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return
    const into = this.#client.query(copyFrom(`copy ${name} (${names.join(', ')}) from stdin`))
    await pipeline(Readable.from([`${lines.join('\n')}\n`]), into)
  }

  async #addCandles(rows: readonly Cell[][]): Promise<void> {
    if (rows.length === 0) return
    await this.#client.query(
      addCandlesText,
      candleNames.map((_name, place) => rows.map((cells) => cells[place])),
    )
  }

  /** Drops the partitions of days that are over by a time, and deletes the older rows of other tables. */
  async prune(at: number): Promise<void> {
    const before = startOfDay(at)
    await this.#client.query('begin')
    for (const { name } of tableList.filter((table) => table.byDay)) {
      const { rows } = await this.#client.query(
        'select inhrelid::regclass::text as day from pg_inherits where inhparent = $1::regclass',
        [name],
      )
      for (const { day } of rows) {
        if (dayNamed(day.slice(name.length + 1)) + dayMs > before) continue
        await this.#client.query(`drop table ${day}`)
        this.#made.delete(day)
      }
    }
    for (const { name, time, ended } of tableList.filter((table) => !table.byDay)) {
      await this.#client.query(`delete from ${name} where ${time} < $1 and ${ended} < $1`, [before])
    }
    // The newest of a price stays: until there is another one it is what the price is.
    const same = ['instrument_id', 'price_kind', 'span_ms'].map((name) => `newer.${name} = old.${name}`).join(' and ')
    await this.#client.query(
      `delete from candles old where start_ms < $1 and exists (
        select 1 from candles newer where ${same} and newer.start_ms > old.start_ms
      )`,
      [before],
    )
    await this.#client.query('commit')
  }
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

const addCandlesText = `
  insert into candles (${candleNames.join(', ')})
  select * from unnest(${Object.values(candleColumns)
    .map(({ kind }, place) => `$${place + 1}::${kind === 'number' ? 'int8' : 'text'}[]`)
    .join(', ')})
  on conflict (${candleKey.join(', ')}) do update set
    high_ticks = greatest(candles.high_ticks, excluded.high_ticks),
    low_ticks = least(candles.low_ticks, excluded.low_ticks),
    close_ticks = excluded.close_ticks,
    ${['quantity_lots', 'ticks_times_lots', 'lots_per_tick_e12'].map(sumOf).join(', ')}`
