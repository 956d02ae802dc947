/**
 * Who may read and change what the venue keeps: its owner alone. Files have mode 0600, directories 0700.
 *
 * Before   a directory that was there before, or was copied, may be open to others. It is narrowed at start, and the log says so
 * Only     what a venue makes is touched: the directory itself, and in it files by their names. Nothing is ever widened
 * Foreign  what belongs to another user stays open to that user, whatever its mode: it is named
 */
import { chmodSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

export interface Modes {
  /** What others could read or change until now. */
  readonly narrowed: readonly string[]
  /** What belongs to another user, or has a mode that this one cannot change. */
  readonly foreign: readonly string[]
}

const directories = ['journal', 'snapshots']
const files =
  /^(?:(?:venue|server|demo-keys|poisoned|clock)\.json|operator-token|operator-(?:trail|course)\.jsonl|master\.key|(?:keys|history|lock)\.sqlite(?:-(?:wal|shm|journal))?)(?:\.[0-9a-f-]+)?(?:\.new|\.lost-[0-9TZ-]+)?$/

/** Narrows what is wider than its owner needs. */
export function narrowModes(path: string): Modes {
  const narrowed: string[] = []
  const foreign: string[] = []
  const user = process.getuid?.()
  if (user === undefined) return { narrowed, foreign }
  for (const kept of keptIn(path)) {
    const stats = statSync(kept, { throwIfNoEntry: false })
    if (stats === undefined) continue
    if (stats.uid !== user) foreign.push(kept)
    if ((stats.mode & 0o077) === 0) continue
    try {
      chmodSync(kept, ownersOf(stats))
      narrowed.push(kept)
    } catch {
      if (stats.uid === user) foreign.push(kept)
    }
  }
  return { narrowed, foreign }
}

function ownersOf(stats: Stats): number {
  return stats.mode & (stats.isDirectory() ? 0o700 : 0o600)
}

function* keptIn(path: string): Generator<string> {
  yield path
  for (const name of readdirSync(path)) {
    if (files.test(name)) yield join(path, name)
    if (!directories.includes(name)) continue
    yield join(path, name)
    if (statSync(join(path, name)).isDirectory()) {
      for (const inner of readdirSync(join(path, name))) yield join(path, name, inner)
    }
  }
}
