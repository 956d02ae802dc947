/**
 * A history as it stands in a file, for a venue in memory: the file stays as it is.
 *
 * Running   a reader among others sees one moment of it
 * Ended     nobody writes, and it is read in place; with a log that a crash left, as a copy
 * Tables    are brought up to date in the copy, as a start would
 */
import { copyFileSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { SqliteStore } from './sqlite.ts'

/** In one step. */
const allPages = 2 ** 31 - 1

/** `beside` is a directory for the copy. */
export async function copyHistory(
  file: string,
  beside: string,
  isRunning: boolean,
): Promise<{ readonly bytes: Uint8Array; readonly sequence: number; readonly at: number }> {
  const copy = join(beside, 'history.sqlite')
  const log = `${file}-wal`
  if (!isRunning && existsSync(log) && statSync(log).size > 0) {
    copyFileSync(file, copy)
    copyFileSync(log, `${copy}-wal`)
  } else writeFileSync(copy, bytesOf(file, isRunning), { mode: 0o600 })
  const store = await SqliteStore.open(copy)
  try {
    const { sequence, at } = store.progress()
    return { bytes: withoutLog(store.save()), sequence, at }
  } finally {
    store.close()
  }
}

function bytesOf(file: string, isRunning: boolean): Uint8Array {
  const url = pathToFileURL(file)
  // What readers note for one another in the log's index stays as it is, too.
  url.search = isRunning ? 'readonly_shm=1' : 'immutable=1'
  using database = new DatabaseSync(url, { readOnly: true })
  database.exec('pragma busy_timeout = 5000; begin')
  // The transaction begins with the first read.
  database.prepare('select count(*) from sqlite_schema').get()
  const bytes = database.serialize()
  database.exec('commit')
  return withoutLog(bytes)
}

/** Bytes are whole by themselves: their head says that they have no log (versions to read and to write by, 2 with one). */
function withoutLog(bytes: Uint8Array): Uint8Array {
  bytes.set([1, 1], 18)
  return bytes
}

/** The history that somebody writes, as it stands, in a file of its own, which is not there yet. It is copied off this thread. */
export async function copyHistoryTo(file: string, to: string): Promise<void> {
  using database = new DatabaseSync(file, { readOnly: true })
  database.exec('pragma busy_timeout = 5000; begin')
  // The transaction begins with the first read: all of the copy is of that moment.
  database.prepare('select count(*) from sqlite_schema').get()
  await backup(database, to, { rate: allPages })
}
