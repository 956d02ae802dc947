/** The twin's own process (twin.ts): one task, one snapshot, one report. */
import { readdirSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { fileDisk, openSnapshots, readJournal } from '../journal/journal.ts'
import { PoisonedCommands } from './poisoned-commands.ts'
import type { StateMachineClass } from './ports.ts'
import { rebuiltThrough } from './rebuild.ts'
import { type SavedState, saveState } from './snapshot-saving.ts'
import type { TwinReport, TwinTask } from './twin.ts'

// On a busy machine the venue goes first, before the threads of this process's collector and compiler too: on Linux each has
// a priority of its own.
const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid]
for (const thread of threads) setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL)
// The venue is gone: nobody waits for the snapshot, and the next venue must find the files to itself.
process.on('disconnect', () => process.exit(1))
// This thread may be busy for long, or for ever, and hear nothing.
new Worker(new URL('./twin-watch.ts', import.meta.url), { workerData: process.ppid }).unref()
process.once('message', (task: TwinTask) => void run(task))

async function run(task: TwinTask): Promise<void> {
  let report: TwinReport
  try {
    report = { kind: 'saved', saved: await save(task) }
  } catch (error) {
    report = { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
  process.send?.(report, () => process.disconnect())
}

async function save({ dataDirectory, engine, segments, sequence }: TwinTask): Promise<SavedState> {
  const { Engine } = (await import(pathToFileURL(engine).href)) as { readonly Engine: StateMachineClass }
  const snapshots = await openSnapshots(join(dataDirectory, 'snapshots'))
  // The list is the venue's to write, and to shorten.
  const poisoned = await PoisonedCommands.open(fileDisk, dataDirectory, Number.MAX_SAFE_INTEGER)
  const ports = { engineClass: Engine, journal: readJournal(segments), snapshots, poisoned }
  const twin = await rebuiltThrough(sequence, () => {}, ports)
  return saveState(twin.engine, twin.lastAt, snapshots)
}
