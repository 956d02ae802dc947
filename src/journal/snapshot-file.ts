/**
 * One snapshot on disk, version 1. All numbers are little-endian.
 *
 *   head    8 magic · 4 version · 4 length of the description · description, JSON: {"sequence":…,"stateHash":"…"}
 *           · 4 crc of all that
 *   frame   28 bytes, then the chunk, compressed with zstd and its own checksum
 *            0  4  mark: a chunk follows, or this is the end
 *            4  4  number of the chunk, from 0; at the end, how many there were
 *            8  4  length of the chunk
 *           12  4  length of the chunk as stored
 *           16  4  crc of the chunk as stored
 *           20  4  crc of the frame before, for the first that of the head
 *           24  4  crc of the 24 bytes above
 *
 * Chunks come back as they were given, one by one. A file without an end frame, or with something behind it, is damaged.
 */
import { promisify } from 'node:util'
import { constants, crc32, zstdCompress, zstdDecompress } from 'node:zlib'
import { gentleBytes, readWhole, writeWhole, type DiskFile } from './disk.ts'
import { otherFormat, SnapshotDamaged } from './trouble.ts'

const VERSION = 1
const MAGIC = Buffer.from([0xfe, 0x54, 0x69, 0x64, 0x65, 0x73, 0x6e, 0xff])
const HEAD_FIXED_BYTES = 16
const CRC_BYTES = 4
const FRAME_BYTES = 28
const CHUNK_MARK = 0xff_6b_63_fe
const END_MARK = 0xff_64_6e_fe

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 }
/** What a chunk comes out as at once: all of it, and room, so that none is left. By itself it comes in thousands of pieces. */
const inOnePiece = (plainBytes: number) => ({ chunkSize: plainBytes + 1_024 })
/** Chunks that are unpacked before they are asked for. */
const chunksAhead = 4

export interface SnapshotDescription {
  readonly sequence: number
  readonly stateHash: string
}

export interface SnapshotHead {
  readonly description: SnapshotDescription
  /** Where the frames begin. */
  readonly bytes: number
  readonly crc: number
}

/** Writes the whole snapshot into a new file, and syncs it step by step: there is little at once that others wait for. */
export async function writeSnapshot(
  file: DiskFile,
  description: SnapshotDescription,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const head = encodeHead(description)
  let position = 0
  let unsynced = 0
  const write = async (bytes: Buffer) => {
    for (let start = 0; start < bytes.length; start += gentleBytes) {
      const piece = bytes.subarray(start, start + gentleBytes)
      await writeWhole(file, piece, position)
      position += piece.length
      unsynced += piece.length
      if (unsynced < gentleBytes) continue
      await file.sync()
      unsynced = 0
    }
  }

  await write(head)
  let chain = head.readUInt32LE(head.length - CRC_BYTES)
  let index = 0
  for await (const chunk of chunks) {
    const stored = await compress(chunk, { params, ...inOnePiece(chunk.length) })
    const frame = encodeFrame({ mark: CHUNK_MARK, index, plainBytes: chunk.length, stored, previous: chain })
    await write(Buffer.concat([frame, stored]))
    chain = frame.readUInt32LE(24)
    index += 1
  }
  await write(encodeFrame({ mark: END_MARK, index, plainBytes: 0, stored: Buffer.alloc(0), previous: chain }))
  await file.sync()
}

export async function readHead(file: DiskFile, path: string): Promise<SnapshotHead> {
  const size = await file.size()
  const damage = (reason: string) => new SnapshotDamaged(path, 0, reason)
  if (size < HEAD_FIXED_BYTES) throw damage('the file ends inside the head')
  const fixed = await readRange(file, path, 0, HEAD_FIXED_BYTES)
  if (!fixed.subarray(0, 8).equals(MAGIC)) throw damage('this is not a snapshot')
  const bytes = HEAD_FIXED_BYTES + fixed.readUInt32LE(12) + CRC_BYTES
  if (size < bytes) throw damage('the file ends inside the head')
  const head = await readRange(file, path, 0, bytes)
  const crc = head.readUInt32LE(bytes - CRC_BYTES)
  if (crc32(head.subarray(0, bytes - CRC_BYTES)) !== crc) throw damage('the head does not match its checksum')
  const version = fixed.readUInt32LE(8)
  if (version !== VERSION) throw damage(`${otherFormat} ${version}; this program reads ${VERSION}`)
  const { sequence, stateHash } = JSON.parse(head.toString('utf8', HEAD_FIXED_BYTES, bytes - CRC_BYTES))
  return { description: { sequence, stateHash }, bytes, crc }
}

