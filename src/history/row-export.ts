/**
 * What a history in a file has beyond another one, read as it stands at one moment while its venue goes on.
 *
 * Moment   one transaction of a reader among others: rows and candles up to `sequence`, and nothing of what comes later
 * Beyond   rows of later commands, of every table; candles that may have changed since, whole. From the beginning: all rows
 * Order    a table after the other, of each the older days first; tables that SQL counts in the order of their numbers
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { candleColumns } from './candle-table.ts'
import { quarterMs } from './candles.ts'
import type { Cell } from './columns.ts'
import { nameOfDay } from './days.ts'
import { type Table, tableList } from './tables.ts'

/** The last command of a history, and its time. Zeros: it has none. */
export interface Progress {
  readonly sequence: number
  readonly at: number
}

/** Rows of the table at a place among all, with every column in the order of its names; without a place of candles. */
export interface Chunk {
  readonly place: number | undefined
  readonly rows: readonly Cell[][]
}

const chunkRows = 2_000

export class RowExport {
  readonly reached: Progress
  readonly #database: DatabaseSync
  readonly #chunks: Iterator<Chunk>

  constructor(file: string, from: Progress) {
    this.#database = new DatabaseSync(file, { readOnly: true })
    this.#database.exec('pragma busy_timeout = 5000; begin')
    // The transaction begins with the first read.
    const progress = this.#database.prepare('select applied_sequence, applied_at_ms from progress').get()
    this.reached = { sequence: Number(progress?.['applied_sequence']), at: Number(progress?.['applied_at_ms']) }
    this.#chunks = rowsBeyond(this.#database, from)
  }

  /** Undefined: that was all. */
  next(): Chunk | undefined {
    const { done, value } = this.#chunks.next()
    return done ? undefined : value
  }

  close(): void {
    this.#database.close()
  }
}

function* rowsBeyond(database: DatabaseSync, from: Progress): Generator<Chunk> {
  for (const table of tableList) {
    for (const name of tablesOf(database, table, from)) {
      const { text, parameters } = beyond(table, name, from)
      yield* chunksOf(database.prepare(text), parameters, table.place)
    }
  }
  const candles = `select ${Object.keys(candleColumns).join(', ')} from candles where start_ms >= ?`
  yield* chunksOf(database.prepare(candles), [from.at - (from.at % quarterMs)], undefined)
}

function beyond({ names, byDay, ended, key }: Table, name: string, { sequence, at }: Progress) {
  const select = `select ${names.join(', ')} from ${name}`
  const order = byDay ? '' : `order by ${key}`
  // Of rows of earlier releases nobody noted the command.
  if (sequence === 0) return { text: `${select} ${order}`, parameters: [] }
  return { text: `${select} where sequence > ? and ${ended} >= ? ${order}`, parameters: [sequence, at] }
}

/** The table, and those of its days that may have such rows. */
function tablesOf(database: DatabaseSync, { name, byDay }: Table, { at }: Progress): string[] {
  if (!byDay) return [name]
  const day = '[0-9]'.repeat(8)
  const found = database
    .prepare("select name from sqlite_schema where type = 'table' and name glob ? order by name")
    .all(`${name}_${day}`)
  const first = `${name}_${nameOfDay(at)}`
  return [...found.map((row) => String(row['name'])).filter((one) => one >= first), name]
}

function* chunksOf(
  statement: StatementSync,
  parameters: readonly number[],
  place: number | undefined,
): Generator<Chunk> {
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  let rows: Cell[][] = []
  for (const cells of statement.iterate(...parameters) as unknown as Iterable<Cell[]>) {
    rows.push(cells)
    if (rows.length < chunkRows) continue
    yield { place, rows }
    rows = []
  }
  if (rows.length > 0) yield { place, rows }
}
