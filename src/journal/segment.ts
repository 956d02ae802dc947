/**
 * One segment: creating it, and reading it from its header to its end with all of it verified on the way.
 *
 * A fault is answered, not thrown: whether it is a torn tail or damage depends on what stands around the segment,
 * which only recovery knows (recovery.ts). What is thrown is trouble with the disk, or comes from the visitor.
 */
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { readWhole, writeWhole, type Disk, type DiskFile } from './disk.ts'
import {
  BATCH_HEADER_BYTES,
  bodyIsWellFormed,
  decodeBatchHeader,
  decodeSegmentHeader,
  encodeSegmentHeader,
  SEGMENT_HEADER_BYTES,
  segmentName,
  type BatchHeader,
  type SegmentHeader,
} from './format.ts'
import type { Spare } from './spare.ts'
import { JournalFailed } from './trouble.ts'

/** A segment of an open journal; what is not fixed grows while it is the newest. */
export interface Segment {
  readonly path: string
  readonly firstSequence: number
  /** The last record that is durable; the one before the first if there is none. */
  lastSequence: number
  /** Where the last durable batch ends. */
  bytes: number
  /** The chain there: it stands for all of the segment. */
  chain: number
}

/** A new segment, durable with its name before it is used: the spare if there is one. */
export async function createSegment(
  disk: Disk,
  directory: string,
  { firstSequence, previousChain }: Pick<SegmentHeader, 'firstSequence' | 'previousChain'>,
  spare?: Spare,
): Promise<{ segment: Segment; file: DiskFile; fileBytes: number }> {
  const path = join(directory, segmentName(firstSequence))
  const header = encodeSegmentHeader(firstSequence, previousChain)
  const ready = await spare?.become(path, header.bytes)
  const file = ready ?? (await begin(disk, path, header.bytes))
  let fileBytes: number
  try {
    fileBytes = await file.size()
    await disk.syncDirectory(directory)
  } catch (error) {
    await file.close()
    throw error
  }
  const { bytes, chain } = header
  return {
    segment: { path, firstSequence, lastSequence: firstSequence - 1, bytes: bytes.length, chain },
    file,
    fileBytes,
  }
}

async function begin(disk: Disk, path: string, header: Buffer): Promise<DiskFile> {
  const file = await disk.create(path)
  try {
    await writeWhole(file, header, 0)
    await file.sync()
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

export interface Fault {
  readonly offset: number
  readonly reason: string
  /** Bytes are missing or changed. If not, they are as they were written, but do not belong here. */
  readonly incomplete: boolean
  /** The header of the batch in question, if that at least verifies. */
  readonly header?: BatchHeader
}

/** A segment as far as it verifies. */
export interface SegmentContent {
  readonly firstSequence: number
  readonly previousChain: number
  /** The chain after the last batch. */
  readonly chain: number
  /** The last record; the one before the segment's first if it has none. */
  readonly lastSequence: number
  /** Where the last batch ends. */
  readonly end: number
  readonly lastBatchOffset: number | undefined
  readonly fault: Fault | undefined
}

/**
 * Reads the first `size` bytes of a segment. `visit` gets each batch that verifies; its body is valid during the visit
 * only. Answers a fault alone if already the segment header is none.
 */
export async function readSegment(
  file: DiskFile,
  size: number,
  visit?: (header: BatchHeader, body: Buffer) => void | Promise<void>,
): Promise<SegmentContent | Fault> {
  const window = new ReadWindow(file, size)
  const segmentHeader = decodeSegmentHeader(await window.load(0, Math.min(size, SEGMENT_HEADER_BYTES)))
  if (typeof segmentHeader === 'string') return { offset: 0, reason: segmentHeader, incomplete: true }

  let chain = segmentHeader.chain
  let nextSequence = segmentHeader.firstSequence
  let offset = SEGMENT_HEADER_BYTES
  let lastBatchOffset: number | undefined
  const content = (fault?: Fault): SegmentContent => ({
    firstSequence: segmentHeader.firstSequence,
    previousChain: segmentHeader.previousChain,
    chain,
    lastSequence: nextSequence - 1,
    end: offset,
    lastBatchOffset,
    fault,
  })

  while (offset < size) {
    const left = size - offset
    if (left < BATCH_HEADER_BYTES) {
      return content({ offset, reason: 'the file ends inside a batch header', incomplete: true })
    }

    const headerBytes = window.view(offset, BATCH_HEADER_BYTES) ?? (await window.load(offset, BATCH_HEADER_BYTES))
    const header = decodeBatchHeader(headerBytes)
    if (header === undefined) {
      return content({ offset, reason: 'no batch header verifies here', incomplete: true })
    }
    if (header.firstSequence !== nextSequence) {
      const reason = `the batch starts with record ${header.firstSequence} where ${nextSequence} is due`
      return content({ offset, reason, incomplete: false, header })
    }
    if (header.previousChain !== chain) {
      return content({ offset, reason: 'the batch does not continue the one before', incomplete: false, header })
    }

    const batchBytes = BATCH_HEADER_BYTES + header.bodyBytes
    if (left < batchBytes) {
      return content({ offset, reason: 'the file ends inside a batch', incomplete: true, header })
    }
    const batch = window.view(offset, batchBytes) ?? (await window.load(offset, batchBytes))
    const body = batch.subarray(BATCH_HEADER_BYTES)
    if (crc32(body) !== header.bodyCrc) {
      return content({ offset, reason: 'the batch does not match its checksum', incomplete: true, header })
    }
    if (!bodyIsWellFormed(body, header.records)) {
      return content({ offset, reason: 'the lengths of the records do not add up', incomplete: false, header })
    }

    const pause = visit?.(header, body)

    if (pause !== undefined) await pause
    chain = header.chain
    nextSequence += header.records
    lastBatchOffset = offset
    offset += batchBytes
  }
  return content()
}

/** The part of a file that is in memory. Moving it forward in large steps makes reading batch by batch cheap. */
class ReadWindow {
  readonly #file: DiskFile
  readonly #size: number
  #buffer: Buffer
  #start = 0
  #filled = 0

  constructor(file: DiskFile, size: number) {
    this.#file = file
    this.#size = size
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(size, 1024 * 1024))
  }

  /** The bytes if they are in memory. */
  view(position: number, length: number): Buffer | undefined {
    const at = position - this.#start
    return at >= 0 && at + length <= this.#filled ? this.#buffer.subarray(at, at + length) : undefined
  }

  /** Moves the window to `position`. Views given before become invalid. */
  async load(position: number, length: number): Promise<Buffer> {
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafeSlow(length)
    const wanted = Math.min(this.#buffer.length, this.#size - position)
    this.#start = position
    try {
      this.#filled = await readWhole(this.#file, this.#buffer.subarray(0, wanted), position)
    } catch (cause) {
      throw new JournalFailed('reading', cause)
    }
    const bytes = this.view(position, length)
    if (bytes === undefined) throw new JournalFailed('reading', `the file is shorter than its ${this.#size} bytes`)
    return bytes
  }
}
