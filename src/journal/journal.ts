/**
 * The durable order of commands, and the snapshots that make it short. A payload is bytes; what it means is not known here.
 *
 * The way of a record   batch.ts (assembled) → file-journal.ts (written, synced, acknowledged) → segment.ts (read back)
 * The way back          recovery.ts opens what was left, tail.ts judges an unfinished end; replaying.ts reads records again;
 *                       format.ts is what is on disk
 * Beside it             snapshots.ts and snapshot-file.ts; disk.ts is the port through which all of it reaches the disk
 *
 * Removing segments     is safe through the *oldest* snapshot that is kept, so that a damaged newest one costs nothing
 * Opening               the end of a journal that went missing as a whole shows only against what is known elsewhere: a
 *                       snapshot or a history that is ahead of `lastSequence` means that records were lost
 */
import { dirname } from 'node:path'
import { fileDisk, type Disk } from './disk.ts'
import { FileJournal, type JournalStats, type JournalSync } from './file-journal.ts'
import { type Beginning, recover, type Repair } from './recovery.ts'
import { type AfterBatch, replaySegments, type Visit } from './replaying.ts'
import type { Segment } from './segment.ts'
import { JournalDamaged, JournalFailed } from './trouble.ts'

/** The records that are there, for reading alone. */
export interface JournalReader {
  /**
   * Visits every record from `fromSequence` up to the last one at the time of the call, in order, exactly once. A payload
   * is a view that is valid during the visit only. Rejects with JournalDamaged where a record is missing or changed.
   * `afterBatch` may ask for a pause.
   */
  replay(fromSequence: number, visit: Visit, afterBatch?: AfterBatch): Promise<void>
}

export interface Journal extends JournalReader {
  /** The last record that was acknowledged; 0 when there never was one. */
  readonly lastSequence: number

  /**
   * Adds records as one batch: after a crash all of them are there or none. Resolves when they are durable, or are
   * being made so (`sync: 'behind'`). The first has `lastSequence + 1`; no payload is empty; one call at a time. The payloads
   * are not read after the call resolves.
   * Rejects with JournalFailed, and then always again: the fate of that batch is known when the journal is next opened.
   * One that is shared by cores rejects with JournalFenced, then always again, when another core leads: the batch never was.
   */
  append(firstSequence: number, payloads: readonly Uint8Array[]): Promise<void>

  /** Resolves when all that was acknowledged is durable: at once, but where syncs go on behind. Rejects with JournalFailed. */
  settled(): Promise<void>

  /** What is there and how much of it is acknowledged now: with it another process can read (`readJournal`). */
  segments(): readonly Segment[]

  /**
   * Removes the segments of which every record is at most `sequence`, never the newest nor one that a running replay
   * needs. Answers how many.
   */
  removeThrough(sequence: number): Promise<number>

  stats(): JournalStats

  close(): Promise<void>
}

export interface OpenJournalOptions {
  readonly disk?: Disk
  /** A segment that has reached this size is followed by a new one. While one is removed, a sync waits by its size. */
  readonly segmentBytesMax?: number
  readonly sync?: JournalSync
  /** Whether the next segment is filled with zeros before its use, so that syncs take half as long. */
  readonly spare?: boolean
  /** Where it begins if there is none yet; absent: with the first record. */
  readonly begin?: Beginning
  /** A monotonic clock in milliseconds, for the statistics. */
  readonly now?: () => number
}

/**
 * Opens the journal in a directory, or starts one there. All of it is verified.
 * `repaired` reports an unfinished batch that a crash left behind and that was cut off; it was never acknowledged.
 * Rejects with JournalDamaged if anything else does not verify, and with JournalFailed if the disk refuses.
 */
export async function openFileJournal(
  directory: string,
  options: OpenJournalOptions = {},
): Promise<{ journal: Journal; repaired: Repair | undefined }> {
  const { disk = fileDisk, segmentBytesMax = 16 * 1024 * 1024, sync = 'sync', spare = false, begin } = options
  const now = options.now ?? (() => performance.now())
  try {
    await disk.makeDirectory(directory)
    await disk.syncDirectory(dirname(directory))
    const recovered = await recover(disk, directory, begin)
    const journal = new FileJournal(directory, recovered, { disk, segmentBytesMax, sync, spare, now })
    return { journal, repaired: recovered.repaired }
  } catch (error) {
    if (error instanceof JournalDamaged || error instanceof JournalFailed) throw error
    throw new JournalFailed('opening', error)
  }
}

/**
 * The journal as another process described it. The segments must stay where they are while it is read; nothing is
 * repaired and nothing written.
 */
export function readJournal(segments: readonly Segment[], disk: Disk = fileDisk): JournalReader {
  return { replay: (from, visit, afterBatch) => replaySegments(disk, segments, from, visit, afterBatch) }
}

export { fileDisk, readWhole, writeWhole, type Disk, type DiskFile } from './disk.ts'
export type { JournalStats, JournalSync } from './file-journal.ts'
export { type JournalMark, MemoryJournal, type RecordsBeside, MemorySnapshots, recordOf } from './memory.ts'
export type { Repair } from './recovery.ts'
export type { Segment } from './segment.ts'
export { openSnapshots, type Snapshot, type Snapshots } from './snapshots.ts'
export {
  type Damage,
  isOtherFormat,
  JournalDamaged,
  JournalFailed,
  JournalFenced,
  SnapshotDamaged,
  SnapshotFailed,
} from './trouble.ts'
