/**
 * Orders that are open, and the one being placed: a row each.
 *
 * Links     `previous`/`next` chain a price level of the book, `accountPrevious`/`accountNext` an account's orders
 * Holds     a live row is in `rowOf`, in its account's chain, and (once it rests) in its book
 *           · what a spot order holds, or the margin an opening futures order asks for, is `hold`
 * Codes     enumerations are small integers in the columns; `orderCodes` names them
 */
import { sides } from '../vocabulary.ts'
import { categories } from '../catalog/catalog.ts'
import type { Lots, Millis } from '../numbers/numbers.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import {
  BigInt64Field,
  Float64Field,
  Int32Field,
  noRow,
  type Row,
  Table,
  Uint16Field,
  Uint8Field,
} from '../storage/storage.ts'
import {
  type AccountHandle,
  holdModes,
  loanTypes,
  type MarginMode,
  marginModes,
  type OrderCause,
  orderCauses,
  type OrderId,
  type OrderIntent,
  orderIntents,
  orderTypes,
  type PositionSide,
  positionSides,
  type Side,
  stpModes,
  timesInForce,
  type WalletType,
  walletTypes,
} from '../vocabulary.ts'
import type { Account } from './account.ts'
import {
  changeExtras,
  type ExtraColumns,
  extrasAt,
  type ExtrasByRow,
  extrasOfColumns,
  type OrderExtras,
} from './order-extras.ts'
import { OrderIndex } from './order-index.ts'

/** Words of an order's columns, by their codes. */
export const orderCodes = {
  side: sides,
  orderType: orderTypes,
  timeInForce: timesInForce,
  category: categories,
  intent: orderIntents,
  positionSide: ['net', ...positionSides],
  cause: orderCauses,
  stpMode: stpModes,
  marginMode: marginModes,
  holdMode: holdModes,
  loanType: loanTypes,
} as const

/** What the table asks of an admitted order; Admitted (admission/) has it, and more. */
interface NewOrder {
  readonly intake: {
    readonly account: Account
    readonly wallet: WalletType
    readonly command: PlaceOrder
    readonly cause: OrderCause
  }
  readonly bookSide: Side
  readonly quantity: Lots
  readonly intent: OrderIntent
  readonly positionSide: PositionSide | 'net'
  readonly reduceOnly: boolean
  readonly leverage: number
  readonly marginMode: MarginMode
}

/** The place of a word among the few that there are: compiled in place, where `indexOf` is a call. */
function codeOf<Word extends string>(words: readonly Word[], word: Word): number {
  for (let code = 0; code < words.length; code++) if (words[code] === word) return code
  return -1
}

const closeIntent = orderCodes.intent.indexOf('close')

export class OrderTable extends Table {
  id = new Float64Field()
  account = new Int32Field()
  instrument = new Int32Field()
  wallet = new Uint8Field()
  category = new Uint8Field()
  side = new Uint8Field()
  bookSide = new Uint8Field()
  orderType = new Uint8Field()
  timeInForce = new Uint8Field()
  intent = new Uint8Field()
  positionSide = new Uint8Field()
  cause = new Uint8Field()
  stpMode = new Uint8Field()
  marginMode = new Uint8Field()
  holdMode = new Uint8Field()
  reduceOnly = new Uint8Field()
  /** 1 while the order rests in its book. */
  resting = new Uint8Field()
  /** 1 while a futures order counts among its exposure's orders. */
  registered = new Uint8Field()
  leverage = new Uint16Field()
  price = new Int32Field()
  quantity = new Float64Field()
  remaining = new Float64Field()
  filledNotional = new BigInt64Field()
  fee = new BigInt64Field()
  realizedPnl = new BigInt64Field()
  hold = new BigInt64Field()
  loanType = new Uint8Field()
  positionEntryE8 = new BigInt64Field()
  createdAt = new Float64Field()
  /** Sequence of the command that placed it. */
  placedBy = new Float64Field()
  updatedAt = new Float64Field()
  previous = new Int32Field()
  next = new Int32Field()
  accountPrevious = new Int32Field()
  accountNext = new Int32Field()
  /** As the client gave it, or empty: then its number is its client order id. */
  clientOid: string[] = ['']
  channelCode: string[] = ['']
  extras: ExtrasByRow = new Map()
  readonly #index = new OrderIndex()

  constructor() {
    super()
    this.layOut()
  }

  /** A row for a new order: nothing of it is filled or held, and it does not rest; the first in its account's chain. */
  insert(order: NewOrder, id: OrderId, at: Millis, sequence: number): Row {
    const { account, wallet, command, cause } = order.intake
    const { category } = command
    const row = this.allocate()
    this.id.set(row, id)
    this.account.set(row, account.handle)
    this.instrument.set(row, command.instrument)
    this.wallet.set(row, codeOf(walletTypes, wallet))
    this.category.set(row, codeOf(orderCodes.category, category))
    this.side.set(row, codeOf(orderCodes.side, command.side))
    this.bookSide.set(row, codeOf(orderCodes.side, order.bookSide))
    this.orderType.set(row, codeOf(orderCodes.orderType, command.orderType))
    this.timeInForce.set(row, codeOf(orderCodes.timeInForce, command.timeInForce))
    this.intent.set(row, codeOf(orderCodes.intent, order.intent))
    this.positionSide.set(row, codeOf(orderCodes.positionSide, order.positionSide))
    this.cause.set(row, codeOf(orderCodes.cause, cause))
    this.stpMode.set(row, codeOf(orderCodes.stpMode, command.stpMode ?? account.stpMode))
    this.marginMode.set(row, codeOf(orderCodes.marginMode, order.marginMode))
    const isFutures = category !== 'SPOT' && category !== 'MARGIN'
    this.holdMode.set(row, isFutures ? codeOf(orderCodes.holdMode, account.holdMode[category]) : 0)
    this.loanType.set(row, codeOf(orderCodes.loanType, command.loanType))
    this.reduceOnly.set(row, order.reduceOnly ? 1 : 0)
    this.resting.set(row, 0)
    this.registered.set(row, 0)
    this.leverage.set(row, order.leverage)
    this.price.set(row, command.price)
    this.quantity.set(row, order.quantity)
    this.remaining.set(row, order.quantity)
    this.filledNotional.set(row, 0n)
    this.fee.set(row, 0n)
    this.realizedPnl.set(row, 0n)
    this.hold.set(row, 0n)
    this.positionEntryE8.set(row, 0n)
    this.createdAt.set(row, at)
    this.updatedAt.set(row, at)
    this.placedBy.set(row, sequence)
    this.previous.set(row, noRow)
    this.next.set(row, noRow)
    this.clientOid[row] = command.clientOid
    this.channelCode[row] = command.channelCode
    this.enter(row)
    this.accountPrevious.set(row, noRow)
    this.accountNext.set(row, account.firstOrder)
    if (account.firstOrder !== noRow) this.accountPrevious.set(account.firstOrder, row)
    return row
  }

