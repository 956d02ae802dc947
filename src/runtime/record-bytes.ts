/**
 * One command's record as bytes: a writer that fills one buffer again and again, a reader that walks a view of another.
 *
 * Numbers   little-endian; text is UTF-8 behind its length
 * Holds     what is written reads back the same, or the write throws RecordUnwritable: a number that is not exact, text
 *           that is not well-formed Unicode
 * Reading   beyond the end of the record throws RecordUnreadable; nothing read keeps a reference to the bytes
 * Not here  checksums and sequence numbers (journal/), what the fields mean (command-layout.ts)
 */
const textBytesMax = 0xffff
const initialBytes = 64 * 1024

/** The value does not fit its field: a defect of whoever made the command. Nothing of it was recorded. */
export class RecordUnwritable extends Error {
  override name = 'RecordUnwritable'
}

/** The bytes are no record of this format: they are of a newer program, or the program that wrote them was wrong. */
export class RecordUnreadable extends Error {
  override name = 'RecordUnreadable'
}

export class RecordWriter {
  #bytes = Buffer.allocUnsafeSlow(initialBytes)
  #view = new DataView(this.#bytes.buffer)
  #at = 0

  /** Where the next byte goes. */
  get position(): number {
    return this.#at
  }

  /** Back to an earlier position; what stood behind it is overwritten by what follows. */
  rewind(position: number): void {
    this.#at = position
  }

  /** The bytes between two positions, valid until the writer is rewound before them. */
  slice(from: number, to: number): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, from, to - from)
  }

  u8(value: number): void {
    this.#reserve(1)
    this.#view.setUint8(this.#at, value)
    this.#at += 1
  }

  u32(value: number): void {
    if (value >>> 0 !== value) throw new RecordUnwritable(`not a whole number of 32 bits: ${value}`)
    this.#reserve(4)
    this.#view.setUint32(this.#at, value, true)
    this.#at += 4
  }

  f64(value: number): void {
    this.#reserve(8)
    this.#view.setFloat64(this.#at, value, true)
    this.#at += 8
  }

  i64(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) throw new RecordUnwritable(`beyond 64 bits: ${value}`)
    this.#reserve(8)
    this.#view.setBigInt64(this.#at, value, true)
    this.#at += 8
  }

  text(value: string): void {
    const room = value.length * 3 // UTF-8 takes at most three bytes for each unit of UTF-16
    this.#reserve(room + 2)
    const start = this.#at + 2
    const length = this.#ascii(value, start) ?? this.#unicode(value, start)
    if (length > textBytesMax) throw new RecordUnwritable(`text of ${length} bytes, at most ${textBytesMax} fit`)
    this.#view.setUint16(this.#at, length, true)
    this.#at = start + length
  }

  /** Text of any length, for the fields that carry JSON. */
  longText(value: string): void {
    this.#reserve(value.length * 3 + 4)
    const length = this.#unicode(value, this.#at + 4)
    this.#view.setUint32(this.#at, length, true)
    this.#at += 4 + length
  }

  /** Most text is short and ASCII: copying it here is several times faster than a call into the encoder. */
  #ascii(value: string, start: number): number | undefined {
    const bytes = this.#bytes
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index)
      if (code > 0x7f) return undefined
      bytes[start + index] = code
    }
    return value.length
  }

  #unicode(value: string, start: number): number {
    if (!value.isWellFormed()) throw new RecordUnwritable('text with half a surrogate pair')
    return this.#bytes.write(value, start, 'utf8')
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#at + bytes))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
    this.#view = new DataView(larger.buffer)
  }
}

export class RecordReader {
  #buffer: ArrayBufferLike = new ArrayBuffer(0)
  #bytes = Buffer.from(this.#buffer)
  #view = new DataView(this.#buffer)
  #at = 0
  #end = 0

  /** Starts at the first byte of a record. */
  open(record: Uint8Array): void {
    if (record.buffer !== this.#buffer) {
      this.#buffer = record.buffer
      this.#bytes = Buffer.from(record.buffer)
      this.#view = new DataView(record.buffer)
    }
    this.#at = record.byteOffset
    this.#end = record.byteOffset + record.byteLength
  }

  /** Bytes of the record that were not read yet. */
  get rest(): number {
    return this.#end - this.#at
  }

  u8(): number {
    return this.#view.getUint8(this.#step(1))
  }

  u32(): number {
    return this.#view.getUint32(this.#step(4), true)
  }

  f64(): number {
    return this.#view.getFloat64(this.#step(8), true)
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#step(8), true)
  }

  text(): string {
    const length = this.#view.getUint16(this.#step(2), true)
    return length === 0 ? '' : this.#text(length)
  }

  longText(): string {
    return this.#text(this.u32())
  }

  #text(length: number): string {
    const start = this.#step(length)
    return this.#bytes.toString('utf8', start, start + length)
  }

  #step(bytes: number): number {
    const at = this.#at
    if (at + bytes > this.#end) throw new RecordUnreadable('the record ends inside a field')
    this.#at = at + bytes
    return at
  }
}
