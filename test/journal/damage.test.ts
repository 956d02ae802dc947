/**
 * What was acknowledged is changed on disk, in every way that is small enough to try them all. Either the journal says so,
 * with file and offset, or it is shorter by a batch that looks unfinished; never is it silently another one.
 */
import assert from 'node:assert/strict'
import { describe, expect, test } from 'vitest'
import { BatchAssembly } from '../../src/journal/batch.ts'
import { CHAIN_START, encodeSegmentHeader } from '../../src/journal/format.ts'
import { JournalDamaged } from '../../src/journal/journal.ts'
import { batchSize, directory, open, payloadOf, payloadsOf, replayAll } from './material.ts'
import { SimulatedDisk } from './simulated-disk.ts'

const segmentHeaderBytes = 28
const batchHeaderBytes = 36

interface BatchPlace {
  readonly path: string
  readonly start: number
  readonly end: number
  readonly lastSequence: number
}

/** Two segments of some batches each, and where each batch stands. */
async function twoSegments(payloadsFrom = payloadsOf): Promise<{ disk: SimulatedDisk; batches: BatchPlace[] }> {
  const disk = new SimulatedDisk()
  const { journal } = await open(disk, 2_600)
  const batches: BatchPlace[] = []
  for (let batch = 0; batch < 6; batch++) {
    const first = journal.lastSequence + 1
    await journal.append(first, payloadsFrom(first, batchSize(batch)))
    const path = disk.paths().at(-1)!
    const start = batches.findLast((other) => other.path === path)?.end ?? segmentHeaderBytes
    batches.push({ path, start, end: disk.bytesOf(path).length, lastSequence: journal.lastSequence })
  }
  const paths = disk.paths()
  assert.equal(paths.length, 2)
  for (const path of paths) assert(batches.filter((batch) => batch.path === path).length >= 3, 'three batches in each')
  return { disk, batches }
}

const { disk: healthy, batches } = await twoSegments()
const [older, newest] = healthy.paths() as [string, string]
const olderBatches = batches.filter((batch) => batch.path === older)
const newestBatches = batches.filter((batch) => batch.path === newest)

function withFile(path: string, change: (bytes: Buffer) => Buffer): SimulatedDisk {
  const disk = healthy.copy()
  disk.put(path, change(healthy.bytesOf(path)))
  return disk
}

/** Where the journal finds itself damaged when it is opened. It must be left as it was. */
async function damageIn(disk: SimulatedDisk): Promise<{ file: string; offset: number }> {
  const before = disk.copy()
  const refusal = await open(disk).catch((error: unknown) => error)
  assert(refusal instanceof JournalDamaged, `expected damage, got ${JSON.stringify(refusal)}`)
  assert.deepEqual(disk.paths(), before.paths())
  for (const path of disk.paths()) assert(disk.bytesOf(path).equals(before.bytesOf(path)), 'it is left as it was')
  return { file: refusal.file, offset: refusal.offset }
}

describe('a flipped bit', () => {
  test.each([
    ['older', older, olderBatches],
    ['newest', newest, newestBatches],
  ] as const)('anywhere in the %s segment is damage, reported with its batch', async (_which, path, places) => {
    const size = healthy.bytesOf(path).length
    for (let at = 0; at < size; at++) {
      const disk = withFile(path, (bytes) => {
        bytes[at] ^= 1 << ((at + Math.floor(at / 8)) % 8)
        return bytes
      })
      const batch = places.find((place) => at < place.end && at >= place.start)
      expect(await damageIn(disk), `bit at ${at}`).toEqual({ file: path, offset: batch?.start ?? 0 })
    }
  })

  test('every single bit of the last batch, though it would be easy to take it for unfinished', async () => {
    const { start, end } = newestBatches.at(-1)!
    for (let bit = start * 8; bit < end * 8; bit++) {
      const disk = withFile(newest, (bytes) => {
        bytes[Math.floor(bit / 8)] ^= 1 << (bit % 8)
        return bytes
      })
      expect(await damageIn(disk), `bit ${bit}`).toEqual({ file: newest, offset: start })
    }
  })

  test('in a last batch of zeros, whose sectors are blank by themselves', async () => {
    for (const length of [1, 500, 1_000, 2_000]) {
      const disk = new SimulatedDisk()
      const { journal } = await open(disk)
      await journal.append(1, [payloadOf(1)])
      await journal.append(2, [Buffer.alloc(length), Buffer.alloc(length)])
      const path = disk.paths()[0]
      const bytes = disk.bytesOf(path)
      for (let at = 0; at < bytes.length; at += 3) {
        const changed = Buffer.from(bytes)
        changed[at] ^= 0x10
        const found = disk.copy()
        found.put(path, changed)
        expect(await damageIn(found), `byte ${at} of ${length} zeros`).toMatchObject({ file: path })
      }
    }
  })
})

