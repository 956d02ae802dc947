/**
 * The history database, opened so that nothing in its directory changes.
 *
 * Copied     a log (`-wal`) that was not moved into the database needs one beside it that can be written: then database and
 *            log are copied to a temporary directory and read there. Without a log the file is read in place, immutable
 * Days       tables of days that are over (`fills_20261121`) and the one that is written are read as one (`fills`). In the
 *            order of a number they are sorted, since to merge as many as there are days takes longer
 * Integers   come back as bigint
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

export type Row = Readonly<Record<string, bigint | string | null>>

const dayTable = /_\d{8}$/
/** SQLite reads no more than 500 selects in one. */
const selectsMax = 400

export class Database implements Disposable {
  readonly #file: DatabaseSync
  readonly #copy: string | undefined = undefined

  /** A file, or one as its bytes. */
  constructor(source: string | Uint8Array) {
    if (typeof source === 'string') [this.#file, this.#copy] = opened(source)
    else {
      this.#file = new DatabaseSync(':memory:')
      this.#file.deserialize(source)
    }
    // An index may be damaged where its table is not: whole tables are read by their rows.
    this.#file.exec('pragma cell_size_check = on; pragma temp_store = file')
    for (const [name, days] of this.#days()) {
      const all = [name, ...days].map((table) => `select * from main.${table}`)
      while (all.length > 1)
        all.splice(0, selectsMax, `select * from (${all.slice(0, selectsMax).join(' union all ')})`)
      // A limit keeps the days from being merged.
      this.#file.exec(`create temp view ${name} as ${all[0]} limit -1`)
    }
    this.#file.exec('pragma query_only = on')
  }

  /** What SQLite itself finds wrong; empty: nothing. */
  damage(): string[] {
    const found = this.#file.prepare('pragma integrity_check(20)').all()
    return found.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok')
  }

  tables(): Map<string, string[]> {
    return new Map(
      this.#tableNames()
        .filter((name) => !dayTable.test(name))
        .map((name) => {
          const columns = this.#file.prepare(`select name from pragma_table_info(?)`).all(name)
          return [name, columns.map((column) => String(column['name']))]
        }),
    )
  }

  /** The tables of days that are over, by the one that is written. */
  #days(): Map<string, string[]> {
    return Map.groupBy(
      this.#tableNames().filter((name) => dayTable.test(name)),
      (name) => name.replace(dayTable, ''),
    )
  }

  #tableNames(): string[] {
    const names = this.#file.prepare(`select name from main.sqlite_schema where type = 'table'`).all()
    return names.map(({ name }) => String(name))
  }

  *rows(sql: string): Generator<Row> {
    const statement = this.#file.prepare(sql)
    statement.setReadBigInts(true)
    yield* statement.iterate() as Iterable<Row>
  }

  [Symbol.dispose](): void {
    this.#file.close()
    if (this.#copy !== undefined) rmSync(this.#copy, { recursive: true, force: true })
  }
}

/** With the directory of the copy that it is read from, if it is. */
function opened(path: string): [file: DatabaseSync, copy: string | undefined] {
  const log = `${path}-wal`
  if (existsSync(log) && statSync(log).size > 0) {
    const copy = mkdtempSync(join(tmpdir(), 'tidemark-verify-'))
    copyFileSync(path, join(copy, 'history.sqlite'))
    copyFileSync(log, join(copy, 'history.sqlite-wal'))
    return [new DatabaseSync(join(copy, 'history.sqlite')), copy]
  }
  const url = pathToFileURL(path)
  url.search = 'immutable=1'
  return [new DatabaseSync(url, { readOnly: true }), undefined]
}
