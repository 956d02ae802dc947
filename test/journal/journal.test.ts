import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, readdir, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { JournalDamaged, openFileJournal, openSnapshots } from '../../src/journal/journal.ts'
import { segmentName } from '../../src/journal/format.ts'
import { appendBatches, batchSize, directory, open, payloadOf, payloadsOf, replayAll } from './material.ts'
import { SimulatedDisk } from './simulated-disk.ts'

describe('records', () => {
  test('an empty journal has no last record and replays nothing', async () => {
    const { journal, repaired } = await open(new SimulatedDisk())
    expect(repaired).toBeUndefined()
    expect(journal.lastSequence).toBe(0)
    expect(await replayAll(journal)).toBe(0)
  })

  test('come back in order, before and after the journal was closed', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk)
    const last = (await appendBatches(journal, 40)).at(-1)!
    expect(await replayAll(journal)).toBe(last)
    await journal.close()

    const { journal: again, repaired } = await open(disk)
    expect(repaired).toBeUndefined()
    expect(again.lastSequence).toBe(last)
    expect(await replayAll(again)).toBe(last)
  })

  test('replay from every record on, in the middle of batches and segments too', async () => {
    const { journal } = await open(new SimulatedDisk())
    const last = (await appendBatches(journal, 20)).at(-1)!
    for (let from = 1; from <= last + 1; from++) expect(await replayAll(journal, from)).toBe(last + 1 - from)
  })

  test('of a journal that continues another one begin behind its last, with its chain', async () => {
    const { journal: parent } = await open(new SimulatedDisk())
    await appendBatches(parent, 3)
    const { lastSequence, chain } = parent.segments().at(-1)!
    const disk = new SimulatedDisk()
    const begin = { firstSequence: lastSequence + 1, previousChain: chain }
    const openBranch = () => openFileJournal(directory, { disk, begin })
    const { journal: branch } = await openBranch()
    expect(branch.lastSequence).toBe(lastSequence)
    await appendBatches(branch, 4)
    const reached = branch.lastSequence
    await branch.close()
    const { journal: again } = await openBranch()
    expect(again.lastSequence).toBe(reached)
    expect(await replayAll(again, lastSequence + 1)).toBe(reached - lastSequence)
    await expect(again.replay(lastSequence, () => {})).rejects.toThrow(`record ${lastSequence} is gone`)
  })

  test('of a batch larger than any buffer', async () => {
    const { journal } = await open(new SimulatedDisk())
    await journal.append(1, [Buffer.alloc(3_000_000, 1), Buffer.alloc(5, 2)])
    const lengths: number[] = []
    await journal.replay(1, (_sequence, payload) => lengths.push(payload.length))
    expect(lengths).toEqual([3_000_000, 5])
  })

  test('appended during a replay are not part of it', async () => {
    const { journal } = await open(new SimulatedDisk())
    await appendBatches(journal, 5)
    const last = journal.lastSequence
    const seen: number[] = []
    const replay = journal.replay(1, (sequence) => seen.push(sequence))
    await appendBatches(journal, 5)
    await replay
    expect(seen.at(-1)).toBe(last)
  })

  test('what the visitor throws ends the replay and reaches the caller as it is', async () => {
    const { journal } = await open(new SimulatedDisk())
    await appendBatches(journal, 1)
    const bug = new Error('a bug of the visitor')
    await expect(
      journal.replay(1, () => {
        throw bug
      }),
    ).rejects.toBe(bug)
  })
})

describe('use that is a bug', () => {
  test.each([
    ['a gap', 2, [payloadOf(2)], 'without gap or repetition'],
    ['a repetition', 0, [payloadOf(1)], 'without gap or repetition'],
    ['an empty batch', 1, [], 'a batch has at least one record'],
    ['an empty record', 1, [Buffer.alloc(0)], 'a record is never empty'],
  ])('%s is refused and leaves nothing', async (_what, firstSequence, payloads, message) => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk)
    await expect(journal.append(firstSequence, payloads)).rejects.toThrow(message)
    const { journal: again, repaired } = await open(disk)
    expect([again.lastSequence, repaired]).toEqual([0, undefined])
  })

  test('a second append before the first has resolved', async () => {
    const { journal } = await open(new SimulatedDisk())
    const first = journal.append(1, payloadsOf(1, 1))
    await expect(journal.append(2, payloadsOf(2, 1))).rejects.toThrow('one append at a time')
    await first
    expect(journal.lastSequence).toBe(1)
  })

  test('anything after close', async () => {
    const { journal } = await open(new SimulatedDisk())
    await journal.close()
    await journal.close()
    await expect(journal.append(1, payloadsOf(1, 1))).rejects.toThrow('closed')
    await expect(journal.replay(1, () => undefined)).rejects.toThrow('closed')
    await expect(journal.removeThrough(1)).rejects.toThrow('closed')
  })
})

