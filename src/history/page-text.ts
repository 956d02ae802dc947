/**
 * A page on its way from the history's thread to the venue's: each row is a JSON array that the database wrote, taken apart
 * where it is used. Cell by cell it would be read, made an object and copied, one after the other.
 *
 * Money  is text in it: a number of JSON ends at 2^53
 */
import { type RawBuilder, sql } from 'kysely'
import { originNames, rowMaker } from './columns.ts'
import type { Page } from './reads.ts'
import { type Table, tableList } from './tables.ts'

export class PageText {
  /** The place of its table. */
  readonly table: number
  /** JSON: newest first, an array of cells each. */
  readonly rows: string
  readonly next: number | undefined
  readonly last: number | undefined

  constructor(table: number, rows: readonly string[], { next, last }: Pick<Page<unknown>, 'next' | 'last'>) {
    this.table = table
    this.rows = `[${rows.join(',')}]`
    this.next = next
    this.last = last
  }
}

/** A row of the table as such an array, made by this function of SQL; of all its columns but those of the command. */
export function rowAsText({ place }: Pick<Table, 'place'>, jsonArray: string): RawBuilder<string> {
  return sql.raw(`${jsonArray}(${texts[place]})`)
}

const ownNames = tableList.map(({ names }) => names.slice(originNames.length))

const texts = tableList.map(({ columns, place }) => {
  const cells = ownNames[place].map((name, cell) => (columns[cell].kind === 'money' ? `cast(${name} as text)` : name))
  return cells.join(', ')
})

const makers = ownNames.map(rowMaker)

export function readPage({ table, rows, next, last }: PageText): Page<unknown> {
  const { read } = tableList[table]
  const rowOf = makers[table]
  return { rows: (JSON.parse(rows) as unknown[][]).map((cells) => read(rowOf(cells) as never)), next, last }
}
