/**
 * The file of a tape (`.tmk`): a head, blocks of rows, and at the end what is in it.
 *
 *   TIDETMK1 · blocks, each compressed by zstd · the table of contents as JSON, compressed · its length, its checksum · TIDETMK1
 *
 * Contents  symbol, scales, counts, sources, and of each block its place, length, rows, first and last time, and checksum (CRC-32)
 * Whole     written beside its place, synced, and named when it is complete: half a file is never there
 * Checked   a block when it is read, the table when the file is opened
 */
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { crc32, constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { type Block, BlockEncoder, decodeBlock, type Scales } from './columns.ts'
import { TapeWrong, wrongFile } from './wrong.ts'

const magic = Buffer.from('TIDETMK1')
const tailBytes = 8 + magic.length

export interface BlockEntry {
  readonly at: number
  readonly bytes: number
  readonly rows: number
  /** Microseconds. */
  readonly first: number
  readonly last: number
  readonly checksum: number
  /** Of an unfinished tape, whose scales grow: those of this block. */
  readonly scales?: Scales
}

/** Writes one file. Every failure leaves nothing behind. */
export class TmkWriter {
  readonly #path: string
  readonly #temporary: string
  readonly #file: number
  readonly #encoder = new BlockEncoder()
  readonly #level: number
  readonly blocks: BlockEntry[] = []
  #at = 0

  /** `level`: of the compression. Throws TapeWrong. */
  constructor(path: string, level = 3) {
    this.#path = path
    this.#temporary = `${path}.partial`
    this.#level = level
    try {
      this.#file = openSync(this.#temporary, 'w+')
    } catch (cause) {
      throw wrongFile(path, cause)
    }
    this.#write(magic)
  }

  add(block: Block, scales?: Scales): void {
    if (block.length === 0) return
    const bytes = packed(this.#encoder.encode(block), this.#level)
    const { length: rows, times } = block
    const place = { at: this.#at, bytes: bytes.length, rows, first: times[0], last: times[rows - 1] }
    this.#write(bytes)
    this.blocks.push({ ...place, checksum: crc32(bytes), ...(scales && { scales }) })
  }

  /** One of its own blocks, before it is finished. */
  read(entry: BlockEntry, into: Block): void {
    readBlock(this.#file, this.#temporary, entry, into)
  }

  /** The file is there under its name. Answers its length. */
  finish(contents: object): number {
    const table = packed(Buffer.from(JSON.stringify({ ...contents, blocks: this.blocks })), this.#level)
    const tail = Buffer.alloc(tailBytes)
    tail.writeUInt32LE(table.length, 0)
    tail.writeUInt32LE(crc32(table), 4)
    magic.copy(tail, 8)
    this.#write(table)
    this.#write(tail)
    try {
      fsyncSync(this.#file)
      closeSync(this.#file)
      renameSync(this.#temporary, this.#path)
    } catch (cause) {
      throw wrongFile(this.#path, cause)
    }
    return this.#at
  }

  /** Nothing of it is left. */
  abandon(): void {
    try {
      closeSync(this.#file)
    } catch {
      // It was closed when it was finished.
    }
    rmSync(this.#temporary, { force: true })
  }

  #write(bytes: Uint8Array): void {
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done)
    } catch (cause) {
      throw new TapeWrong(`${this.#path}: cannot be written: ${(cause as Error).message}`, { cause })
    }
    this.#at += bytes.length
  }
}

function packed(bytes: Uint8Array, level: number): Uint8Array {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: level } })
}

/** An open file. */
export class TmkFile {
  readonly path: string
  readonly #file: number
  readonly contents: Readonly<Record<string, unknown>> & { readonly blocks: readonly BlockEntry[] }

  /** Throws TapeWrong. */
  constructor(path: string) {
    this.path = path
    try {
      this.#file = openSync(path, 'r')
    } catch (cause) {
      throw wrongFile(path, cause)
    }
    try {
      this.contents = this.#contents()
    } catch (cause) {
      closeSync(this.#file)
      throw wrongFile(path, cause)
    }
  }

  #contents(): TmkFile['contents'] {
    const { size } = statSync(this.path)
    const wrong = (what: string) => new TapeWrong(`${this.path}: ${what}`)
    const tail = size < magic.length + tailBytes ? magic : readAt(this.#file, size - tailBytes, tailBytes)
    const head = readAt(this.#file, 0, Math.min(size, magic.length))
    if (!head.equals(magic)) throw wrong('is no recorded market (.tmk): make one with `tidemark market import`')
    if (!tail.subarray(8).equals(magic)) throw wrong('is cut off')
    const bytes = tail.readUInt32LE(0)
    const at = size - tailBytes - bytes
    if (at < magic.length) throw wrong('its table of contents is broken')
    const table = readAt(this.#file, at, bytes)
    if (crc32(table) !== tail.readUInt32LE(4)) throw wrong('its table of contents has a wrong checksum')
    return JSON.parse(zstdDecompressSync(table).toString()) as TmkFile['contents']
  }

  read(number: number, into: Block): void {
    readBlock(this.#file, this.path, this.contents.blocks[number], into)
  }

  close(): void {
    closeSync(this.#file)
  }
}

function readBlock(file: number, path: string, { at, bytes, rows, checksum }: BlockEntry, into: Block): void {
  const packedBytes = readAt(file, at, bytes)
  if (crc32(packedBytes) !== checksum) throw new TapeWrong(`${path}: the block at byte ${at} has a wrong checksum`)
  decodeBlock(zstdDecompressSync(packedBytes), rows, into)
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let done = 0; done < length; ) {
    const more = readSync(file, bytes, done, length - done, position + done)
    if (more === 0) return bytes.subarray(0, done)
    done += more
  }
  return bytes
}