describe('segments', () => {
  test('follow each other once they have reached their size', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 1_000)
    await appendBatches(journal, 30)
    const sizes = disk.paths().map((path) => disk.bytesOf(path).length)
    expect(sizes.length).toBeGreaterThan(5)
    for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThanOrEqual(1_000)
    const { segments, bytes, firstSequence, lastSequence, batches } = journal.stats()
    expect({ segments, bytes, firstSequence, lastSequence, batches }).toEqual({
      segments: sizes.length,
      bytes: sizes.reduce((sum, size) => sum + size),
      firstSequence: 1,
      lastSequence: journal.lastSequence,
      batches: 30,
    })
  })

  test('are removed only whole, and the newest never', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 1_000)
    await appendBatches(journal, 30)
    const firsts = disk.paths().map((path) => Number(path.slice(-28, -8)))
    const [, second, third] = firsts as [number, number, number]

    expect(await journal.removeThrough(second - 2)).toBe(0)
    expect(await journal.removeThrough(second - 1)).toBe(1)
    expect(await journal.removeThrough(third - 1)).toBe(1)
    expect(journal.stats().firstSequence).toBe(third)
    await expect(journal.replay(third - 1, () => undefined)).rejects.toThrow(JournalDamaged)
    expect(await replayAll(journal, third)).toBe(journal.lastSequence + 1 - third)

    expect(await journal.removeThrough(journal.lastSequence)).toBe(firsts.length - 3)
    expect(disk.paths().length).toBe(1)
    await journal.close()
    const { journal: again } = await open(disk, 1_000)
    expect(again.lastSequence).toBe(journal.lastSequence)
    await appendBatches(again, 3)
    await replayAll(again, firsts.at(-1))
  })

  test('that a running replay still needs stay', async () => {
    const { journal } = await open(new SimulatedDisk(), 1_000)
    await appendBatches(journal, 30)
    const replay = replayAll(journal)
    expect(await journal.removeThrough(journal.lastSequence)).toBe(0)
    await replay
    expect(await journal.removeThrough(journal.lastSequence)).toBeGreaterThan(5)
  })

  test('of which all but an empty newest one are removed keep the last sequence', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 1)
    await appendBatches(journal, 2)
    const last = journal.lastSequence
    // The machine stops after the next segment was made and before its first batch is written.
    disk.before = (call) => (call === 'write' && disk.calls.at(-2) === 'close' ? 'EIO' : undefined)
    await expect(journal.append(last + 1, payloadsOf(last + 1, 1))).rejects.toThrow('EIO')
    disk.before = undefined

    const { journal: second } = await open(disk, 1)
    expect(await second.removeThrough(last)).toBe(2)
    await second.close()
    const { journal: third } = await open(disk, 1)
    expect([third.lastSequence, third.stats().firstSequence]).toEqual([last, last + 1])
  })
})

describe('durability', () => {
  test.each([
    ['sync', 20],
    ['behind', 20],
    ['os', 0],
  ] as const)('%s: 20 batches take %i syncs of batches', async (sync, syncs) => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 1_000_000, sync)
    const before = disk.count('sync')
    await appendBatches(journal, 20)
    await journal.settled()
    expect(disk.count('sync') - before).toBe(syncs)
    expect(journal.stats().syncs).toBe(syncs)
    expect(disk.calls.filter((call) => call === 'write').length).toBe(20 + 1) // one write per batch, one header
    await journal.close()
    expect(await replayAll((await open(disk.afterPowerLoss('lost', () => 0))).journal)).toBe(journal.lastSequence)
  })

  test('behind: a kill takes nothing that was acknowledged, and a loss of power the last batch at most', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 1_000, 'behind')
    const ends = await appendBatches(journal, 10)
    await journal.settled()
    // The last sync does not come to its end.
    disk.before = (call) => (call === 'sync' ? 'EIO' : undefined)
    const next = journal.lastSequence + 1
    await journal.append(next, payloadsOf(next, 3))
    expect((await open(disk.afterKill())).journal.lastSequence).toBe(next + 2)
    expect((await open(disk.afterPowerLoss('lost', () => 0))).journal.lastSequence).toBe(ends.at(-1))
  })

  test('behind: a sync that fails ends the journal, for who waits for it and for who appends next', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 1_000_000, 'behind')
    disk.before = (call) => (call === 'sync' ? 'EIO' : undefined)
    await journal.append(1, payloadsOf(1, 2))
    await expect(journal.settled()).rejects.toThrow('journal failed')
    await expect(journal.append(3, payloadsOf(3, 2))).rejects.toThrow('journal failed')
    expect(disk.syncsRetried).toBe(0)
  })

  test('os: a segment is durable before the next one begins', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 1_000, 'os')
    await appendBatches(journal, 20)
    const { journal: found } = await open(
      disk.afterPowerLoss('lost', () => 0),
      1_000,
      'os',
    )
    expect(found.lastSequence).toBe(Number(disk.paths().at(-1)!.slice(-28, -8)) - 1)
    await replayAll(found)
  })
})

