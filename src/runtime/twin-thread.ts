/**
 * The thread of a twin's process (twin-process.ts) that makes snapshots.
 *
 * State  is not kept from one to the next: its memory is given back at once, which V8 would not do while nothing happens here
 * Rests  while it follows the journal (twin-pace.ts)
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { fileDisk, openSnapshots, readJournal } from '../journal/journal.ts'
import { PoisonedCommands } from './poisoned-commands.ts'
import type { StateMachineClass } from './ports.ts'
import { type AfterCommands, rebuiltThrough } from './rebuild.ts'
import { type SavedState, saveState } from './snapshot-saving.ts'
import type { TwinTask } from './twin.ts'
import { restMs, TwinPace } from './twin-pace.ts'

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

function restful(): AfterCommands {
  const pace = new TwinPace()
  return (at) => {
    if (!pace.isRestDue(at, performance.now())) return undefined
    return sleep(restMs).then(() => pace.goOn(performance.now()))
  }
}