describe('a file cut off', () => {
  test('anywhere in the older segment is damage', async () => {
    for (let size = 0; size < healthy.bytesOf(older).length; size++) {
      const disk = withFile(older, (bytes) => bytes.subarray(0, size))
      // Cut between two batches it is whole in itself; then the segment after it shows it.
      const isWhole = size === segmentHeaderBytes || olderBatches.some((batch) => batch.end === size)
      expect(await damageIn(disk), `cut at ${size}`).toMatchObject({ file: isWhole ? newest : older })
    }
  })

  test('anywhere in the newest one loses whole batches at its end, and all but a cut between batches is reported', async () => {
    const size = healthy.bytesOf(newest).length
    for (let cut = 0; cut < size; cut++) {
      const disk = withFile(newest, (bytes) => bytes.subarray(0, cut))
      const whole = batches.findLast((batch) => batch.path === older || batch.end <= cut)!
      const end = cut < segmentHeaderBytes ? 0 : whole.path === older ? segmentHeaderBytes : whole.end
      const { journal, repaired } = await open(disk)
      assert.equal(journal.lastSequence, whole.lastSequence, `cut at ${cut}`)
      const expected = cut === end && cut > 0 ? undefined : { file: newest, offset: end, bytes: cut - end }
      assert.deepEqual(repaired, expected, `cut at ${cut}`)
      await replayAll(journal)
    }
  })

  test('the newest segment without header, and with it the last sequence, is damage if nothing stands before it', async () => {
    for (let size = 0; size < segmentHeaderBytes; size++) {
      const disk = withFile(newest, (bytes) => bytes.subarray(0, size))
      disk.remove(older)
      expect(await damageIn(disk), `cut at ${size}`).toEqual({ file: newest, offset: 0 })
    }
  })
})

describe('batches', () => {
  /** The file with its batches in another order, given by their numbers. */
  const reordered = (path: string, places: readonly BatchPlace[], order: readonly number[]) =>
    withFile(path, (bytes) =>
      Buffer.concat([
        bytes.subarray(0, segmentHeaderBytes),
        ...order.map((number) => bytes.subarray(places[number].start, places[number].end)),
      ]),
    )

  for (const [which, path, places] of [
    ['older', older, olderBatches],
    ['newest', newest, newestBatches],
  ] as const) {
    const count = places.length
    const all = places.map((_place, number) => number)

    test(`swapped in the ${which} segment`, async () => {
      for (let number = 0; number + 1 < count; number++) {
        const order = all.with(number, number + 1).with(number + 1, number)
        const damage = await damageIn(reordered(path, places, order))
        expect(damage, `swapped ${order.join()}`).toEqual({ file: path, offset: places[number].start })
      }
    })

    test(`repeated in the ${which} segment`, async () => {
      for (const number of all) {
        const order = all.toSpliced(number + 1, 0, number)
        const damage = await damageIn(reordered(path, places, order))
        expect(damage, `repeated ${order.join()}`).toEqual({ file: path, offset: places[number].end })
      }
    })

    test(`dropped from the ${which} segment`, async () => {
      for (const number of all.slice(0, path === newest ? -1 : undefined)) {
        const damage = await damageIn(reordered(path, places, all.toSpliced(number, 1)))
        const isLast = number === count - 1
        expect(damage, `dropped ${number}`).toEqual(
          isLast ? { file: newest, offset: 0 } : { file: path, offset: places[number].start },
        )
      }
    })
  }

  test('of one segment at the end of another', async () => {
    const strange = healthy.bytesOf(older).subarray(olderBatches[1].start, olderBatches[1].end)
    const disk = withFile(newest, (bytes) => Buffer.concat([bytes, strange]))
    expect(await damageIn(disk)).toEqual({ file: newest, offset: newestBatches.at(-1)!.end })
  })

  test('of another history with the same sequences', async () => {
    const other = await twoSegments((first, count) => payloadsOf(first, count).map((payload) => payload.fill(7)))
    for (const [number, { path, start, end }] of batches.entries()) {
      assert.deepEqual(other.batches[number], batches[number])
      const disk = withFile(path, (bytes) => {
        other.disk.bytesOf(path).copy(bytes, start, start, end)
        return bytes
      })
      // The first one of all fits what is before it; what follows does not fit it.
      const place = number === 0 ? batches[1] : batches[number]
      expect(await damageIn(disk), `batch ${number}`).toEqual({ file: place.path, offset: place.start })
    }
  })

  test.each([['1,0,2'], ['0,2,1'], ['0,1,1'], ['0,0,2'], ['0,1,2,2']])('with records 0,1,2 as %s', async (order) => {
    const { disk, path } = await rearranged(order)
    expect(await damageIn(disk)).toEqual({ file: path, offset: segmentHeaderBytes })
  })

  test.each([['0,1'], ['0,2'], ['1,2']])('with records 0,1,2 as %s: the file ends too early', async (order) => {
    const { disk } = await rearranged(order)
    const { journal, repaired } = await open(disk)
    expect([journal.lastSequence, repaired?.offset]).toEqual([0, segmentHeaderBytes])
  })

  /** One batch of three records that look alike, then changed in place. */
  async function rearranged(order: string): Promise<{ disk: SimulatedDisk; path: string }> {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk)
    const texts = ['alpha', 'gamma', 'delta']
    await journal.append(
      1,
      texts.map((text) => Buffer.from(text)),
    )
    const [path] = disk.paths()
    const bytes = disk.bytesOf(path)
    const start = segmentHeaderBytes + batchHeaderBytes
    const recordBytes = 4 + 5
    const records = order.split(',').map((number) => {
      const at = start + Number(number) * recordBytes
      return bytes.subarray(at, at + recordBytes)
    })
    const rest = bytes.subarray(start + texts.length * recordBytes)
    disk.put(path, Buffer.concat([bytes.subarray(0, start), ...records, rest]))
    return { disk, path }
  }
})

