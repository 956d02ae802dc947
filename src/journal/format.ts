/**
 * The journal on disk, version 1. All numbers are little-endian; sequences are safe integers in eight bytes.
 *
 *   segment   one file, named by the sequence of its first record: 00000000000000000001.journal
 *             ┌────────────────┬─────────┬─────────┬─────────┬────
 *             │ segment header │ batch   │ batch   │ batch   │ …    nothing between; after, zeros at most
 *             └────────────────┴─────────┴─────────┴─────────┴────
 *
 *   segment header, 28 bytes                     batch header, 36 bytes
 *    0  8  magic                                  0  4  magic
 *    8  4  version                                4  4  number of records, at least 1
 *   12  4  previous: chain at the end of the      8  8  sequence of the first record
 *          segment before, 0 for the first       16  4  bytes of the body
 *   16  8  sequence of its first record          20  4  sectors of the body that are all zero as written
 *   24  4  crc of the 24 bytes above             24  4  previous: chain before this batch
 *                                                28  4  crc of the body
 *   batch body                                   32  4  crc of the 32 bytes above
 *    record, record, …: [4 length, at least 1][payload]
 *    4  end mark
 *
 * Chain       the crc of a header, which covers the chain before it and (in a batch) the crc of the body: one value
 *             stands for everything before it. A batch or segment that was lost, repeated, swapped or put back from an
 *             older copy does not fit what follows it. What no chain can see is the end itself missing as a whole:
 *             whoever holds a later sequence (a snapshot, the history) compares it with the journal's last.
 * One crc     per batch rather than per record: the batch is what is written and acknowledged, and a call for each
 *             small record costs several times the copying of it. The place of a record in its batch is its sequence,
 *             which the header holds and the body's crc fixes.
 * Zeros       the newest segment may have been full of them before its use, and has them behind its last batch (spare.ts)
 * Torn tail   a write that power loss interrupts leaves a shorter file, or parts that read as zeros. The count of
 *             sectors that are zero by themselves, magic and end mark without a byte of fewer than two bits, and records
 *             that are never empty let such a loss be distinguished from a flipped bit (see tail.ts).
 * Checksum    CRC-32 of node:zlib: against accidents. It does not stop someone who can write to the directory.
 */
import { crc32 } from 'node:zlib'
import { otherFormat } from './trouble.ts'

export const SECTOR_BYTES = 512
export const SEGMENT_HEADER_BYTES = 28
export const BATCH_HEADER_BYTES = 36
export const RECORD_HEADER_BYTES = 4
export const END_MARK_BYTES = 4
export const BODY_BYTES_MAX = 2 ** 30

/** The chain before the first segment. */
export const CHAIN_START = 0

const VERSION = 1
// Bytes 0xFE and 0xFF occur in no UTF-8 text, so no text inside a payload is ever mistaken for a header.
const SEGMENT_MAGIC = Buffer.from([0xfe, 0x54, 0x69, 0x64, 0x65, 0x6d, 0x6b, 0xff])
export const BATCH_MAGIC_BYTES = Buffer.from([0xfe, 0x54, 0x63, 0xff])
const BATCH_MAGIC = BATCH_MAGIC_BYTES.readUInt32LE(0)
export const END_MARK = 0xff_65_4e_fe

export interface SegmentHeader {
  readonly firstSequence: number
  readonly previousChain: number
  /** The chain after this header. */
  readonly chain: number
}

export interface BatchHeader {
  readonly firstSequence: number
  readonly records: number
  readonly bodyBytes: number
  readonly blankSectors: number
  readonly previousChain: number
  readonly bodyCrc: number
  /** The chain after this batch. */
  readonly chain: number
}

const segmentNamePattern = /^(\d{20})\.journal$/

export function segmentName(firstSequence: number): string {
  return `${String(firstSequence).padStart(20, '0')}.journal`
}

/** The first sequence that a segment's name promises; undefined if the name is not a segment's. */
export function sequenceOfName(name: string): number | undefined {
  const digits = segmentNamePattern.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

export function encodeSegmentHeader(firstSequence: number, previousChain: number): { bytes: Buffer; chain: number } {
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES)
  SEGMENT_MAGIC.copy(bytes)
  bytes.writeUInt32LE(VERSION, 8)
  bytes.writeUInt32LE(previousChain, 12)
  writeSequence(bytes, firstSequence, 16)
  const chain = crc32(bytes.subarray(0, 24))
  bytes.writeUInt32LE(chain, 24)
  return { bytes, chain }
}

