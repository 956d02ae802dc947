/**
 * Days of tables that grow with trading, as their partitions in PostgreSQL.
 *
 * Ahead    the next day is made with a day: midnight finds it there
 * Reading  waits for none of it: a partition is made beside its table and then attached. Pruned days go one by one, each when nobody
 *          has read its table for a moment, else at the next pruning
 */
import pg from 'pg'
import type { Cell } from './columns.ts'
import { dayMs, dayNamed, nameOfDay, startOfDay } from './days.ts'
import { type Table, tableList } from './tables.ts'

/** Of each table by its name: the days (by their start) that rows need. */
export type DaysNeeded = Map<string, { readonly table: Table; readonly starts: Set<number> }>

/** How long a day that is to go waits for those who read, and those who come wait behind it. */
const dropWaitMs = 500
const lockNotAvailable = '55P03'

/** Notes the day of a row. */
export function needDay(days: DaysNeeded, table: Table, cells: readonly Cell[]): void {
  if (!table.byDay) return
  let needed = days.get(table.name)
  if (needed === undefined) days.set(table.name, (needed = { table, starts: new Set() }))
  needed.starts.add(startOfDay(Number(cells[table.names.indexOf(table.ended)])))
}

export class Partitions {
  /** Those that are known to be there. */
  readonly #made = new Set<string>()

  async make(client: pg.Client, days: DaysNeeded): Promise<void> {
    for (const { table, starts } of days.values()) {
      for (const start of starts) {
        await this.#make(client, table, start)
        await this.#make(client, table, start + dayMs)
      }
    }
  }

  async #make(client: pg.Client, table: Table, start: number): Promise<void> {
    const name = `${table.name}_${nameOfDay(start)}`
    if (this.#made.has(name)) return
    const { rows } = await client.query('select to_regclass($1) is not null as there', [name])
    if (rows[0].there !== true) {
      await client.query(`
        create table ${name} (like ${table.name} including defaults including constraints);
        alter table ${table.name} attach partition ${name} for values from (${start}) to (${start + dayMs})`)
    }
    this.#made.add(name)
  }

  /** Drops those that are over by the start of a day. */
  async dropOver(client: pg.Client, before: number): Promise<void> {
    for (const { name } of tableList.filter((table) => table.byDay)) {
      const { rows } = await client.query(
        'select inhrelid::regclass::text as day from pg_inherits where inhparent = $1::regclass',
        [name],
      )
      for (const { day } of rows) {
        if (dayNamed(day.slice(name.length + 1)) + dayMs <= before) await this.#drop(client, day)
      }
    }
  }

  async #drop(client: pg.Client, day: string): Promise<void> {
    try {
      await client.query(`begin; set local lock_timeout = ${dropWaitMs}; drop table ${day}; commit`)
      this.#made.delete(day)
    } catch (error) {
      await client.query('rollback')
      if (!(error instanceof pg.DatabaseError && error.code === lockNotAvailable)) throw error
    }
  }
}
