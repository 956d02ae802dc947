/**
 * The newest rows of one account and table, packed outside of the heap, with the texts that an interface made of them.
 *
 * Complete   above a number (`knownAbove`) every row is here; what is older is the database's
 * Order      by number, in which rows need not come: an order ends when it ends
 * Packed     numbers and money in typed arrays, the text of a column only where it is not the order's number: rows that
 *            come and go as objects would lengthen the collector's pauses
 * Texts      are made when a row is first shown in a form, and go with the row or with what they were made under
 */
import type { Condition, RowsAsked } from './asked-rows.ts'
import { codeOf, type KeptShape, knownCodeOf, wordOf } from './kept-shape.ts'

/** Rows that a list begins with, and that it has at most: more than a page of each product. */
const capacityMin = 16
const keptRowsMax = 256
/** Newest rows whose texts are kept. */
const textsMax = 128

/** How rows of one kind are written by an interface: one such object for all that it writes so. */
export interface RowForm<Row, Under> {
  write(row: Row, under: Under): unknown
}

/** What a text takes besides its characters. */
const textOverhead = 32

type Matches = (slot: number) => boolean

/** What a search found: at most one more than asked for. */
export interface Found {
  /** Newest first. */
  readonly slots: readonly number[]
  /** Whether all that was asked for is here; else only what is above `knownAbove`. */
  readonly isAll: boolean
}

export class KeptList<Packed = never, Read = unknown> {
  readonly #shape: KeptShape<Packed, Read>
  #capacity = 0
  #count = 0
  #numbers = new Float64Array(0)
  #words = new Uint16Array(0)
  #money = new BigInt64Array(0)
  /** Undefined: the number of the order, as the venue makes it. */
  #texts: (string | undefined)[] = []
  /** Slots in the order of their numbers, the oldest first. */
  #order = new Uint16Array(0)
  /** What each form was written under, and its texts by slot. */
  readonly #forms = new Map<object, { under: unknown; texts: (string | undefined)[] }>()
  #textBytes = 0
  /** Every row of the account above this number is here. Infinite until the database's rows have come. */
  knownAbove = Number.POSITIVE_INFINITY
  /** The highest number that was let go of. */
  #droppedTo = Number.NEGATIVE_INFINITY

  constructor(shape: KeptShape<Packed, Read>) {
    this.#shape = shape
  }

  /** Memory that it takes, about. */
  get bytes(): number {
    const { numberCount, wordCount, moneyCount, textCount } = this.#shape
    const wide = numberCount + moneyCount + textCount + this.#forms.size
    return this.#capacity * (8 * wide + 2 * (wordCount + 1)) + this.#textBytes + 1_000
  }

  get isFilled(): boolean {
    return this.knownAbove !== Number.POSITIVE_INFINITY
  }

