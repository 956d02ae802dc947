/**
 * The journal as files in one directory.
 *
 * Invariants  what is acknowledged is durable (with sync: 'sync') · a batch is written only when the one before is
 *             durable, so a crash leaves at most one unfinished · a segment and its name are durable before its first
 *             batch is written
 * Failure     one write, sync or rotation that fails ends the journal: after a failed sync nobody knows what is on disk,
 *             and a second sync may lie. All later appends are refused; opening it again finds out by reading
 * 'behind'    acknowledges what is written, and syncs it meanwhile: the next batch waits for that, so a loss of power takes the last
 *             batch at most. For a file that follows what is durable elsewhere
 * sync: 'os'  leaves the syncing of batches to the operating system: what is acknowledged survives the death of the
 *             process, not that of the machine, after which the journal may even refuse to open
 * One writer  only one process may have the directory open; keeping others out is the caller's part
 * Format      format.ts
 */
import assert from 'node:assert/strict'
import { BatchAssembly } from './batch.ts'
import { writeWhole, type Disk, type DiskFile } from './disk.ts'
import type { Recovered } from './recovery.ts'
import { type AfterBatch, replaySegments, type Visit } from './replaying.ts'
import { createSegment, type Segment } from './segment.ts'
import { Spare } from './spare.ts'
import { JournalFailed } from './trouble.ts'

export interface JournalStats {
  readonly segments: number
  readonly bytes: number
  /** The oldest record that is still there; one past the last if there is none. */
  readonly firstSequence: number
  readonly lastSequence: number
  /** Batches appended since the journal was opened. */
  readonly batches: number
  /** Syncs of batches since the journal was opened. */
  readonly syncs: number
  readonly syncMsLast: number
  readonly syncMsMax: number
  readonly syncMsSum: number
  readonly failed: boolean
}

/** Who makes a batch durable, and when: the journal before it acknowledges or right behind it, or the operating system. */
export type JournalSync = 'sync' | 'behind' | 'os'

export interface FileJournalOptions {
  readonly disk: Disk
  readonly segmentBytesMax: number
  readonly sync: JournalSync
  /** Whether the next segment is filled with zeros before its use. */
  readonly spare: boolean
  readonly now: () => number
}

export class FileJournal {
  readonly #directory: string
  readonly #options: FileJournalOptions
  readonly #segments: Segment[]
  readonly #assembly = new BatchAssembly()
  readonly #spare: Spare | undefined
  #file: DiskFile
  /** How far the newest segment's file reached when it was begun or found: beyond its batches there are zeros. */
  #fileBytes: number

  #failure: JournalFailed | undefined
  #appending = false
  /** The sync of the last batch, where it goes on behind the acknowledgement. */
  #syncing: Promise<void> | undefined
  #removing = false
  #closed = false
  /** The running replays, by the first record that they need. */
  readonly #replays = new Set<{ readonly fromSequence: number }>()

  #batches = 0
  #syncs = 0
  #syncMsLast = 0
  #syncMsMax = 0
  #syncMsSum = 0

  constructor(directory: string, recovered: Recovered, options: FileJournalOptions) {
    this.#directory = directory
    this.#options = options
    this.#segments = recovered.segments
    this.#file = recovered.newest
    this.#fileBytes = recovered.newestBytes
    if (options.spare) this.#spare = new Spare(options.disk, directory, options.segmentBytesMax)
  }

  get lastSequence(): number {
    return this.#newest.lastSequence
  }

