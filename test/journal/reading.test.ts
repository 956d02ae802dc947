/**
 * Reading what is there: files larger than the reading window, disks that answer less than they said, bytes that verify and
 * still are nothing that was ever written. Either the records come, or an error names what was wrong.
 */
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { BatchAssembly } from '../../src/journal/batch.ts'
import { readWhole } from '../../src/journal/disk.ts'
import { bodyIsWellFormed, encodeBatchHeader, encodeSegmentHeader } from '../../src/journal/format.ts'
import {
  type Disk,
  type DiskFile,
  JournalDamaged,
  JournalFailed,
  openFileJournal,
  openSnapshots,
  readJournal,
  SnapshotDamaged,
} from '../../src/journal/journal.ts'
import { appendBatches, directory, open, payloadOf, payloadsOf, replayAll } from './material.ts'
import { SimulatedDisk } from './simulated-disk.ts'

const path = `${directory}/00000000000000000001.journal`
const batchHeaderBytes = 36

describe('segments', () => {
  test('larger than the window that they are read through come back whole', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 10_000_000)
    // 25 batches of 100 kB: batches and headers of batches lie across the ends of the window of 1 MiB.
    for (let next = 1; next <= 25; next++) await journal.append(next, [Buffer.alloc(100_000 + next, next)])
    await journal.close()
    const { journal: again } = await open(disk, 10_000_000)
    const seen: string[] = []
    await again.replay(1, (sequence, payload) => seen.push(`${sequence}: ${payload.length} of ${payload[0]}`))
    expect(seen).toEqual(Array.from({ length: 25 }, (_, at) => `${at + 1}: ${100_001 + at} of ${at + 1}`))
  })

  test('whose batch header lies just beyond the window', async () => {
    const mebibyte = 1024 * 1024
    for (const beyond of [-1, 0, 1, batchHeaderBytes - 1, batchHeaderBytes]) {
      const disk = new SimulatedDisk()
      const { journal } = await open(disk, 10_000_000)
      // 28 of segment header, 36 of batch header, 4 of record header, 4 of end mark.
      await journal.append(1, [Buffer.alloc(mebibyte - 72 - beyond, 1)])
      await journal.append(2, [Buffer.from('two')])
      const seen: number[] = []
      await journal.replay(1, (sequence) => seen.push(sequence))
      expect(seen, `${beyond} bytes of the second header beyond the window`).toEqual([1, 2])
      expect((await open(disk, 10_000_000)).journal.lastSequence).toBe(2)
    }
  })

  test('the pause that a reader asks for is waited for before the next batch is read', async () => {
    const { journal } = await open(new SimulatedDisk())
    await appendBatches(journal, 4)
    const said: string[] = []
    const pause = async () => {
      said.push('pause')
      await Promise.resolve()
      said.push('over')
    }
    await journal.replay(1, (sequence) => said.push(String(sequence)), pause)
    expect(said.join(' ')).toBe('1 pause over 2 3 4 5 6 7 pause over 8 9 10 11 pause over 12 13 pause over')
  })

  test('are read as another process described them', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk)
    await appendBatches(journal, 20)
    const reader = readJournal(journal.segments(), disk)
    const last = journal.lastSequence
    await appendBatches(journal, 5)
    const seen: number[] = []
    await reader.replay(7, (sequence) => seen.push(sequence))
    expect(seen).toEqual(Array.from({ length: last - 6 }, (_, at) => at + 7))
  })
})