  /** The database's newest rows; `isWhole`: it has no others. */
  fill(rows: readonly Packed[], isWhole: boolean): void {
    const oldest = rows.at(-1)
    const from = isWhole || oldest === undefined ? Number.NEGATIVE_INFINITY : this.#shape.keyOf(oldest) - 1
    for (const row of rows.toReversed()) this.#put(row)
    this.knownAbove = Math.max(from, this.#droppedTo)
  }

  /** A row that happened. */
  add(row: Packed): void {
    this.#put(row)
    if (this.isFilled) this.knownAbove = Math.max(this.knownAbove, this.#droppedTo)
  }

  #put(row: Packed): void {
    const key = this.#shape.keyOf(row)
    // What lies below the known part is the database's.
    if (key <= this.#droppedTo || (this.isFilled && key <= this.knownAbove)) return
    let place = this.#count
    while (place > 0 && this.key(this.#order[place - 1]) > key) place--
    if (place > 0 && this.key(this.#order[place - 1]) === key) return
    if (this.#count === keptRowsMax) {
      const slot = this.#order[0]
      this.#droppedTo = place === 0 ? key : this.key(slot)
      if (place === 0) return
      place -= 1
      this.#order.copyWithin(0, 1, place + 1)
      this.#order[place] = slot
      this.#write(slot, row)
    } else {
      if (this.#count === this.#capacity) this.#grow()
      const slot = this.#count++
      this.#order.copyWithin(place + 1, place, slot)
      this.#order[place] = slot
      this.#write(slot, row)
    }
    // Hardly anybody reads further.
    if (this.#count > textsMax) this.#forgetTexts(this.#order[this.#count - 1 - textsMax])
  }

  #grow(): void {
    const { numberCount, wordCount, moneyCount } = this.#shape
    this.#capacity = Math.min(keptRowsMax, Math.max(capacityMin, this.#capacity * 2))
    const [numbers, words, money, order] = [this.#numbers, this.#words, this.#money, this.#order]
    this.#numbers = new Float64Array(this.#capacity * numberCount)
    this.#numbers.set(numbers)
    this.#words = new Uint16Array(this.#capacity * wordCount)
    this.#words.set(words)
    this.#money = new BigInt64Array(this.#capacity * moneyCount)
    this.#money.set(money)
    this.#order = new Uint16Array(this.#capacity)
    this.#order.set(order)
  }

  #write(slot: number, row: Packed): void {
    const { columns, places, numberCount, wordCount, moneyCount, textCount, orderIdAt } = this.#shape
    const numbers = slot * numberCount
    const money = slot * moneyCount
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index]
      const place = places[index]
      switch (column.kind) {
        case 'money':
          this.#money[money + place] = column.take(row)
          break
        case 'word':
          this.#words[slot * wordCount + place] = codeOf(column.take(row))
          break
        case 'text': {
          const text = column.take(row)
          this.#textBytes -= textBytes(this.#texts[slot * textCount + place])
          // The number of the order stands before it.
          const isMade = text.length === 16 && text === this.#numbers[numbers + orderIdAt].toFixed(0)
          this.#texts[slot * textCount + place] = isMade ? undefined : text
          this.#textBytes += isMade ? 0 : textBytes(text)
          break
        }
        default:
          // Undefined becomes NaN, which no number of a row is.
          this.#numbers[numbers + place] = column.take(row) as number
      }
    }
    this.#forgetTexts(slot)
  }

  #forgetTexts(slot: number): void {
    for (const { texts } of this.#forms.values()) {
      this.#textBytes -= textBytes(texts[slot])
      texts[slot] = undefined
    }
  }

  key(slot: number): number {
    return this.#numbers[slot * this.#shape.numberCount + this.#shape.keyAt]
  }

  read(slot: number): Read {
    const { columns } = this.#shape
    const cells: unknown[] = []
    for (let index = 0; index < columns.length; index++) cells.push(this.#cell(slot, index))
    return this.#shape.rowOf(cells)
  }

  /** Of the table's columns the one at this place, as the database would give it. */
  #cell(slot: number, index: number): number | bigint | string | null {
    const { columns, places, numberCount, wordCount, moneyCount, textCount, orderIdAt } = this.#shape
    const { kind } = columns[index]
    const place = places[index]
    if (kind === 'money') return this.#money[slot * moneyCount + place]
    if (kind === 'text') {
      return this.#texts[slot * textCount + place] ?? this.#numbers[slot * numberCount + orderIdAt].toFixed(0)
    }
    if (kind === 'word') return wordOf(this.#words[slot * wordCount + place])
    const number = this.#numbers[slot * numberCount + place]
    return Number.isNaN(number) ? null : number
  }

  /** The text of a row in a form, made once. */
  text<Under>(slot: number, form: RowForm<Read, Under>, under: Under): string {
    let made = this.#forms.get(form)
    if (made?.under !== under) {
      for (const text of made?.texts ?? []) this.#textBytes -= textBytes(text)
      made = { under, texts: [] }
      this.#forms.set(form, made)
    }
    let text = made.texts[slot]
    if (text === undefined) {
      text = JSON.stringify(form.write(this.read(slot), under))
      made.texts[slot] = text
      this.#textBytes += textBytes(text)
    }
    return text
  }

  find({ conditions, from, to, before, limit }: RowsAsked): Found {
    const { numberCount, keyAt, timeAt } = this.#shape
    const matches = this.#all(conditions)
    const slots: number[] = []
    for (let place = this.#count - 1; place >= 0; place--) {
      const slot = this.#order[place]
      const at = slot * numberCount
      const key = this.#numbers[at + keyAt]
      if (key <= this.knownAbove) break
      if (before !== undefined && key >= before) continue
      const time = this.#numbers[at + timeAt]
      // Numbers grow with time: what is older lies outside, too.
      if (from !== undefined && time < from) return { slots, isAll: true }
      if (to !== undefined && time > to) continue
      if (!matches(slot)) continue
      slots.push(slot)
      if (slots.length > limit) return { slots, isAll: true }
    }
    return { slots, isAll: this.knownAbove === Number.NEGATIVE_INFINITY }
  }

  #all(conditions: readonly Condition[]): Matches {
    const all = conditions.map((condition) => this.#matching(condition))
    return (slot) => {
      for (let index = 0; index < all.length; index++) if (!all[index](slot)) return false
      return true
    }
  }

  #matching(condition: Condition): Matches {
    if (condition.is === 'any') {
      const any = condition.of.map((all) => this.#all(all))
      return (slot) => any.some((matches) => matches(slot))
    }
    const index = this.#shape.columnOf(condition.column)
    const { kind } = this.#shape.columns[index]
    const { numberCount, wordCount } = this.#shape
    const place = this.#shape.places[index]
    if (kind === 'money' || kind === 'text') {
      return (slot) => isMet(condition, this.#cell(slot, index))
    }
    // Words by their codes; one that no row has matches none.
    const packed = (cell: number | bigint | string) => (kind === 'word' ? knownCodeOf(String(cell)) : Number(cell))
    const asked: Condition =
      condition.is === 'in'
        ? { ...condition, cells: condition.cells.map(packed) }
        : condition.is === 'not null'
          ? condition
          : { ...condition, cell: packed(condition.cell) }
    if (kind === 'word') return (slot) => isMet(asked, this.#words[slot * wordCount + place])
    return (slot) => {
      const number = this.#numbers[slot * numberCount + place]
      return isMet(asked, Number.isNaN(number) ? null : number)
    }
  }
}

function textBytes(text: string | undefined): number {
  return text === undefined ? 0 : text.length + textOverhead
}

function isMet(condition: Exclude<Condition, { is: 'any' }>, cell: number | bigint | string | null): boolean {
  if (cell === null) return false
  switch (condition.is) {
    case 'not null':
      return true
    case 'in':
      return condition.cells.includes(cell as number)
    case '=':
      return cell === condition.cell
    case '<':
      return cell < condition.cell
    case '>':
      return cell > condition.cell
  }
}
