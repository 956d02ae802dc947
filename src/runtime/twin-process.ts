/**
 * The twin's own process (twin.ts): for each task a thread that makes the snapshot (twin-thread.ts). This one is never busy, and
 * ends the process when the venue is gone, though an engine never comes back from a command.
 */
import { readdirSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { SavedState } from './snapshot-saving.ts'
import type { TwinReport, TwinTask } from './twin.ts'

// On a busy machine the venue goes first, before every thread of this process: on Linux each has a priority of its own.
const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid]
for (const thread of threads) setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL)
// Nobody waits for the snapshot, and the next venue must find the files to itself.
process.on('disconnect', () => process.exit(1))
process.on('message', (task: TwinTask) => {
  const tell = (report: TwinReport) => process.send?.(report)
  new Worker(new URL('./twin-thread.ts', import.meta.url), { workerData: task, name: 'snapshot' })
    .once('message', (saved: SavedState) => tell({ kind: 'saved', saved }))
    .once('error', (error) => tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }))
})
