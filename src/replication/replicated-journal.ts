/**
 * The journal of a core that leads: each batch goes into the log, and then into the core's own file.
 *
 * Durable    is what the log has stored. The file follows it, so a file never holds what the log does not: whatever stands in
 *            the file of any core was committed
 * One batch  of the file is one message of the log. Their bytes differ, as a batch of a file covers its place there
 * Fenced     another core has claimed: JournalFenced, which is definite. A file that fails is JournalFailed, as ever
 */
import type { Journal, JournalReader } from '../journal/journal.ts'
import type { LogWriter } from './log-writer.ts'
import type { Origin } from './message.ts'

export class ReplicatedJournal implements Journal {
  readonly #writer: LogWriter
  readonly #file: Journal
  readonly #originsOf: (firstSequence: number, records: number) => readonly Origin[]
  readonly #stamp: (payload: Uint8Array) => number

  /** `originsOf` says whose records those are; `stamp` reads the stamp of a record. */
  constructor(
    writer: LogWriter,
    file: Journal,
    ports: {
      readonly originsOf: (firstSequence: number, records: number) => readonly Origin[]
      readonly stamp: (payload: Uint8Array) => number
    },
  ) {
    this.#writer = writer
    this.#file = file
    this.#originsOf = ports.originsOf
    this.#stamp = ports.stamp
  }

  get lastSequence(): number {
    return this.#file.lastSequence
  }

  async append(firstSequence: number, payloads: readonly Uint8Array[]): Promise<void> {
    const origins = this.#originsOf(firstSequence, payloads.length)
    await this.#writer.append({ kind: 'batch', records: payloads, origins, at: this.#stamp(payloads[0]) })
    await this.#file.append(firstSequence, payloads)
  }

  replay: JournalReader['replay'] = (from, visit, afterBatch) => this.#file.replay(from, visit, afterBatch)

  settled: Journal['settled'] = () => this.#file.settled()

  segments: Journal['segments'] = () => this.#file.segments()

  removeThrough: Journal['removeThrough'] = (sequence) => this.#file.removeThrough(sequence)

  stats: Journal['stats'] = () => this.#file.stats()

  close: Journal['close'] = () => this.#file.close()
}