describe('a batch that verifies and was never written so', () => {
  /** A journal of one batch with this body, all checksums right. */
  async function journalOf(body: Buffer, records: number): Promise<SimulatedDisk> {
    const header = encodeSegmentHeader(1, 0)
    const batch = Buffer.alloc(batchHeaderBytes)
    encodeBatchHeader(batch, {
      records,
      firstSequence: 1,
      bodyBytes: body.length,
      blankSectors: 0,
      previousChain: header.chain,
      bodyCrc: crc32(body),
    })
    const disk = new SimulatedDisk()
    await openFileJournal(directory, { disk })
    // The chain that a first segment begins with stands in the file that is there.
    const first = disk.bytesOf(path)
    batch.writeUInt32LE(first.readUInt32LE(24), 24)
    batch.writeUInt32LE(crc32(batch.subarray(0, 32)), 32)
    disk.put(path, Buffer.concat([first, batch, body]))
    return disk
  }

  test.each([
    ['a record longer than the body', '09000000 61 fe4e65ff', 1],
    ['fewer records than stated', '01000000 61 fe4e65ff', 2],
    ['no end mark', '01000000 61 00000000', 1],
    ['nothing', '', 1],
    ['a length cut off', '010000', 1],
  ])('%s: damage, reported with its place', async (_what, hex, records) => {
    const body = Buffer.from(hex.replaceAll(' ', ''), 'hex')
    expect(bodyIsWellFormed(body, records)).toBe(false)
    const refusal = await open(await journalOf(body, records)).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(JournalDamaged)
    expect(refusal).toMatchObject({ file: path, offset: 28, reason: 'the lengths of the records do not add up' })
  })

  test('the same with a body that adds up is read', async () => {
    const body = Buffer.from('0100000061fe4e65ff', 'hex')
    expect((await open(await journalOf(body, 1))).journal.lastSequence).toBe(1)
  })
})

/** The disk, with files that say they are so many bytes longer than what can be read of them. */
function boasting(disk: SimulatedDisk, more: number, only: (path: string) => boolean = () => true): Disk {
  const boast = (file: DiskFile): DiskFile => ({ ...file, size: () => file.size().then((size) => size + more) })
  return {
    makeDirectory: () => disk.makeDirectory(),
    list: (at) => disk.list(at),
    create: (at) => disk.create(at),
    open: async (at) => (only(at) ? boast(await disk.open(at)) : disk.open(at)),
    rename: (from, to) => disk.rename(from, to),
    unlink: (at) => disk.unlink(at),
    syncDirectory: (at) => disk.syncDirectory(at),
  }
}

describe('a disk that gives less than it said', () => {
  test.each([
    ['a batch header', 36],
    ['a batch', 500],
    ['two windows', 2_500_000],
  ])('by %s: the journal does not open, and nothing is cut off', async (_what, more) => {
    const disk = new SimulatedDisk()
    await appendBatches((await open(disk)).journal, 3)
    const before = disk.copy()
    const refusal = await open(boasting(disk, more)).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(JournalFailed)
    expect(disk.bytesOf(path).equals(before.bytesOf(path))).toBe(true)
    expect(await replayAll((await open(disk)).journal)).toBeGreaterThan(0)
  })

  test('or by all of it: reading is what failed', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk)
    await appendBatches(journal, 3)
    disk.put(path, disk.bytesOf(path).subarray(0, 10))
    await expect(journal.replay(1, () => undefined)).rejects.toThrow(
      'journal failed while reading: the file is shorter than',
    )
  })

  test('of a snapshot: the older one is taken', async () => {
    const disk = new SimulatedDisk()
    const snapshots = '/data/snapshots'
    const healthy = await openSnapshots(snapshots, { disk })
    for (const sequence of [10, 20]) await healthy.save(sequence, 'hash', [Buffer.alloc(5_000, 'orders')])
    const lying = boasting(disk, 28, (at) => at.endsWith('20.snapshot'))
    const { snapshot, damaged } = await (await openSnapshots(snapshots, { disk: lying })).newest()
    expect([snapshot?.sequence, damaged.length]).toEqual([10, 1])
  })

  test('reading whole ends where the file ends', async () => {
    const disk = new SimulatedDisk()
    disk.put('/data/file', Buffer.from('abc'))
    const into = Buffer.alloc(5, '-')
    expect(await readWhole(await disk.open('/data/file'), into, 1)).toBe(2)
    expect(into.toString()).toBe('bc---')
  })
})

