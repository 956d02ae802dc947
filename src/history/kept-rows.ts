/**
 * Newest rows of the accounts that ask: fills, ended orders and bills, answered on the venue's thread without the database.
 *
 * Asked     the first ask of an account has its newest rows read; from then on its rows are added as they happen
 * Answered  is what lies within the rows that are kept; whatever reaches further is the database's to answer
 * Memory    within so many bytes, about; whoever asked longest ago goes first
 * Source    design.md §4.7, §4.27, §8
 */
import type { Event, FillEvent } from '../engine/protocol/event.ts'
import { asksForNone, fillBillsAsked, fillsAsked, ordersAsked, ownBillsAsked, type RowsAsked } from './asked-rows.ts'
import { type AccountBill, type BillPart, billOfFill, billsBehind } from './bill-table.ts'
import { KeptList, type RowForm } from './kept-list.ts'
import { KeptShape } from './kept-shape.ts'
import type { Answer, Page, ReadQuery } from './reads.ts'
import { tables } from './tables.ts'

/** Reads of which newest rows are kept. */
export type KeptRead = 'fills' | 'orders' | 'bills'
export type RowOf<Name extends KeptRead> = Answer<Name>['rows'][number]

const shapes = {
  fills: new KeptShape(tables.fills),
  orders: new KeptShape(tables.orders),
  bills: new KeptShape(tables.bills),
}
type ListName = keyof typeof shapes
const listNames = Object.keys(shapes) as readonly ListName[]

/** Rows that are read when an account asks first: a page, and some that other filters leave out. */
const firstRows = 128

/** The database's newest rows of an account in one table. */
export type ReadNewest = (name: ListName, uid: number, limit: number) => Promise<Page<unknown>>

/** Of the rows of a list, as they are shown. */
interface Shown {
  readonly id: number
  readonly list: KeptList
  readonly slot: number
  /** Of a fill: the bill that it is shown as. */
  readonly part: BillPart | undefined
}

/** A page out of kept rows; good until the next row comes. */
export interface KeptPage<Row> {
  readonly ids: readonly number[]
  readonly next: number | undefined
  rows(): Row[]
  /** Each as JSON. */
  texts<Under>(form: RowForm<Row, Under>, under: Under): string[]
}

export class KeptRows {
  readonly #bytesMax: number
  readonly #readNewest: ReadNewest
  /** By account and table, whoever asked longest ago first. */
  readonly #lists = new Map<number, KeptList>()
  #bytes = 0

  constructor(bytesMax: number, readNewest: ReadNewest) {
    this.#bytesMax = bytesMax
    this.#readNewest = readNewest
  }

  /** Memory that it takes, about. */
  get bytes(): number {
    return this.#bytes
  }

  record(event: Event): void {
    if (event.kind === 'fill') this.#add('fills', event.uid, event)
    else if (event.kind === 'order-ended') this.#add('orders', event.order.uid, event.order)
    else if (event.kind === 'bill') this.#add('bills', event.uid, event)
  }

  /** Undefined: not all of it is here. */
  page<Name extends KeptRead>(name: Name, query: ReadQuery<Name>): KeptPage<RowOf<Name>> | undefined {
    const found =
      name === 'bills'
        ? this.#bills(query as ReadQuery<'bills'>)
        : name === 'fills'
          ? this.#rows('fills', fillsAsked(query as ReadQuery<'fills'>), query.uid)
          : this.#rows('orders', ordersAsked(query as ReadQuery<'orders'>), query.uid)
    if (found === undefined) return undefined
    const shown = found.slice(0, query.limit)
    const next = found.length > shown.length ? shown.at(-1)?.id : undefined
    return {
      ids: shown.map(({ id }) => id),
      next,
      rows: () => shown.map(readShown) as RowOf<Name>[],
      texts: (form, under) => this.#texts(shown, form, under),
    }
  }

  clear(): void {
    this.#lists.clear()
    this.#bytes = 0
  }