test('on a real disk: journal and snapshots, reopened, with a torn end', async () => {
  const root = await mkdtemp(join(tmpdir(), 'journal-test-'))
  try {
    const data = join(root, 'data', 'journal')
    const first = await openFileJournal(data, { segmentBytesMax: 20_000 })
    for (let batch = 0; batch < 200; batch++) {
      const next = first.journal.lastSequence + 1
      await first.journal.append(next, payloadsOf(next, batchSize(batch)))
    }
    const last = first.journal.lastSequence
    await first.journal.close()

    const snapshots = await openSnapshots(join(root, 'data', 'snapshots'))
    await snapshots.save(last, 'hash', [Buffer.from('state')])
    const { snapshot } = await snapshots.newest()
    assert(snapshot !== undefined)
    expect(await Array.fromAsync(snapshot.chunks())).toEqual([Buffer.from('state')])

    const newest = join(data, (await readdir(data)).sort().at(-1)!)
    const { size } = await stat(newest)
    await truncate(newest, size - 1)
    const second = await openFileJournal(data)
    expect(second.repaired?.file).toBe(newest)
    expect(second.journal.lastSequence).toBe(last - batchSize(199))
    await replayAll(second.journal)
    expect(await second.journal.removeThrough(last)).toBeGreaterThan(1)
    await appendBatches(second.journal, 1)
    await second.journal.close()

    const third = await openFileJournal(data)
    expect(third.repaired).toBeUndefined()
    await replayAll(third.journal, third.journal.stats().firstSequence)
    await third.journal.close()
  } finally {
    await rm(root, { recursive: true })
  }
})

describe('segments of zeros', () => {
  const path = (first: number) => `${directory}/${segmentName(first)}`

  /** A journal whose newest segment was a spare, with some batches in it. */
  async function inSpare() {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 1_500, 'sync', true)
    while (journal.segments().length < 3) await appendBatches(journal, 1)
    await appendBatches(journal, 1)
    return { disk, journal, newest: journal.segments().at(-1)! }
  }

  test('the next one is there before it is needed, and its batches are written over zeros', async () => {
    const { disk, newest } = await inSpare()
    const bytes = disk.bytesOf(newest.path)
    expect(bytes.length).toBe(1_500)
    expect(bytes.subarray(newest.bytes).every((byte) => byte === 0)).toBe(true)
    expect(bytes.subarray(0, newest.bytes).at(-1)).not.toBe(0)
  })

  test('a small journal has none', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 1_000_000, 'sync', true)
    await appendBatches(journal, 10)
    expect(disk.paths()).toEqual([path(1)])
    expect(disk.bytesOf(path(1)).length).toBe(journal.segments()[0]?.bytes)
  })

  test('a killed journal goes on over the zeros that it had; a closed one ends with its last batch', async () => {
    const { disk, newest } = await inSpare()
    const killed = disk.afterKill()
    const { journal, repaired } = await open(killed, 1_500, 'sync', true)
    expect(repaired).toBe(undefined)
    expect(killed.bytesOf(newest.path).length).toBe(1_500)
    await appendBatches(journal, 1)
    expect(killed.bytesOf(newest.path).length).toBe(1_500)
    await journal.close()
    expect(killed.bytesOf(newest.path).length).toBe(journal.segments().at(-1)?.bytes)
    expect(killed.paths().filter((name) => name.endsWith('/spare'))).toEqual([])
    const { journal: next } = await open(killed.copy())
    await replayAll(next)
  })

  test('a spare that a killed journal left is removed', async () => {
    const disk = new SimulatedDisk()
    disk.put(`${directory}/spare`, Buffer.alloc(700))
    await open(disk, 1_500, 'sync', true)
    expect(disk.paths()).toEqual([path(1)])
  })

  test('a disk that has no room for a spare has room for batches', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 1_500, 'sync', true)
    disk.before = (call) => (call === 'create' && disk.paths().length === 1 ? 'ENOSPC' : undefined)
    await appendBatches(journal, 2)
    disk.before = undefined
    while (journal.segments().length < 4) await appendBatches(journal, 1)
    await replayAll(journal)
    expect(journal.stats().failed).toBe(false)
  })
})
