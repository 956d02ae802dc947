/**
 * Trigger orders that wait: a row each.
 *
 * Prices    per instrument two books of trigger prices, one for the last and one for the mark price. `asks` holds what
 *           waits for a rise, the lowest first; `bids` what waits for a fall, the highest first. A price update costs
 *           what it activates, however many wait
 * Links     `previous`/`next` chain a trigger price in the order in which orders were set, `accountPrevious`/`accountNext`
 *           an account's trigger orders, newest first
 * Holds     a live row is in `rowOf`, in its account's chain and, unless it trails, in one book · TP/SL of a position wait no longer
 *           than it is open, those of spot and margin orders until one of them activates · trigger orders count among their account's open orders
 * Trailing  ones wait in no book of these: they follow the price in a table of their own (trailing-table.ts)
 * Partners  a take-profit and a stop-loss set together know each other by number
 */
import { sides } from '../vocabulary.ts'
import { bestPrice, type Book, dequeue, emptyBook, enqueue, firstAt, moveForward, sideOf } from '../book/book.ts'
import { categories, type InstrumentId } from '../catalog/catalog.ts'
import type { Ticks } from '../numbers/numbers.ts'
import { BigInt64Field, Float64Field, Int32Field, noRow, type Row, Table, Uint8Field } from '../storage/storage.ts'
import {
  type AccountHandle,
  holdModes,
  interfaces,
  marginModes,
  type OrderId,
  orderIntents,
  type PositionSide,
  positionSides,
  type Side,
  stpModes,
  type TriggerKind,
  triggerKinds,
  triggerPrices,
  type WalletType,
  walletTypes,
} from '../vocabulary.ts'

/** Words of a trigger order's columns, by their codes. */
export const triggerCodes = {
  category: categories,
  bookSide: sides,
  intent: orderIntents,
  kind: triggerKinds,
  by: triggerPrices,
  tradeSide: [undefined, 'open', 'close'],
  positionSide: [undefined, ...positionSides],
  speaker: interfaces,
  marginMode: [undefined, ...marginModes],
  stpMode: [undefined, ...stpModes],
  holdMode: holdModes,
} as const

interface TriggerBooks {
  readonly last: Book
  readonly mark: Book
}

/** What the price books count: each order as one. */
const oneOrder = 1

export class TriggerTable extends Table {
  id = new Float64Field()
  account = new Int32Field()
  instrument = new Int32Field()
  wallet = new Uint8Field()
  category = new Uint8Field()
  speaker = new Uint8Field()
  kind = new Uint8Field()
  by = new Uint8Field()
  /** 1: waits for a rise to its price; 0: for a fall. */
  rises = new Uint8Field()
  price = new Int32Field()
  /** Price of the order that comes of it; zero: at market. */
  execute = new Int32Field()
  /** As sent; of TP/SL of a position the book's side that closes it. */
  side = new Uint8Field()
  bookSide = new Uint8Field()
  intent = new Uint8Field()
  /** The position meant: of a plan as sent, of TP/SL the one that it closes. */
  positionSide = new Uint8Field()
  tradeSide = new Uint8Field()
  reduceOnly = new Uint8Field()
  marginMode = new Uint8Field()
  stpMode = new Uint8Field()
  holdMode = new Uint8Field()
  /** Lots; zero for a whole position and for plans in quote or base coin. */
  quantity = new Float64Field()
  quoteAmount = new BigInt64Field()
  baseAmount = new BigInt64Field()
  takeProfitTrigger = new Int32Field()
  takeProfitExecute = new Int32Field()
  takeProfitBy = new Uint8Field()
  stopLossTrigger = new Int32Field()
  stopLossExecute = new Int32Field()
  stopLossBy = new Uint8Field()
  /** The order that it was attached to; zero: none. */
  entry = new Float64Field()
  /** The other of a take-profit and stop-loss that were set together with this one; zero: none. */
  partner = new Float64Field()
  createdAt = new Float64Field()
  updatedAt = new Float64Field()
  previous = new Int32Field()
  next = new Int32Field()
  accountPrevious = new Int32Field()
  accountNext = new Int32Field()
  clientOid: string[] = ['']
  channelCode: string[] = ['']
  rowOf = new Map<OrderId, Row>()
  /** Newest trigger order of each account that has one. */
  firstOf = new Map<AccountHandle, Row>()
  /** Orders that came of TP/SL and rest, with its partner, which goes once they are filled. */
  waiting = new Map<OrderId, OrderId>()
  books: (TriggerBooks | undefined)[] = []

  constructor() {
    super()
    this.layOut()
  }

  /** Row of a live trigger order, 0 when there is none. */
  find(id: OrderId): Row {
    return this.rowOf.get(id) ?? noRow
  }

  /** Trigger orders of an account, newest first; safe against ending the one just given. */
  *of(account: AccountHandle): Generator<Row> {
    for (let row = this.firstOf.get(account) ?? noRow; row !== noRow; ) {
      const next = this.accountNext.at(row)
      yield row
      row = next
    }
  }

  /** The take-profit or stop-loss that one attached to an order has become; 0 when it has gone, or never was. */
  tpslOf(account: AccountHandle, entry: OrderId, profit: boolean): Row {
    for (const row of this.of(account)) {
      if (this.entry.at(row) === entry && this.isTakeProfit(row) === profit) return row
    }
    return noRow
  }