describe('a snapshot that verifies and cannot be read', () => {
  const file = '/data/00000000000000000007.snapshot'

  async function saved(): Promise<SimulatedDisk> {
    const disk = new SimulatedDisk()
    await (await openSnapshots('/data', { disk })).save(7, 'abc', [Buffer.from('state'), Buffer.from('more')])
    return disk
  }

  test('of a later version: refused by the name of the version', async () => {
    const disk = await saved()
    const bytes = disk.bytesOf(file)
    const headEnd = 16 + bytes.readUInt32LE(12)
    bytes.writeUInt32LE(2, 8)
    bytes.writeUInt32LE(crc32(bytes.subarray(0, headEnd)), headEnd)
    disk.put(file, bytes)
    const { snapshot, damaged } = await (await openSnapshots('/data', { disk })).newest()
    expect([snapshot, damaged]).toEqual([
      undefined,
      [{ file, offset: 0, reason: 'the format version is 2; this program reads 1' }],
    ])
  })

  test.each([
    ['a chunk that is not zstd', (chunk: Buffer) => chunk.fill(7), 5],
    ['a chunk of another length than stated', (chunk: Buffer) => chunk, 6],
  ])('%s: damage, reported when it is unpacked', async (_what, change, plainBytes) => {
    const disk = await saved()
    const bytes = disk.bytesOf(file)
    const frame = 16 + bytes.readUInt32LE(12) + 4
    const storedBytes = bytes.readUInt32LE(frame + 12)
    const stored = change(bytes.subarray(frame + 28, frame + 28 + storedBytes))
    bytes.writeUInt32LE(plainBytes, frame + 8)
    bytes.writeUInt32LE(crc32(stored), frame + 16)
    // Each frame has the checksum of the one before, to the end.
    for (let at = frame, chain = bytes.readUInt32LE(frame + 20); at < bytes.length; ) {
      bytes.writeUInt32LE(chain, at + 20)
      chain = crc32(bytes.subarray(at, at + 24))
      bytes.writeUInt32LE(chain, at + 24)
      at += 28 + bytes.readUInt32LE(at + 12)
    }
    disk.put(file, bytes)
    const { snapshot } = await (await openSnapshots('/data', { disk })).newest()
    const refusal = await Array.fromAsync(snapshot!.chunks()).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(SnapshotDamaged)
    expect(refusal).toMatchObject({ file, offset: frame, reason: 'the chunk cannot be unpacked' })
  })
})

describe('an open journal', () => {
  test('that failed says so once: closing it is quiet, even when that fails too', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk)
    disk.before = (call) => (call === 'sync' || call === 'close' ? 'EIO' : undefined)
    await expect(journal.append(1, payloadsOf(1, 1))).rejects.toThrow(JournalFailed)
    await journal.close()
    expect(journal.stats().failed).toBe(true)
  })

  test('that cannot be closed says so', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk)
    await journal.append(1, payloadsOf(1, 1))
    disk.before = (call) => (call === 'close' ? 'EIO' : undefined)
    await expect(journal.close()).rejects.toThrow('journal failed while closing')
  })

  test('removes what a running replay is past', async () => {
    const { journal } = await open(new SimulatedDisk(), 1)
    await appendBatches(journal, 6)
    const { segments } = journal.stats()
    const last = journal.lastSequence
    const replay = replayAll(journal, last)
    expect(await journal.removeThrough(last)).toBe(segments - 1)
    await replay
    expect(journal.stats().firstSequence).toBeLessThanOrEqual(last)
  })

  test('says how long its syncs took, and how many there were', async () => {
    const disk = new SimulatedDisk()
    let now = 0
    const { journal } = await openFileJournal(directory, { disk, now: () => now })
    for (const [next, took] of [3, 9, 4].entries()) {
      disk.before = (call) => {
        if (call === 'sync') now += took
        return undefined
      }
      await journal.append(next + 1, [payloadOf(next + 1)])
    }
    expect(journal.stats()).toMatchObject({ batches: 3, syncs: 3, syncMsLast: 4, syncMsMax: 9, failed: false })
  })
})

test('a batch is assembled in memory that is used again, however large the one before was', () => {
  const assembly = new BatchAssembly()
  const place = { firstSequence: 1, previousChain: 5, position: 28 }
  const small = Buffer.from(assembly.assemble([Buffer.from('a')], place))
  const { chain } = assembly
  assembly.assemble([Buffer.alloc(300_000, 'x')], place)
  expect(assembly.chain).not.toBe(chain)
  expect(assembly.assemble([Buffer.from('a')], place).equals(small)).toBe(true)
  expect(assembly.chain).toBe(chain)
})
