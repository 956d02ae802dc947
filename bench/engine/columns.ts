/**
 * What a machine lets such a tape cost at the least: the same commands on bare numbers, with src/engine/book and nothing else
 * of the engine.
 *
 * Does      holds, matches in price-time priority, moves money or positions with a fee for both sides, gives holds back
 * Not       admission, replies, bigints, margin of what is open, bills, or anything that could refuse
 * Emits     nothing, or to whoever is named the events that the engine emits, with their fields and bigints (events.ts)
 * Checked   as many orders rest at the end as in the engine, and no money has come or gone
 */
import { sideOf } from '../../src/engine/book/book.ts'
import { bestPrice, type Book, dequeue, emptyBook, enqueue, firstAt, shrink } from '../../src/engine/book/book.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import type { OrderId, Side } from '../../src/engine/vocabulary.ts'
import { Orders } from '../book/market.ts'
import type { TradingFloor } from '../trading-floor.ts'
import type { Resting } from '../windows.ts'
import { accepted, ended, filled, type Match, type Order, traded } from './events.ts'
import { kinds, type Tape } from './tape.ts'

const feeShare = 0.0006
const leverage = 20
/** Of an account: money and what of it is held, base coin and what of it is held; of futures lots and what they cost. */
const perAccount = 4
const anyPrice = { buy: Number.MAX_SAFE_INTEGER, sell: 0 } as const

export class ColumnHouse {
  readonly #futures: boolean
  readonly #firstUid: number
  readonly #firstOrder: OrderId
  readonly #middle: number
  readonly #book: Book = emptyBook()
  readonly #orders: Orders
  readonly #money: Float64Array
  readonly #account: Int32Array
  /** As ordered. */
  readonly #lots: Int32Array
  readonly #emit: ((event: Event) => void) | undefined
  #rows = 1
  #matches = 0
  #fees = 0
  resting = 0

  /** `opening` rest already; their numbers and those of the orders of the tape follow each other. */
  constructor(
    floor: TradingFloor,
    uids: readonly number[],
    opening: readonly Resting[],
    commands: number,
    emit?: (event: Event) => void,
  ) {
    const rows = opening.length + commands + 1
    this.#futures = floor.what !== 'spot'
    this.#middle = floor.middle
    this.#firstUid = uids[0]
    this.#firstOrder = opening[0].orderId
    this.#orders = new Orders(rows)
    this.#money = new Float64Array(uids.length * perAccount)
    this.#account = new Int32Array(rows)
    this.#lots = new Int32Array(rows)
    this.#emit = emit
    for (const { limit } of opening) this.#place(limit.uid, limit.side, limit.price, limit.quantity)
  }

  play(tape: Tape, from: number, to: number): void {
    for (let index = from; index < to; index++) {
      const kind = tape.kind[index]
      if (kind === kinds.cancel) {
        this.#cancel(tape.orderId[index] - this.#firstOrder + 1)
        continue
      }
      const side: Side = tape.sell[index] === 1 ? 'sell' : 'buy'
      this.#place(tape.uid[index], side, kind === kinds.market ? 0 : tape.price[index], tape.quantity[index])
    }
  }

  /** Money of all accounts and of the house. */
  get total(): number {
    let sum = this.#fees
    for (let at = 0; at < this.#money.length; at += perAccount) {
      // What lots cost stands outside of the accounts' money until they are sold again.
      sum += this.#money[at] + (this.#futures ? this.#money[at + 3] : 0)
    }
    return sum
  }

