/**
 * One message of the log, version 1. All numbers are little-endian.
 *
 *    0  4  magic                                40  8  sequence of the first record (see `firstSequence`)
 *    4  2  version                              48  4  number of records
 *    6  2  kind                                 52  4  bytes of the origins
 *    8  4  state version                        56  4  bytes of the body
 *   12  8  epoch of the leader                  60  4  previous: chain before this message
 *   20  8  last command that it had applied     64  4  crc of origins and body
 *   28  8  at: stamp of the records             68  4  crc of the 68 bytes above: the chain behind it
 *   36  4  zero                                 72     origins, body
 *
 * Origins   session 8 · counter 4 · records 4, one for each submission, in the order of their records
 * Body      of a batch: [4 length, at least 1][record] …, then the end mark, as in a journal file; else what its kind says
 * Snapshot  of a venue that was brought into the log: a piece of its file
 * Chain     one value stands for all before it: what was lost, repeated or swapped does not fit what follows
 */
import { crc32 } from 'node:zlib'

type MessageKind = 'batch' | 'claim' | 'resign' | 'heartbeat' | 'skip' | 'snapshot'

const kinds: readonly MessageKind[] = ['batch', 'claim', 'resign', 'heartbeat', 'skip', 'snapshot']

/** Whose submission some records of a batch are. */
export interface Origin {
  /** Of the process that sent it, a safe integer. */
  readonly session: number
  /** Its number among those of that session. */
  readonly counter: number
  readonly records: number
}

export interface Message {
  readonly kind: MessageKind
  /** The rules at which the leader stood behind `appliedThrough`. */
  readonly stateVersion: number
  readonly epoch: number
  /** The last command that the leader had applied. */
  readonly appliedThrough: number
  /** Unix milliseconds. */
  readonly at: number
  /** Of the first record; of a skip, the command that is passed over; else of the record that comes next. */
  readonly firstSequence: number
  readonly origins: readonly Origin[]
  /** Of a batch. */
  readonly records: readonly Uint8Array[]
  /** Of every other kind. */
  readonly note: Uint8Array
  readonly previousChain: number
}

export interface ReadMessage extends Message {
  /** The chain behind this message. */
  readonly chain: number
}

const magic = 0xff_4c_54_fe
const version = 1
const headerBytes = 72
const originBytes = 16
const endMark = 0xff_65_4e_fe
const nothing = new Uint8Array(0)

export function encodeMessage(message: Message): Buffer {
  const { origins, records, note } = message
  const isBatch = message.kind === 'batch'
  const bodyBytes = isBatch ? records.reduce((sum, record) => sum + 4 + record.length, 4) : note.length
  const bytes = Buffer.alloc(headerBytes + origins.length * originBytes + bodyBytes)
  bytes.writeUInt32LE(magic, 0)
  bytes.writeUInt16LE(version, 4)
  bytes.writeUInt16LE(kinds.indexOf(message.kind), 6)
  bytes.writeUInt32LE(message.stateVersion, 8)
  writeWhole(bytes, message.epoch, 12)
  writeWhole(bytes, message.appliedThrough, 20)
  bytes.writeDoubleLE(message.at, 28)
  writeWhole(bytes, message.firstSequence, 40)
  bytes.writeUInt32LE(records.length, 48)
  bytes.writeUInt32LE(origins.length * originBytes, 52)
  bytes.writeUInt32LE(bodyBytes, 56)
  bytes.writeUInt32LE(message.previousChain, 60)
  let at = headerBytes
  for (const { session, counter, records: count } of origins) {
    writeWhole(bytes, session, at)
    bytes.writeUInt32LE(counter, at + 8)
    bytes.writeUInt32LE(count, at + 12)
    at += originBytes
  }
  if (isBatch) {
    for (const record of records) {
      bytes.writeUInt32LE(record.length, at)
      bytes.set(record, at + 4)
      at += 4 + record.length
    }
    bytes.writeUInt32LE(endMark, at)
  } else bytes.set(note, at)
  bytes.writeUInt32LE(crc32(bytes.subarray(headerBytes)), 64)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 68)), 68)
  return bytes
}

const importMark = 'import '

/** What the claim says of who brings a venue into an empty log. */
export function importNote(text: string): Buffer {
  return Buffer.from(`${importMark}${text}`)
}

/** Undefined: it is no such claim. */
export function importNoteOf({ kind, note }: Pick<Message, 'kind' | 'note'>): string | undefined {
  const text = kind === 'claim' ? Buffer.from(note).toString() : ''
  return text.startsWith(importMark) ? text.slice(importMark.length) : undefined
}

/** The message, or why it is none. Records and note are views of the bytes. */
export function decodeMessage(bytes: Uint8Array): ReadMessage | string {
  const from = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (from.length < headerBytes) return 'it ends inside its header'
  if (from.readUInt32LE(0) !== magic) return 'it is no message of this log'
  const chain = from.readUInt32LE(68)
  if (crc32(from.subarray(0, 68)) !== chain) return 'its header does not match its checksum'
  const found = from.readUInt16LE(4)
  if (found !== version) return `its version is ${found}; this program reads ${version}`
  const kind = kinds[from.readUInt16LE(6)]
  if (kind === undefined) return 'its kind is of a later release'
  const count = from.readUInt32LE(48)
  const bodyAt = headerBytes + from.readUInt32LE(52)
  if (bodyAt + from.readUInt32LE(56) !== from.length) return 'its parts are not as long as it says'
  if (crc32(from.subarray(headerBytes)) !== from.readUInt32LE(64)) return 'its content does not match its checksum'
  const origins = readOrigins(from.subarray(headerBytes, bodyAt))
  const body = from.subarray(bodyAt)
  const records = kind === 'batch' ? readRecords(body, count) : []
  if (records === undefined) return 'its records are not as long as they say'
  return {
    kind,
    stateVersion: from.readUInt32LE(8),
    epoch: readWhole(from, 12),
    appliedThrough: readWhole(from, 20),
    at: from.readDoubleLE(28),
    firstSequence: readWhole(from, 40),
    origins,
    records,
    note: kind === 'batch' ? nothing : body,
    previousChain: from.readUInt32LE(60),
    chain,
  }
}

function readOrigins(from: Buffer): Origin[] {
  const origins: Origin[] = []
  for (let at = 0; at < from.length; at += originBytes) {
    const session = readWhole(from, at)
    origins.push({ session, counter: from.readUInt32LE(at + 8), records: from.readUInt32LE(at + 12) })
  }
  return origins
}

function readRecords(body: Buffer, count: number): Uint8Array[] | undefined {
  const records: Uint8Array[] = []
  let at = 0
  while (records.length < count) {
    if (at + 8 > body.length) return undefined
    const length = body.readUInt32LE(at)
    if (length === 0 || at + 4 + length + 4 > body.length) return undefined
    records.push(body.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return count > 0 && at + 4 === body.length && body.readUInt32LE(at) === endMark ? records : undefined
}

function writeWhole(bytes: Buffer, value: number, at: number): void {
  bytes.writeUInt32LE(value % 2 ** 32, at)
  bytes.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4)
}

function readWhole(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32
}
