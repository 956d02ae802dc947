/**
 * Reading records back from segments that are durable: for the journal that wrote them, and for whoever knows of them.
 *
 * Holds   each record from the first one asked for is visited once, in order, after its batch was verified
 * Ends    where each segment was durable when it was described: what is appended meanwhile is left out
 */
import type { Disk } from './disk.ts'
import { visitRecords } from './format.ts'
import { readSegment, type Segment } from './segment.ts'
import { JournalDamaged, JournalFailed } from './trouble.ts'

/** A payload is a view that is valid during the visit only. */
export type Visit = (sequence: number, payload: Uint8Array) => void

/** After each replayed batch: a promise to wait for before the next one is read, when the reader needs a pause. */
export type AfterBatch = () => Promise<void> | undefined

/** `segments` are in order, and at least one. Rejects with JournalDamaged where a record is missing or changed. */
export async function replaySegments(
  disk: Disk,
  segments: readonly Readonly<Segment>[],
  fromSequence: number,
  visit: Visit,
  afterBatch?: AfterBatch,
): Promise<void> {
  const [oldest] = segments
  if (fromSequence < oldest.firstSequence) {
    const reason = `record ${fromSequence} is gone; the journal starts with ${oldest.firstSequence}`
    throw new JournalDamaged(oldest.path, 0, reason)
  }
  for (const segment of segments) {
    if (segment.lastSequence >= fromSequence) await replaySegment(disk, segment, fromSequence, visit, afterBatch)
  }
}

async function replaySegment(
  disk: Disk,
  segment: Readonly<Segment>,
  fromSequence: number,
  visit: Visit,
  afterBatch: AfterBatch | undefined,
): Promise<void> {
  const refuse = (cause: unknown): never => {
    throw new JournalFailed('reading', cause)
  }
  const file = await disk.open(segment.path).catch(refuse)
  let content
  try {
    content = await readSegment(file, segment.bytes, (header, body) => {
      if (header.firstSequence + header.records <= fromSequence) return undefined
      visitRecords(body, header.firstSequence, header.records, (sequence, payload) => {
        if (sequence >= fromSequence) visit(sequence, payload)
      })
      return afterBatch?.()
    })
  } finally {
    await file.close().catch(refuse)
  }
  if (!('end' in content)) throw new JournalDamaged(segment.path, content.offset, content.reason)
  if (content.fault !== undefined) throw new JournalDamaged(segment.path, content.fault.offset, content.fault.reason)
  if (content.chain !== segment.chain) {
    throw new JournalDamaged(segment.path, 0, 'the segment is not the one that was there before')
  }
}
