/** The thread of a twin's process (twin-process.ts) that makes one snapshot, and ends with all that it needed for that. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { fileDisk, openSnapshots, readJournal } from '../journal/journal.ts'
import { PoisonedCommands } from './poisoned-commands.ts'
import type { StateMachineClass } from './ports.ts'
import { rebuiltThrough } from './rebuild.ts'
import { type SavedState, saveState } from './snapshot-saving.ts'
import type { TwinTask } from './twin.ts'

parentPort?.postMessage(await save(workerData as TwinTask))

async function save({ dataDirectory, engine, segments, sequence }: TwinTask): Promise<SavedState> {
  const { Engine } = (await import(pathToFileURL(engine).href)) as { readonly Engine: StateMachineClass }
  const snapshots = await openSnapshots(join(dataDirectory, 'snapshots'))
  // The list is the venue's to write, and to shorten.
  const poisoned = await PoisonedCommands.open(fileDisk, dataDirectory, Number.MAX_SAFE_INTEGER)
  const ports = { engineClass: Engine, journal: readJournal(segments), snapshots, poisoned }
  const twin = await rebuiltThrough(sequence, () => {}, ports)
  return saveState(twin.engine, twin.lastAt, snapshots)
}
