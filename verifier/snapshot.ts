/**
 * Reads a snapshot on its own: its frames and checksums, the hash of the state, and the state as plain data.
 *
 *   head    magic 8 · version 4 · length 4 · JSON with `sequence` and `stateHash` · crc 4
 *   frame   mark 4 · number 4 · length 4 · length as stored 4 · crc of it 4 · crc before 4 · crc 4; then zstd
 *   chunks  the first is the stamp of the last command (a double); the others are the state, whose SHA-256 is the hash
 *   state   tagged values (`StateReader`)
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, zstdDecompressSync } from 'node:zlib'
import type { Findings } from './findings.ts'

const magic = 'fe54696465736eff'
const chunkMark = 0xff_6b_63_fe
const endMark = 0xff_64_6e_fe

export interface Snapshot {
  readonly file: string
  readonly sequence: number
  readonly lastAt: number
  readonly state: Readonly<Record<string, unknown>>
}

/** Those that verify, oldest first. */
export function readSnapshots(data: string, findings: Findings): Snapshot[] {
  let names: string[]
  try {
    names = readdirSync(join(data, 'snapshots')).sort()
  } catch {
    return []
  }
  const found: Snapshot[] = []
  for (const name of names) {
    const file = `snapshots/${name}`
    if (!/^\d{20}\.snapshot$/.test(name)) {
      findings.note(`${file}: not a finished snapshot`)
      continue
    }
    const snapshot = readSnapshot(file, readFileSync(join(data, file)), findings)
    if (snapshot !== undefined) found.push(snapshot)
    findings.count('snapshots')
  }
  return found
}

function readSnapshot(file: string, bytes: Buffer, findings: Findings): Snapshot | undefined {
  const damaged = (offset: number, what: string): undefined => {
    findings.fault('snapshots', { file, offset }, what)
    return undefined
  }
  if (bytes.length < 16 || bytes.toString('hex', 0, 8) !== magic) return damaged(0, 'this is not a snapshot')
  const headEnd = 16 + bytes.readUInt32LE(12)
  if (bytes.length < headEnd + 4) return damaged(0, 'the file ends inside the head')
  const headCrc = bytes.readUInt32LE(headEnd)
  if (crc32(bytes.subarray(0, headEnd)) !== headCrc) return damaged(0, 'the head does not match its checksum')
  if (bytes.readUInt32LE(8) !== 1) return damaged(8, `the format version is ${bytes.readUInt32LE(8)}`)
  const head = JSON.parse(bytes.toString('utf8', 16, headEnd)) as { sequence: number; stateHash: string }
  if (head.sequence !== Number(file.slice(-29, -9)))
    return damaged(16, `it is of ${head.sequence}, which its name denies`)

  const chunks: Buffer[] = []
  let chain = headCrc
  for (let at = headEnd + 4; ; ) {
    if (bytes.length - at < 28) return damaged(at, 'the file ends before the end frame')
    const frame = bytes.subarray(at, at + 28)
    if (crc32(frame.subarray(0, 24)) !== frame.readUInt32LE(24)) return damaged(at, 'the frame does not verify')
    if (frame.readUInt32LE(4) !== chunks.length || frame.readUInt32LE(20) !== chain) {
      return damaged(at, 'the frame does not continue the one before')
    }
    chain = frame.readUInt32LE(24)
    if (frame.readUInt32LE(0) === endMark) {
      if (at + 28 !== bytes.length) return damaged(at + 28, 'something follows the end frame')
      break
    }
    const stored = bytes.subarray(at + 28, at + 28 + frame.readUInt32LE(12))
    const sound = frame.readUInt32LE(0) === chunkMark && crc32(stored) === frame.readUInt32LE(16)
    if (!sound) return damaged(at, 'the chunk does not match its checksum')
    try {
      chunks.push(zstdDecompressSync(stored))
    } catch {
      return damaged(at, 'the chunk cannot be unpacked')
    }
    if (chunks.at(-1)!.length !== frame.readUInt32LE(8)) return damaged(at, 'the chunk has another length')
    at += 28 + stored.length
  }

  const [stamp, ...saved] = chunks
  if (stamp?.length !== 8) return damaged(headEnd + 4, 'it does not begin with a stamp')
  const state = Buffer.concat(saved)
  const hash = createHash('sha256').update(state).digest('hex')
  if (hash !== head.stateHash) return damaged(16, `its state has the hash ${hash}, not ${head.stateHash}`)
  try {
    return { file, sequence: head.sequence, lastAt: stamp.readDoubleLE(), state: stateOf(state) }
  } catch (error) {
    return damaged(headEnd + 4, `its state cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Throws for what is no state. */
export function stateOf(saved: Buffer): Snapshot['state'] {
  return new StateReader(saved).whole() as Snapshot['state']
}

const columnTypes = [Float64Array, Int32Array, Uint16Array, Uint8Array, BigInt64Array] as const

/** Tagged values, one after the other; shapes of objects and words of properties are numbered as they first come. */
class StateReader {
  readonly #bytes: Buffer
  #at = 0
  readonly #shapes: string[][] = []
  readonly #words: string[] = []

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  whole(): unknown {
    const value = this.#value()
    if (this.#at !== this.#bytes.length) throw new Error(`${this.#bytes.length - this.#at} bytes left over`)
    return value
  }

  #take(length: number): Buffer {
    this.#at += length
    if (this.#at > this.#bytes.length) throw new Error('it ends inside a value')
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  #length(): number {
    return this.#take(4).readUInt32LE()
  }

  #list<Item>(item: () => Item): Item[] {
    const length = this.#length()
    const items: Item[] = []
    for (let index = 0; index < length; index++) items.push(item())
    return items
  }

  #value(): unknown {
    const tag = this.#take(1).readUInt8()
    switch (tag) {
      case 0:
        return undefined
      case 1:
        return null
      case 2:
        return true
      case 3:
        return false
      case 4:
        return this.#take(4).readInt32LE()
      case 5:
        return this.#take(8).readDoubleLE()
      case 6:
        return this.#take(8).readBigInt64LE()
      case 7:
        return BigInt(this.#text())
      case 8:
        return this.#take(this.#length()).toString('latin1')
      case 9:
        return this.#take(this.#length() * 2).toString('utf16le')
      case 10: {
        const word = this.#text()
        this.#words.push(word)
        return word
      }
      case 11:
        return this.#words[this.#length()]
      case 12:
        return this.#list(() => this.#value())
      case 13:
        return new Map(this.#list(() => [this.#value(), this.#value()] as const))
      case 14:
        return new Set(this.#list(() => this.#value()))
      case 15: {
        const shape = this.#list(() => this.#text())
        this.#shapes.push(shape)
        return this.#properties(shape)
      }
      case 16:
        return this.#properties(this.#shapes[this.#length()])
      case 17:
        return this.#column()
      default:
        throw new Error(`unknown tag ${tag} at byte ${this.#at - 1}`)
    }
  }

  #text(): string {
    const value = this.#value()
    if (typeof value !== 'string') throw new Error(`a text was expected at byte ${this.#at}`)
    return value
  }

  #properties(names: readonly string[]): Record<string, unknown> {
    return Object.fromEntries(names.map((name) => [name, this.#value()]))
  }

  #column(): ArrayLike<number | bigint> {
    const type = columnTypes[this.#take(1).readUInt8()]
    if (type === undefined) throw new Error(`unknown column at byte ${this.#at - 1}`)
    const length = this.#length()
    const bytes = this.#take(length * type.BYTES_PER_ELEMENT)
    const column = new type(length)
    new Uint8Array(column.buffer).set(bytes)
    return column
  }
}