  /** `price` 0: at market. */
  #place(uid: number, side: Side, price: number, lots: number): void {
    const row = this.#rows++
    const account = (uid - this.#firstUid) * perAccount
    const buy = side === 'buy'
    this.#account[row] = account
    this.#lots[row] = lots
    this.#orders.write(row, side, price, 0)
    if (price > 0) this.#hold(account, buy, lots, price)
    // A spot market buy spends quote coin.
    const budget = buy && price === 0 && !this.#futures ? lots * this.#middle : undefined
    const left = this.#sweep(row, buy, price > 0 ? price : anyPrice[side], lots, budget)
    if (price === 0 || left === 0) {
      this.#emit?.(ended(this.#order(row), 0, 'filled'))
      return
    }
    this.#orders.setLeft(row, left)
    enqueue(sideOf(this.#book, side), this.#orders, row, price, left)
    this.resting++
    this.#emit?.(accepted(this.#order(row)))
  }

  #cancel(row: number): void {
    const orders = this.#orders
    const side = orders.sideOf(row)
    const lots = orders.leftOf(row)
    dequeue(sideOf(this.#book, side), orders, row, orders.priceOf(row), lots)
    this.#hold(this.#account[row], side === 'buy', -lots, orders.priceOf(row))
    orders.setLeft(row, 0)
    this.resting--
    this.#emit?.(ended(this.#order(row), lots, 'canceled'))
  }

  #order(row: number): Order {
    return {
      orderId: this.#firstOrder + row - 1,
      uid: this.#firstUid + this.#account[row] / perAccount,
      side: this.#orders.sideOf(row),
      price: this.#orders.priceOf(row),
      lots: this.#lots[row],
    }
  }

  #emitMatch(emit: (event: Event) => void, taker: number, maker: number, price: number, lots: number): void {
    const value = price * lots
    const match: Match = { number: ++this.#matches, price, lots, value, fee: Math.ceil(value * feeShare) }
    const [takers, makers] = [this.#order(taker), this.#order(maker)]
    emit(filled(takers, 'taker', match, this.#money[this.#account[taker]]))
    emit(filled(makers, 'maker', match, this.#money[this.#account[maker]]))
    emit(traded(takers, match))
    if (this.#orders.leftOf(maker) === 0) emit(ended(makers, 0, 'filled'))
  }

  #sweep(row: number, buy: boolean, limit: number, lots: number, budget?: number): number {
    const orders = this.#orders
    const account = this.#account[row]
    const other: Side = buy ? 'sell' : 'buy'
    const ownPrice = orders.priceOf(row)
    let left = budget === undefined ? lots : Number.MAX_SAFE_INTEGER
    let spend = budget ?? 0
    for (let price = bestPrice(this.#book, other); price !== 0 && left > 0; price = bestPrice(this.#book, other)) {
      if (buy ? price > limit : price < limit) break
      const maker = firstAt(this.#book, other, price)
      const offered = orders.leftOf(maker)
      let taken = Math.min(left, offered)
      if (budget !== undefined) {
        taken = Math.min(taken, Math.floor(spend / price))
        if (taken === 0) break
        spend -= taken * price
      }
      left -= taken
      orders.setLeft(maker, offered - taken)
      shrink(this.#book, other, price, taken)
      this.#hold(this.#account[maker], !buy, -taken, price)
      if (ownPrice > 0) this.#hold(account, buy, -taken, ownPrice)
      this.#settle(buy ? account : this.#account[maker], buy ? this.#account[maker] : account, taken * price, taken)
      if (this.#emit !== undefined) this.#emitMatch(this.#emit, row, maker, price, taken)
      if (taken < offered) break
      dequeue(sideOf(this.#book, other), orders, maker, price, 0)
      this.resting--
    }
    return left
  }

  #hold(account: number, buy: boolean, lots: number, price: number): void {
    if (this.#futures) this.#money[account + 1] += Math.ceil((lots * price) / leverage)
    else if (buy) this.#money[account + 1] += lots * price
    else this.#money[account + 3] += lots
  }

  #settle(buyer: number, seller: number, value: number, lots: number): void {
    const fee = Math.ceil(value * feeShare)
    this.#fees += fee + fee
    if (this.#futures) {
      this.#money[buyer] -= fee
      this.#money[seller] -= fee
      this.#trade(buyer, lots, -value)
      this.#trade(seller, -lots, value)
      return
    }
    this.#money[buyer] -= value + fee
    this.#money[seller] += value - fee
    this.#money[buyer + 2] += lots
    this.#money[seller + 2] -= lots
  }

  /** Lots that come to a position, or leave it with what they have won. */
  #trade(account: number, lots: number, flow: number): void {
    const held = this.#money[account + 2]
    const cost = this.#money[account + 3]
    const closes = held * lots < 0 ? Math.min(Math.abs(lots), Math.abs(held)) : 0
    const released = closes === 0 ? 0 : Math.floor((cost * closes) / Math.abs(held))
    const closing = closes === 0 ? 0 : Math.floor((flow * closes) / Math.abs(lots))
    this.#money[account] += released + closing
    this.#money[account + 2] = held + lots
    this.#money[account + 3] = cost - released + flow - closing
  }
}
