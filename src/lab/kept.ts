/**
 * Where a branch on disk stands: what was saved of it last, and the records behind that.
 *
 * Saved    `state.snapshot` of an orderly end if there is one, else `begun.snapshot`
 * Beside   `clock.json` and `keys.json` say what no command says
 * Source   lab.md §4.4; decisions/0032
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiKey } from '../api/api.ts'
import { type Journal, MemoryJournal, recordOf } from '../journal/journal.ts'
import { CannotStart } from '../operator/operator.ts'
import { stampOf } from '../runtime/runtime.ts'
import { LabRefusal } from './refusals.ts'
import { readSnapshotFile } from './snapshot-file.ts'
import type { Beginning, SavedVenue } from './saved.ts'

export const begunFile = 'begun.snapshot'
export const stateFile = 'state.snapshot'
export const clockFile = 'clock.json'
export const keysFile = 'keys.json'

export interface ClockNote {
  readonly frozen: boolean
  /** The venue's time, and what it was ahead of the system's, Unix milliseconds. */
  readonly now: number
  readonly ahead: number
}

export type Kept = Pick<Beginning, 'through' | 'now'> & {
  readonly from: SavedVenue
  /** Undefined: nothing is noted. */
  readonly frozen: boolean | undefined
}

/** `journal` is that of the branch. Throws CannotStart. */
export async function readKept(
  directory: string,
  journal: Pick<Journal, 'lastSequence' | 'replay' | 'stats'>,
  version: string,
): Promise<Kept> {
  const isEnded = existsSync(join(directory, stateFile))
  const file = join(directory, isEnded ? stateFile : begunFile)
  const saved = await readSaved(file, version)
  const keys = readBeside<readonly ApiKey[]>(join(directory, keysFile))
  const clock = readBeside<ClockNote>(join(directory, clockFile))
  const from = keys === undefined ? saved : { ...saved, keys }
  const { sequence } = saved.runtime
  const { lastSequence } = journal
  if (sequence > lastSequence) {
    throw new CannotStart(`${file} stands at ${sequence}, but the journal ends with ${lastSequence}: records were lost`)
  }
  const memory = new MemoryJournal()
  memory.goBackTo(saved.runtime.journal)
  // The last that was saved is looked at, too, where this journal has it.
  await journal.replay(Math.max(journal.stats().firstSequence, sequence), (at, payload) => {
    if (at > sequence) void memory.append(at, [payload])
    else assertSame(file, payload, recordOf(saved.runtime.journal, at))
  })
  const through = { journal: memory.mark(lastSequence), poisoned: saved.runtime.poisoned }
  const lastAt = stampOf(through.journal, lastSequence) ?? saved.runtime.lastAt
  const told = clock === undefined ? saved.runtime.now : clock.frozen ? clock.now : Date.now() + clock.ahead
  const now = Math.max(told, lastAt)
  return {
    from,
    now,
    frozen: clock?.frozen,
    ...(lastSequence > sequence && { through: { runtime: through, sequence: lastSequence, now } }),
  }
}

/** Throws CannotStart. */
export async function readSaved(file: string, version: string): Promise<SavedVenue> {
  try {
    return await readSnapshotFile(file, version)
  } catch (cause) {
    throw cause instanceof LabRefusal ? new CannotStart(cause.message, { cause }) : cause
  }
}

function assertSame(file: string, payload: Uint8Array, known: Uint8Array | undefined): void {
  if (known !== undefined && Buffer.compare(payload, known) !== 0) {
    throw new CannotStart(`${file} is of another journal than the one beside it`)
  }
}

function readBeside<T>(file: string): T | undefined {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch (cause) {
    throw new CannotStart(`${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}
