/**
 * What a snapshot holds, written and read: a first chunk with the stamp of its last command (8 bytes), then what the
 * engine saved, as it saved it.
 */
import type { Snapshots } from '../journal/journal.ts'
import type { StateMachine } from './ports.ts'
import { type StateHashing, hashOf } from './state-hash.ts'

export interface SavedState {
  readonly stateHash: string
  readonly bytes: number
  /** How long the engine stood still for its copy. */
  readonly pauseMs: number
}

/** Copies the state at once; hashing, compressing and writing let other work go on. Resolves when it is durable. */
export async function saveState(
  engine: StateMachine,
  lastAt: number,
  snapshots: Snapshots,
  beforeWriting?: () => Promise<void>,
): Promise<SavedState> {
  const { sequence } = engine
  const startedMs = performance.now()
  const saved = engine.save()
  const pauseMs = performance.now() - startedMs
  const head = Buffer.alloc(8)
  head.writeDoubleLE(lastAt)
  const stateHash = await hashOf(saved)
  await beforeWriting?.()
  await snapshots.save(sequence, stateHash, [head, ...saved])
  return { stateHash, pauseMs, bytes: saved.reduce((sum, chunk) => sum + chunk.length, 0) }
}

/** Takes apart what a snapshot holds: the stamp, and the state, which `hashing` gets too. */
export async function readState(
  chunks: AsyncGenerator<Uint8Array>,
  hashing: StateHashing,
): Promise<{ readonly lastAt: number; readonly saved: readonly Uint8Array[] }> {
  const { value: head } = await chunks.next()
  if (head?.length !== 8) throw new Error('a snapshot begins with the stamp of its last command')
  const saved: Uint8Array[] = []
  for await (const chunk of chunks) {
    hashing.add(chunk)
    saved.push(chunk)
  }
  hashing.finish()
  return { lastAt: Buffer.from(head).readDoubleLE(), saved }
}