describe('segments', () => {
  test('exchanged, under each other’s names', async () => {
    const disk = healthy.copy()
    disk.put(older, healthy.bytesOf(newest))
    disk.put(newest, healthy.bytesOf(older))
    expect(await damageIn(disk)).toEqual({ file: older, offset: 0 })
  })

  test('an older one put back as it was, or from another history', async () => {
    const other = await twoSegments((first, count) => payloadsOf(first, count).map((payload) => payload.fill(7)))
    const disk = withFile(older, () => other.disk.bytesOf(older))
    expect(await damageIn(disk)).toEqual({ file: newest, offset: 0 })
    for (const { end } of olderBatches.slice(0, -1)) {
      const before = withFile(older, (bytes) => bytes.subarray(0, end))
      expect(await damageIn(before), `as it was at ${end}`).toEqual({ file: newest, offset: 0 })
    }
  })

  test('one missing in the middle', async () => {
    const disk = new SimulatedDisk()
    const { journal } = await open(disk, 500)
    for (let next = 1; next < 30; next++) await journal.append(next, [payloadOf(next)])
    const paths = disk.paths()
    for (const path of paths.slice(1, -1)) {
      const found = disk.copy()
      found.remove(path)
      expect(await damageIn(found)).toEqual({ file: paths[paths.indexOf(path) + 1], offset: 0 })
    }
  })

  test('the oldest missing shows when its records are asked for', async () => {
    const disk = healthy.copy()
    disk.remove(older)
    const { journal } = await open(disk)
    await expect(journal.replay(1, () => undefined)).rejects.toThrow(/record 1 is gone/)
  })

  test('that verify in themselves but were never written so', async () => {
    const header = encodeSegmentHeader(1, CHAIN_START)
    const batchFrom = (firstSequence: number) =>
      new BatchAssembly().assemble([payloadOf(1)], { firstSequence, previousChain: header.chain, position: 28 })
    for (const [bytes, offset] of [
      [encodeSegmentHeader(1, 5).bytes, 0],
      [Buffer.concat([header.bytes, batchFrom(2)]), segmentHeaderBytes],
    ] as const) {
      const disk = new SimulatedDisk()
      disk.put(older, bytes)
      expect(await damageIn(disk)).toEqual({ file: older, offset })
    }
  })

  test('something else under a segment’s name, and other files beside them', async () => {
    for (const path of [older, newest]) {
      const text = withFile(path, () => Buffer.alloc(1_000, 'x'))
      expect(await damageIn(text)).toEqual({ file: path, offset: 0 })
    }
    const disk = healthy.copy()
    disk.put(`${directory}/00000000000000000001.journal.old`, Buffer.from('x'))
    disk.put(`${directory}/notes.txt`, Buffer.from('x'))
    await replayAll((await open(disk)).journal)
  })

  test('changed while the journal is open, found by replay', async () => {
    for (const [path, at] of [
      [older, olderBatches[1].start + batchHeaderBytes + 5],
      [newest, newestBatches[1].start + 3],
      [older, 3],
    ] as const) {
      const disk = healthy.copy()
      const { journal } = await open(disk)
      const bytes = disk.bytesOf(path)
      bytes[at] ^= 1
      disk.put(path, bytes)
      await expect(journal.replay(1, () => undefined)).rejects.toThrow(JournalDamaged)
    }
    const other = await twoSegments((first, count) => payloadsOf(first, count).map((payload) => payload.fill(7)))
    for (const path of [older, newest]) {
      const disk = healthy.copy()
      const { journal } = await open(disk)
      disk.put(path, other.disk.bytesOf(path))
      await expect(journal.replay(1, () => undefined)).rejects.toThrow(JournalDamaged)
    }
  })
})

