/**
 * The twin: a process that brings a second engine to where the running one stood, and saves that one's state. The venue
 * does not stop for its snapshots, however large its state is.
 *
 *   venue: sequence, segments of the journal -> twin: newest snapshot + journal -> the same state -> next snapshot
 *
 * Right     because the engine is deterministic: the twin's state is the one that a restart would find
 * Costs     a second state in memory and a second core while it runs; on a busy machine it gives way to the venue
 * Ends      with its snapshot, with the venue (twin-watch.ts), when it is told to, or when it takes too long: one that hangs
 *           would keep every later snapshot waiting
 * Fails     by itself: the venue goes on without that snapshot, and the next one is tried as always
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Segment } from '../journal/journal.ts'
import type { SavedState } from './snapshot-saving.ts'

export interface TwinTask {
  readonly dataDirectory: string
  /** The module whose `Engine` runs in the venue. */
  readonly engine: string
  readonly segments: readonly Segment[]
  /** The command after which the state is saved. */
  readonly sequence: number
}

/** Of a large state on a slow machine; then the twin is taken for one that hangs. */
export const twinMsMaxDefault = 30 * 60_000

export type TwinReport =
  | { readonly kind: 'saved'; readonly saved: SavedState }
  | { readonly kind: 'failed'; readonly message: string }

export class Twin {
  readonly #process: ChildProcess
  readonly saved: Promise<SavedState>

  constructor(task: TwinTask, msMax: number) {
    // It gets nothing of the venue's environment: no secret, and no option that is meant for the venue.
    const started = fork(fileURLToPath(new URL('./twin-process.ts', import.meta.url)), [], {
      execArgv: [],
      env: {},
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#process = started
    this.saved = new Promise((resolve, reject) => {
      started.on('message', (report: TwinReport) => {
        if (report.kind === 'saved') resolve(report.saved)
        else reject(new Error(`the twin failed: ${report.message}`))
      })
      started.on('error', reject)
      started.on('exit', (code, signal) => reject(new Error(`the twin ended with ${signal ?? code}`)))
      const late = setTimeout(() => {
        reject(new Error(`the twin was not done after ${msMax} ms`))
        this.end()
      }, msMax)
      started.on('exit', () => clearTimeout(late))
    })
    if (started.pid !== undefined) started.send(task)
  }

  end(): void {
    this.#process.kill('SIGKILL')
  }
}
