/**
 * The twin's own process (twin.ts): its thread makes the snapshots, one after the other (twin-thread.ts). This one is never busy, and
 * ends the process when the venue is gone, though an engine never comes back from a command.
 *
 * Thread  begins with the process, before it is needed, and stays: its modules are loaded and its code is compiled. One that
 *         fails, at a snapshot or before, is followed by another with the next snapshot
 */
import { readdirSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { SavedState } from './snapshot-saving.ts'
import type { TwinReport, TwinTask } from './twin.ts'

// On a busy machine the venue goes first, before every thread of this process: on Linux each has a priority of its own.
const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid]
for (const thread of threads) setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL)

const [, , engine] = process.argv
let thread: Worker | undefined = begun()
let atWork = false

// Nobody waits for the snapshot, and the next venue must find the files to itself.
process.on('disconnect', () => process.exit(1))
process.on('message', (task: TwinTask) => {
  atWork = true
  thread ??= begun()
  thread.postMessage(task)
})

function begun(): Worker {
  return new Worker(new URL('./twin-thread.ts', import.meta.url), { workerData: engine, name: 'snapshot' })
    .on('message', (saved: SavedState) => send({ kind: 'saved', saved }))
    .on('error', (error) => {
      thread = undefined
      send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
    })
}

function send(report: TwinReport): void {
  if (atWork) process.send?.(report)
  atWork = false
}