describe('the end of the journal', () => {
  const last = newestBatches.at(-1)!
  const beforeLast = newestBatches.at(-2)!
  const size = healthy.bytesOf(newest).length
  const sectorOf = (at: number) => at - (at % 512)
  const zeroed = (from: number, to: number) => withFile(newest, (bytes) => bytes.fill(0, from, to))
  /** The first sector that lies in the body of a batch. */
  const sectorIn = (batch: BatchPlace) => sectorOf(batch.start + batchHeaderBytes) + 512
  assert(sectorIn(beforeLast) + 512 <= last.start, 'the batch before spans a whole sector')
  const followedBy = (more: Buffer) => withFile(newest, (bytes) => Buffer.concat([bytes, more]))

  test.each<[string, () => SimulatedDisk, lastSequence: number]>([
    ['its first sector zero', () => zeroed(last.start, sectorOf(last.start) + 512), beforeLast.lastSequence],
    ['its last sector zero', () => zeroed(sectorOf(size - 1), size), beforeLast.lastSequence],
    ['all but one byte of its last sector zero', () => zeroed(sectorOf(size - 1) + 1, size), beforeLast.lastSequence],
    ['its body zero', () => zeroed(last.start + batchHeaderBytes, size), beforeLast.lastSequence],
    ['a part of its header alone there', () => zeroed(last.start + 20, size), beforeLast.lastSequence],
    [
      'a newest segment of zeros, as long as a header',
      () => withFile(newest, () => Buffer.alloc(segmentHeaderBytes)),
      olderBatches.at(-1)!.lastSequence,
    ],
  ])('%s: cut off', async (_what, torn, lastSequence) => {
    const disk = torn()
    const { journal, repaired } = await open(disk)
    expect(repaired?.file).toBe(newest)
    expect(journal.lastSequence).toBe(lastSequence)
    await replayAll(journal)
    expect((await open(disk)).repaired).toBeUndefined()
  })

  test.each<[string, () => SimulatedDisk, lastSequence: number]>([
    ['all of the last batch', () => zeroed(last.start, size), beforeLast.lastSequence],
    ['behind it, some', () => followedBy(Buffer.alloc(30)), last.lastSequence],
    ['behind it, sectors', () => followedBy(Buffer.alloc(3_000)), last.lastSequence],
  ])('zeros, %s: written over', async (_what, blank, lastSequence) => {
    const disk = blank()
    const { journal, repaired } = await open(disk, 10_000)
    expect(repaired).toBeUndefined()
    expect(journal.lastSequence).toBe(lastSequence)
    await journal.append(lastSequence + 1, payloadsOf(lastSequence + 1, 3))
    const { journal: next } = await open(disk.copy(), 10_000)
    expect(next.lastSequence).toBe(lastSequence + 3)
    await replayAll(next)
    await journal.close()
    expect(disk.bytesOf(newest).at(-1), 'closed, it ends with its last batch').not.toBe(0)
  })

  test.each<[string, () => SimulatedDisk]>([
    ['a hole in the last batch, smaller than a sector', () => zeroed(last.start + 40, last.start + 60)],
    ['the header of the batch before zero', () => zeroed(beforeLast.start, beforeLast.start + batchHeaderBytes)],
    ['the batch before zero', () => zeroed(beforeLast.start, last.start)],
    [
      'a sector of the batch before zero, not of its header',
      () => zeroed(sectorIn(beforeLast), sectorIn(beforeLast) + 512),
    ],
    ['text behind it', () => followedBy(Buffer.alloc(3_000, 'x'))],
    [
      'the last batch of the older segment zero',
      () => withFile(older, (bytes) => bytes.fill(0, olderBatches.at(-1)!.start)),
    ],
    ['the whole newest segment zero', () => zeroed(0, size)],
    ['its first sector zero', () => zeroed(0, 512)],
    ['a newest segment of a wrong header', () => withFile(newest, () => Buffer.alloc(segmentHeaderBytes, 1))],
  ])('%s: damage', async (_what, damaged) => {
    expect(await damageIn(damaged())).toBeDefined()
  })
})
