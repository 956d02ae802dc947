/**
 * Rows of a CSV file as bytes: fields are places in a buffer, and numbers are read from there without making text of them.
 *
 * Fields     parted by commas; in double quotes if need be, without quotes inside. Line ends LF or CRLF, a byte order mark may be there
 * Blank      lines are passed over, but counted
 * Own code   a parser that makes a text of each field reads a fifth of what a day of rows asks for (docs/recorded-markets.md)
 */
import { TapeWrong, wrongField } from './wrong.ts'

const fieldsMax = 512
const lineBytesMax = 1 << 20

const comma = 44
const newline = 10
const carriage = 13
const quote = 34
const dot = 46
const minus = 45
const plus = 43
const zero = 48

/** One row at a time, read in place. */
export class Lines {
  readonly file: string
  /** Of the row, from 1 with the header. */
  row = 0
  /** Fields of the row. */
  count = 0
  /** What `number` read: its digits without the point, and how many of them are behind it. */
  digits = 0
  decimals = 0
  #names: readonly string[] = []
  #bytes: Uint8Array = new Uint8Array(0)
  readonly #starts = new Int32Array(fieldsMax + 1)
  readonly #ends = new Int32Array(fieldsMax + 1)
  #rest: Uint8Array = new Uint8Array(0)
  #isFirst = true

  constructor(file: string) {
    this.file = file
  }

  /** What messages call the fields. */
  name(names: readonly string[]): void {
    this.#names = names
  }