  /** What it has that few orders have, to be read at once; `change` writes it. */
  extrasOf(row: Row): Readonly<OrderExtras> {
    return extrasAt(this.extras, row)
  }

  change(row: Row, changed: Partial<OrderExtras>): void {
    changeExtras(this.extras, row, changed)
  }

  /** Lots filled so far. */
  filledOf(row: Row): number {
    const { quoteAmount, filledLots } = this.extrasOf(row)
    return quoteAmount === 0n ? this.quantity.at(row) - this.remaining.at(row) : filledLots
  }

  clientOidOf(row: Row): string {
    return this.clientOid[row] || textOf(this.id.at(row))
  }

  /** The row lives from now on: its id is set. */
  enter(row: Row): void {
    this.#index.add(this.id, row)
  }

  /** The row lives no more, and may be used again. */
  leave(row: Row): void {
    this.#index.remove(this.id, row)
    this.id.set(row, 0)
    if (this.extras.size > 0) this.extras.delete(row)
    this.free(row)
  }

  /** Rows of live orders. */
  *live(): Generator<Row> {
    for (let row = 1; row < this.rows; row++) if (this.id.at(row) !== 0) yield row
  }

  override load(saved: Record<string, unknown>): void {
    super.load(saved)
    if (!('extras' in saved)) this.extras = extrasOfColumns(saved as unknown as ExtraColumns, this.live())
    // States of before orders were cut say nothing of it.
    for (const own of this.extras.values()) own.cut ??= 0
    this.#index.fill(this.id, this.rows)
  }

  /** Row of a live order, 0 when there is none. */
  find(id: OrderId): Row {
    return this.#index.find(this.id, id)
  }

  /** Open orders of an account, newest first; safe against ending the order just given. */
  *of(first: Row): Generator<Row> {
    for (let row = first; row !== noRow; ) {
      const next = this.accountNext.at(row)
      yield row
      row = next
    }
  }

  /** The row that an order has if it lives; nearly always. 0: it does not live. */
  guess(id: OrderId): Row {
    return this.#index.firstOf(id)
  }

  /** Reads something in each line of memory that these rows lie in (engine/prefetch.ts). */
  touchRows(rows: Int32Array, count: number): number {
    let sum = 0
    for (let at = 0; at < count; at++) sum += this.id.at(rows[at])
    for (let at = 0; at < count; at++) sum += this.placedBy.at(rows[at])
    for (let at = 0; at < count; at++) sum += this.stpMode.at(rows[at])
    for (let at = 0; at < count; at++) sum += this.#index.after(rows[at])
    for (let at = 0; at < count; at++) sum += this.clientOid[rows[at]] === this.channelCode[rows[at]] ? 1 : 0
    return sum
  }

  sideOf(row: Row): Side {
    return this.bookSide.at(row) === 0 ? 'buy' : 'sell'
  }

  /** Reduce-only (one-way) or closing (hedge): never adds to a position. */
  onlyReduces(row: Row): boolean {
    return this.reduceOnly.at(row) === 1 || this.intent.at(row) === closeIntent
  }

  /** The position that an order which only reduces takes from. */
  reducedSide(row: Row): PositionSide {
    return this.bookSide.at(row) === 1 ? 'long' : 'short'
  }

  walletOf(row: Row): WalletType {
    return walletTypes[this.wallet.at(row)]
  }

  accountOf(row: Row): AccountHandle {
    return this.account.at(row)
  }
}

/** Four digits each. */
const fourDigits = Array.from({ length: 10_000 }, (_, number) => String(number).padStart(4, '0'))
/** The first half of the number that was last asked for, as text: that of nearly all others. */
const highHalf = { digits: -1, text: '' }

/** The texts that were made last, by the low bits of their numbers: a command says the same few numbers again and again. */
const recent = { ids: new Float64Array(16), texts: Array.from({ length: 16 }, () => '') }

/** `String(id)` out of pieces that are there already; numbers of orders have sixteen digits. */
function textOf(id: OrderId): string {
  const place = (id | 0) & 15
  if (recent.ids[place] === id) return recent.texts[place]
  const high = Math.floor(id / 100_000_000)
  const low = id - high * 100_000_000
  if (high !== highHalf.digits) {
    highHalf.digits = high
    highHalf.text = String(high)
  }
  const middle = Math.floor(low / 10_000)
  const text = highHalf.text + fourDigits[middle] + fourDigits[low - middle * 10_000]
  recent.ids[place] = id
  recent.texts[place] = text
  return text
}
