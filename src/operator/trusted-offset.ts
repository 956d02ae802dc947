/**
 * What the venue's time is ahead of the time since the machine was started, in `clock.json`: so that a restart in the midst
 * of a leap of the system clock does not follow it.
 *
 * Machine   Linux names each of its runs. After a new start of the machine, and where runs have no names, nothing is known
 * Suspend   counts as time that passed, unlike on the clock of a running venue: a venue that did not run was down
 * Trouble   a file that cannot be read is none; one that cannot be written is tried again when the offset changes
 * Source    design.md §4.44
 */
import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { monotonicNow, type OffsetKeeper } from '../runtime/runtime.ts'
import { writeWholeFile } from './data-directory.ts'

export interface MachineReadings {
  /** The name of the machine's present run. */
  readonly bootId: string | undefined
  /** Milliseconds since it was started, suspended or not. */
  readonly sinceBoot: () => number
  /** Milliseconds of the clock that the venue goes by. */
  readonly monotonic: () => number
}

export const clockFile = 'clock.json'

/** Undefined where the runs of a machine have no names. */
export function offsetKeeper(file: string, machine: MachineReadings = thisMachine()): OffsetKeeper | undefined {
  const { bootId, sinceBoot, monotonic } = machine
  if (bootId === undefined) return undefined
  const suspendedMs = () => sinceBoot() - monotonic()
  return {
    read() {
      const kept = keptIn(file)
      return kept?.bootId === bootId ? kept.offsetMs + suspendedMs() : undefined
    },
    write(offsetMs) {
      try {
        writeWholeFile(file, `${JSON.stringify({ bootId, offsetMs: offsetMs - suspendedMs() })}\n`)
      } catch {
        // The clock must go on, whatever the disk does.
      }
    },
  }
}

function keptIn(file: string): { readonly bootId: string; readonly offsetMs: number } | undefined {
  try {
    const { bootId, offsetMs } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    return typeof bootId === 'string' && Number.isFinite(offsetMs)
      ? { bootId, offsetMs: offsetMs as number }
      : undefined
  } catch {
    return undefined
  }
}

function thisMachine(): MachineReadings {
  return { bootId: nameOfRun(), sinceBoot: () => uptime() * 1000, monotonic: monotonicNow }
}

function nameOfRun(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return undefined
  }
}