  /** `take` is called with each row that ends in this piece. */
  push(chunk: Uint8Array, take: () => void): void {
    this.#bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    this.#rest = this.#bytes.subarray(this.#scan(take))
    if (this.#rest.length > lineBytesMax)
      throw new TapeWrong(`${this.file}, row ${this.row + 1}: is longer than a row is`)
    // The caller's buffer is its own again.
    if (this.#rest.buffer === chunk.buffer) this.#rest = Uint8Array.from(this.#rest)
  }

  /** The last row may have no line end. */
  end(take: () => void): void {
    if (this.#rest.length === 0) return
    this.push(Uint8Array.of(newline), take)
  }

  /** Answers where the row begins that has no end yet. */
  #scan(take: () => void): number {
    const bytes = this.#bytes
    const { length } = bytes
    const starts = this.#starts
    const ends = this.#ends
    let begin = 0
    if (this.#isFirst && length >= 3) {
      this.#isFirst = false
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) begin = 3
    }
    let field = 0
    let quoted = false
    starts[0] = begin
    for (let at = begin; at < length; at++) {
      const byte = bytes[at]
      if (byte > comma) continue
      if (byte === quote) quoted = !quoted
      else if (byte === comma && !quoted) {
        ends[field++] = at
        if (field >= fieldsMax)
          throw new TapeWrong(`${this.file}, row ${this.row + 1}: has more than ${fieldsMax} fields`)
        starts[field] = at + 1
      } else if (byte === newline) {
        ends[field] = at > begin && bytes[at - 1] === carriage ? at - 1 : at
        this.row += 1
        this.count = field + 1
        if (quoted) throw new TapeWrong(`${this.file}, row ${this.row}: a double quote has no end`)
        if (field > 0 || ends[0] > starts[0]) take()
        begin = at + 1
        field = 0
        starts[0] = begin
      }
    }
    return begin
  }

  text(field: number): string {
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + this.#from(field), this.#length(field))
      .toString()
      .trim()
  }

  isEmpty(field: number): boolean {
    return field >= this.count || this.#length(field) === 0
  }

  /** Whether it is this text, given as bytes. */
  is(field: number, wanted: Uint8Array): boolean {
    const from = this.#from(field)
    if (this.#length(field) !== wanted.length) return false
    for (let at = 0; at < wanted.length; at++) if (this.#bytes[from + at] !== wanted[at]) return false
    return true
  }

  /** Its first letter, as a small one. */
  letter(field: number): number {
    return this.isEmpty(field) ? 0 : this.#bytes[this.#from(field)] | 32
  }

  /** A decimal into `digits` and `decimals`; closing zeros behind the point are left away. False: it is none. */
  decimal(field: number): boolean {
    const bytes = this.#bytes
    let at = this.#from(field)
    const end = at + this.#length(field)
    const isNegative = bytes[at] === minus
    if (isNegative) at += 1
    let value = 0
    let decimals = 0
    let zeros = 0
    let seen = 0
    for (; at < end; at++) {
      const digit = bytes[at] - zero
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
      seen += 1
    }
    if (at < end && bytes[at] === dot) {
      for (at += 1; at < end; at++) {
        const digit = bytes[at] - zero
        if (digit < 0 || digit > 9) break
        seen += 1
        if (digit === 0) {
          zeros += 1
          continue
        }
        for (; zeros > 0; zeros--, decimals++) value *= 10
        value = value * 10 + digit
        decimals += 1
      }
    }
    if (seen === 0) return false
    if (at < end) return this.#scientific(field)
    this.digits = isNegative ? -value : value
    this.decimals = decimals
    return true
  }

  /** `1e-05`, as some programs write small numbers. */
  #scientific(field: number): boolean {
    const found = /^(-?)([0-9]{1,15})(?:\.([0-9]{1,15}))?[eE]([+-]?[0-9]{1,2})$/.exec(this.text(field))
    if (found === null) return false
    const [, sign, whole, part = '', power] = found
    const decimals = part.length - Number(power)
    const digits = Number(whole + part) * (decimals < 0 ? 10 ** -decimals : 1)
    this.digits = sign === '-' ? -digits : digits
    this.decimals = Math.max(0, decimals)
    return true
  }

  /** Microseconds since 1970, of seconds, milli-, micro- or nanoseconds by their magnitude, or of ISO 8601. NaN: it is none. */
  time(field: number): number {
    const from = this.#from(field)
    const length = this.#length(field)
    let value = 0
    for (let at = from; at < from + length; at++) {
      const digit = this.#bytes[at] - zero
      if (digit < 0 || digit > 9) return timeOf(this.text(field))
      // Nanoseconds have more digits than are kept.
      if (at - from < 16) value = value * 10 + digit
    }
    if (length === 0) return Number.NaN
    if (length === 16) return value
    if (length === 13) return value * 1_000
    if (length === 19) return value
    return length === 10 || length === 9 ? value * 1_000_000 : Number.NaN
  }

  wrong(field: number, rule: string): TapeWrong {
    const name = this.#names[field] ?? `field ${field + 1}`
    return wrongField(this.file, this.row, name, field < this.count ? this.text(field) : '', rule)
  }

  #from(field: number): number {
    const from = this.#starts[field]
    return this.#bytes[from] === quote && this.#ends[field] > from + 1 ? from + 1 : from
  }

  #length(field: number): number {
    if (field >= this.count) return 0
    const from = this.#starts[field]
    const whole = this.#ends[field] - from
    return this.#bytes[from] === quote && whole >= 2 ? whole - 2 : whole
  }
}

/** With its zone; without one only where the format says that it is UTC (`isUtc`). */
export function timeOf(text: string, isUtc = false): number {
  const fraction = /^([0-9]{9,10})\.([0-9]{1,9})$/.exec(text)
  if (fraction !== null) return Number(fraction[1]) * 1_000_000 + Number(fraction[2].padEnd(6, '0').slice(0, 6))
  const found = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.(\d{1,9}))?(Z|[+-]\d{2}:?\d{2})?$/.exec(text)
  if (found === null || (found[4] === undefined && !isUtc)) return Number.NaN
  const ms = Date.parse(`${found[1]}T${found[2]}${found[4] ?? 'Z'}`)
  return ms * 1_000 + Number((found[3] ?? '').padEnd(6, '0').slice(0, 6))
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** A line that begins with a digit, a sign or nothing is of values; any other is a header. */
export function looksLikeHeader(text: string): boolean {
  const code = text.codePointAt(0) ?? zero
  return !(code >= zero && code <= zero + 9) && code !== minus && code !== plus && code !== dot
}