  #add(name: ListName, uid: number, row: unknown): void {
    const list = this.#lists.get(keyOf(name, uid))
    if (list === undefined) return
    const before = list.bytes
    list.add(row as never)
    this.#count(list.bytes - before)
  }

  /** Newest first, one more than asked if there are more. */
  #rows(name: ListName, asked: RowsAsked, uid: number): readonly Shown[] | undefined {
    const list = this.#list(name, uid)
    if (list === undefined) return undefined
    const { slots, isAll } = list.find(asked)
    return isAll ? slots.map((slot) => ({ id: list.key(slot), list, slot, part: undefined })) : undefined
  }

  #bills(query: ReadQuery<'bills'>): readonly Shown[] | undefined {
    const { uid, limit } = query
    const [own, fills] = [this.#list('bills', uid), this.#list('fills', uid)]
    if (own === undefined || fills === undefined) return undefined
    const found: Shown[] = []
    /** All bills above it are found. */
    let knownAbove = Number.NEGATIVE_INFINITY
    const search = (list: KeptList, asked: RowsAsked, part?: BillPart) => {
      if (asksForNone(asked)) return
      const behind = part === undefined ? 0 : billsBehind[part]
      const { slots, isAll } = list.find(asked)
      for (const slot of slots) found.push({ id: list.key(slot) + behind, list, slot, part })
      if (!isAll) knownAbove = Math.max(knownAbove, list.knownAbove + behind)
    }
    search(own, ownBillsAsked(query))
    search(fills, fillBillsAsked(query, 'received'), 'received')
    search(fills, fillBillsAsked(query, 'paid'), 'paid')
    found.sort((a, b) => b.id - a.id)
    const known = knownAbove === Number.NEGATIVE_INFINITY || (found[limit]?.id ?? knownAbove) > knownAbove
    return known ? found.slice(0, limit + 1) : undefined
  }

  #texts(shown: readonly Shown[], form: RowForm<never, unknown>, under: unknown): string[] {
    const lists = new Set(shown.map(({ list }) => list))
    const bytes = () => lists.values().reduce((sum, list) => sum + list.bytes, 0)
    const before = bytes()
    const texts = shown.map(({ list, slot, part }) =>
      list.text(slot, part === undefined ? form : formsOfBills(form)[part], under),
    )
    this.#count(bytes() - before)
    return texts
  }

  /** The list of an account that is filled; one that there is none of is begun. */
  #list(name: ListName, uid: number): KeptList | undefined {
    const key = keyOf(name, uid)
    const list = this.#lists.get(key)
    if (list === undefined) {
      if (this.#bytesMax > 0) this.#begin(name, uid)
      return undefined
    }
    this.#lists.delete(key)
    this.#lists.set(key, list)
    return list.isFilled ? list : undefined
  }

  #begin(name: ListName, uid: number): void {
    const key = keyOf(name, uid)
    const list = new KeptList<never, unknown>(shapes[name])
    this.#lists.set(key, list)
    this.#count(list.bytes)
    this.#readNewest(name, uid, firstRows).then(
      ({ rows, next }) => {
        // It may have gone, and another come.
        if (this.#lists.get(key) !== list) return
        const before = list.bytes
        list.fill(rows as never, next === undefined)
        this.#count(list.bytes - before)
      },
      () => this.#drop(key, list),
    )
  }

  #drop(key: number, list: KeptList): void {
    if (this.#lists.get(key) !== list) return
    this.#lists.delete(key)
    this.#bytes -= list.bytes
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    while (this.#bytes > this.#bytesMax) {
      const [oldest] = this.#lists
      if (oldest === undefined) return
      this.#drop(...oldest)
    }
  }
}

function keyOf(name: ListName, uid: number): number {
  return uid * listNames.length + listNames.indexOf(name)
}

function readShown({ list, slot, part }: Shown): unknown {
  const row = list.read(slot)
  return part === undefined ? row : billOfFill(row as FillEvent, part)
}

type BillForms = Readonly<Record<BillPart, RowForm<never, unknown>>>
const billForms = new WeakMap<object, BillForms>()

/** A form of bills as forms of the fills that they are. */
function formsOfBills(form: RowForm<AccountBill, unknown>): BillForms {
  const known = billForms.get(form)
  if (known !== undefined) return known
  const of = (part: BillPart) => ({
    write: (fill: FillEvent, under: unknown) => form.write(billOfFill(fill, part), under),
  })
  const made = { received: of('received'), paid: of('paid') }
  billForms.set(form, made)
  return made
}