  /** TP/SL of a position, newest first. */
  *tpslOfPosition(
    account: AccountHandle,
    wallet: WalletType,
    instrument: InstrumentId,
    side: PositionSide,
  ): Generator<Row> {
    for (const row of this.of(account)) {
      if (this.instrument.at(row) !== instrument || this.walletOf(row) !== wallet) continue
      if (!this.isPlan(row) && this.positionSideOf(row) === side) yield row
    }
  }

  /** Puts a row among its account's and into its price. */
  join(row: Row): void {
    const account = this.account.at(row)
    const first = this.firstOf.get(account) ?? noRow
    this.accountPrevious.set(row, noRow)
    this.accountNext.set(row, first)
    if (first !== noRow) this.accountPrevious.set(first, row)
    this.firstOf.set(account, row)
    this.rowOf.set(this.id.at(row), row)
    if (!this.isTrailing(row)) this.queue(row)
  }

  /** Takes a row out of its price and its account's; its columns stay readable until it is used again. */
  leave(row: Row): void {
    if (!this.isTrailing(row)) this.unqueue(row)
    const before = this.accountPrevious.at(row)
    const after = this.accountNext.at(row)
    if (before !== noRow) this.accountNext.set(before, after)
    else if (after !== noRow) this.firstOf.set(this.account.at(row), after)
    else this.firstOf.delete(this.account.at(row))
    if (after !== noRow) this.accountPrevious.set(after, before)
    this.rowOf.delete(this.id.at(row))
    this.clientOid[row] = ''
    this.channelCode[row] = ''
    this.free(row)
  }

  /** Into its price, by its number: a changed one has a lower number than some that wait there. */
  queue(row: Row): void {
    const [ladder, price, id] = [
      sideOf(this.bookOf(row), this.bookSideOfRise(row)),
      this.price.at(row),
      this.id.at(row),
    ]
    enqueue(ladder, this, row, price, oneOrder)
    moveForward(ladder, this, row, price, (other) => this.id.at(other) > id)
  }

  unqueue(row: Row): void {
    dequeue(sideOf(this.bookOf(row), this.bookSideOfRise(row)), this, row, this.price.at(row), oneOrder)
  }

  /**
   * The trigger order that is due at these prices: of several the one that its price has passed furthest, then the
   * lowest number. Zero: none.
   */
  due(instrument: InstrumentId, prices: { readonly last: Ticks | 0; readonly mark: Ticks }): Row {
    const books = this.books[instrument]
    if (books === undefined) return noRow
    let found = noRow
    let passed = -1
    for (const by of triggerCodes.by) {
      const now = prices[by]
      if (now === 0) continue
      for (const side of ['buy', 'sell'] as const) {
        const price = bestPrice(books[by], side)
        if (price === 0) continue
        const distance = side === 'sell' ? now - price : price - now
        if (distance < 0 || distance < passed) continue
        const row = firstAt(books[by], side, price)
        if (distance === passed && this.id.at(row) > this.id.at(found)) continue
        found = row
        passed = distance
      }
    }
    return found
  }

  /** Take-profit or stop-loss of what a spot or margin order has received. */
  isSpotTpsl(row: Row): boolean {
    return this.intent.at(row) === spotIntent && !this.isPlan(row)
  }

  isPlan(row: Row): boolean {
    return this.kind.at(row) === planKind || this.kind.at(row) === trailingPlanKind
  }

  isWhole(row: Row): boolean {
    const kind = this.kind.at(row)
    return (kind >= wholeKind && kind < trailingPlanKind) || kind === wholeTrailingKind
  }

  isTrailing(row: Row): boolean {
    return this.kind.at(row) >= trailingPlanKind
  }

  isTakeProfit(row: Row): boolean {
    return this.kind.at(row) === takeProfitKind || this.kind.at(row) === wholeKind
  }

  kindOf(row: Row): TriggerKind {
    return triggerCodes.kind[this.kind.at(row)]
  }

  sideOf(row: Row): Side {
    return this.bookSide.at(row) === 0 ? 'buy' : 'sell'
  }

  positionSideOf(row: Row): PositionSide | undefined {
    return triggerCodes.positionSide[this.positionSide.at(row)]
  }

  walletOf(row: Row): WalletType {
    return walletTypes[this.wallet.at(row)]
  }

  private bookSideOfRise(row: Row): Side {
    return this.rises.at(row) === 1 ? 'sell' : 'buy'
  }

  private bookOf(row: Row): Book {
    const instrument = this.instrument.at(row)
    while (this.books.length <= instrument) this.books.push(undefined)
    const books = (this.books[instrument] ??= { last: emptyBook(), mark: emptyBook() })
    return books[triggerCodes.by[this.by.at(row)]]
  }
}

const spotIntent = triggerCodes.intent.indexOf('spot')
const planKind = triggerCodes.kind.indexOf('plan')
const takeProfitKind = triggerCodes.kind.indexOf('take-profit')
const wholeKind = triggerCodes.kind.indexOf('position-take-profit')
/** From here on all kinds trail. */
const trailingPlanKind = triggerCodes.kind.indexOf('trailing-plan')
const wholeTrailingKind = triggerCodes.kind.indexOf('position-trailing-stop')
