/**
 * Tells a torn tail from damage.
 *
 * Every batch is durable before the next one is written, so a crash can have left at most one batch unfinished: the
 * last of the newest segment, never acknowledged. Such a batch may be cut off. A batch that was whole once may have
 * been acknowledged, and may not.
 *
 * Torn     the file ends inside the batch, or it reads as zeros from somewhere on, or more of its sectors are zero than
 *          when it was written; and nothing follows, but zeros that are still to be written over (spare.ts)
 * Damaged  everything else, a flipped bit in the very last batch included
 * Limit    an acknowledged last batch of which the disk lost whole sectors, or the end, looks like one never finished
 */
import { readWhole, type DiskFile } from './disk.ts'
import {
  BATCH_HEADER_BYTES,
  BATCH_MAGIC_BYTES,
  countBlankSectors,
  decodeBatchHeader,
  SECTOR_BYTES,
  SEGMENT_HEADER_BYTES,
} from './format.ts'
import type { Fault } from './segment.ts'

/** Whether the batch that does not verify in a newest segment of `size` bytes is one that a crash interrupted. */
export async function isTornBatch(file: DiskFile, size: number, fault: Fault): Promise<boolean> {
  const { offset, header } = fault
  if (!fault.incomplete) return false
  if (size - offset < BATCH_HEADER_BYTES) return true

  if (header !== undefined) {
    const end = offset + BATCH_HEADER_BYTES + header.bodyBytes
    if (size < end) return true
    if (!(await isBlank(file, end, size))) return false
    const body = await readRange(file, offset + BATCH_HEADER_BYTES, end)
    // The end mark is not zero.
    return body.at(-1) === 0 || countBlankSectors(body, offset + BATCH_HEADER_BYTES) > header.blankSectors
  }

  const rest = await readRange(file, offset, size)
  if (isZero(rest.subarray(BATCH_HEADER_BYTES))) return true
  return headerLostASector(rest, offset) && !holdsBatchHeader(rest)
}

/** Whether all bytes between two places of a file are zero. */
export async function isBlank(file: DiskFile, from: number, to: number): Promise<boolean> {
  return isZero(await readRange(file, from, to))
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0)
}

/**
 * Whether a newest segment without a valid header is one that a crash interrupted at its creation. The header is durable
 * before anything follows it, so a longer file was in use.
 */
export async function isTornSegmentHeader(file: DiskFile, size: number): Promise<boolean> {
  if (size < SEGMENT_HEADER_BYTES) return true
  if (size > SEGMENT_HEADER_BYTES) return false
  return countBlankSectors(await readRange(file, 0, size), 0) > 0
}

async function readRange(file: DiskFile, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(to - from)
  const filled = await readWhole(file, bytes, from)
  if (filled < bytes.length) throw new Error(`the file ends at ${from + filled} before its size of ${to} bytes`)
  return bytes
}

/** Whether one of the sectors over which the batch header extends is zero; `bytes` start with it, at `position`. */
function headerLostASector(bytes: Buffer, position: number): boolean {
  const lastByte = position + BATCH_HEADER_BYTES - 1
  const sectorsEnd = lastByte - (lastByte % SECTOR_BYTES) + SECTOR_BYTES
  return countBlankSectors(bytes.subarray(0, sectorsEnd - position), position) > 0
}

function holdsBatchHeader(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(BATCH_MAGIC_BYTES); at >= 0; at = bytes.indexOf(BATCH_MAGIC_BYTES, at + 1)) {
    if (decodeBatchHeader(bytes.subarray(at)) !== undefined) return true
  }
  return false
}
