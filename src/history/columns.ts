/**
 * Columns: which cell of SQL a field becomes, and how rows of them cross from the events' thread to the writing one.
 *
 * Kinds     number  a safe integer, or undefined as null      money  a bigint within 64 bits
 *           word    text of a small closed set                text   any text
 *           owner   the number of an account that the row belongs to
 * Origin    every row begins with the sequence of the command that caused it, and its kind
 * Packed    rows lie one after the other in typed arrays, which cross threads without being copied: numbers and the
 *           place of each word in the list of words · money · text. Objects would cost the venue's thread ten times that
 * Names     in SQL say the unit where the type does not: `_e8` money in 1e-8 of a coin, `_e12` a rate, `_ticks`,
 *           `_lots`, `_ms`
 */
export type Cell = number | bigint | string | null
/** Integers are read back as bigint. */
export type IntegerCell = number | bigint

export type Column<Row, Read = unknown> =
  | { readonly kind: 'number'; readonly take: (row: Row) => number | undefined; readonly read?: Read }
  | { readonly kind: 'owner'; readonly take: (row: Row) => number; readonly read?: Read }
  | { readonly kind: 'money'; readonly take: (row: Row) => bigint; readonly read?: Read }
  | { readonly kind: 'word' | 'text'; readonly take: (row: Row) => string; readonly read?: Read }

export type Columns<Row> = Readonly<Record<string, Column<Row>>>

/** What SQL gives back for these columns. */
export type CellsOf<C> = {
  [Name in keyof C]: C[Name] extends { readonly read?: infer Read } ? Exclude<Read, undefined> : never
}

/** The kinds of columns for rows of one type. */
export function columnKinds<Row>() {
  return {
    number: (take: (row: Row) => number): Column<Row, IntegerCell> => ({ kind: 'number', take }),
    optional: (take: (row: Row) => number | undefined): Column<Row, IntegerCell | null> => ({ kind: 'number', take }),
    owner: (take: (row: Row) => number): Column<Row, IntegerCell> => ({ kind: 'owner', take }),
    money: (take: (row: Row) => bigint): Column<Row, IntegerCell> => ({ kind: 'money', take }),
    word: <Word extends string>(take: (row: Row) => Word): Column<Row, Word> => ({ kind: 'word', take }),
    text: (take: (row: Row) => string): Column<Row, string> => ({ kind: 'text', take }),
  }
}

export interface PackedRows {
  /** Counted from 1, without a gap. */
  readonly batch: number
  readonly numbers: Float64Array<ArrayBuffer>
  readonly money: BigInt64Array<ArrayBuffer>
  readonly texts: string[]
  /** Words that have not crossed before; each has its place after all earlier ones. */
  readonly newWords: string[]
}

/** The command that a row came of. */
export interface Origin {
  readonly sequence: number
  /** Its kind; empty where nobody noted it. */
  readonly command: string
}

/** The cells that every row begins with. */
export const originNames = ['sequence', 'command'] as const
export const originKinds = ['number', 'word'] as const

/** What SQL gives back for them. */
export interface OriginCells {
  sequence: IntegerCell
  command: string
}

/** Accounts that share a place among the batches. */
export const owners = 2 ** 16

/** Takes a row of the table at a place, as the columns say. */
export interface RowTaker {
  add<Row>(table: number, columns: readonly Column<Row>[], row: Row): void
}

/** Packs rows until they are taken. Each begins with a number: the table that it is of. */
export class RowPacker implements RowTaker {
  #batch = 1
  /** The last batch that has rows of an account, by the low bits of its number. */
  readonly #lastOf = new Float64Array(owners)
  #origin: Origin = { sequence: 0, command: '' }
  #numbers = new Float64Array(16_384)
  #numbersEnd = 0
  #money = new BigInt64Array(4_096)
  #moneyEnd = 0
  #texts: string[] = []
  #newWords: string[] = []
  readonly #places = new Map<string, number>()

  /** The batch that gathers. */
  get batch(): number {
    return this.#batch
  }

  /** The last batch that may have rows of an account; zero: none has. */
  lastOf(owner: number): number {
    return this.#lastOf[owner % owners]
  }

