/** Each call to the disk fails once, in each way. The journal refuses cleanly, and nothing acknowledged is lost. */
import assert from 'node:assert/strict'
import { describe, expect, test } from 'vitest'
import { JournalFailed, openFileJournal, openSnapshots, SnapshotFailed } from '../../src/journal/journal.ts'
import { appendBatches, batchSize, directory, open, payloadOf, payloadsOf, replayAll } from './material.ts'
import { SimulatedDisk, type Call, type FaultKind } from './simulated-disk.ts'

const kinds: readonly FaultKind[] = ['EIO', 'ENOSPC', 'EMFILE', 'short']
const snapshotDirectory = '/data/snapshots'

const ways = kinds.flatMap((kind) => [
  [kind, 'segments that grow', false] as const,
  [kind, 'segments of zeros', true] as const,
])

test.each(ways)('%s at the n-th call, for every n, %s', async (kind, _segments, spare) => {
  const healthy = await workUntilRefused(new SimulatedDisk(), spare)
  expect(healthy.refusals).toEqual([])
  for (let n = 1; n <= healthy.calls; n++) {
    const disk = new SimulatedDisk()
    let failed: Call | undefined
    disk.before = (call, number) => {
      if (number !== n) return undefined
      failed = call
      return kind
    }
    const { acknowledged, snapshot, refusals } = await workUntilRefused(disk, spare)
    const where = `${kind} at call ${n}, ${failed}`
    for (const refusal of refusals) {
      assert(refusal instanceof JournalFailed || refusal instanceof SnapshotFailed, `${where}: ${String(refusal)}`)
      assert(refusal.cause !== undefined, `${where}: the cause is named`)
    }
    if (kind === 'short') assert.deepEqual(refusals, [], `${where}: one short call is continued`)

    disk.before = undefined
    for (const found of [disk, disk.afterPowerLoss('lost', () => 0)]) {
      const { journal } = await open(found, 700, 'sync', spare)
      assert(journal.lastSequence >= acknowledged, `${where}: ${acknowledged} was acknowledged`)
      await replayAll(journal, journal.stats().firstSequence)
      await appendBatches(journal, 2)
      const snapshots = await openSnapshots(snapshotDirectory, { disk: found })
      const { snapshot: standing, damaged } = await snapshots.newest()
      assert.deepEqual(damaged, [], where)
      assert((standing?.sequence ?? 0) >= snapshot, `${where}: snapshot ${snapshot} was acknowledged`)
      await snapshots.save(journal.lastSequence, 'hash', [payloadOf(1)])
      assert(!found.paths().some((path) => path.endsWith('.unfinished')), `${where}: nothing half written stays`)
    }
  }
})

/** Goes on after a refusal wherever that is allowed, as a careless caller would. */
async function workUntilRefused(disk: SimulatedDisk, spare: boolean) {
  const refusals: unknown[] = []
  let acknowledged = 0
  let snapshot = 0
  const attempt = async (work: () => Promise<void>) => {
    await work().catch((error: unknown) => refusals.push(error))
  }
  await attempt(async () => {
    const { journal } = await openFileJournal(directory, { disk, segmentBytesMax: 700, spare, now: () => 0 })
    for (let batch = 0; batch < 8; batch++) {
      const first = journal.lastSequence + 1
      await attempt(async () => {
        await journal.append(first, payloadsOf(first, batchSize(batch)))
        acknowledged = journal.lastSequence
      })
    }
    await attempt(async () => assert.equal(await replayAll(journal), journal.lastSequence))
    await attempt(async () => {
      const snapshots = await openSnapshots(snapshotDirectory, { disk, keep: 1 })
      for (const sequence of [3, acknowledged]) {
        await snapshots.save(sequence, 'hash', [payloadOf(1), payloadOf(2)])
        snapshot = sequence
      }
      for await (const _chunk of (await snapshots.newest()).snapshot!.chunks()) continue
      await journal.removeThrough(snapshot)
    })
    await attempt(() => journal.close())
  })
  return { acknowledged, snapshot, refusals, calls: disk.calls.length }
}

describe('a failed journal', () => {
  test.each<[Call, FaultKind]>([
    ['write', 'EIO'],
    ['write', 'ENOSPC'],
    ['sync', 'EIO'],
    ['sync', 'ENOSPC'],
  ])('stays failed after one %s with %s, and touches the disk no more', async (failing, kind) => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk)
    await appendBatches(journal, 3)
    const last = journal.lastSequence
    let faults = 0
    disk.before = (call) => (call === failing && faults++ === 0 ? kind : undefined)

    const refusal = await journal.append(last + 1, payloadsOf(last + 1, 1)).catch((error: unknown) => error)
    assert(refusal instanceof JournalFailed)
    expect((refusal.cause as { code?: string }).code).toBe(kind)
    const calls = disk.calls.length
    await expect(journal.append(last + 1, payloadsOf(last + 1, 1))).rejects.toThrow(JournalFailed)
    await expect(journal.append(last + 2, payloadsOf(last + 2, 1))).rejects.toThrow(JournalFailed)
    await expect(journal.removeThrough(last)).rejects.toThrow(JournalFailed)
    expect(disk.calls.length).toBe(calls)
    expect(journal.lastSequence).toBe(last)
    expect(journal.stats().failed).toBe(true)

    // It still reads, and it closes without a sync.
    expect(await replayAll(journal)).toBe(last)
    const syncs = disk.count('sync')
    await journal.close()
    expect(disk.count('sync')).toBe(syncs)
  })

  test('a write that stays short twice fails it', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk)
    disk.before = (call) => (call === 'write' ? 'short' : undefined)
    await expect(journal.append(1, payloadsOf(1, 3))).rejects.toThrow('short write')
    expect(disk.count('write')).toBe(1 + 2) // the header, the batch and its one continuation
    disk.before = undefined

    const { journal: next, repaired } = await open(disk)
    expect(next.lastSequence).toBe(0)
    expect(repaired?.offset).toBe(28)
  })
})

describe('removal', () => {
  test('that cannot unlink is refused, and the journal goes on', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 700)
    await appendBatches(journal, 8)
    disk.before = (call) => (call === 'unlink' ? 'EIO' : undefined)
    await expect(journal.removeThrough(journal.lastSequence)).rejects.toThrow(JournalFailed)
    disk.before = undefined
    await appendBatches(journal, 1)
    await replayAll(journal)
    expect(await journal.removeThrough(journal.lastSequence)).toBeGreaterThan(0)
  })
})
