/**
 * Files that a venue's directory held and holds no more: which, what that means, and what to do.
 *
 * Known by    what is there besides: a journal with commands was never without keys and history, sealed keys never without
 *             their master key, and none of them without venue.json
 * Refused     a start that would make a lost file anew, as if nothing had been in it. `tidemark accept-loss` is how to go on
 * Not here    the journal, history and snapshots, whose ends recovery compares (runtime/recovery.ts); files that are made
 *             anew from what is there: operator-token, demo-keys.json, poisoned.json
 */
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const keysFile = 'keys.sqlite'
export const masterKeyFile = 'master.key'
export const historyFile = 'history.sqlite'

/** What a start may go on without, once it was accepted. */
export const acceptable = ['venue.json', keysFile, masterKeyFile, historyFile] as const

export type Acceptable = (typeof acceptable)[number]

/** Whether there is anything that only a venue leaves behind. */
export function holdsVenue(path: string): boolean {
  const files = [keysFile, masterKeyFile, historyFile, 'demo-keys.json', 'poisoned.json']
  return ['journal', 'snapshots'].some((name) => namesIn(join(path, name)).length > 0) || files.some(isThere)

  function isThere(name: string): boolean {
    return !isMissing(path, name)
  }
}

export function venueFileLost(path: string): string {
  return (
    `${join(path, 'venue.json')} is lost: it says whether this is a demo venue, whose keys lie open, or an empty one, ` +
    `and how far its set-up came; ${venueFileAdvice(path)}`
  )
}

export function venueFileAdvice(path: string): string {
  return `restore it from a backup, or say what it was: tidemark accept-loss venue.json --kind demo|empty --data ${path}`
}

/** The first of its files that is lost, in words; undefined: none is. */
export function lostFile(
  path: string,
  { accepted, masterKeyGiven }: { readonly accepted: readonly string[]; readonly masterKeyGiven: boolean },
): string | undefined {
  if (!isMissing(path, keysFile) && isMissing(path, masterKeyFile) && !masterKeyGiven) {
    return (
      `${join(path, masterKeyFile)} is lost: without it no key in ${keysFile} can be opened; ` +
      `restore it or give it as TIDEMARK_MASTER_KEY, or go on without all those keys: ${command(masterKeyFile, path)}`
    )
  }
  if (isMissing(path, keysFile) && !accepted.includes(keysFile) && hasCommands(path)) {
    return (
      `${join(path, keysFile)} is lost: it held every API key, and no client could sign in; ` +
      `restore it with its ${masterKeyFile}, or go on without all those keys: ${command(keysFile, path)}`
    )
  }
  return undefined
}

/** What venue.json notes as accepted. */
export function acceptedLosses({ accepted = '' }: { readonly accepted?: string }): readonly string[] {
  return accepted.split(',').filter((name) => name !== '')
}

/** How to say that the venue may go on without a file. */
function command(file: Acceptable, path: string): string {
  return `tidemark accept-loss ${file} --data ${path}`
}

/** A file of no bytes holds nothing. */
export function isMissing(path: string, name: string): boolean {
  return (statSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0) === 0
}

/** Whether any command was ever taken: there is a snapshot, a later segment, or something behind the head of the first one. */
export function hasCommands(path: string): boolean {
  if (namesIn(join(path, 'snapshots')).some((name) => name.endsWith('.snapshot'))) return true
  const segments = namesIn(join(path, 'journal')).filter((name) => name.endsWith('.journal'))
  return segments.length > 1 || segments.some((name) => !isFirst(name) || isUsed(join(path, 'journal', name)))
}

function isFirst(name: string): boolean {
  return Number.parseInt(name, 10) === 1
}

const segmentHeadBytes = 28

/** Room for records is zeros. */
function isUsed(segment: string): boolean {
  const start = Buffer.alloc(segmentHeadBytes + 64)
  const descriptor = openSync(segment, 'r')
  try {
    const bytes = readSync(descriptor, start, 0, start.length, 0)
    return start.subarray(segmentHeadBytes, bytes).some((byte) => byte !== 0)
  } finally {
    closeSync(descriptor)
  }
}

function namesIn(directory: string): string[] {
  return existsSync(directory) && statSync(directory).isDirectory() ? readdirSync(directory) : []
}
