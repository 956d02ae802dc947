/**
 * `tidemark accept-loss`: goes on without a file that was lost, once somebody has said so.
 *
 * Once      the next start makes the file anew and forgets that it may; a second loss is refused again
 * Only lost what is there is left alone: a file that is there is not lost
 * Kept      keys that cannot be opened are put aside, in case their master key is found
 */
import { renameSync, rmSync } from 'node:fs'
import { CannotStart, type DataDirectory, type VenueKind, venueFile } from './data-directory.ts'
import {
  type Acceptable,
  acceptedLosses,
  historyFile,
  holdsVenue,
  isMissing,
  keysFile,
  masterKeyFile,
} from './losses.ts'

export { acceptable } from './losses.ts'

/** What the venue goes on without, in a sentence. `kind` is of venue.json alone. */
export function acceptLoss(directory: DataDirectory, file: Acceptable, kind: VenueKind | undefined): string {
  const { path } = directory
  if (!holdsVenue(path)) throw new CannotStart(`${path} holds no venue: nothing was lost`)
  if (file === venueFile) return makeRecordAnew(directory, kind)
  const record = directory.venue()
  if (record === undefined) throw new CannotStart(`${path} holds no venue: nothing was lost`)
  // Keys that are in PostgreSQL are lost there, whatever this directory had of them before.
  const isElsewhere = file === keysFile && record.keysInPostgres === true
  if (isElsewhere) putAside(directory, keysFile)
  if (file !== historyFile && !isMissing(path, file))
    throw new CannotStart(`${directory.file(file)} is there: it is not lost`)
  // Rows of history may be lost with its file there: one of an older backup. The start says whether they are.
  const lost = file === masterKeyFile ? keysFile : file
  directory.remember({ accepted: [...new Set([...acceptedLosses(record), lost])].join(',') })
  switch (file) {
    case historyFile:
      return 'At its next start the venue goes on without the rows of history that cannot be made anew.'
    case masterKeyFile:
      rmSync(directory.file(masterKeyFile), { force: true })
      return `${putAside(directory, keysFile)} At its next start the venue goes on without any of its keys.`
    case keysFile:
      return 'At its next start the venue goes on without any of its keys.'
  }
}

/** The set-up of what is there is over: nothing is paid in twice. What the engine was told is told it again. */
function makeRecordAnew(directory: DataDirectory, kind: VenueKind | undefined): string {
  if (!isMissing(directory.path, venueFile))
    throw new CannotStart(`${directory.file(venueFile)} is there: it is not lost`)
  if (kind === undefined)
    throw new CannotStart('--kind: say whether it was a demo venue or an empty one: demo or empty')
  directory.remember({ kind, remade: true, ...(kind === 'demo' && { complete: true, agents: true }) })
  return `${directory.path} holds ${kind === 'demo' ? 'a demo' : 'an empty'} venue.`
}

function putAside(directory: DataDirectory, name: string): string {
  if (isMissing(directory.path, name)) return ''
  const aside = `${directory.file(name)}.lost-${new Date().toISOString().replace(/[:.]/g, '-')}`
  renameSync(directory.file(name), aside)
  return `What cannot be opened is kept as ${aside}.`
}
