/**
 * The thread of a twin's process (twin-process.ts) that makes snapshots.
 *
 * State  is not kept from one to the next: its memory is given back at once, which V8 would not do while nothing happens here
 * Rests  while it follows the journal, most of its time: one that wants a whole core is in everybody's way, however low its
 *        priority, since the system lets it finish its turn of some milliseconds first (docs/performance.md). For a minute: one
 *        that rests is slower than a venue may be, and would be further behind with every snapshot
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { type AfterBatch, fileDisk, openSnapshots, readJournal } from '../journal/journal.ts'
import { PoisonedCommands } from './poisoned-commands.ts'
import type { StateMachineClass } from './ports.ts'
import { rebuiltThrough } from './rebuild.ts'
import { type SavedState, saveState } from './snapshot-saving.ts'
import type { TwinTask } from './twin.ts'

const workMs = 1
const restMs = 2
const restsMsMax = 60_000

const { Engine } = (await import(pathToFileURL(workerData as string).href)) as { readonly Engine: StateMachineClass }
// What fails ends the thread.
parentPort?.on('message', (task: TwinTask) => void answer(task))

async function answer(task: TwinTask): Promise<void> {
  parentPort?.postMessage(await save(task))
  setImmediate(() => globalThis.gc?.())
}

async function save({ dataDirectory, segments, sequence }: TwinTask): Promise<SavedState> {
  const snapshots = await openSnapshots(join(dataDirectory, 'snapshots'))
  // The list is the venue's to write, and to shorten.
  const poisoned = await PoisonedCommands.open(fileDisk, dataDirectory, Number.MAX_SAFE_INTEGER)
  const ports = { engineClass: Engine, journal: readJournal(segments), snapshots, poisoned }
  const twin = await rebuiltThrough(sequence, () => {}, ports, restful())
  return saveState(twin.engine, twin.lastAt, snapshots)
}

function restful(): AfterBatch {
  let until = performance.now() + workMs
  const lastRestAt = until + restsMsMax
  return () => {
    const now = performance.now()
    if (now < until || now > lastRestAt) return undefined
    return sleep(restMs).then(() => void (until = performance.now() + workMs))
  }
}
