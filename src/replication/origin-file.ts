/**
 * Whose the records of the journal are, beside it: so that a core which was killed can say, when it is back, which commands of
 * its gateways stand and which never were.
 *
 * File       <data>/origins.log; each batch's origins are written before the batch is. What names commands that the journal
 *            does not have is of a batch that never was; of two for one batch the later holds
 * Bounded    a file that has grown to 64 MiB becomes origins.log.1, in place of the one before it
 * Not synced what a loss of power takes from it takes the gateways of this machine as well
 */
import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { decodeMessage, encodeMessage, type Origin } from './message.ts'

const bytesMax = 64 * 1024 * 1024
const empty = {
  kind: 'heartbeat',
  stateVersion: 0,
  epoch: 0,
  appliedThrough: 0,
  at: 0,
  records: [],
  previousChain: 0,
} as const
const none = Buffer.alloc(0)

export class OriginFile {
  readonly #file: string
  #descriptor: number
  #bytes: number
  /** By the first command of each batch. */
  readonly known = new Map<number, readonly Origin[]>()

  /** `from` and `through`: the commands of the journal that it is to know. */
  constructor(file: string, from: number, through: number) {
    this.#file = file
    this.#read(`${file}.1`, from, through)
    this.#bytes = this.#read(file, from, through)
    this.#descriptor = openSync(file, existsSync(file) ? 'r+' : 'w', 0o600)
    ftruncateSync(this.#descriptor, this.#bytes)
  }

  note(firstSequence: number, origins: readonly Origin[]): void {
    if (this.#bytes > bytesMax) this.#beginAnew()
    const bytes = encodeMessage({ ...empty, firstSequence, origins, note: none })
    writeSync(this.#descriptor, bytes, 0, bytes.length, this.#bytes)
    this.#bytes += bytes.length
  }

  #beginAnew(): void {
    closeSync(this.#descriptor)
    renameSync(this.#file, `${this.#file}.1`)
    this.#descriptor = openSync(this.#file, 'w', 0o600)
    this.#bytes = 0
  }

  /** Answers how many bytes of it are whole. */
  #read(file: string, from: number, through: number): number {
    if (!existsSync(file)) return 0
    let whole = 0
    for (const { end, firstSequence, origins } of entriesOf(readFileSync(file))) {
      whole = end
      if (firstSequence >= from && firstSequence <= through) this.known.set(firstSequence, origins)
    }
    return whole
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

function* entriesOf(bytes: Buffer) {
  const originsLengthAt = 52
  const headerBytes = 72
  for (let at = 0; at + headerBytes <= bytes.length; ) {
    const end = at + headerBytes + bytes.readUInt32LE(at + originsLengthAt)
    const entry = decodeMessage(bytes.subarray(at, end))
    // The process was killed while it wrote it: its batch never was.
    if (typeof entry === 'string') return
    yield { ...entry, end }
    at = end
  }
}
