/** What the runtime counts for metrics, since the process started. Replayed commands are not among it. */
import type { Reply } from '../engine/protocol/reply.ts'
import { type CommandKind, commandKinds } from './command-layout.ts'
import { Durations } from './durations.ts'

/** What a batch goes through, each measured once for the batch, as its sequencer saw it. */
export interface Stages<Seen> {
  /** How long the oldest of its commands had waited when it was taken. */
  readonly queue: Seen
  /** Writing and syncing it. */
  readonly journal: Seen
  /** Applying all of it. */
  readonly engine: Seen
}

/** What was counted up to now; the map and the durations go on counting. */
type Counts = Omit<Counters, 'read' | 'countBatch' | 'countCommand'>

export class Counters {
  readonly stages: Stages<Durations> = { queue: new Durations(), journal: new Durations(), engine: new Durations() }
  readonly commands = new Map<CommandKind, number>(commandKinds.map((kind) => [kind, 0]))
  /** Commands that were applied and refused by a rule. */
  refused = 0
  /** Commands that broke inside the engine and changed nothing. */
  poisoned = 0
  /** Commands that were turned away because too many waited. */
  overloaded = 0
  batches = 0
  batchLengthLast = 0
  batchLengthMax = 0
  snapshots = 0
  snapshotsFailed = 0

  countBatch(length: number): void {
    this.batches += 1
    this.batchLengthLast = length
    this.batchLengthMax = Math.max(this.batchLengthMax, length)
  }

  countCommand(kind: CommandKind, reply: Reply): void {
    this.commands.set(kind, this.commands.get(kind)! + 1)
    if (reply.kind !== 'refused') return
    this.refused += 1
    if (reply.refusal.kind === 'poisoned') this.poisoned += 1
  }

  read(): Counts {
    return { ...(this as Counts) }
  }
}
