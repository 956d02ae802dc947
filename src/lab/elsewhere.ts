/**
 * A venue that is somewhere else, to begin another one with: a snapshot file, a directory, or the address of a laboratory.
 *
 * Reads      alone: the directory of a venue that runs or has stopped stays as it is, byte for byte
 * Directory  of `tidemark start` or `tidemark dev --data`. Read is a copy of journal, snapshots and notes, which is as if the venue
 *            had crashed at that moment; history first, since it may not be ahead of the journal
 * Past       `at` goes back by the records, from the first one if need be
 * Keys       stay there unless they are asked for. Demo accounts have the keys of this laboratory then
 * Source     lab.md §4.4
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ApiKey } from '../api/api.ts'
import { copyHistory } from '../history/history.ts'
import { openFileJournal } from '../journal/journal.ts'
import {
  CannotStart,
  DataDirectory,
  masterSeal,
  pastNoted,
  roleOfKey,
  rulesKnown,
  SealedKeyStore,
} from '../operator/operator.ts'
import { type DirectoryRead, readDirectory, sequenceAt, stampOf } from '../runtime/runtime.ts'
import { directoryOf, readNotes } from './branch-notes.ts'
import { readKept } from './kept.ts'
import { LabRefusal } from './refusals.ts'
import { beginningOfRecording } from './recording/tide-file.ts'
import type { Beginning, Known } from './saved.ts'
import { readSnapshotFile, unpackSnapshot } from './snapshot-file.ts'
import type { Moment } from './times.ts'

export interface Elsewhere {
  readonly from: string
  readonly at?: Moment | undefined
  readonly withKeys?: boolean | undefined
}

export interface Here {
  readonly version: string
  /** What a laboratory beyond loopback is shown. */
  readonly token: string
  /** By which rules commands are carried out here. */
  readonly rules: number
  /** In place of the `master.key` of a directory. */
  readonly masterKey: string | undefined
}

const attemptsMax = 5

/** Whether a text is no name of a snapshot. */
export function isElsewhere(from: string): boolean {
  return /[/\\]/.test(from)
}