/** The header, or why it is none. */
export function decodeSegmentHeader(bytes: Buffer): SegmentHeader | string {
  if (bytes.length < SEGMENT_HEADER_BYTES) return 'the file ends inside the segment header'
  if (!bytes.subarray(0, 8).equals(SEGMENT_MAGIC)) return 'this is not a journal segment'
  const chain = bytes.readUInt32LE(24)
  if (crc32(bytes.subarray(0, 24)) !== chain) return 'the segment header does not match its checksum'
  const version = bytes.readUInt32LE(8)
  if (version !== VERSION) return `${otherFormat} ${version}; this program reads ${VERSION}`
  return { firstSequence: readSequence(bytes, 16), previousChain: bytes.readUInt32LE(12), chain }
}

/** Writes the header of the batch whose body stands ready behind it, and returns the chain after it. */
export function encodeBatchHeader(into: Buffer, header: Omit<BatchHeader, 'chain'>): number {
  into.writeUInt32LE(BATCH_MAGIC, 0)
  into.writeUInt32LE(header.records, 4)
  writeSequence(into, header.firstSequence, 8)
  into.writeUInt32LE(header.bodyBytes, 16)
  into.writeUInt32LE(header.blankSectors, 20)
  into.writeUInt32LE(header.previousChain, 24)
  into.writeUInt32LE(header.bodyCrc, 28)
  const chain = crc32(into.subarray(0, 32))
  into.writeUInt32LE(chain, 32)
  return chain
}

/** The header at the start of `bytes`, or undefined if none verifies there. */
export function decodeBatchHeader(bytes: Buffer): BatchHeader | undefined {
  if (bytes.length < BATCH_HEADER_BYTES || bytes.readUInt32LE(0) !== BATCH_MAGIC) return undefined
  const chain = bytes.readUInt32LE(32)
  if (crc32(bytes.subarray(0, 32)) !== chain) return undefined
  return {
    records: bytes.readUInt32LE(4),
    firstSequence: readSequence(bytes, 8),
    bodyBytes: bytes.readUInt32LE(16),
    blankSectors: bytes.readUInt32LE(20),
    previousChain: bytes.readUInt32LE(24),
    bodyCrc: bytes.readUInt32LE(28),
    chain,
  }
}

/** Whether the lengths in a body of the right checksum add up: they do unless the writer had a bug. */
export function bodyIsWellFormed(body: Buffer, records: number): boolean {
  let at = 0
  for (let record = 0; record < records; record++) {
    if (at + RECORD_HEADER_BYTES > body.length) return false
    const length = body.readUInt32LE(at)
    if (length === 0) return false
    at += RECORD_HEADER_BYTES + length
  }
  return at + END_MARK_BYTES === body.length && body.readUInt32LE(at) === END_MARK
}

/** Visits the records of a well-formed body. The payload is a view: it is valid during the visit only. */
export function visitRecords(
  body: Buffer,
  firstSequence: number,
  records: number,
  visit: (sequence: number, payload: Uint8Array) => void,
): void {
  let at = 0
  for (let record = 0; record < records; record++) {
    const start = at + RECORD_HEADER_BYTES
    at = start + body.readUInt32LE(at)
    visit(firstSequence + record, body.subarray(start, at))
  }
}

/** How many of the sectors that `bytes` touches are zero as far as it covers them; it stands in a file at `position`. */
export function countBlankSectors(bytes: Uint8Array, position: number): number {
  let blank = 0
  let at = 0
  while (at < bytes.length) {
    const end = Math.min(at + SECTOR_BYTES - ((position + at) % SECTOR_BYTES), bytes.length)
    let byte = at
    while (byte < end && bytes[byte] === 0) byte++
    if (byte === end) blank++
    at = end
  }
  return blank
}

function writeSequence(bytes: Buffer, sequence: number, at: number): void {
  bytes.writeUInt32LE(sequence % 2 ** 32, at)
  bytes.writeUInt32LE(Math.floor(sequence / 2 ** 32), at + 4)
}

function readSequence(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32
}
