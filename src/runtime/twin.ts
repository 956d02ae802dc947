/**
 * The twin: a process that brings a second engine to where the running one stood, and saves that one's state. The venue
 * does not stop for its snapshots, however large its state is.
 *
 *   venue: sequence, segments of the journal -> twin: newest snapshot + journal -> the same state -> next snapshot
 *
 * Right     because the engine is deterministic: the twin's state is the one that a restart would find
 * Costs     a second state in memory and a second core while it runs; on a busy machine it gives way to the venue
 * Begins    early, while the venue is small, and stays for the next snapshot, without a state: to begin a process stops the
 *           venue while the system copies the table of its pages, 30 ms and more with 600 MB, and to load the engine's
 *           modules and compile what is busy takes what the venue needs (docs/performance/pauses.md)
 * Ends      with the venue, when it is told to, or when it takes too long: one that hangs would keep every later snapshot
 *           waiting. The next snapshot begins another one
 * Fails     by itself: the venue goes on without that snapshot, and the next one is tried as always
 */
import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Segment } from '../journal/journal.ts'
import type { SavedState } from './snapshot-saving.ts'

export interface TwinTask {
  readonly dataDirectory: string
  readonly segments: readonly Segment[]
  /** The command after which the state is saved. */
  readonly sequence: number
}

/**
 * The collector is there to be asked. V8's fastest code is not made: its compilers, on threads that do not rest, would keep the
 * other core from the venue's for longer than the snapshot is made faster by them (docs/performance/pauses.md).
 */
const twinOptions = ['--expose-gc', '--no-turbofan']

/** Of a large state on a slow machine; then the twin is taken for one that hangs. */
export const twinMsMaxDefault = 30 * 60_000

export type TwinReport =
  | { readonly kind: 'saved'; readonly saved: SavedState }
  | { readonly kind: 'failed'; readonly message: string }

export class Twin {
  readonly #engine: string
  readonly #msMax: number
  #process: ChildProcess | undefined

  /** `engine`: the module whose `Engine` runs in the venue. */
  constructor(engine: string, msMax: number) {
    this.#engine = engine
    this.#msMax = msMax
  }

  /** Begins the process that `save` needs, if there is none. */
  begin(): void {
    this.#process ??= this.#begin()
  }

  /** One at a time. Rejects when the twin fails, ends, or takes too long. */
  async save(task: TwinTask): Promise<SavedState> {
    const twin = (this.#process ??= this.#begin())
    const { promise: saved, resolve, reject } = Promise.withResolvers<SavedState>()
    const hear = (report: TwinReport) => {
      if (report.kind === 'saved') resolve(report.saved)
      else reject(new Error(`the twin failed: ${report.message}`))
    }
    const leave = (code: number | null, signal: string | null) =>
      reject(new Error(`the twin ended with ${signal ?? code}`))
    const late = setTimeout(() => {
      reject(new Error(`the twin was not done after ${this.#msMax} ms`))
      this.end()
    }, this.#msMax)
    twin.on('message', hear).on('error', reject).on('exit', leave)
    twin.channel?.ref()
    if (twin.pid !== undefined) twin.send(task)
    try {
      return await saved
    } finally {
      clearTimeout(late)
      twin.off('message', hear).off('error', reject).off('exit', leave)
      twin.channel?.unref()
    }
  }

  end(): void {
    this.#process?.kill('SIGKILL')
    this.#process = undefined
  }

  #begin(): ChildProcess {
    const twin = fork(fileURLToPath(new URL('./twin-process.ts', import.meta.url)), [this.#engine], {
      execArgv: twinOptions,
      env: environment(),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    giveWay(twin)
    const forget = () => {
      if (this.#process === twin) this.#process = undefined
    }
    twin.on('error', forget).on('exit', forget).unref()
    twin.channel?.unref()
    return twin
  }
}

/** Of the venue's own no secret and no option that is meant for it: where its modules lie compiled, and which pages it asks for. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE, GLIBC_TUNABLES } = process.env
  return { NODE_COMPILE_CACHE, GLIBC_TUNABLES }
}

/** While it begins; then it does that itself, for the threads that it had until then. */
function giveWay({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already, as its `exit` says.
  }
}
