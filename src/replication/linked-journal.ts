/**
 * The file journal of the only core, which tells its gateways what is committed.
 *
 * Durable   as the file is; a batch is told when it is
 * Whose     is noted before the batch is written (origin-file.ts)
 */
import type { Journal, JournalReader } from '../journal/journal.ts'
import type { CommittedBatch } from './frames.ts'
import type { Origin } from './message.ts'

interface LinkedJournalPorts {
  readonly originsOf: (firstSequence: number, records: number) => readonly Origin[]
  readonly note: (firstSequence: number, origins: readonly Origin[]) => void
  readonly committed: (batch: CommittedBatch) => void
}

export class LinkedJournal implements Journal {
  readonly #file: Journal
  readonly #ports: LinkedJournalPorts

  constructor(file: Journal, ports: LinkedJournalPorts) {
    this.#file = file
    this.#ports = ports
  }

  get lastSequence(): number {
    return this.#file.lastSequence
  }

  async append(firstSequence: number, payloads: readonly Uint8Array[]): Promise<void> {
    const { originsOf, note, committed } = this.#ports
    const origins = originsOf(firstSequence, payloads.length)
    note(firstSequence, origins)
    await this.#file.append(firstSequence, payloads)
    committed({ firstSequence, records: copied(payloads), origins })
  }

  replay: JournalReader['replay'] = (from, visit, afterBatch) => this.#file.replay(from, visit, afterBatch)

  settled: Journal['settled'] = () => this.#file.settled()

  segments: Journal['segments'] = () => this.#file.segments()

  removeThrough: Journal['removeThrough'] = (sequence) => this.#file.removeThrough(sequence)

  stats: Journal['stats'] = () => this.#file.stats()

  close: Journal['close'] = () => this.#file.close()
}

/** The writer's bytes are used again. */
function copied(payloads: readonly Uint8Array[]): Uint8Array[] {
  const all = Buffer.concat(payloads)
  let at = 0
  return payloads.map(({ length }) => all.subarray(at, (at += length)))
}
