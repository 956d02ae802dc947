/** The bytes on disk, written down: a journal or snapshot of this version is read by every later one. */
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  bodyIsWellFormed,
  decodeSegmentHeader,
  encodeSegmentHeader,
  segmentName,
  sequenceOfName,
} from '../../src/journal/format.ts'
import { openSnapshots } from '../../src/journal/journal.ts'
import { open } from './material.ts'
import { SimulatedDisk } from './simulated-disk.ts'

const path = '/data/journal/00000000000000000001.journal'
const journalVersion1 = fromHex(
  'fe546964656d6bff 01000000 00000000 0100000000000000 91bdea8a',
  'fe5463ff 02000000 0100000000000000 15000000 00000000 91bdea8a 24972899 e1cfa708',
  '05000000 616c706861 04000000 62657461 fe4e65ff',
)
const snapshotVersion1 = fromHex(
  'fe54696465736eff 01000000 20000000',
  '7b2273657175656e6365223a372c22737461746548617368223a22616263227d 7d49bb50',
  'fe636bff 00000000 05000000 12000000 0fc5ba75 7d49bb50 1fef3a13',
  '28b52ffd 0448290000 7374617465 eefd5fbc',
  'fe6e64ff 01000000 00000000 00000000 00000000 1fef3a13 5b30dae7',
)

function fromHex(...lines: string[]): Buffer {
  return Buffer.from(lines.join('').replaceAll(' ', ''), 'hex')
}

test('a journal of version 1 is written and read', async () => {
  const disk = new SimulatedDisk()
  const { journal } = await open(disk)
  await journal.append(1, [Buffer.from('alpha'), Buffer.from('beta')])
  expect(disk.bytesOf(path)).toEqual(journalVersion1)

  const found = new SimulatedDisk()
  found.put(path, journalVersion1)
  const records: string[] = []
  await (await open(found)).journal.replay(1, (sequence, payload) => records.push(`${sequence} ${String(payload)}`))
  expect(records).toEqual(['1 alpha', '2 beta'])
})

test('a segment of a later version is refused by name of the version', async () => {
  const disk = new SimulatedDisk()
  await open(disk)
  const bytes = disk.bytesOf(path)
  bytes.writeUInt32LE(2, 8)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 24)), 24)
  disk.put(path, bytes)
  await expect(open(disk)).rejects.toThrow('format version is 2')
})

test.each([
  ['one record', '01000000 61 fe4e65ff', 1, true],
  ['an empty record', '00000000 fe4e65ff', 1, false],
  ['a record longer than the body', '09000000 61 fe4e65ff', 1, false],
  ['fewer records than stated', '01000000 61 fe4e65ff', 2, false],
  ['more records than stated', '01000000 61 01000000 61 fe4e65ff', 1, false],
  ['no end mark', '01000000 61 00000000', 1, false],
])('a body with %s', (_what, body, records, wellFormed) => {
  expect(bodyIsWellFormed(fromHex(body), records)).toBe(wellFormed)
})

test('sequences beyond 32 bits', () => {
  for (const sequence of [2 ** 32 - 1, 2 ** 32, 2 ** 40 + 5, Number.MAX_SAFE_INTEGER]) {
    expect(decodeSegmentHeader(encodeSegmentHeader(sequence, 9).bytes)).toMatchObject({ firstSequence: sequence })
    expect(sequenceOfName(segmentName(sequence))).toBe(sequence)
  }
})

// How zstd packs a chunk may change with its version; that it can be unpacked may not.
test('a snapshot of version 1 is read', async () => {
  const disk = new SimulatedDisk()
  disk.put('/data/00000000000000000007.snapshot', snapshotVersion1)
  const { snapshot } = await (await openSnapshots('/data', { disk })).newest()
  expect([snapshot?.sequence, snapshot?.stateHash]).toEqual([7, 'abc'])
  expect(await Array.fromAsync(snapshot!.chunks())).toEqual([Buffer.from('state')])
})
