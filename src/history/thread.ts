/**
 * The history's own thread: opens the database and serves it (service.ts).
 *
 * Yields  to the venue's thread where there is one core for both: an order waits for nobody's records. (On Linux a
 *         thread has a priority of its own; elsewhere it would be the process's.)
 */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { FromService, ThreadOptions } from './protocol.ts'
import { serveHistory } from './service.ts'
import { SqliteStore } from './sqlite.ts'

const door = parentPort
if (door === null) throw new Error('this file is the history’s thread: openHistory starts it')
const { file, reads } = workerData as ThreadOptions

/** A third of the venue's share where both want the core: more than its part of the work is. */
const priority = 5
if (process.platform === 'linux') setPriority(0, priority)

const say = (message: FromService) => door.postMessage(message)

try {
  const store = await SqliteStore.open(file)
  serveHistory(store, door, reads)
  say({ kind: 'opened', reached: store.progress() })
} catch (error) {
  say({ kind: 'failed', error })
  door.close()
  reads.close()
}
