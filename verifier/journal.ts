/**
 * Reads a journal's segments on its own: headers, batches, checksums, the chain over all of it, every record.
 *
 *   segment   28 bytes: magic 8 · version 4 · chain before it 4 · first sequence 8 · crc 4; then batches
 *   batch     36 bytes: magic 4 · records 4 · first sequence 8 · body bytes 4 · blank sectors 4 · chain before it 4
 *             · crc of the body 4 · crc 4; then the body: records (4 length, payload), end mark 4
 *   chain     the crc of a header stands for everything before it; the next header repeats it
 *
 * Zeros       the newest segment alone may end in zeros that are still to be written over
 * Unfinished  that one alone may end in a batch that a crash interrupted: the file ends inside it, it reads as zeros from
 *             somewhere on, or sectors of it read as zeros that were not zero when it was written. Nobody was told of it,
 *             so that is no fault
 * Cannot see  the end missing as a whole; a snapshot or a history that stands further does (verify.ts)
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Command, readCommand } from './commands.ts'
import type { Findings } from './findings.ts'

const segmentMagic = 'fe546964656d6bff'
const batchMagic = 'fe5463ff'
const endMark = 'fe4e65ff'
const formatVersion = 1
const sectorBytes = 512

/** What of the journal the other checks need. */
export interface JournalContent {
  /** One past the last if there is no record. */
  readonly firstSequence: number
  readonly lastSequence: number
  /** Of the records that could be read. */
  readonly kinds: ReadonlyMap<number, string>
  readonly stamps: ReadonlyMap<number, number>
  /** Commands that move money from outside and between wallets. */
  readonly money: ReadonlyMap<number, Command>
  /** Before the first segment; zero: there was none. */
  readonly previousChain: number
  /** Behind a record that ends a batch, and behind the header of a segment that follows it. */
  readonly chains: ReadonlyMap<number, readonly number[]>
}

const moneyKinds = new Set(['deposit', 'withdraw', 'fund-house', 'transfer'])

/** `under`: the directory of a branch, with a slash behind it. */
export function readJournal(data: string, findings: Findings, under = ''): JournalContent | undefined {
  const directory = join(data, under, 'journal')
  let names: string[]
  try {
    names = readdirSync(directory)
      .filter((name) => /^\d{20}\.journal$/.test(name))
      .sort()
  } catch (error) {
    findings.fault('journal', { file: `${under}journal` }, `cannot be read: ${String(error)}`)
    return undefined
  }
  if (names.length === 0) {
    findings.fault('journal', { file: `${under}journal` }, 'there is no segment')
    return undefined
  }
  const reading = new JournalReading(findings)
  for (const name of names) {
    reading.segment(`${under}journal/${name}`, readFileSync(join(directory, name)), name === names.at(-1))
  }
  return reading.content()
}

class JournalReading {
  readonly #findings: Findings
  readonly #kinds = new Map<number, string>()
  readonly #stamps = new Map<number, number>()
  readonly #money = new Map<number, Command>()
  readonly #chains = new Map<number, readonly number[]>()
  #previousChain = 0
  #first: number | undefined
  /** Undefined until the first segment was read, and again behind damage: then what follows is not compared. */
  #chain: number | undefined
  #next: number | undefined
  #lastAt = 0
  #last = 0

  constructor(findings: Findings) {
    this.#findings = findings
  }

  content(): JournalContent {
    return {
      firstSequence: this.#first ?? 1,
      lastSequence: this.#last,
      kinds: this.#kinds,
      stamps: this.#stamps,
      money: this.#money,
      previousChain: this.#previousChain,
      chains: this.#chains,
    }
  }

