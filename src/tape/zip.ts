/**
 * What is in a zip file: its directory, and each file of it as a stream. Node has the decompression and not the container.
 *
 * Taken     files stored or deflated, of any length (zip64). Not taken, and said so: encrypted ones and other methods
 * Checked   the length and the checksum of each file, when its stream ends
 */
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { crc32, createInflateRaw } from 'node:zlib'
import { TapeWrong } from './wrong.ts'

interface ZipEntry {
  readonly name: string
  readonly method: number
  readonly isEncrypted: boolean
  readonly checksum: number
  readonly packedBytes: number
  readonly bytes: number
  /** Of its local header. */
  readonly offset: number
}

const endSignature = 0x06054b50
const endBytes = 22
const end64LocatorSignature = 0x07064b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50
const wide = 0xffff_ffff

/** Files of a zip file, directories left aside, in its order. */
export async function zipEntries(file: string): Promise<readonly ZipEntry[]> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const tail = await read(handle, Math.max(0, size - endBytes - 0xffff), Math.min(size, endBytes + 0xffff))
    let end = tail.length - endBytes
    while (end >= 0 && tail.readUInt32LE(end) !== endSignature) end -= 1
    if (end < 0) throw new TapeWrong(`${file}: is a zip file that is cut off: its directory is missing`)
    let count = tail.readUInt16LE(end + 10)
    let bytes = tail.readUInt32LE(end + 12)
    let offset = tail.readUInt32LE(end + 16)
    if (end >= 20 && tail.readUInt32LE(end - 20) === end64LocatorSignature) {
      const end64 = await read(handle, Number(tail.readBigUInt64LE(end - 20 + 8)), 56)
      count = Number(end64.readBigUInt64LE(32))
      bytes = Number(end64.readBigUInt64LE(40))
      offset = Number(end64.readBigUInt64LE(48))
    }
    return entriesOf(await read(handle, offset, bytes), count, file)
  } catch (cause) {
    throw cause instanceof RangeError ? new TapeWrong(`${file}: is a broken zip file`, { cause }) : cause
  } finally {
    await handle.close()
  }
}

function entriesOf(directory: Buffer, count: number, file: string): ZipEntry[] {
  const entries: ZipEntry[] = []
  let at = 0
  for (let number = 0; number < count; number++) {
    if (directory.readUInt32LE(at) !== entrySignature) throw new TapeWrong(`${file}: is a broken zip file`)
    const nameBytes = directory.readUInt16LE(at + 28)
    const extraBytes = directory.readUInt16LE(at + 30)
    const name = directory.toString('utf8', at + 46, at + 46 + nameBytes)
    const wideAt = at + 46 + nameBytes
    const narrow = [at + 24, at + 20, at + 42].map((place) => directory.readUInt32LE(place))
    const [bytes, packedBytes, offset] = widened(narrow, directory.subarray(wideAt, wideAt + extraBytes))
    const isEncrypted = (directory.readUInt16LE(at + 8) & 1) === 1
    const method = directory.readUInt16LE(at + 10)
    const checksum = directory.readUInt32LE(at + 16)
    if (!name.endsWith('/')) entries.push({ name, method, isEncrypted, checksum, packedBytes, bytes, offset })
    at = wideAt + extraBytes + directory.readUInt16LE(at + 32)
  }
  return entries
}

/** Numbers that did not fit stand in the extra field, in the same order. */
function widened(narrow: readonly number[], extra: Buffer): readonly number[] {
  let at = 0
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== 1) at += 4 + extra.readUInt16LE(at + 2)
  let place = at + 4
  return narrow.map((number) => {
    if (number !== wide) return number
    place += 8
    return Number(extra.readBigUInt64LE(place - 8))
  })
}

export async function* zipEntry(file: string, entry: ZipEntry): AsyncGenerator<Buffer> {
  const named = `${file}/${entry.name}`
  if (entry.isEncrypted) throw new TapeWrong(`${named}: is encrypted`)
  if (entry.method !== 0 && entry.method !== 8) throw new TapeWrong(`${named}: is packed in a way that is not known`)
  const handle = await open(file)
  let start: number
  try {
    const head = await read(handle, entry.offset, 30)
    if (head.readUInt32LE(0) !== localSignature) throw new TapeWrong(`${file}: is a broken zip file`)
    start = entry.offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
  } finally {
    await handle.close()
  }
  let checksum = 0
  let bytes = 0
  if (entry.packedBytes > 0) {
    const packed = createReadStream(file, { start, end: start + entry.packedBytes - 1, highWaterMark: 1 << 18 })
    const inflate = createInflateRaw({ chunkSize: 1 << 18 })
    packed.on('error', (cause) => inflate.destroy(cause))
    const plain = entry.method === 0 ? packed : packed.pipe(inflate)
    try {
      for await (const chunk of plain as AsyncIterable<Buffer>) {
        checksum = crc32(chunk, checksum)
        bytes += chunk.length
        yield chunk
      }
    } finally {
      packed.destroy()
    }
  }
  if (bytes !== entry.bytes || checksum !== entry.checksum) throw new TapeWrong(`${named}: its checksum is wrong`)
}

async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
