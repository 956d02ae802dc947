/**
 * History for those who read it in PostgreSQL while another process writes it: gateways.
 *
 * Own writes  a read of an account waits until all that is its own, as this process heard of it, is there; a public read until
 *             everything is that may lie in its window
 * Too long    a read that waits for two seconds, or finds no server, rejects with HistoryAway
 * Begins      with nothing known of what was before: the first reads see all of that
 * Source      scale.md §5, §8
 */
import { type Column, owners, type RowTaker } from './columns.ts'
import type { History, HistoryEvent } from './history.ts'
import { ownReads } from './own-reads.ts'
import { PageText, readPage } from './page-text.ts'
import { PostgresRows } from './postgres.ts'
import { isAway, placeOf, postgresTrouble, unlessSlow } from './postgres-trouble.ts'
import { ProgressWatch } from './progress-watch.ts'
import { historyReadBy } from './read-elsewhere.ts'
import { Reader } from './reader.ts'
import type { ReadName, ReadQuery } from './reads.ts'
import { packEvent, tableList } from './tables.ts'
import { HistoryAway, HistoryFailed } from './trouble.ts'

const waitMsMax = 2_000
/** How long the first read waits: the writer may come to where this process began. */
const beginMsMax = 10_000

export interface ReadInPostgres {
  readonly url: string
  /** Whose history it has to be. */
  readonly venue: string
  /** The last command that came before what `record` will be told. */
  readonly begins: () => number
}

/** Resolves when the history has what was before. Rejects with HistoryFailed. */
export async function readHistoryInPostgres({ url, venue, begins }: ReadInPostgres, hear: (history: History) => void) {
  const store = new PostgresRows(url)
  let watch: ProgressWatch
  try {
    watch = await unlessSlow(() => ProgressWatch.open(store, venue))
  } catch (error) {
    await store.close()
    throw new HistoryFailed(postgresTrouble(url, error), error)
  }
  const close = async () => {
    await watch.close()
    await store.close()
  }
  const reading = new Reading(store, watch, begins())
  const history = historyReadBy((name, query) => reading.read(name, query), {
    record: (sequence, _at, events) => reading.record(sequence, events),
    health: () => reading.health(),
    close,
  })
  hear(history)
  const first = reading.recordedSequence
  if (await watch.reaches(first, beginMsMax)) return history
  const { sequence } = watch.progress
  await close()
  const reason = `its history is at command ${sequence}, the venue at ${first}: does "tidemark history" run?`
  throw new HistoryFailed(`--postgres ${placeOf(url)}: ${reason}`)
}

class Reading implements RowTaker {
  readonly #reader: Reader
  readonly #watch: ProgressWatch
  /** The last command that has rows of an account, by the low bits of its number. */
  readonly #lastOf: Float64Array
  /** The last command that has rows. */
  #last: number
  recordedSequence: number

  constructor(store: PostgresRows, watch: ProgressWatch, begins: number) {
    this.#reader = new Reader(store)
    this.#watch = watch
    this.#lastOf = new Float64Array(owners).fill(begins)
    this.#last = begins
    this.recordedSequence = begins
  }

  record(sequence: number, events: readonly HistoryEvent[]): void {
    this.recordedSequence = sequence
    for (const event of events) if (packEvent(this, event)) this.#last = sequence
  }

  /** Notes whose row it is. */
  add<Row>(table: number, _columns: readonly Column<Row>[], row: Row): void {
    for (const { take } of ownersOf[table] ?? []) this.#lastOf[take(row as never) % owners] = this.recordedSequence
  }

  health() {
    const { recordedSequence } = this
    const committedSequence = Math.min(this.#watch.progress.sequence, recordedSequence)
    const nothing = { fault: undefined, pendingEvents: 0, droppedEvents: 0, keptBytes: 0 }
    return { state: 'working', recordedSequence, committedSequence, ...nothing } as const
  }

  async read(name: ReadName, query: never): Promise<unknown> {
    const sequence = this.#toSee(name, query)
    if (!(await this.#watch.reaches(sequence, waitMsMax))) {
      throw new HistoryAway(`it is at command ${this.#watch.progress.sequence}, and ${sequence} has to be seen`)
    }
    try {
      const answer = await this.#reader.read(name, query)
      return answer instanceof PageText ? readPage(answer) : answer
    } catch (error) {
      throw isAway(error) ? new HistoryAway('PostgreSQL does not answer', error) : error
    }
  }

  /** The last command that a read has to see. */
  #toSee(name: ReadName, query: never): number {
    if (ownReads.has(name)) return this.#lastOf[(query as { readonly uid: number }).uid % owners]
    const over = overAt(name, query)
    // Commands behind the last one that is there are no earlier than it.
    return over !== undefined && over <= this.#watch.progress.at ? 0 : this.#last
  }
}

/** By the place of a table: the columns that say whose a row is. */
const ownersOf = tableList.map(({ columns }) => columns.filter((column) => column.kind === 'owner'))

/** When the window of a public read ends; undefined: it runs. */
function overAt(name: ReadName, query: never): number | undefined {
  if (name === 'candles') return (query as ReadQuery<'candles'>).bounds.at(-1)
  if (name !== 'trades') return undefined
  const { to } = query as ReadQuery<'trades'>
  return to === undefined ? undefined : to + 1
}
