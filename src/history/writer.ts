/**
 * Writes batches of rows. The sequence that they reach is committed with them, so that a crash leaves both or neither.
 *
 * Commits   many batches share one, since rows of many accounts touch as many pages of the indexes and a page is
 *           written once a commit. A commit comes when so many rows or so much time have passed, and before whatever
 *           needs one; reads see rows before it
 * Candles   are made of trades and of changed prices on their way to the tables (candle-maker.ts)
 */
import { CandleMaker } from './candle-maker.ts'
import { type Cell, type PackedRows, RowUnpacker } from './columns.ts'
import { startOfDay } from './days.ts'
import type { SqliteStore } from './sqlite.ts'
import { priceChanges, tableList, tables } from './tables.ts'

const commitRowsMax = 50_000
/** The journal syncs on the same disk: the rarer its commits, the longer orders wait beside them (docs/performance/pauses.md). */
export const commitWaitMs = 125
/** Rows that are written in one go: a read that comes meanwhile waits for half a millisecond. */
const partRows = 64
/** Rows deleted in one go: little enough that writing and reading go on between. */
const pruneRowsMax = 2_000

export interface Batch {
  /** The last command whose events are in it. */
  readonly sequence: number
  readonly at: number
  readonly rows: PackedRows
  readonly events: number
}

export class Writer {
  #store: SqliteStore
  readonly #unpacker = new RowUnpacker()
  readonly #columns = [...tableList.map((table) => table.columns), priceChanges.columns]
  /** What becomes of a row, by the place of its table. */
  #takers: readonly ((cells: Cell[]) => void)[]
  #candles: CandleMaker
  readonly #committed: (sequence: number) => void
  /** What the open transaction reaches; undefined: none is open. */
  #open: { sequence: number; at: number; events: number } | undefined

  /** `committed` gets every sequence that a commit reached. */
  constructor(store: SqliteStore, committed: (sequence: number) => void) {
    this.#committed = committed
    this.#store = store
    this.#candles = new CandleMaker(store.candleRows())
    this.#takers = this.#takersInto(store)
  }

  /** Another database in place of this one, between two batches. The words that batches name go on. */
  goOnIn(store: SqliteStore): void {
    this.#store = store
    this.#candles = new CandleMaker(store.candleRows())
    this.#takers = this.#takersInto(store)
  }

  #takersInto(store: SqliteStore): readonly ((cells: Cell[]) => void)[] {
    const takers = tableList.map((table) => store.inserter(table))
    const keepTrade = takers[tables.trades.place]
    takers[tables.trades.place] = (cells) => {
      keepTrade(cells)
      this.#candles.addTrade(...figuresOf(cells, tradeFigures))
    }
    takers[priceChanges.place] = (cells) => this.#candles.addPrices(...figuresOf(cells, priceFigures))
    return takers
  }

  /** Part by part, as the generator is stepped through; nothing but reads may come in between. */
  *write({ sequence, at, rows, events }: Batch): Generator<void> {
    if (this.#open === undefined) this.#store.begin()
    this.#open = { sequence, at, events: (this.#open?.events ?? 0) + events }
    yield* this.#unpacker.each(rows, this.#columns, (table, cells) => this.#takers[table](cells), partRows)
    if (this.#open.events >= commitRowsMax) this.commit()
  }

  /** Candles of what was written are seen by the reads that follow. */
  showCandles(): void {
    this.#candles.flush()
  }

  commit(): void {
    if (this.#open === undefined) return
    const { sequence, at } = this.#open
    this.#candles.flush()
    this.#store.commit(sequence, at)
    this.#open = undefined
    this.#committed(sequence)
  }

  /** Commits, and waits for the disk. */
  sync(): void {
    this.commit()
    this.#store.sync()
  }

  /** Drops a table, or deletes a slice, of the days that are over by a time; answers whether there may be more. */
  prune(at: number): boolean {
    const before = startOfDay(at)
    this.commit()
    if (this.#store.days.dropOldest(before)) return true
    for (const table of tableList) {
      if (this.#store.deleteOldest(table, before, pruneRowsMax) > 0) return true
    }
    this.#candles.forget()
    return this.#store.deleteOldestCandles(before, pruneRowsMax) > 0
  }
}

type Figures = [instrument: number, number, number, at: number]

/** Where the figures of a candle stand in a row. */
export const tradeFigures = ['instrument_id', 'price_ticks', 'quantity_lots', 'at_ms'].map((name) =>
  tables.trades.names.indexOf(name),
)
export const priceFigures = ['instrument_id', 'mark_ticks', 'index_ticks', 'at_ms'].map((name) =>
  priceChanges.names.indexOf(name),
)

export function figuresOf(cells: readonly Cell[], places: readonly number[]): Figures {
  return places.map((place) => Number(cells[place])) as Figures
}
