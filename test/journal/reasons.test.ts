/** What is said of each kind of damage: a person who reads it has to know what to look for. */
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { encodeSegmentHeader } from '../../src/journal/format.ts'
import { fileDisk, JournalDamaged, JournalFailed, openSnapshots, SnapshotFailed } from '../../src/journal/journal.ts'
import { appendBatches, batchSize, directory, open, payloadsOf, replayAll } from './material.ts'
import { SimulatedDisk } from './simulated-disk.ts'

const segmentHeaderBytes = 28
const batchHeaderBytes = 36

/** Segments of a few batches each; the newest ends with a whole batch. */
async function segments(): Promise<{ disk: SimulatedDisk; paths: string[] }> {
  const disk = new SimulatedDisk()
  const { journal } = await open(disk, 2_000)
  await appendBatches(journal, 20)
  return { disk, paths: disk.paths() }
}

function flip(bytes: Buffer, at: number): Buffer {
  bytes[at] ^= 1
  return bytes
}

/** A batch header with a field changed and its checksum made right again. */
function resealed(bytes: Buffer, field: number, change: (value: number) => number): Buffer {
  const start = segmentHeaderBytes
  bytes.writeUInt32LE(change(bytes.readUInt32LE(start + field)), start + field)
  bytes.writeUInt32LE(crc32(bytes.subarray(start, start + 32)), start + 32)
  return bytes
}

describe('a segment', () => {
  test.each<[string, (bytes: Buffer) => Buffer, reason: string, offset: number]>([
    ['cut in its header', (bytes) => bytes.subarray(0, 27), 'the file ends inside the segment header', 0],
    ['of something else', (bytes) => flip(bytes, 3), 'this is not a journal segment', 0],
    ['of a changed header', (bytes) => flip(bytes, 13), 'the segment header does not match its checksum', 0],
    ['cut in a batch header', (bytes) => bytes.subarray(0, 28 + 35), 'the file ends inside a batch header', 28],
    ['of a changed batch header', (bytes) => flip(bytes, 28 + 5), 'no batch header verifies here', 28],
    ['cut in a batch', (bytes) => bytes.subarray(0, 28 + 36), 'the file ends inside a batch', 28],
    ['of a changed record', (bytes) => flip(bytes, 28 + 40), 'the batch does not match its checksum', 28],
    [
      'of a batch that comes too late',
      (bytes) => resealed(bytes, 8, (first) => first + 1),
      'the batch starts with record 2 where 1 is due',
      28,
    ],
    [
      'of a batch of another history',
      (bytes) => resealed(bytes, 24, (chain) => (chain ^ 1) >>> 0),
      'the batch does not continue the one before',
      28,
    ],
    [
      'under another’s name',
      (bytes) => Buffer.concat([encodeSegmentHeader(5, 0).bytes, bytes.subarray(28)]),
      'the segment holds records from 5 on, which its name denies',
      0,
    ],
    [
      'that continues one before the first',
      () => encodeSegmentHeader(1, 5).bytes,
      'the first segment continues another',
      0,
    ],
  ])('%s', async (_what, change, reason, offset) => {
    const { disk, paths } = await segments()
    const [file] = paths
    disk.put(file, change(disk.bytesOf(file)))
    const refusal = await open(disk).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(JournalDamaged)
    expect(refusal).toMatchObject({ file, offset, reason })
    expect((refusal as Error).message).toBe(`journal damaged: ${file} at offset ${offset}: ${reason}`)
  })

  test('behind one that is missing, and behind one of another history', async () => {
    const { disk, paths } = await segments()
    const starts = paths.map((path) => Number(path.slice(-28, -8)))
    const gone = disk.copy()
    gone.remove(paths[1])
    await expect(open(gone)).rejects.toThrow(
      `${paths[2]} at offset 0: the segment starts with record ${starts[2]} where ${starts[1]} is due`,
    )

    const other = new SimulatedDisk()
    const { journal } = await open(other, 2_000)
    for (let batch = 0; batch < 20; batch++) {
      const first = journal.lastSequence + 1
      const payloads = payloadsOf(first, batchSize(batch))
      await journal.append(
        first,
        payloads.map((payload) => payload.fill(7)),
      )
    }
    disk.put(paths[0], other.bytesOf(paths[0]))
    await expect(open(disk)).rejects.toThrow(`${paths[1]} at offset 0: the segment does not continue the one before`)
  })

  test('has no record before the first', async () => {
    const { journal } = await open(new SimulatedDisk())
    await expect(journal.replay(0, () => undefined)).rejects.toThrow('the first record has sequence 1')
  })
})

