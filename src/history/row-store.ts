/**
 * What the reader asks of a database. The embedded one answers at once, a server answers later: whoever asks awaits both.
 */
import type { CompiledQuery, Kysely } from 'kysely'
import type { DayTable } from './days.ts'
import type { Schema, Table } from './tables.ts'

type KeyedTable = Pick<Table, 'name' | 'time' | 'key'>

export interface RowStore {
  readonly query: Kysely<Schema>
  /** The function of SQL that makes a JSON array of its arguments, absent ones as null. */
  readonly jsonArray: string
  /** Days that lie in tables of their own, where the database does not find them by itself. */
  readonly days: {
    over(table: Pick<Table, 'name'>): readonly DayTable[]
    showAll(): void
  }
  /** The rows of a query of one table; of a day that is over in its place. */
  rows<Row>(query: CompiledQuery<Row>, table: Pick<Table, 'name'>, day?: DayTable): Row[] | Promise<Row[]>
  /** The rows of a query that may have many. */
  each<Row>(query: CompiledQuery<Row>): Iterable<Row> | Promise<Row[]>
  /** The lowest number of the rows at or after a time. */
  firstKeyAt(table: KeyedTable, at: number, day?: DayTable): number | undefined | Promise<number | undefined>
  /** The highest number of the rows at or before a time. */
  lastKeyAt(table: KeyedTable, at: number, day?: DayTable): number | undefined | Promise<number | undefined>
}