  segment(file: string, bytes: Buffer, isNewest: boolean): void {
    this.#findings.count('segments')
    const lost = (offset: number, what: string): void => {
      this.#findings.fault('journal', { file, offset }, what)
      this.#chain = undefined
      this.#next = undefined
    }
    const named = Number(file.slice(-28, -8))
    if (bytes.length < 28 || crc32(bytes.subarray(0, 24)) !== bytes.readUInt32LE(24)) {
      const unfinished = isNewest && named === this.#next && isUnfinishedHeader(bytes)
      if (!unfinished) return lost(0, 'the segment header does not verify')
      this.#findings.note(`${file}: a segment whose making a crash interrupted; the next start removes it`)
      return
    }
    if (bytes.toString('hex', 0, 8) !== segmentMagic) return lost(0, 'this is not a journal segment')
    if (bytes.readUInt32LE(8) !== formatVersion) return lost(0, `the format version is ${bytes.readUInt32LE(8)}`)
    const first = Number(bytes.readBigUInt64LE(16))
    const previous = bytes.readUInt32LE(12)
    if (first !== named) lost(0, `the segment begins with record ${first}, which its name denies`)
    else if (this.#first === undefined && first === 1 && previous !== 0) lost(0, 'the first segment continues another')
    else if (this.#next !== undefined && first !== this.#next) {
      lost(0, `the segment begins with record ${first} where ${this.#next} is due`)
    } else if (this.#chain !== undefined && previous !== this.#chain) {
      lost(0, 'the segment does not continue the one before')
    }
    if (this.#first === undefined) this.#previousChain = previous
    this.#first ??= first
    this.#last = Math.max(this.#last, first - 1)
    this.#chain = bytes.readUInt32LE(24)
    this.#noteChain(first - 1, this.#chain)
    this.#next = first
    this.#batches(file, bytes, isNewest, lost)
  }

  #batches(file: string, bytes: Buffer, isNewest: boolean, lost: (offset: number, what: string) => void): void {
    for (let at = 28; at < bytes.length; ) {
      const left = bytes.length - at
      const verifies = left >= 36 && crc32(bytes.subarray(at, at + 32)) === bytes.readUInt32LE(at + 32)
      if (!verifies || bytes.toString('hex', at, at + 4) !== batchMagic) {
        if (isNewest && isBlank(bytes, at)) return
        if (isNewest && isUnfinishedBatch(bytes, at)) return this.#unfinished(file, at)
        return lost(at, 'no batch header verifies here')
      }
      const records = bytes.readUInt32LE(at + 4)
      const first = Number(bytes.readBigUInt64LE(at + 8))
      const bodyBytes = bytes.readUInt32LE(at + 16)
      if (first !== this.#next) return lost(at, `the batch begins with record ${first} where ${this.#next} is due`)
      if (bytes.readUInt32LE(at + 24) !== this.#chain) return lost(at, 'the batch does not continue the one before')
      const body = bytes.subarray(at + 36, at + 36 + bodyBytes)
      if (body.length < bodyBytes || crc32(body) !== bytes.readUInt32LE(at + 28)) {
        const isLast = isBlank(bytes, at + 36 + bodyBytes)
        const torn =
          body.length < bodyBytes || body.at(-1) === 0 || blankSectors(body, at + 36) > bytes.readUInt32LE(at + 20)
        if (isNewest && isLast && torn) return this.#unfinished(file, at)
        return lost(
          at,
          body.length < bodyBytes ? 'the file ends inside a batch' : 'the batch does not match its checksum',
        )
      }
      if (!this.#records(file, at + 36, body, first, records))
        return lost(at, 'the lengths of the records do not add up')
      this.#findings.count('batches')
      this.#chain = bytes.readUInt32LE(at + 32)
      this.#next = first + records
      this.#noteChain(first + records - 1, bytes.readUInt32LE(at + 32))
      at += 36 + bodyBytes
    }
  }

  #noteChain(sequence: number, chain: number): void {
    this.#chains.set(sequence, [...(this.#chains.get(sequence) ?? []), chain])
  }

  #unfinished(file: string, offset: number): void {
    this.#findings.note(`${file} at offset ${offset}: a batch that a crash interrupted; the next start cuts it off`)
  }

  #records(file: string, start: number, body: Buffer, first: number, records: number): boolean {
    let at = 0
    for (let record = 0; record < records; record++) {
      if (at + 4 > body.length) return false
      const length = body.readUInt32LE(at)
      if (length === 0 || at + 4 + length > body.length) return false
      this.#record(file, start + at, body.subarray(at + 4, at + 4 + length), first + record)
      at += 4 + length
    }
    return at + 4 === body.length && body.toString('hex', at) === endMark
  }

  #record(file: string, offset: number, payload: Buffer, sequence: number): void {
    this.#findings.count('records')
    this.#last = Math.max(this.#last, sequence)
    const place = { file, offset }
    try {
      const command = readCommand(payload)
      this.#kinds.set(sequence, command.kind)
      this.#stamps.set(sequence, command.at)
      if (moneyKinds.has(command.kind)) this.#money.set(sequence, command)
      if (!Number.isFinite(command.at) || command.at < this.#lastAt) {
        const what = `record ${sequence} is stamped ${command.at}, before ${this.#lastAt} of the one before`
        this.#findings.fault('stamps', place, what)
      } else this.#lastAt = command.at
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#findings.fault('records', place, `record ${sequence} is no command: ${why}`)
    }
  }
}

/** As far as `bytes` cover them; they stand in the file at `position`. */
function blankSectors(bytes: Buffer, position: number): number {
  let blank = 0
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + sectorBytes - ((position + at) % sectorBytes))
    if (bytes.subarray(at, end).every((byte) => byte === 0)) blank += 1
    at = end
  }
  return blank
}

function isUnfinishedHeader(bytes: Buffer): boolean {
  return bytes.length < 28 || (bytes.length === 28 && bytes.every((byte) => byte === 0))
}

/** Nothing but zeros from there on, or nothing at all. */
function isBlank(bytes: Buffer, from: number): boolean {
  return bytes.subarray(from).every((byte) => byte === 0)
}

/**
 * A batch without a valid header: the file or what was written of it ends in that, or a sector of it is blank and no other
 * batch follows.
 */
function isUnfinishedBatch(bytes: Buffer, at: number): boolean {
  const rest = bytes.subarray(at)
  if (isBlank(rest, 36)) return true
  const headerEnd = at + 35 - ((at + 35) % sectorBytes) + sectorBytes
  if (blankSectors(bytes.subarray(at, Math.min(headerEnd, bytes.length)), at) === 0) return false
  const magic = Buffer.from(batchMagic, 'hex')
  for (let found = rest.indexOf(magic); found >= 0; found = rest.indexOf(magic, found + 1)) {
    const header = rest.subarray(found, found + 36)
    if (header.length === 36 && crc32(header.subarray(0, 32)) === header.readUInt32LE(32)) return false
  }
  return true
}