  get #newest(): Segment {
    return this.#segments[this.#segments.length - 1]
  }

  async append(firstSequence: number, payloads: readonly Uint8Array[]): Promise<void> {
    assert(!this.#closed, 'nothing is appended to a closed journal')
    assert(!this.#appending, 'one append at a time')
    if (this.#failure !== undefined) throw this.#failure
    assert.equal(firstSequence, this.lastSequence + 1, 'records are appended without gap or repetition')

    this.#appending = true
    try {
      if (this.#syncing !== undefined) await this.settled()
      if (this.#newestIsFull()) await this.#rotate()
      const segment = this.#newest
      const place = { firstSequence, previousChain: segment.chain, position: segment.bytes }
      const batch = this.#assembly.assemble(payloads, place)
      await writeWhole(this.#file, batch, segment.bytes)
      if (this.#options.sync === 'sync') await this.#syncBatch()

      this.#batches += 1
      segment.lastSequence += payloads.length
      segment.bytes += batch.length
      segment.chain = this.#assembly.chain
      if (this.#options.sync === 'behind') this.#syncing = this.#syncBehind()
      this.#spare?.keepUp(segment.bytes, this.#grows)
    } catch (cause) {
      throw this.#failure ?? this.#fail('appending', cause)
    } finally {
      this.#appending = false
    }
  }

  async settled(): Promise<void> {
    if (this.#options.sync !== 'behind') return
    await this.#syncing
    if (this.#failure !== undefined) throw this.#failure
  }

  /** As far as they are acknowledged now. */
  segments(): readonly Segment[] {
    return this.#segments.map((segment) => ({ ...segment }))
  }

  async replay(fromSequence: number, visit: Visit, afterBatch?: AfterBatch): Promise<void> {
    assert(!this.#closed, 'nothing is replayed from a closed journal')
    assert(fromSequence >= 1, 'the first record has sequence 1')
    const segments = this.segments()
    const running = { fromSequence }
    this.#replays.add(running)
    try {
      await replaySegments(this.#options.disk, segments, fromSequence, visit, afterBatch)
    } finally {
      this.#replays.delete(running)
    }
  }

  async removeThrough(sequence: number): Promise<number> {
    assert(!this.#closed, 'nothing is removed from a closed journal')
    assert(!this.#removing, 'one removal at a time')
    if (this.#failure !== undefined) throw this.#failure
    this.#removing = true
    let removed = 0
    try {
      while (this.#mayRemoveOldest(sequence)) {
        await this.#removeOldest()
        removed += 1
      }
    } finally {
      this.#removing = false
    }
    return removed
  }

  stats(): JournalStats {
    let bytes = 0
    for (const segment of this.#segments) bytes += segment.bytes
    return {
      segments: this.#segments.length,
      bytes,
      firstSequence: this.#segments[0].firstSequence,
      lastSequence: this.lastSequence,
      batches: this.#batches,
      syncs: this.#syncs,
      syncMsLast: this.#syncMsLast,
      syncMsMax: this.#syncMsMax,
      syncMsSum: this.#syncMsSum,
      failed: this.#failure !== undefined,
    }
  }

  async close(): Promise<void> {
    assert(!this.#appending, 'the last append is awaited before the journal is closed')
    if (this.#closed) return
    this.#closed = true
    await this.#syncing
    try {
      if (this.#failure === undefined) {
        const isCut = await this.#cutZeros()
        if (isCut || this.#options.sync === 'os') await this.#file.sync()
      }
      await this.#file.close()
      await this.#spare?.discard()
    } catch (cause) {
      // A journal that has failed has said so already.
      if (this.#failure === undefined) throw this.#fail('closing', cause)
    }
  }

  /** A segment without a record is never full: the next one would have its name. One that grows gives way to a spare. */
  #newestIsFull(): boolean {
    const { bytes, firstSequence, lastSequence } = this.#newest
    const isOver = bytes >= this.#options.segmentBytesMax || (this.#grows && this.#spare?.isWhole === true)
    return isOver && lastSequence >= firstSequence
  }

  /** The newest segment has no zeros behind its batches. */
  get #grows(): boolean {
    return this.#fileBytes <= this.#newest.bytes
  }

  /** Goes on in a new segment. The old one is durable before, or the tail that recovery may cut would not be its end. */
  async #rotate(): Promise<void> {
    const isCut = await this.#cutZeros()
    if (isCut || this.#options.sync === 'os') await this.#file.sync()
    const { disk } = this.#options
    const place = { firstSequence: this.lastSequence + 1, previousChain: this.#newest.chain }
    const { segment, file, fileBytes } = await createSegment(disk, this.#directory, place, this.#spare)
    const old = this.#file
    this.#file = file
    this.#fileBytes = fileBytes
    this.#segments.push(segment)
    await old.close()
  }

  /** Only the newest segment may have zeros behind its batches, and none does when the journal is closed. */
  async #cutZeros(): Promise<boolean> {
    if (this.#grows) return false
    const { bytes } = this.#newest
    await this.#file.truncate(bytes)
    this.#fileBytes = bytes
    return true
  }

  async #syncBatch(): Promise<void> {
    const start = this.#options.now()
    this.#syncs += 1
    await this.#file.sync()
    this.#syncMsLast = this.#options.now() - start
    this.#syncMsMax = Math.max(this.#syncMsMax, this.#syncMsLast)
    this.#syncMsSum += this.#syncMsLast
  }

  /** What fails is told to who appends next. */
  async #syncBehind(): Promise<void> {
    try {
      await this.#syncBatch()
    } catch (cause) {
      this.#fail('syncing', cause)
    }
    this.#syncing = undefined
  }

  #mayRemoveOldest(sequence: number): boolean {
    if (this.#segments.length === 1) return false
    const { lastSequence } = this.#segments[0]
    for (const replay of this.#replays) if (replay.fromSequence <= lastSequence) return false
    return lastSequence <= sequence
  }

  /** Durably, one at a time: if a crash could undo one removal and not the next, there would be a gap. */
  async #removeOldest(): Promise<void> {
    const { disk } = this.#options
    try {
      await disk.unlink(this.#segments[0].path)
    } catch (cause) {
      throw new JournalFailed('removing a segment', cause)
    }
    this.#segments.shift()
    try {
      await disk.syncDirectory(this.#directory)
    } catch (cause) {
      throw this.#fail('removing a segment', cause)
    }
  }

  #fail(doing: string, cause: unknown): JournalFailed {
    this.#failure = new JournalFailed(doing, cause)
    return this.#failure
  }
}
