/**
 * After every single call that changes the disk the process is killed, or power is lost in every way that it can be lost.
 * What is found must hold all that was acknowledged and nothing by halves, and must be good to go on with.
 */
import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { openFileJournal, openSnapshots, type Disk, type JournalSync } from '../../src/journal/journal.ts'
import { batchSize, directory, open, payloadOf, payloadsOf, replayAll } from './material.ts'
import { seeded, SimulatedDisk, type PowerLoss } from './simulated-disk.ts'

const snapshotDirectory = '/data/snapshots'
const losses: readonly PowerLoss[] = ['lost', 'kept', 'torn', 'sectors', 'sectors']
type End = PowerLoss | 'killed'
const ends: readonly End[] = [...losses, 'killed']

interface Acknowledged {
  last: number
  snapshot: number
  /** Where batches end. */
  readonly ends: Set<number>
}

test.each([
  ['segments that grow', false, 'sync', 100],
  // A batch that was lost as a whole leaves the zeros as they were.
  ['segments of zeros', true, 'sync', 50],
  ['syncs that follow, segments that grow', false, 'behind', 100],
  ['syncs that follow, segments of zeros', true, 'behind', 50],
] as const)(
  'every crash point of 60 batches with rotation, snapshots and removal, %s',
  async (_kind, spare, sync, repairsMin) => {
    const disk = new SimulatedDisk()
    const acknowledged: Acknowledged = { last: 0, snapshot: 0, ends: new Set([0]) }
    const random = seeded(1)
    let points = 0
    let repairs = 0
    disk.after = async () => {
      points += 1
      for (const end of ends) {
        const repaired = await checkWhatIsFound(
          foundAfter(disk, end, random),
          acknowledged,
          random,
          spare,
          `point ${points}, ${end}`,
        )
        if (repaired) repairs += 1
      }
    }
    await work(disk, 60, acknowledged, spare, sync)
    // The scenario must contain what it claims to cover.
    expect(points).toBeGreaterThan(200)
    expect(repairs).toBeGreaterThan(repairsMin)
  },
)

function foundAfter(disk: SimulatedDisk, end: End, random: () => number): SimulatedDisk {
  return end === 'killed' ? disk.afterKill() : disk.afterPowerLoss(end, random)
}

/** Opens what is found; on the way it may end once more. Answers whether a torn tail was cut off. */
async function checkWhatIsFound(
  found: SimulatedDisk,
  acknowledged: Acknowledged,
  random: () => number,
  spare: boolean,
  where: string,
): Promise<boolean> {
  let disk = found
  if (random() < 0.3) {
    const images: SimulatedDisk[] = []
    const end = ends[Math.floor(random() * ends.length)]
    found.after = async () => void images.push(foundAfter(found, end, random))
    await open(found, 1_500, 'sync', spare)
    disk = images[Math.floor(random() * images.length)]!
  }

  const { journal, repaired } = await open(disk, 1_500, 'sync', spare)
  const { lastSequence } = journal
  assert(lastSequence >= acknowledged.last, `${where}: ${acknowledged.last} was acknowledged, ${lastSequence} is there`)
  assert(acknowledged.ends.has(lastSequence), `${where}: ${lastSequence} is not the end of a batch`)
  const { firstSequence } = journal.stats()
  await replayAll(journal, firstSequence)

  const snapshots = await openSnapshots(snapshotDirectory, { disk })
  const { snapshot, damaged } = await snapshots.newest()
  assert.deepEqual(damaged, [], `${where}: no snapshot is found half written`)
  const standing = snapshot?.sequence ?? 0
  assert(standing >= acknowledged.snapshot, `${where}: snapshot ${acknowledged.snapshot} was acknowledged`)
  assert(firstSequence <= standing + 1, `${where}: the journal continues the snapshot`)
  if (snapshot !== undefined) {
    assert.equal(snapshot.stateHash, `hash of ${standing}`)
    assert.deepEqual(await Array.fromAsync(snapshot.chunks()), chunksOf(standing))
  }

  // The next run goes on from here, and what it acknowledges stays too.
  await journal.append(lastSequence + 1, payloadsOf(lastSequence + 1, 3))
  const after = await open(disk.afterPowerLoss('lost', random), 1_500, 'sync', spare)
  assert.equal(after.journal.lastSequence, lastSequence + 3, `${where}: the next run is durable`)
  assert.equal(after.repaired, undefined)
  await replayAll(after.journal, firstSequence)
  return repaired !== undefined
}

async function work(
  disk: Disk,
  batches: number,
  acknowledged: Acknowledged,
  spare: boolean,
  sync: JournalSync,
): Promise<void> {
  const { journal } = await openFileJournal(directory, { disk, segmentBytesMax: 1_500, spare, sync, now: () => 0 })
  const snapshots = await openSnapshots(snapshotDirectory, { disk })
  for (let batch = 1; batch <= batches; batch++) {
    const first = journal.lastSequence + 1
    acknowledged.ends.add(journal.lastSequence + batchSize(batch))
    await journal.append(first, payloadsOf(first, batchSize(batch)))
    // Where syncs follow, the batch before is durable.
    acknowledged.last = sync === 'behind' ? first - 1 : journal.lastSequence

    if (batch % 12 === 0) {
      await journal.settled()
      const sequence = (acknowledged.last = journal.lastSequence)
      await snapshots.save(sequence, `hash of ${sequence}`, chunksOf(sequence))
      acknowledged.snapshot = sequence
      await journal.removeThrough((await snapshots.list()).at(-1)!.sequence)
    }
  }
  assert((journal.stats().firstSequence ?? 0) > 1, 'segments were removed')
}

function chunksOf(sequence: number): Buffer[] {
  return [payloadOf(sequence), payloadOf(sequence + 1), Buffer.alloc(2_000, sequence % 256)]
}

test.each([
  ['the batch', 1_000_000],
  ['the header of a new segment', 1],
])('a failed sync of %s is made good by the next run', async (_what, segmentBytesMax) => {
  const disk = new SimulatedDisk()
  const { journal } = await open(disk, segmentBytesMax)
  await journal.append(1, payloadsOf(1, 2))
  disk.before = (call) => (call === 'sync' ? 'EIO' : undefined)
  await expect(journal.append(3, payloadsOf(3, 2))).rejects.toThrow('journal failed')
  disk.before = undefined

  // The system takes the pages for clean now, so that another sync alone would do nothing.
  const { journal: next, repaired } = await open(disk, 1_000_000)
  expect(repaired).toBeUndefined()
  await next.append(next.lastSequence + 1, payloadsOf(next.lastSequence + 1, 1))
  const { journal: found } = await open(disk.afterPowerLoss('lost', () => 0))
  expect(await replayAll(found)).toBe(next.lastSequence)
})
