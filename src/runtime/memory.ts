/**
 * A runtime that keeps nothing: journal, snapshots and the list of what broke the engine are in memory, and all of it can go
 * back to an earlier moment.
 *
 * Saved    is good as often as it is used, in this runtime and in others: nobody changes it
 * Source   lab.md §4.4
 */
import type { EventConsumer, RuntimeLog, StateMachineClass } from './ports.ts'
import { type JournalMark, MemoryJournal, MemorySnapshots, type Snapshot } from '../journal/journal.ts'
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
}

export async function openInMemory(options: MemoryOptions): Promise<Recovered & { readonly memory: RuntimeMemory }> {
  const { engineClass, consumers, from } = options
  const memory = { journal: new MemoryJournal(), snapshots: new MemorySnapshots() }
  const poisoned = PoisonedCommands.inMemory()
  const driver = new EngineDriver(consumers)
  if (from === undefined) await driver.install(async (emit) => new engineClass(emit))
  else goBackTo(from, { memory, poisoned, driver, engineClass })
  return { ...memory, memory, poisoned, driver, snapshotSequence: 0, lastAt: from?.lastAt ?? 0, rules: undefined }
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
