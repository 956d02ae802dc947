/**
 * Trigger orders that wait: a row each.
 *
 * Prices    per instrument two books of trigger prices, one for the last and one for the mark price: `asks` holds what
 *           waits for a rise, the lowest first, `bids` what waits for a fall, the highest first. A price update costs
 *           what it fires, however many wait
 * Links     `previous`/`next` chain a trigger price in the order in which orders were set, `accountPrevious`/`accountNext`
 *           an account's trigger orders, newest first
 * Holds     a live row is in `rowOf`, in its account's chain and in one book · the guards of a position wait no longer
 *           than it is open, those of spot and margin orders until one of them fires · trigger orders count among their account's open orders
 * Partners  a take-profit and a stop-loss set together know each other by number
 */
import {
  type AccountHandle,
  type HoldMode,
  type MarginMode,
  type StpMode,
  type WalletType,
  walletTypes,
} from '../accounts/accounts.ts'
import { type Book, bestPrice, dequeue, emptyBook, enqueue, firstAt } from '../book/book.ts'
import type { Category, InstrumentId } from '../catalog/catalog.ts'
import type { Interface, OrderId, PositionSide, Side, TriggerKind, TriggerPrice } from '../command.ts'
import type { OrderIntent } from '../event.ts'
import type { Ticks } from '../numbers/numbers.ts'
import { noRow, type Row, Table } from '../state/state.ts'

export const triggerCodes = {
  category: ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] satisfies Category[],
  bookSide: ['buy', 'sell'] satisfies Side[],
  intent: ['spot', 'single', 'open', 'close'] satisfies OrderIntent[],
  kind: ['plan', 'take-profit', 'stop-loss', 'position-take-profit', 'position-stop-loss'] satisfies TriggerKind[],
  by: ['last', 'mark'] satisfies TriggerPrice[],
  tradeSide: [undefined, 'open', 'close'] satisfies ('open' | 'close' | undefined)[],
  positionSide: [undefined, 'long', 'short'] satisfies (PositionSide | undefined)[],
  speaker: ['v2', 'v3'] satisfies Interface[],
  marginMode: [undefined, 'cross', 'isolated'] satisfies (MarginMode | undefined)[],
  stpMode: [undefined, 'none', 'cancel_taker', 'cancel_maker', 'cancel_both'] satisfies (StpMode | undefined)[],
  holdMode: ['one_way_mode', 'hedge_mode'] satisfies HoldMode[],
}

interface TriggerBooks {
  readonly last: Book
  readonly mark: Book
}

/** What the price books count: each order as one. */
const one = 1
const n = 64

export class TriggerTable extends Table {
  id = new Float64Array(n)
  account = new Int32Array(n)
  instrument = new Int32Array(n)
  wallet = new Uint8Array(n)
  category = new Uint8Array(n)
  speaker = new Uint8Array(n)
  kind = new Uint8Array(n)
  by = new Uint8Array(n)
  /** 1: waits for a rise to its price; 0: for a fall. */
  rises = new Uint8Array(n)
  price = new Int32Array(n)
  /** Price of the order that comes of it; zero: at market. */
  execute = new Int32Array(n)
  /** As sent; of the guards of a position the book's side that closes it. */
  side = new Uint8Array(n)
  bookSide = new Uint8Array(n)
  intent = new Uint8Array(n)
  /** The position meant: of a plan as sent, of a guard the one it guards. */
  positionSide = new Uint8Array(n)
  tradeSide = new Uint8Array(n)
  reduceOnly = new Uint8Array(n)
  marginMode = new Uint8Array(n)
  stpMode = new Uint8Array(n)
  holdMode = new Uint8Array(n)
  /** Lots; zero for a whole position and for plans in quote or base coin. */
  quantity = new Float64Array(n)
  quoteAmount = new BigInt64Array(n)
  baseAmount = new BigInt64Array(n)
  takeProfitTrigger = new Int32Array(n)
  takeProfitExecute = new Int32Array(n)
  takeProfitBy = new Uint8Array(n)
  stopLossTrigger = new Int32Array(n)
  stopLossExecute = new Int32Array(n)
  stopLossBy = new Uint8Array(n)
  /** The order whose preset became this; zero: none. */
  entry = new Float64Array(n)
  /** The other guard that was set together with this one; zero: none. */
  partner = new Float64Array(n)
  createdAt = new Float64Array(n)
  updatedAt = new Float64Array(n)
  previous = new Int32Array(n)
  next = new Int32Array(n)
  accountPrevious = new Int32Array(n)
  accountNext = new Int32Array(n)
  clientOid: string[] = ['']
  channelCode: string[] = ['']
  rowOf = new Map<OrderId, Row>()
  /** Newest trigger order of each account that has one. */
  firstOf = new Map<AccountHandle, Row>()
  /** Orders that came of a guard and rest, with the guard's partner, which goes once they are filled. */
  waiting = new Map<OrderId, OrderId>()
  books: (TriggerBooks | undefined)[] = []

