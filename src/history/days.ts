/**
 * Days: a table that grows with trading keeps one day. With the first row of the next one it is put away under the
 * name of its last day, and an empty one takes its place: indexes stay small, and a day is pruned by dropping its table.
 *
 * Put away  `fills_20261121` has the rows up to the end of that day (UTC); the oldest one may reach further back, and the
 *           table of a day that began with a restart may have rows of the last day before it. It is not written again
 * Day       of a row: that of its command, which for an order that rested or waited is its end
 * Source    design.md §5, §8
 */
import type { DatabaseSync } from 'node:sqlite'
import { type Table, tableList } from './tables.ts'

export const dayMs = 86_400_000

/** The table of days that are over. */
export interface DayTable {
  readonly name: string
  /** No row has an earlier time. */
  readonly firstMs: number
  /** Every row is older. */
  readonly endMs: number
  /** The highest number of a row. */
  readonly lastKey: number
}

export class Days {
  readonly #file: DatabaseSync
  /** By table, newest first. */
  readonly #over = new Map<string, readonly DayTable[]>()
  /** Tables of which there is the view of all days. */
  readonly #shown = new Set<string>()
  /** By table: the end of the day that it keeps; none: it has no rows. */
  readonly #ends = new Map<string, number>()

  /** `appliedAt`: rows that are there were written by then. */
  constructor(file: DatabaseSync, appliedAt: number) {
    this.#file = file
    for (const table of tableList.filter(({ byDay }) => byDay)) {
      const names = this.#tablesLike(`${table.name}_[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]`)
      this.#over.set(
        table.name,
        names.map((name) => this.#dayTable(table, name)),
      )
      if (this.#hasRows(table.name)) this.#ends.set(table.name, endOfDay(appliedAt))
    }
  }

  /** The days that are over, newest first; none of a table that is not kept by day. */
  over(table: Pick<Table, 'name'>): readonly DayTable[] {
    return this.#over.get(table.name) ?? []
  }

  /** `all_fills` and the like are all days as one, until the next turn: for questions that are rare, and ask every day. */
  showAll(): void {
    for (const [name, over] of this.#over) {
      if (this.#shown.has(name)) continue
      const names = [name, ...over.map((day) => day.name)]
      this.#file.exec(`create temp view all_${name} as ${unionOf(names)}`)
      this.#shown.add(name)
    }
  }

  /** To be called before a row of this time is written; within a transaction. */
  turnAt(table: Table, at: number): void {
    const end = this.#ends.get(table.name)
    if (end !== undefined && at < end) return
    if (end !== undefined) this.#putAway(table, end)
    this.#ends.set(table.name, endOfDay(at))
  }

  /** Drops the table of one day that ended by `before`; answers whether there was one. */
  dropOldest(before: number): boolean {
    for (const table of tableList) {
      const over = this.over(table)
      const oldest = over.at(-1)
      if (oldest === undefined || oldest.endMs > before) continue
      this.#over.set(table.name, over.slice(0, -1))
      this.#hideAll(table)
      this.#file.exec(`drop table ${oldest.name}`)
      return true
    }
    return false
  }

  #putAway(table: Table, end: number): void {
    const name = `${table.name}_${nameOfDay(end - 1)}`
    const [made] = this.#statementsOf(table.name, 'table')
    const indexes = this.#file.prepare(`select name from pragma_index_list('${table.name}')`).all()
    const columns = indexes.map((index) => {
      const found = this.#file.prepare('select name from pragma_index_info(?)').all(String(index['name']))
      return found.map((column) => String(column['name']))
    })
    this.#hideAll(table)
    this.#file.exec(`alter table ${table.name} rename to ${name}`)
    this.#file.exec(made.replace(/^create table "?\w+"?/i, `create table "${table.name}"`))
    // The indexes that were made first keep the plain names, and go with their day.
    for (const column of columns) {
      this.#file.exec(`create index "${name}_next_by_${column.join('_')}" on "${table.name}" (${column.join(', ')})`)
    }
    this.#over.set(table.name, [this.#dayTable(table, name), ...this.over(table)])
  }

  #hideAll({ name }: Table): void {
    if (this.#shown.delete(name)) this.#file.exec(`drop view temp.all_${name}`)
  }

  #dayTable({ name: table, key, time }: Table, name: string): DayTable {
    const found = (what: string) => Number(this.#file.prepare(`select ${what} one from ${name}`).get()?.['one'] ?? 0)
    const endMs = endOfDay(dayNamed(name.slice(table.length + 1)))
    return { name, firstMs: found(`min(${time})`), endMs, lastKey: found(`max(${key})`) }
  }

  #hasRows(name: string): boolean {
    return this.#file.prepare(`select 1 from ${name} limit 1`).get() !== undefined
  }

  #tablesLike(pattern: string): string[] {
    const statement = this.#file.prepare(
      `select name from main.sqlite_schema where type = 'table' and name glob ? order by name desc`,
    )
    return statement.all(pattern).map(({ name }) => String(name))
  }

  #statementsOf(name: string, type: 'table'): string[] {
    const statement = this.#file.prepare('select sql from main.sqlite_schema where type = ? and name = ?')
    return statement.all(type, name).map(({ sql }) => String(sql))
  }
}

/** SQLite reads no more than 500 selects in one. */
const selectsMax = 400

function unionOf(names: readonly string[]): string {
  if (names.length <= selectsMax) return names.map((name) => `select * from main.${name}`).join(' union all ')
  const parts: string[] = []
  for (let first = 0; first < names.length; first += selectsMax) {
    parts.push(`select * from (${unionOf(names.slice(first, first + selectsMax))})`)
  }
  return parts.join(' union all ')
}

export function startOfDay(at: number): number {
  return at - (at % dayMs)
}

function endOfDay(at: number): number {
  return startOfDay(at) + dayMs
}

/** `20261121` */
export function nameOfDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10).replaceAll('-', '')
}

export function dayNamed(name: string): number {
  return Date.parse(`${name.slice(0, 4)}-${name.slice(4, 6)}-${name.slice(6)}`)
}
