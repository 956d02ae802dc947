/**
 * A venue of one process in the log of several cores, as cores find it.
 *
 *   claim, with what comes · the snapshot in pieces, where commands before it are gone · commands · resignation
 *
 * Whole    when its resignation stands there, or somebody has led since. No core begins, or claims, before that
 * Empty    directories begin with the snapshot that is in the log: what was before it is in no journal
 * Source   scale.md §9
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openFileJournal, openSnapshots } from '../journal/journal.ts'
import { CannotStart, type DataDirectory, writeWholeFile } from '../operator/operator.ts'
import { importNoteOf, LogBroken } from '../replication/replication.ts'
import { type BoundedLog, messageAt } from './log-place.ts'

export interface Imported {
  readonly through: number
  /** Of the venue behind its last command. */
  readonly stateHash: string
  /** Of the snapshot that the log begins with; zero: it begins with the first command. */
  readonly snapshot: number
  readonly snapshotBytes: number
}

/** `led`: all of it is there, and a core has claimed since. */
type ImportState = 'part' | 'whole' | 'led'

/** What was brought into a log, and whether all of it is there; undefined: nothing was. */
export async function importIn(log: BoundedLog): Promise<(Imported & { readonly state: ImportState }) | undefined> {
  const { first, last } = await log.bounds()
  if (first !== 1 || last < 1) return undefined
  const note = importNoteOf(await messageAt(log, 1))
  if (note === undefined) return undefined
  const { epoch, kind } = await messageAt(log, last)
  const state = epoch > 1 ? 'led' : kind === 'resign' ? 'whole' : 'part'
  return { ...(JSON.parse(note) as Imported), state }
}

/** Rejects with CannotStart where a part of a venue stands in the log. */
export async function assertWhole(log: BoundedLog): Promise<void> {
  const found = await importIn(log)
  if (found?.state !== 'part') return
  throw new CannotStart(
    'the log has a part of a venue: tidemark cluster import has not ended, or is to be called again',
  )
}

/**
 * Of a directory without a journal: begins it with the snapshot that is in the log, if one is; answers whether it did. `before`:
 * what is to be there before the snapshot is.
 */
export async function beginAsImported(log: BoundedLog, directory: DataDirectory, before: () => void): Promise<boolean> {
  const journalPath = directory.file('journal')
  const hasJournal = existsSync(journalPath) && readdirSync(journalPath).some((name) => name.endsWith('.journal'))
  const found = hasJournal ? undefined : await importIn(log)
  if (found === undefined || found.snapshot === 0) return false
  before()
  await takeSnapshot(log, directory.file('snapshots'), found)
  const begin = { firstSequence: found.snapshot + 1, previousChain: 0 }
  await (await openFileJournal(journalPath, { begin })).journal.close()
  return true
}

async function takeSnapshot(log: BoundedLog, path: string, { snapshot, snapshotBytes }: Imported): Promise<void> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for (let position = 2; bytes < snapshotBytes; position++) {
    const { kind, note } = await messageAt(log, position)
    if (kind !== 'snapshot') throw new LogBroken(position, 'the snapshot that the log begins with ends before')
    pieces.push(note)
    bytes += note.length
  }
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const file = join(path, `${String(snapshot).padStart(20, '0')}.snapshot`)
  writeWholeFile(file, Buffer.concat(pieces))
  const { damaged } = await (await openSnapshots(path)).newest()
  if (damaged.length === 0) return
  rmSync(file)
  throw new LogBroken(2, `the snapshot that the log begins with is damaged: ${damaged[0].reason}`)
}