describe('a snapshot', () => {
  const file = '/data/00000000000000000007.snapshot'
  const headEnd = 16 + '{"sequence":7,"stateHash":"abc"}'.length + 4

  async function saved(): Promise<SimulatedDisk> {
    const disk = new SimulatedDisk()
    const chunks = [Buffer.from('state'), Buffer.from('more')]
    await (await openSnapshots('/data', { disk })).save(7, 'abc', chunks)
    return disk
  }

  /** Each frame gets the checksum of the one before, to the end. */
  function rechained(bytes: Buffer): Buffer {
    for (let at = headEnd, chain = bytes.readUInt32LE(headEnd + 20); at < bytes.length; ) {
      bytes.writeUInt32LE(chain, at + 20)
      chain = crc32(bytes.subarray(at, at + 24))
      bytes.writeUInt32LE(chain, at + 24)
      at += 28 + bytes.readUInt32LE(at + 12)
    }
    return bytes
  }

  test.each<[string, (bytes: Buffer) => Buffer, reason: string, offset: number]>([
    ['of nothing', (bytes) => bytes.subarray(0, 0), 'the file ends inside the head', 0],
    ['cut in the fixed part of its head', (bytes) => bytes.subarray(0, 15), 'the file ends inside the head', 0],
    ['cut behind it', (bytes) => bytes.subarray(0, 16), 'the file ends inside the head', 0],
    ['cut before the end of its head', (bytes) => bytes.subarray(0, headEnd - 1), 'the file ends inside the head', 0],
    ['of something else', (bytes) => flip(bytes, 3), 'this is not a snapshot', 0],
    ['of a changed description', (bytes) => flip(bytes, 20), 'the head does not match its checksum', 0],
    ['cut behind its head', (bytes) => bytes.subarray(0, headEnd), 'the file ends before the end frame', headEnd],
    ['cut in a frame', (bytes) => bytes.subarray(0, headEnd + 27), 'the file ends before the end frame', headEnd],
    ['of a changed frame', (bytes) => flip(bytes, headEnd + 9), 'the frame does not match its checksum', headEnd],
    ['cut behind a frame', (bytes) => bytes.subarray(0, headEnd + 28), 'the file ends inside a chunk', headEnd],
    ['cut in a chunk', (bytes) => bytes.subarray(0, headEnd + 30), 'the file ends inside a chunk', headEnd],
    ['of a changed chunk', (bytes) => flip(bytes, headEnd + 30), 'the chunk does not match its checksum', headEnd],
    [
      'of a chunk with another’s number',
      (bytes) => {
        bytes.writeUInt32LE(1, headEnd + 4)
        return rechained(bytes)
      },
      'the frame does not continue the one before',
      headEnd,
    ],
    [
      'with more behind its end',
      (bytes) => Buffer.concat([bytes, Buffer.alloc(1)]),
      'something follows the end frame',
      -1,
    ],
  ])('%s', async (_what, change, reason, offset) => {
    const disk = await saved()
    disk.put(file, change(disk.bytesOf(file)))
    const { snapshot, damaged } = await (await openSnapshots('/data', { disk })).newest()
    expect(snapshot).toBeUndefined()
    expect(damaged).toMatchObject([{ file, reason }])
    if (offset >= 0) expect(damaged[0]?.offset).toBe(offset)
  })

  test('that is exactly as long as it says is whole', async () => {
    const { snapshot } = await (await openSnapshots('/data', { disk: await saved() })).newest()
    expect(await Array.fromAsync(snapshot!.chunks())).toEqual([Buffer.from('state'), Buffer.from('more')])
  })

  test.each([-1, 0.5, Number.NaN, 2 ** 53])('of %d records is a bug', async (sequence) => {
    const disk = new SimulatedDisk()
    const snapshots = await openSnapshots('/data', { disk })
    await expect(snapshots.save(sequence, 'abc', [])).rejects.toThrow('a sequence is a whole number')
    expect(disk.paths()).toEqual([])
    await snapshots.save(0, 'abc', [])
  })

  test.each([
    ['saving', 'create'],
    ['saving', 'write'],
    ['removing old snapshots', 'unlink'],
    ['listing', 'list'],
    ['reading', 'read'],
  ] as const)('trouble with %s (%s) is reported with its cause, and no file stays open', async (doing, failing) => {
    const disk = new SimulatedDisk()
    const snapshots = await openSnapshots('/data', { disk, keep: 1 })
    await snapshots.save(1, 'abc', [Buffer.from('state')])
    const before = disk.calls.length
    disk.before = (call) => (call === failing ? 'EIO' : undefined)
    const work = doing === 'listing' || doing === 'reading' ? snapshots.newest() : snapshots.save(2, 'abc', [])
    const refusal = await work.then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(refusal).toBeInstanceOf(SnapshotFailed)
    expect(refusal).toMatchObject({
      name: 'SnapshotFailed',
      message: expect.stringMatching(`^snapshot failed while ${doing}: EIO`),
      cause: { code: 'EIO' },
    })
    const opened = disk.calls.slice(before).filter((call) => call === 'open' || call === 'create')
    const closed = disk.calls.slice(before).filter((call) => call === 'close')
    expect(closed.length).toBe(failing === 'create' ? 0 : opened.length)
  })
})

