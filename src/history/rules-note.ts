/**
 * By which rules the rows of a history were made: a note for each change of them, with the first command that it holds for.
 *
 * Table   of its own, outside of the migrations: a release that knows nothing of it can go on with the file
 * Read    before the history is opened, because opening it may change its tables (migrations.ts)
 */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { RulesNote } from '../runtime/runtime.ts'

/** The newest note; undefined: there is no such file, it has none, or it cannot be read, which opening it will tell. */
export function readRulesNote(file: string): RulesNote | undefined {
  if (!existsSync(file)) return undefined
  try {
    using database = new DatabaseSync(file, { readOnly: true })
    const table = database.prepare("select 1 from sqlite_master where name = 'rules'").get()
    if (table === undefined) return undefined
    const row = database.prepare('select * from rules order by from_sequence desc limit 1').get()
    if (row === undefined) return undefined
    return { rules: Number(row['rules']), from: Number(row['from_sequence']), release: String(row['release']) }
  } catch {
    return undefined
  }
}

export function writeRulesNote(database: DatabaseSync, { rules, from, release }: RulesNote): void {
  database.exec(`
    create table if not exists rules (
      from_sequence integer primary key, rules integer not null, release text not null
    ) strict`)
  const known = database.prepare('select rules from rules where from_sequence = ?').get(from)
  if (Number(known?.['rules']) === rules) return
  database.prepare('insert or replace into rules values (?, ?, ?)').run(from, rules, release)
}