/** Reads to the end and verifies every checksum on the way, without unpacking anything. */
export async function verifyFrames(file: DiskFile, path: string, head: SnapshotHead): Promise<void> {
  for await (const _frame of readFrames(file, path, head)) {
    // Reading is verifying.
  }
}

/** Unpacks on other threads, a few chunks ahead of the reader. */
export async function* readChunks(file: DiskFile, path: string, head: SnapshotHead): AsyncGenerator<Uint8Array> {
  const ahead: { readonly frame: Frame; readonly unpacked: Promise<Buffer | undefined> }[] = []
  async function* take(left: number): AsyncGenerator<Uint8Array> {
    while (ahead.length > left) {
      const { frame, unpacked } = ahead.shift()!
      const chunk = await unpacked
      if (chunk === undefined) throw new SnapshotDamaged(path, frame.offset, 'the chunk cannot be unpacked')
      yield chunk
    }
  }
  for await (const frame of readFrames(file, path, head)) {
    ahead.push({ frame, unpacked: unpack(frame) })
    yield* take(chunksAhead)
  }
  yield* take(0)
}

async function unpack({ plainBytes, stored }: Frame): Promise<Buffer | undefined> {
  const chunk = await decompress(stored, inOnePiece(plainBytes)).catch(() => undefined)
  return chunk?.length === plainBytes ? chunk : undefined
}

interface Frame {
  readonly offset: number
  readonly plainBytes: number
  readonly stored: Buffer
}

async function* readFrames(file: DiskFile, path: string, head: SnapshotHead): AsyncGenerator<Frame> {
  const size = await file.size()
  let offset = head.bytes
  let chain = head.crc
  for (let index = 0; ; index++) {
    const damage = (reason: string) => new SnapshotDamaged(path, offset, reason)
    if (size - offset < FRAME_BYTES) throw damage('the file ends before the end frame')
    const frame = await readRange(file, path, offset, FRAME_BYTES)
    if (crc32(frame.subarray(0, 24)) !== frame.readUInt32LE(24)) throw damage('the frame does not match its checksum')
    if (frame.readUInt32LE(4) !== index || frame.readUInt32LE(20) !== chain) {
      throw damage('the frame does not continue the one before')
    }
    chain = frame.readUInt32LE(24)
    const start = offset + FRAME_BYTES
    if (frame.readUInt32LE(0) === END_MARK) {
      if (start !== size) throw damage('something follows the end frame')
      return
    }

    const storedBytes = frame.readUInt32LE(12)
    if (size - start < storedBytes) throw damage('the file ends inside a chunk')
    const stored = await readRange(file, path, start, storedBytes)
    if (crc32(stored) !== frame.readUInt32LE(16)) throw damage('the chunk does not match its checksum')
    yield { offset, plainBytes: frame.readUInt32LE(8), stored }
    offset = start + storedBytes
  }
}

async function readRange(file: DiskFile, path: string, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  const filled = await readWhole(file, bytes, position)
  if (filled < length) throw new SnapshotDamaged(path, position, 'the file ends before its size')
  return bytes
}

function encodeHead(description: SnapshotDescription): Buffer {
  const { sequence, stateHash } = description
  const text = Buffer.from(JSON.stringify({ sequence, stateHash }))
  const head = Buffer.alloc(HEAD_FIXED_BYTES + text.length + CRC_BYTES)
  MAGIC.copy(head)
  head.writeUInt32LE(VERSION, 8)
  head.writeUInt32LE(text.length, 12)
  text.copy(head, HEAD_FIXED_BYTES)
  head.writeUInt32LE(crc32(head.subarray(0, HEAD_FIXED_BYTES + text.length)), HEAD_FIXED_BYTES + text.length)
  return head
}

function encodeFrame(frame: {
  readonly mark: number
  readonly index: number
  readonly plainBytes: number
  readonly stored: Buffer
  readonly previous: number
}): Buffer {
  const bytes = Buffer.alloc(FRAME_BYTES)
  bytes.writeUInt32LE(frame.mark, 0)
  bytes.writeUInt32LE(frame.index, 4)
  bytes.writeUInt32LE(frame.plainBytes, 8)
  bytes.writeUInt32LE(frame.stored.length, 12)
  bytes.writeUInt32LE(crc32(frame.stored), 16)
  bytes.writeUInt32LE(frame.previous, 20)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 24)), 24)
  return bytes
}
