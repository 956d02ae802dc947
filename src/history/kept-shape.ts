/**
 * How rows of a table are packed while they are kept: numbers, codes of words and money, each side by side.
 *
 * Words  have one code for all tables; they are few
 */
import { type Column, originNames, rowMaker } from './columns.ts'
import type { Table } from './tables.ts'

/** Words of all tables, by their codes. */
const words: string[] = []
const codes = new Map<string, number>()

export function wordOf(code: number): string {
  return words[code]
}

/** Below zero: no row has had it. */
export function knownCodeOf(word: string): number {
  return codes.get(word) ?? -1
}

export function codeOf(word: string): number {
  let code = codes.get(word)
  if (code === undefined) {
    code = words.length
    codes.set(word, code)
    words.push(word)
  }
  return code
}

/** Where the columns of a table lie in packed rows. */
export class KeptShape<Packed = never, Read = unknown> {
  readonly columns: readonly Column<Packed>[]
  /** Of a column among those that are packed alike, by its place in the table. */
  readonly places: readonly number[]
  readonly numberCount: number
  readonly wordCount: number
  readonly moneyCount: number
  readonly textCount: number
  readonly keyAt: number
  readonly timeAt: number
  readonly orderIdAt: number
  readonly keyOf: (row: Packed) => number
  readonly #names: readonly string[]
  readonly #make: ReturnType<typeof rowMaker>
  readonly #read: (cells: never) => Read

  constructor({ columns, names, key, time, read }: Table<Packed, never, Read>) {
    this.columns = columns
    this.#names = names.slice(originNames.length)
    this.#make = rowMaker(this.#names)
    this.#read = read
    const counts = { number: 0, word: 0, money: 0, text: 0 }
    this.places = columns.map(({ kind }) => counts[packedAs(kind)]++)
    this.numberCount = counts.number
    this.wordCount = counts.word
    this.moneyCount = counts.money
    this.textCount = counts.text
    this.keyAt = this.placeOf(key)
    this.timeAt = this.placeOf(time)
    this.orderIdAt = this.placeOf('order_id')
    this.keyOf = columns[this.columnOf(key)].take as (row: Packed) => number
  }

  columnOf(name: string): number {
    return this.#names.indexOf(name)
  }

  placeOf(name: string): number {
    return this.places[this.columnOf(name)] ?? -1
  }

  rowOf(cells: readonly unknown[]): Read {
    return this.#read(this.#make(cells) as never)
  }
}

function packedAs(kind: Column<never>['kind']): 'number' | 'word' | 'money' | 'text' {
  return kind === 'owner' ? 'number' : kind
}
