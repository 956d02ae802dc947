/**
 * A runtime that keeps nothing: journal, snapshots and the list of what broke the engine are in memory, and all of it can go
 * back to an earlier moment.
 *
 * Saved    is good as often as it is used, in this runtime and in others: nobody changes it
 * Source   lab.md §4.4
 */
import type { EventConsumer, RuntimeLog, StateMachineClass } from './ports.ts'
import {
  type JournalMark,
  MemoryJournal,
  MemorySnapshots,
  recordOf,
  type RecordsBeside,
  type Snapshot,
} from '../journal/journal.ts'
import { decodeCommand } from './command-codec.ts'
import { EngineDriver } from './engine-driver.ts'
import { PoisonedCommands } from './poisoned-commands.ts'
import type { Recovered } from './recovery.ts'

/** The state after a command, with all that the runtime knows of how it came about. */
export interface SavedRuntime {
  /** What the engine saved. */
  readonly state: readonly Uint8Array[]
  readonly sequence: number
  /** The stamp of the last command; zero: there is none. */
  readonly lastAt: number
  /** The venue's time when it was saved, Unix milliseconds. */
  readonly now: number
  readonly journal: JournalMark
  readonly snapshots: readonly Snapshot[]
  readonly poisoned: ReturnType<PoisonedCommands['list']>
}

/** Where a runtime in memory has what another one has on disk. */
export interface RuntimeMemory {
  readonly journal: MemoryJournal
  readonly snapshots: MemorySnapshots
}

export interface MemoryOptions {
  readonly engineClass: StateMachineClass
  readonly consumers: readonly EventConsumer[]
  readonly log: RuntimeLog
  /** Absent: a new venue. */
  readonly from?: SavedRuntime | undefined
  readonly through?: Through | undefined
  /** Where the records from then on are kept as well. */
  readonly beside?: RecordsBeside | undefined
}

/** On from what a runtime begins with, by the records of another one that came by there, up to a sequence. */
export interface Through {
  readonly runtime: Pick<SavedRuntime, 'journal' | 'poisoned'>
  readonly sequence: number
}

export async function openInMemory(options: MemoryOptions): Promise<Recovered & { readonly memory: RuntimeMemory }> {
  const { engineClass, consumers, from } = options
  const memory = { journal: new MemoryJournal(), snapshots: new MemorySnapshots() }
  const poisoned = PoisonedCommands.inMemory()
  const driver = new EngineDriver(consumers)
  if (from === undefined) await driver.install(async (emit) => new engineClass(emit))
  else goBackTo(from, { memory, poisoned, driver, engineClass })
  let lastAt = from?.lastAt ?? 0
  const { through } = options
  if (through !== undefined) {
    poisoned.goBackTo(through.runtime.poisoned.filter(({ sequence }) => sequence <= through.sequence))
    while (driver.sequence < through.sequence) {
      const sequence = driver.sequence + 1
      const record = recordOf(through.runtime.journal, sequence)
      if (record === undefined) throw new Error(`there is no record ${sequence} to go on with`)
      const { command, at } = decodeCommand(record)
      await memory.journal.append(sequence, [record])
      if (poisoned.has(sequence, command.kind, at)) driver.skip(sequence, at)
      else driver.apply(command, sequence, at)
      lastAt = at
    }
  }
  memory.journal.beside = options.beside
  return { ...memory, memory, poisoned, driver, snapshotSequence: 0, lastAt, rules: undefined }
}

/** The last of a journal's records that is stamped at or before a time; below its first when there is none. */
export function sequenceAt(journal: JournalMark, at: number): number {
  let [low, high] = [journal.firstSequence - 1, journal.lastSequence]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const record = recordOf(journal, middle)
    if (record !== undefined && decodeCommand(record).at <= at) low = middle
    else high = middle - 1
  }
  return low
}

/** When a command was applied, Unix milliseconds; undefined: its record is not there. */
export function stampOf(journal: JournalMark, sequence: number): number | undefined {
  const record = recordOf(journal, sequence)
  return record && decodeCommand(record).at
}

/** Whether a journal came by where another one ends. */
export function cameBy(journal: JournalMark, mark: JournalMark): boolean {
  const { lastSequence } = mark
  if (lastSequence > journal.lastSequence) return false
  // Records are kept once: what is the same one is on the same path.
  return lastSequence === 0 || recordOf(journal, lastSequence) === recordOf(mark, lastSequence)
}

/** All but the sequence of what comes next and the clock, which are the sequencer's and the runtime's. */
export function goBackTo(
  saved: SavedRuntime,
  parts: Pick<Recovered, 'poisoned' | 'driver'> & {
    readonly memory: RuntimeMemory
    readonly engineClass: StateMachineClass
  },
): void {
  const { memory, poisoned, driver, engineClass } = parts
  // What an engine is made of is its own from then on.
  driver.replace((emit) =>
    engineClass.load(
      saved.state.map((chunk) => chunk.slice()),
      emit,
    ),
  )
  memory.journal.goBackTo(saved.journal)
  memory.snapshots.goBackTo(saved.snapshots)
  poisoned.goBackTo(saved.poisoned)
}
