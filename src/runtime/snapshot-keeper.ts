/**
 * Takes snapshots of the running venue and removes the part of the journal that they replace.
 *
 * A snapshot   a first chunk with the stamp of its last command (8 bytes), then what the engine saved, as it saved it
 * Order        state taken between two batches → history durable up to it → snapshot durable → old segments removed,
 *              so that neither a restart nor history ever misses a command
 * Pause        only the engine's copying of its state; hashing, compressing and writing let other work go on
 * Removing     segments go when the *older* kept snapshot stands past them: a damaged newest one costs nothing
 * One at once  a second request waits for the first
 */
import type { Journal, Snapshots } from '../journal/journal.ts'
import type { HistoryConsumer, StateMachine } from './ports.ts'
import { hashOf } from './state-hash.ts'

export interface SnapshotTaken {
  readonly sequence: number
  readonly stateHash: string
  /** How long the engine stood still. */
  readonly pauseMs: number
  readonly bytes: number
  readonly segmentsRemoved: number
}

export interface SnapshotPorts {
  /** Throws while there is none. */
  readonly engine: () => StateMachine
  readonly journal: Journal
  readonly snapshots: Snapshots
  readonly history: HistoryConsumer | undefined
  /** The stamp of the last command applied. */
  readonly lastAt: () => number
}

export class SnapshotKeeper {
  readonly #ports: SnapshotPorts
  #current: Promise<SnapshotTaken> | undefined
  /** Of the newest snapshot that was taken or begun. */
  #sequence: number

  constructor(ports: SnapshotPorts, newestSequence: number) {
    this.#ports = ports
    this.#sequence = newestSequence
  }

  get sequence(): number {
    return this.#sequence
  }

  get busy(): boolean {
    return this.#current !== undefined
  }

  async take(): Promise<SnapshotTaken> {
    while (this.#current !== undefined) await this.#current.catch(() => {})
    this.#current = this.#take()
    try {
      return await this.#current
    } finally {
      this.#current = undefined
    }
  }

  /** Resolves when none is being taken. */
  async settled(): Promise<void> {
    await this.#current?.catch(() => {})
  }

  async #take(): Promise<SnapshotTaken> {
    const { journal, snapshots, history, lastAt } = this.#ports
    const engine = this.#ports.engine()
    const { sequence } = engine
    this.#sequence = sequence
    const startedMs = performance.now()
    const saved = engine.save()
    const pauseMs = performance.now() - startedMs
    const head = encodeHead(lastAt())

    const stateHash = await hashOf(saved)
    const durable = (await history?.flushDurably()) ?? sequence
    if (durable < sequence) throw new Error(`history stands at ${durable}, before the snapshot of ${sequence}`)
    await snapshots.save(sequence, stateHash, [head, ...saved])

    const kept = await snapshots.list()
    const oldest = kept.at(-1)
    const segmentsRemoved = kept.length < 2 ? 0 : await journal.removeThrough(oldest!.sequence)
    const bytes = saved.reduce((sum, chunk) => sum + chunk.length, 0)
    return { sequence, stateHash, pauseMs, bytes, segmentsRemoved }
  }
}

function encodeHead(lastAt: number): Uint8Array {
  const head = Buffer.alloc(8)
  head.writeDoubleLE(lastAt)
  return head
}

/** Takes apart what a snapshot holds: the stamp, and the state in one piece. */
export async function readSnapshot(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly lastAt: number; readonly saved: Uint8Array }> {
  const [head, ...saved] = await Array.fromAsync(chunks)
  if (head?.length !== 8) throw new Error('a snapshot begins with the stamp of its last command')
  return { lastAt: Buffer.from(head).readDoubleLE(), saved: Buffer.concat(saved) }
}
