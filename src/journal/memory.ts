/**
 * Journal and snapshots in memory: a venue that keeps nothing, and can go back to where it was.
 *
 * Going back  `mark` names a place in the records, `goBackTo` makes it their end. A mark stays good however often its journal goes
 *             back, and in other journals, too: records are kept in chunks that all of them share and nobody changes
 * Beside      what is appended may be kept elsewhere first; that neither goes back nor forgets by itself
 * Bounded     by snapshots, as on disk: what the older of two snapshots has is removed
 */
import assert from 'node:assert/strict'
import type { Snapshot, Snapshots } from './snapshots.ts'
import type { JournalStats } from './file-journal.ts'
import type { AfterBatch, Visit } from './replaying.ts'

/** A power of two. */
const chunkRecords = 1024

type Chunk = Uint8Array[]

/** Where records are kept as well: they are taken here when they are kept there. */
export interface RecordsBeside {
  append(firstSequence: number, payloads: readonly Uint8Array[]): Promise<void>
}

/** A place in the records of a journal: all up to `lastSequence`. */
export interface JournalMark {
  /** Of the first chunk's first record. */
  readonly firstSequence: number
  readonly lastSequence: number
  readonly chunks: readonly Chunk[]
}

export class MemoryJournal {
  /** From the next record on. */
  beside: RecordsBeside | undefined
  #chunks: Chunk[] = [[]]
  #firstSequence = 1
  #lastSequence = 0
  #bytes = 0
  #batches = 0

  get lastSequence(): number {
    return this.#lastSequence
  }

  append(firstSequence: number, payloads: readonly Uint8Array[]): Promise<void> {
    assert.equal(firstSequence, this.#lastSequence + 1, 'records are appended without gap or repetition')
    const { beside } = this
    if (beside !== undefined) return beside.append(firstSequence, payloads).then(() => this.#take(payloads))
    this.#take(payloads)
    return Promise.resolve()
  }

  #take(payloads: readonly Uint8Array[]): void {
    for (const payload of payloads) {
      let chunk = this.#chunks[this.#chunks.length - 1]
      if (chunk.length === chunkRecords) this.#chunks.push((chunk = []))
      // The writer's bytes are used again.
      chunk.push(payload.slice())
      this.#bytes += payload.length
    }
    this.#lastSequence += payloads.length
    this.#batches += 1
  }

  async settled(): Promise<void> {}

  async replay(fromSequence: number, visit: Visit, afterBatch?: AfterBatch): Promise<void> {
    assert(fromSequence >= this.#firstSequence, 'what is removed cannot be replayed')
    const { chunks, firstSequence, lastSequence } = this.mark(this.#lastSequence)
    for (let sequence = fromSequence; sequence <= lastSequence; sequence++) {
      visit(sequence, recordAt(chunks, sequence - firstSequence))
      if (sequence % chunkRecords === 0 || sequence === lastSequence) await afterBatch?.()
    }
  }

  /** The record of a sequence; undefined: it is removed, or not there yet. It is not to be changed. */
  at(sequence: number): Uint8Array | undefined {
    const isThere = sequence >= this.#firstSequence && sequence <= this.#lastSequence
    return isThere ? recordAt(this.#chunks, sequence - this.#firstSequence) : undefined
  }

  /** The place behind a record that is there. */
  mark(lastSequence: number): JournalMark {
    assert(
      lastSequence >= this.#firstSequence - 1 && lastSequence <= this.#lastSequence,
      'a mark is a place in the journal',
    )
    return { firstSequence: this.#firstSequence, lastSequence, chunks: [...this.#chunks] }
  }

  /** What stood behind the mark is gone here; where else it is marked it stays. */
  goBackTo({ firstSequence, lastSequence, chunks }: JournalMark): void {
    const records = lastSequence - firstSequence + 1
    const whole = Math.floor(records / chunkRecords)
    this.#chunks = [...chunks.slice(0, whole), (chunks[whole] ?? []).slice(0, records % chunkRecords)]
    this.#firstSequence = firstSequence
    this.#lastSequence = lastSequence
    this.#bytes = 0
    for (const chunk of this.#chunks) for (const payload of chunk) this.#bytes += payload.length
  }

  segments(): readonly never[] {
    return []
  }

  removeThrough(sequence: number): Promise<number> {
    let removed = 0
    while (this.#chunks.length > 1 && this.#firstSequence + chunkRecords - 1 <= sequence) {
      for (const payload of this.#chunks.shift() ?? []) this.#bytes -= payload.length
      this.#firstSequence += chunkRecords
      removed += 1
    }
    return Promise.resolve(removed)
  }

  stats(): JournalStats {
    return {
      segments: this.#chunks.length,
      bytes: this.#bytes,
      firstSequence: this.#firstSequence,
      lastSequence: this.#lastSequence,
      batches: this.#batches,
      syncs: 0,
      syncMsLast: 0,
      syncMsMax: 0,
      syncMsSum: 0,
      failed: false,
    }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

/** The record of a sequence up to a mark; undefined: it is none of them. */
export function recordOf(
  { firstSequence, lastSequence, chunks }: JournalMark,
  sequence: number,
): Uint8Array | undefined {
  return sequence >= firstSequence && sequence <= lastSequence ? recordAt(chunks, sequence - firstSequence) : undefined
}

function recordAt(chunks: readonly Chunk[], place: number): Uint8Array {
  return chunks[Math.floor(place / chunkRecords)][place % chunkRecords]
}

const keptSnapshots = 2

export class MemorySnapshots implements Snapshots {
  /** Newest first. */
  #kept: readonly Snapshot[] = []

  async save(
    sequence: number,
    stateHash: string,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const saved: Uint8Array[] = []
    for await (const chunk of chunks) saved.push(chunk)
    const snapshot = { sequence, stateHash, file: `the snapshot of ${sequence}`, chunks: () => copies(saved) }
    this.#kept = [snapshot, ...this.#kept.filter((kept) => kept.sequence !== sequence)].slice(0, keptSnapshots)
  }

  async newest(): Promise<{ snapshot: Snapshot | undefined; damaged: readonly never[] }> {
    return { snapshot: this.#kept[0], damaged: [] }
  }

  async list(): Promise<{ sequence: number; file: string }[]> {
    return this.#kept.map(({ sequence, file }) => ({ sequence, file }))
  }

  /** Those that are kept, for `goBackTo`. */
  mark(): readonly Snapshot[] {
    return this.#kept
  }

  goBackTo(mark: readonly Snapshot[]): void {
    this.#kept = mark
  }
}

/** Whoever reads a snapshot owns what he gets. */
async function* copies(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield chunk.slice()
}
