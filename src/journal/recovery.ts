/**
 * Opens what an earlier run left behind: verifies every segment and their order, cuts off a torn tail, and says where
 * the journal goes on.
 *
 *   1  read each segment, oldest first; each must continue the one before
 *   2  the newest alone may end in zeros that are still to be written over, which stay, or in a batch or a header that a crash
 *      interrupted: cut that off, say what was cut
 *   3  write the newest header and the last batch once more, sync, sync the directory
 *
 * Step 3 because this run is about to build on what it has read, and that may have come from memory alone: an earlier
 * run may have died before its sync, or of its sync, after which the system takes pages for clean that never reached the
 * disk. The bytes are the same, so a crash in the middle of it changes nothing.
 */
import { join } from 'node:path'
import { readWhole, removeGently, writeWhole, type Disk, type DiskFile } from './disk.ts'
import { CHAIN_START, SEGMENT_HEADER_BYTES, sequenceOfName } from './format.ts'
import { createSegment, readSegment, type Segment, type SegmentContent } from './segment.ts'
import { spareName } from './spare.ts'
import { isBlank, isTornBatch, isTornSegmentHeader } from './tail.ts'
import { JournalDamaged } from './trouble.ts'

/** What was cut off: a batch that was never acknowledged, or a segment that was never used. */
export interface Repair {
  readonly file: string
  readonly offset: number
  readonly bytes: number
}

export interface Recovered {
  /** Oldest first; the newest is open for writing. */
  readonly segments: Segment[]
  readonly newest: DiskFile
  /** Where the newest file ends: behind its last batch there may be zeros to write over. */
  readonly newestBytes: number
  readonly repaired: Repair | undefined
}

/** Where a journal begins that continues another one. */
export interface Beginning {
  readonly firstSequence: number
  /** The chain of the other one before that record. */
  readonly previousChain: number
}

const anew: Beginning = { firstSequence: 1, previousChain: CHAIN_START }

/** `begin` is where a journal begins that has no segment yet. */
export async function recover(disk: Disk, directory: string, begin: Beginning = anew): Promise<Recovered> {
  const found = await disk.list(directory)
  if (found.includes(spareName)) await removeGently(disk, join(directory, spareName))
  const names = found.filter((name) => sequenceOfName(name) !== undefined).sort()
  const segments: Segment[] = []
  let repaired: Repair | undefined
  let previous: SegmentContent | undefined
  let newestBytes = SEGMENT_HEADER_BYTES

  for (const name of names) {
    const path = join(directory, name)
    const isNewest = name === names.at(-1)
    const file = await disk.open(path)
    try {
      const size = await file.size()
      const content = await readSegment(file, size)

      if (!('end' in content)) {
        const follows = sequenceOfName(name) === (previous?.lastSequence ?? 0) + 1
        if (!isNewest || !follows || !(await isTornSegmentHeader(file, size))) {
          throw new JournalDamaged(path, content.offset, content.reason)
        }
        await disk.unlink(path)
        await disk.syncDirectory(directory)
        repaired = { file: path, offset: 0, bytes: size }
        continue
      }

      const misplaced = whyNotNext(name, content, previous)
      if (misplaced !== undefined) throw new JournalDamaged(path, 0, misplaced)

      newestBytes = size
      const isReserve = isNewest && content.fault !== undefined && (await isBlank(file, content.end, size))
      if (content.fault !== undefined && !isReserve) {
        if (!isNewest || !(await isTornBatch(file, size, content.fault))) {
          throw new JournalDamaged(path, content.fault.offset, content.fault.reason)
        }
        await file.truncate(content.end)
        await file.sync()
        newestBytes = content.end
        repaired = { file: path, offset: content.end, bytes: size - content.end }
      }
      segments.push(segmentOf(path, content))
      previous = content
    } finally {
      await file.close()
    }
  }

  if (previous === undefined) {
    const created = await createSegment(disk, directory, begin)
    return { segments: [created.segment], newest: created.file, newestBytes: SEGMENT_HEADER_BYTES, repaired }
  }
  const newest = await disk.open(segments.at(-1)!.path)
  try {
    await writeOnceMore(newest, previous)
    await disk.syncDirectory(directory)
  } catch (error) {
    await newest.close()
    throw error
  }
  return { segments, newest, newestBytes, repaired }
}

function segmentOf(path: string, content: SegmentContent): Segment {
  const { firstSequence, lastSequence, end, chain } = content
  return { path, firstSequence, lastSequence, bytes: end, chain }
}

function whyNotNext(name: string, content: SegmentContent, previous: SegmentContent | undefined): string | undefined {
  if (sequenceOfName(name) !== content.firstSequence) {
    return `the segment holds records from ${content.firstSequence} on, which its name denies`
  }
  if (previous === undefined) {
    // Older segments may have been removed; before the first record there were none.
    const isFirst = content.firstSequence === 1
    return isFirst && content.previousChain !== CHAIN_START ? 'the first segment continues another' : undefined
  }
  if (content.firstSequence !== previous.lastSequence + 1) {
    return `the segment starts with record ${content.firstSequence} where ${previous.lastSequence + 1} is due`
  }
  if (content.previousChain !== previous.chain) return 'the segment does not continue the one before'
  return undefined
}

async function writeOnceMore(file: DiskFile, content: SegmentContent): Promise<void> {
  await rewrite(file, 0, SEGMENT_HEADER_BYTES)
  if (content.lastBatchOffset !== undefined) await rewrite(file, content.lastBatchOffset, content.end)
  await file.sync()
}

async function rewrite(file: DiskFile, from: number, to: number): Promise<void> {
  const bytes = Buffer.allocUnsafeSlow(to - from)
  const filled = await readWhole(file, bytes, from)
  if (filled < bytes.length) throw new Error(`the file ends at ${from + filled}, not at ${to}`)
  await writeWhole(file, bytes, from)
}