  /** Row of a live trigger order, 0 when there is none. */
  find(id: OrderId): Row {
    return this.rowOf.get(id) ?? noRow
  }

  /** Trigger orders of an account, newest first; safe against ending the one just given. */
  *of(account: AccountHandle): Generator<Row> {
    for (let row = this.firstOf.get(account) ?? noRow; row !== noRow; ) {
      const next = this.accountNext[row]
      yield row
      row = next
    }
  }

  /** The guard of a kind that an order's presets have become; 0 when it has gone, or never was. */
  guardOf(account: AccountHandle, entry: OrderId, profit: boolean): Row {
    for (const row of this.of(account)) {
      if (this.entry[row] === entry && this.isTakeProfit(row) === profit) return row
    }
    return noRow
  }

  /** The guards of a position, newest first. */
  *guarding(account: AccountHandle, wallet: WalletType, instrument: InstrumentId, side: PositionSide): Generator<Row> {
    for (const row of this.of(account)) {
      if (this.instrument[row] !== instrument || this.walletOf(row) !== wallet) continue
      if (!this.isPlan(row) && this.positionSideOf(row) === side) yield row
    }
  }

  /** Puts a row among its account's and into its price. */
  join(row: Row): void {
    const account = this.account[row]
    const first = this.firstOf.get(account) ?? noRow
    this.accountPrevious[row] = noRow
    this.accountNext[row] = first
    if (first !== noRow) this.accountPrevious[first] = row
    this.firstOf.set(account, row)
    this.rowOf.set(this.id[row], row)
    this.queue(row)
  }

  /** Takes a row out of its price and its account's; its columns stay readable until it is used again. */
  leave(row: Row): void {
    this.unqueue(row)
    const before = this.accountPrevious[row]
    const after = this.accountNext[row]
    if (before !== noRow) this.accountNext[before] = after
    else if (after !== noRow) this.firstOf.set(this.account[row], after)
    else this.firstOf.delete(this.account[row])
    if (after !== noRow) this.accountPrevious[after] = before
    this.rowOf.delete(this.id[row])
    this.clientOid[row] = ''
    this.channelCode[row] = ''
    this.free(row)
  }

  /** Into its price, behind those that wait there already. */
  queue(row: Row): void {
    enqueue(this.bookOf(row), this, row, this.bookSideOfRise(row), this.price[row], one)
  }

  unqueue(row: Row): void {
    dequeue(this.bookOf(row), this, row, this.bookSideOfRise(row), this.price[row], one)
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
        if (distance === passed && this.id[row] > this.id[found]) continue
        found = row
        passed = distance
      }
    }
    return found
  }

  /** Guards what a spot or margin order has received. */
  isSpotGuard(row: Row): boolean {
    return this.intent[row] === spotIntent && !this.isPlan(row)
  }

  isPlan(row: Row): boolean {
    return this.kind[row] === planKind
  }

  isWhole(row: Row): boolean {
    return this.kind[row] >= wholeKind
  }

  isTakeProfit(row: Row): boolean {
    return this.kind[row] === takeProfitKind || this.kind[row] === wholeKind
  }

  kindOf(row: Row): TriggerKind {
    return triggerCodes.kind[this.kind[row]]
  }

  sideOf(row: Row): Side {
    return this.bookSide[row] === 0 ? 'buy' : 'sell'
  }

  positionSideOf(row: Row): PositionSide | undefined {
    return triggerCodes.positionSide[this.positionSide[row]]
  }

  walletOf(row: Row): WalletType {
    return walletTypes[this.wallet[row]]
  }

  private bookSideOfRise(row: Row): Side {
    return this.rises[row] === 1 ? 'sell' : 'buy'
  }

  private bookOf(row: Row): Book {
    const instrument = this.instrument[row]
    while (this.books.length <= instrument) this.books.push(undefined)
    const books = (this.books[instrument] ??= { last: emptyBook(), mark: emptyBook() })
    return books[triggerCodes.by[this.by[row]]]
  }
}

const spotIntent = triggerCodes.intent.indexOf('spot')
const planKind = triggerCodes.kind.indexOf('plan')
const takeProfitKind = triggerCodes.kind.indexOf('take-profit')
const wholeKind = triggerCodes.kind.indexOf('position-take-profit')