  /** The rows that follow come of this command. */
  begin(origin: Origin): void {
    this.#origin = origin
  }

  add<Row>(table: number, columns: readonly Column<Row>[], row: Row): void {
    this.#makeRoom(columns.length + 1 + originNames.length)
    this.#numbers[this.#numbersEnd++] = table
    this.#numbers[this.#numbersEnd++] = this.#origin.sequence
    this.#numbers[this.#numbersEnd++] = this.#placeOf(this.#origin.command)
    for (const column of columns) {
      switch (column.kind) {
        case 'number':
          // Undefined becomes NaN, which no number of a row is.
          this.#numbers[this.#numbersEnd++] = column.take(row) as number
          break
        case 'owner': {
          const owner = column.take(row)
          this.#numbers[this.#numbersEnd++] = owner
          this.#lastOf[owner % owners] = this.#batch
          break
        }
        case 'money':
          this.#money[this.#moneyEnd++] = column.take(row)
          break
        case 'word':
          this.#numbers[this.#numbersEnd++] = this.#placeOf(column.take(row))
          break
        case 'text':
          this.#texts.push(column.take(row))
          break
      }
    }
  }

  /** Everything packed so far; the packer is empty afterwards. */
  take(): PackedRows {
    const packed = {
      batch: this.#batch,
      numbers: this.#numbers.slice(0, this.#numbersEnd),
      money: this.#money.slice(0, this.#moneyEnd),
      texts: this.#texts,
      newWords: this.#newWords,
    }
    this.#numbersEnd = 0
    this.#moneyEnd = 0
    this.#texts = []
    this.#newWords = []
    this.#batch += 1
    return packed
  }

  #placeOf(word: string): number {
    let place = this.#places.get(word)
    if (place === undefined) {
      place = this.#places.size
      this.#places.set(word, place)
      this.#newWords.push(word)
    }
    return place
  }

  #makeRoom(cells: number): void {
    if (this.#numbersEnd + cells > this.#numbers.length) {
      const larger = new Float64Array(this.#numbers.length * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    if (this.#moneyEnd + cells > this.#money.length) {
      const larger = new BigInt64Array(this.#money.length * 2)
      larger.set(this.#money)
      this.#money = larger
    }
  }
}

/** Unpacks what one packer packed, in the same order. */
export class RowUnpacker {
  readonly #words: string[] = [];

  /** Visits every row, its table and its cells in their order, and yields after so many. */
  *each(
    packed: PackedRows,
    kindsOf: readonly (readonly Column<never>[])[],
    visit: (table: number, cells: Cell[]) => void,
    partRows: number,
  ): Generator<void> {
    const { numbers, money, texts } = packed
    this.#words.push(...packed.newWords)
    let [number, coins, text, row] = [0, 0, 0, 0]
    while (number < numbers.length) {
      if (row === partRows) {
        yield
        row = 0
      }
      row += 1
      const table = numbers[number++]
      const cells: Cell[] = [numbers[number++], this.#words[numbers[number++]]]
      for (const { kind } of kindsOf[table]) {
        switch (kind) {
          case 'number': {
            const value = numbers[number++]
            cells.push(Number.isNaN(value) ? null : value)
            break
          }
          case 'owner':
            cells.push(numbers[number++])
            break
          case 'money':
            cells.push(money[coins++])
            break
          case 'word':
            cells.push(this.#words[numbers[number++]])
            break
          case 'text':
            cells.push(texts[text++])
            break
        }
      }
      visit(table, cells)
    }
  }
}

/** A number as the engine has it. */
export function whole(cell: IntegerCell): number {
  return Number(cell)
}

export type ReadRow = Record<string, unknown>

/**
 * Rows out of cells, as copies of one object that has all of their fields: those that SQLite's binding makes are hash tables,
 * and reading a page of them took longer than finding it.
 */
export function rowMaker(names: readonly string[]): (cells: readonly unknown[]) => ReadRow {
  const blank = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join(',')}}`) as ReadRow
  return (cells) => {
    const row = { ...blank }
    for (let index = 0; index < names.length; index++) row[names[index]] = cells[index]
    return row
  }
}