/** Throws LabRefusal. */
export async function beginElsewhere({ from, at, withKeys = false }: Elsewhere, here: Here): Promise<Beginning> {
  let beginning: Beginning
  try {
    if (/^https?:\/\//i.test(from)) beginning = { from: await fetched(from, here) }
    else if (existsSync(from) && statSync(from).isDirectory()) beginning = await readElsewhere(from, withKeys, here)
    else beginning = { from: await readFileOf(from, here.version) }
  } catch (cause) {
    // Whatever it is, it is of that venue: this one has done nothing yet.
    if (cause instanceof LabRefusal) throw cause
    throw new LabRefusal(409, 'venue-unreadable', `${from}: ${(cause as Error).message}`, { field: 'from' })
  }
  const isFile = !/^https?:/i.test(from) && !existsSync(join(from, 'journal'))
  // A file is a venue that was put away with all that is its own.
  const known = isFile || withKeys ? beginning.from : withoutKeys(beginning.from!)
  const there = { ...beginning, from: known, isFromElsewhere: !isFile }
  return at === undefined ? there : takenBack(there, at)
}

/** A snapshot, or what a recording begins with. */
async function readFileOf(path: string, version: string): Promise<Known> {
  return path.endsWith('.tide') ? beginningOfRecording(path, version) : readSnapshotFile(path, version)
}

function withoutKeys(known: Known): Known {
  const keys = known.keys?.filter(({ apiKey, label }) => apiKey === `dev-${roleOfKey(label)}`) ?? []
  return { ...known, keys }
}

async function fetched(url: string, { version, token }: Here): Promise<Known> {
  const unreachable = (why: string) => new LabRefusal(409, 'venue-unreadable', `${url}: ${why}`, { field: 'from' })
  if (!URL.canParse(url)) throw unreachable('it is no address')
  const { hostname } = new URL(url)
  const isLoopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(hostname)
  let answer: Response
  try {
    answer = await fetch(
      `${url.replace(/\/+$/, '')}/_lab/file`,
      isLoopback ? {} : { headers: { authorization: `Bearer ${token}` } },
    )
  } catch (cause) {
    throw unreachable(`nobody answers there (${(cause as Error).message})`)
  }
  if (!answer.ok) {
    throw unreachable(
      answer.status === 401
        ? 'its laboratory has another token than this one'
        : `it has no laboratory (${answer.status}): give the directory of the venue`,
    )
  }
  return unpackSnapshot(Buffer.from(await answer.arrayBuffer()), version, url)
}

async function readElsewhere(data: string, withKeys: boolean, here: Here): Promise<Beginning> {
  const copy = mkdtempSync(join(tmpdir(), 'tidemark-fork-'))
  try {
    const notes = readNotes(data)
    const { version } = here
    if (notes !== undefined) {
      if (notes.release !== version) throw new CannotStart(`it was made by ${notes.release}, this is ${version}`)
      const branch = directoryOf(data, notes.current)
      copyParts(branch, copy, ['journal', 'begun.snapshot', 'state.snapshot', 'clock.json', 'keys.json'])
      const { journal } = await openFileJournal(join(copy, 'journal'), { sync: 'os' })
      try {
        return await readKept(copy, journal, version)
      } finally {
        await journal.close()
      }
    }
    if (!existsSync(join(data, 'venue.json'))) throw new CannotStart('it is not the directory of a venue')
    return await readStarted(data, copy, withKeys, here)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** A venue of `tidemark start`. While it runs what is copied may not fit: then once more. */
async function readStarted(data: string, parent: string, withKeys: boolean, here: Here): Promise<Beginning> {
  const running = isRunning(data)
  for (let attempt = 1; ; attempt++) {
    const copy = join(parent, String(attempt))
    mkdirSync(copy)
    try {
      return await readCopy(data, copy, { withKeys, running, here })
    } catch (error) {
      if (!running || attempt === attemptsMax) throw error
    }
  }
}

async function readCopy(
  data: string,
  copy: string,
  { withKeys, running, here }: { readonly withKeys: boolean; readonly running: boolean; readonly here: Here },
): Promise<Beginning> {
  if (!existsSync(join(data, 'history.sqlite'))) throw new CannotStart('its history.sqlite is not there')
  const history = await copyHistory(join(data, 'history.sqlite'), copy, running)
  copyParts(data, copy, ['venue.json', 'poisoned.json', 'snapshots', 'journal'])
  if (withKeys) copyParts(data, copy, ['master.key', 'keys.sqlite', 'keys.sqlite-wal', 'keys.sqlite-journal'])
  const directory = DataDirectory.open(copy)
  try {
    const record = directory.venue()
    if (record === undefined) throw new CannotStart('it is not the directory of a venue')
    const rules = rulesKnown(directory, record, here.rules)
    const read = await readDirectory(copy, { history: history.sequence, rules })
    const keys = withKeys ? keysOf(copy, here.masterKey) : []
    // History may begin anew where the records do.
    const past = pastNoted(record)
    return beginningOf({ runtime: read.from, keys, past, ...(read.from !== undefined && { history }) }, read)
  } finally {
    directory.close()
  }
}

function beginningOf(from: Known, { journal, poisoned }: DirectoryRead): Beginning {
  const { lastSequence: sequence } = journal
  const now = Math.max(stampOf(journal, sequence) ?? 0, from.runtime?.lastAt ?? 0)
  return { from, through: { runtime: { journal, poisoned }, sequence, now } }
}

/** As the venue was after a command, or at a time. */
function takenBack(there: Beginning, at: Moment): Beginning {
  const known = there.from!
  const runtime = known.runtime
  const records = there.through?.runtime ?? { journal: runtime!.journal, poisoned: runtime!.poisoned }
  const { journal } = records
  const present = there.through?.now ?? there.now ?? runtime!.now
  const reached = { sequence: journal.lastSequence, now: present }
  const refused = (why: string) => new LabRefusal(409, 'moment-unknown', `at: ${why}`, { field: 'at', ...reached })
  if ('sequence' in at ? at.sequence > reached.sequence : at.time > present) {
    throw refused('the venue has not come so far')
  }
  const sequence = 'sequence' in at ? at.sequence : sequenceAt(journal, at.time)
  const now = 'time' in at ? at.time : (stampOf(journal, sequence) ?? 0)
  const through = { runtime: records, sequence, now }
  const isOnTheWay = runtime !== undefined && Math.max(runtime.sequence, known.history?.sequence ?? 0) <= sequence
  if (isOnTheWay) return { ...there, through, now: undefined }
  if (journal.firstSequence > 1 || sequence < 1) throw refused('nothing is kept from before it')
  const { keys, past } = known
  return { from: { keys, past }, through, isFromElsewhere: true }
}

function keysOf(copy: string, masterKey: string | undefined): readonly ApiKey[] {
  const store = new SealedKeyStore(join(copy, 'keys.sqlite'), masterSeal(join(copy, 'master.key'), masterKey), 'os')
  try {
    return [...store.all()]
  } finally {
    store.close()
  }
}

/** Those that are there. */
function copyParts(from: string, to: string, names: readonly string[]): void {
  for (const name of names) {
    if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name), { recursive: true })
  }
}

/** A reader meets the lock of a running venue without touching it. */
function isRunning(data: string): boolean {
  const file = join(data, 'lock.sqlite')
  if (!existsSync(file)) return false
  using lock = new DatabaseSync(file, { readOnly: true })
  try {
    lock.prepare('select count(*) from sqlite_schema').get()
    return false
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode === sqliteBusy) return true
    throw error
  }
}

const sqliteBusy = 5
