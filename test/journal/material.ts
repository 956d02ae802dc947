/** Records whose content follows from their sequence, and journals made of them. */
import assert from 'node:assert/strict'
import { openFileJournal, type Disk, type Journal, type JournalSync } from '../../src/journal/journal.ts'

export const directory = '/data/journal'

/** From 1 to some 1,500 bytes; some are all zero, so that a file has blank sectors that nobody lost. */
export function payloadOf(sequence: number): Buffer {
  const length = 1 + ((sequence * 37) % 190) + (sequence % 11 === 0 ? 1_300 : 0)
  if (sequence % 13 === 0 || sequence % 11 === 0) return Buffer.alloc(length)
  return Buffer.from(Array.from({ length }, (_, index) => (sequence * 31 + index * 7) % 256))
}

export function payloadsOf(firstSequence: number, count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => payloadOf(firstSequence + index))
}

/** How many records the batch with this number has. */
export function batchSize(batch: number): number {
  return 1 + ((batch * 5) % 7)
}

export async function open(disk: Disk, segmentBytesMax = 1_500, sync: JournalSync = 'sync', spare = false) {
  return openFileJournal(directory, { disk, segmentBytesMax, sync, spare, now: () => 0 })
}

/** Appends so many batches and answers the sequence after each. */
export async function appendBatches(journal: Journal, batches: number): Promise<number[]> {
  const ends: number[] = []
  for (let batch = 0; batch < batches; batch++) {
    const first = journal.lastSequence + 1
    await journal.append(first, payloadsOf(first, batchSize(batch)))
    ends.push(journal.lastSequence)
  }
  return ends
}

/** Replays from a record to the end, checks that each is the right one, and answers how many there were. */
export async function replayAll(journal: Journal, fromSequence = 1): Promise<number> {
  let next = fromSequence
  await journal.replay(fromSequence, (sequence, payload) => {
    assert.equal(sequence, next, 'records come in order, each once')
    assert(payloadOf(sequence).equals(payload), `record ${sequence} is what was written`)
    next += 1
  })
  assert.equal(next, Math.max(journal.lastSequence + 1, fromSequence), 'replay reaches the last record')
  return next - fromSequence
}
