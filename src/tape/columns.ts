/**
 * Rows of a tape in columns, a block at a time, and the bytes of a block.
 *
 * Row       time (microseconds since 1970), kind, value, amount: whole numbers
 * Scales    prices, amounts, reference prices and rates each have a number of decimals, the same in the whole tape. A row's kind
 *           says which of them its value has
 * Bytes     a column after the other: kinds; times, each as its distance from the one before; values, each as its distance from
 *           the last of its kind; amounts. Numbers of any length in groups of seven bits, signed ones with the sign as lowest bit
 */
import { TapeWrong } from './wrong.ts'

/** What a row says. The numbers are in files: they never change. */
export const rowKind = {
  /** The whole amount of a price level from now on; 0: it is gone. */
  bid: 0,
  ask: 1,
  /** Who takes buys. */
  buy: 2,
  sell: 3,
  /** All levels go, new ones follow at the same time. */
  clear: 4,
  index: 5,
  mark: 6,
  funding: 7,
  /** Four rows are a candle, in the order in which its prices are met; the first one has the volume. */
  candle: 8,
  /** Somebody is liquidated by buying; by selling. Such trades are among the trades, too. */
  liquidationBuy: 9,
  liquidationSell: 10,
  /** A trade of which nobody says who took: not in a finished tape. */
  trade: 11,
} as const

export const rowKindNames = Object.keys(rowKind) as readonly (keyof typeof rowKind)[]

/** Decimals of what rows hold. */
export interface Scales {
  readonly price: number
  readonly amount: number
}

/** Index and mark prices come computed, with as many digits as a computer has: they are rounded to these. */
export const referenceDecimals = 8
export const rateDecimals = 12
export const decimalsMax = 12

export const blockRowsMax = 65_536

/** Rows of one block, in order of what was added. */
export class Block {
  readonly times: Float64Array
  readonly kinds: Uint8Array
  readonly values: Float64Array
  readonly amounts: Float64Array
  length = 0

  constructor(size = blockRowsMax) {
    this.times = new Float64Array(size)
    this.kinds = new Uint8Array(size)
    this.values = new Float64Array(size)
    this.amounts = new Float64Array(size)
  }

  add(time: number, kind: number, value: number, amount: number): void {
    const at = this.length++
    this.times[at] = time
    this.kinds[at] = kind
    this.values[at] = value
    this.amounts[at] = amount
  }

  /** By time; rows of one time stay as they are. */
  sort(): void {
    const { length, times } = this
    let isSorted = true
    for (let at = 1; isSorted && at < length; at++) isSorted = times[at] >= times[at - 1]
    if (isSorted) return
    const order = Uint32Array.from({ length }, (_, at) => at).sort((a, b) => times[a] - times[b] || a - b)
    for (const column of [this.times, this.kinds, this.values, this.amounts]) {
      const before = column.slice(0, length)
      for (let at = 0; at < length; at++) column[at] = before[order[at]]
    }
  }
}

/** Whether a kind's value is a price of the instrument. */
export function isPriced(kind: number): boolean {
  return kind !== rowKind.index && kind !== rowKind.mark && kind !== rowKind.funding
}

const bytesPerRowMax = 1 + 3 * 8

export class BlockEncoder {
  readonly #bytes = new Uint8Array(blockRowsMax * bytesPerRowMax)
  #at = 0

  /** Good until the next call. */
  encode({ times, kinds, values, amounts, length }: Block): Uint8Array {
    this.#bytes.set(kinds.subarray(0, length))
    this.#at = length
    let before = 0
    for (let at = 0; at < length; at++) {
      this.#unsigned(times[at] - before)
      before = times[at]
    }
    const last = new Float64Array(16)
    for (let at = 0; at < length; at++) {
      const kind = kinds[at]
      const distance = values[at] - last[kind]
      this.#unsigned(distance < 0 ? -distance * 2 - 1 : distance * 2)
      last[kind] = values[at]
    }
    for (let at = 0; at < length; at++) this.#unsigned(amounts[at])
    return this.#bytes.subarray(0, this.#at)
  }

  #unsigned(number: number): void {
    const bytes = this.#bytes
    let left = number
    while (left > 0x7fff_ffff) {
      bytes[this.#at++] = (left % 128) + 128
      left = Math.floor(left / 128)
    }
    let small = left | 0
    while (small > 127) {
      bytes[this.#at++] = (small & 127) | 128
      small >>>= 7
    }
    bytes[this.#at++] = small
  }
}

/** Throws TapeWrong for bytes that are no block of `rows` rows. */
export function decodeBlock(bytes: Uint8Array, rows: number, into: Block): void {
  const { times, kinds, values, amounts } = into
  if (rows > times.length || rows > bytes.length) throw new TapeWrong('a block has more rows than it can have')
  kinds.set(bytes.subarray(0, rows))
  let place = rows
  const number = (): number => {
    let byte = bytes[place++]
    if (byte < 128) return byte
    let result = byte & 127
    let factor = 128
    do {
      byte = bytes[place++]
      result += (byte & 127) * factor
      factor *= 128
    } while (byte >= 128)
    return result
  }
  let time = 0
  for (let at = 0; at < rows; at++) times[at] = time += number()
  const last = new Float64Array(256)
  for (let at = 0; at < rows; at++) {
    const zigzag = number()
    const distance = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2
    values[at] = last[kinds[at]] += distance
  }
  for (let at = 0; at < rows; at++) amounts[at] = number()
  if (place !== bytes.length) throw new TapeWrong('a block has another length than its rows')
  into.length = rows
}