describe('an open journal', () => {
  test('keeps what a replay from the last record of the oldest segment needs', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 1)
    await appendBatches(journal, 6)
    const [oldest] = journal.segments()
    const replay = replayAll(journal, oldest.lastSequence)
    expect(await journal.removeThrough(journal.lastSequence)).toBe(0)
    await replay
  })

  test('removes one time after the other', async () => {
    const { journal } = await open(new SimulatedDisk(), 1)
    await appendBatches(journal, 6)
    const first = journal.removeThrough(1)
    await expect(journal.removeThrough(7)).rejects.toThrow('one removal at a time')
    expect(await first).toBe(1)
    expect(await journal.removeThrough(7)).toBe(1)
  })

  test('opens no segment that lies before the first record that is asked for', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 1)
    await appendBatches(journal, 6)
    const before = disk.count('open')
    await replayAll(journal, journal.lastSequence)
    expect(disk.count('open') - before).toBe(1)
  })

  test('says what it was doing when the disk refused', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk)
    disk.before = (call) => (call === 'write' ? 'EIO' : undefined)
    const refusal = await journal.append(1, payloadsOf(1, 1)).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(JournalFailed)
    expect(refusal).toMatchObject({ name: 'JournalFailed', cause: { code: 'EIO' } })
    expect((refusal as Error).message).toMatch(/^journal failed while appending: EIO/)
  })
})

test('a directory that is not there cannot be made durable', async () => {
  await expect(fileDisk.syncDirectory(`${import.meta.dirname}/nowhere`)).rejects.toThrow('ENOENT')
  await fileDisk.syncDirectory(import.meta.dirname)
})

test('the sizes that the tests above count with', () => {
  expect(encodeSegmentHeader(1, 0).bytes.length).toBe(segmentHeaderBytes)
  expect(segmentHeaderBytes + batchHeaderBytes).toBe(64)
  expect(directory).toBe('/data/journal')
})
