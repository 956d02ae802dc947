/**
 * Trailing orders: what they add to their rows among the trigger orders, and where they wait for the price.
 *
 * Waiting   for its activation price an order lies in a book, as trigger orders do. One that has none is active from the
 *           first price that comes
 * Active    it follows the best price since: for a sell the highest, for a buy the lowest. It is due once the price has
 *           turned back from there by its rate: price <= best × (1 − rate), for a buy price >= best × (1 + rate). Prices
 *           are whole ticks, so rounding the right side down, for a buy up, decides exactly that
 * Runs      orders with one best price are a run. They are active in turn, so the runs lie in the order of their best
 *           prices, and a new best price joins the last ones. Nothing is written to the orders
 * Rates     per rate a queue in the order of activation: its first has the best price of all, so it is due first
 * Reach     no order is due at a price that has not reached `reach`. It may promise too much, never too little
 * Cost      a price update looks at two numbers. A new best price joins runs, each once. What is due is looked for among
 *           the first orders of the rates in use, of which there are a thousand at most
 * Source    docs/decisions/0025-trailing-orders.md
 */
import { bestPrice, type Book, dequeue, emptyBook, enqueue, firstAt, sideOf } from '../book/book.ts'
import type { InstrumentId } from '../catalog/catalog.ts'
import { assert, type Ticks } from '../numbers/numbers.ts'
import { Float64Field, Int32Field, noRow, type Row, Table, Uint16Field, Uint8Field } from '../storage/storage.ts'
import {
  type CallbackRate,
  callbackRateMax,
  type OrderId,
  rateWhole,
  type TriggerPrice,
  triggerPrices,
} from '../vocabulary.ts'

/** Active orders with one best price. */
interface Run {
  /** Activation number of the first that could be in it. */
  readonly begin: number
  best: number
  count: number
  /** No order that is the first of its rate has a smaller one here. */
  rateLeast: CallbackRate
}

interface Queue {
  first: Row
  last: Row
}

/** Active orders of one side that follow one price. */
interface Trail {
  readonly runs: Run[]
  readonly queues: Map<CallbackRate, Queue>
  reach: number
}

interface Watch {
  readonly waiting: Book
  readonly sells: Trail
  readonly buys: Trail
}

/** What a trailing order waits for: `price` zero is none. */
export interface TrailingTerms {
  readonly instrument: InstrumentId
  readonly by: TriggerPrice
  readonly sells: boolean
  readonly rate: CallbackRate
  readonly price: Ticks | 0
  readonly rises: boolean
  /** Of the take-profit and stop-loss of what it opens, in hundredths of a percent; zero: none. */
  readonly takeProfitRate: number
  readonly stopLossRate: number
}

/** Until when an order waits, and how it follows from there. */
type Activation = Pick<TrailingTerms, 'by' | 'rate' | 'price' | 'rises'>

/** Last and mark price; zero: nothing has traded yet. */
export interface PricesNow {
  readonly last: Ticks | 0
  readonly mark: Ticks
}

/** The lowest price that there is: every price has risen to it. */
const anyPrice = 1
const oneOrder = 1

export class TrailingTable extends Table {
  /** The row among the trigger orders, and its number. */
  trigger = new Int32Field()
  id = new Float64Field()
  instrument = new Int32Field()
  by = new Uint8Field()
  sells = new Uint8Field()
  rate = new Uint16Field()
  takeProfitRate = new Int32Field()
  stopLossRate = new Int32Field()
  waitsFor = new Int32Field()
  rises = new Uint8Field()
  /** Zero: it waits for its activation price. */
  activation = new Float64Field()
  /** Neighbours in the book, later in the queue of its rate. */
  previous = new Int32Field()
  next = new Int32Field()
  activations = 0
  /** By row among the trigger orders. */
  rowOf = new Map<Row, Row>()
  watches: ({ readonly [By in TriggerPrice]: Watch } | undefined)[] = []

  constructor() {
    super()
    this.layOut()
  }

  get isUsed(): boolean {
    return this.rows > 1
  }

  /** The row of a trigger order here. */
  find(trigger: Row): Row {
    return this.rowOf.get(trigger) ?? noRow
  }

  add(trigger: Row, id: OrderId, terms: TrailingTerms): void {
    const row = this.allocate()
    this.trigger.set(row, trigger)
    this.id.set(row, id)
    this.instrument.set(row, terms.instrument)
    this.sells.set(row, terms.sells ? 1 : 0)
    this.takeProfitRate.set(row, terms.takeProfitRate)
    this.stopLossRate.set(row, terms.stopLossRate)
    this.rowOf.set(trigger, row)
    this.wait(row, terms)
  }

  remove(trigger: Row): void {
    const row = this.find(trigger)
    this.leave(row)
    this.rowOf.delete(trigger)
    this.free(row)
  }

  /** It waits anew, for another price or the other kind of price. */
  restart(trigger: Row, terms: Activation): void {
    const row = this.find(trigger)
    this.leave(row)
    this.wait(row, terms)
  }

  /** Another rate; an active order keeps its best price. Costs a step for each order of that rate that was active later. */
  setRate(trigger: Row, rate: CallbackRate): void {
    const row = this.find(trigger)
    const trail = this.trailOf(row)
    const isActive = this.isActive(row)
    if (isActive) this.leaveQueue(trail, row)
    this.rate.set(row, rate)
    if (isActive) this.joinQueue(trail, row)
  }

  isActive(row: Row): boolean {
    return this.activation.at(row) !== 0
  }

  /** The best price since it is active; zero: it is not. */
  bestOf(row: Row): Ticks | 0 {
    return this.isActive(row) ? (runOf(this.trailOf(row), this.activation.at(row)).best as Ticks) : 0
  }

  /** The price that it waits for: that of its activation, then that at which it is triggered. At least a tick. */
  priceOf(row: Row): Ticks {
    const best = this.bestOf(row)
    const price = best === 0 ? this.waitsFor.at(row) : turnedBack(this.sells.at(row) === 1, best, this.rate.at(row))
    return Math.max(price, anyPrice) as Ticks
  }

  /** Active orders follow these prices; answers the trigger orders that have become active by them, and are no longer waiting. */
  follow(instrument: InstrumentId, prices: PricesNow): readonly Row[] {
    const watches = this.watches[instrument]
    if (watches === undefined) return none
    let started: Row[] | undefined
    for (const by of triggerPrices) {
      const now = prices[by]
      if (now === 0) continue
      const { waiting, sells, buys } = watches[by]
      followBest(sells, true, now)
      followBest(buys, false, now)
      for (let row = reachedIn(waiting, now); row !== noRow; row = reachedIn(waiting, now)) {
        this.start(row, now)
        started ??= []
        started.push(this.trigger.at(row))
      }
    }
    return started ?? none
  }

  /** The active order that its price has passed furthest, then the lowest number; its row here. Zero: none is due. */
  dueNow(instrument: InstrumentId, prices: PricesNow): Row {
    const watches = this.watches[instrument]
    if (watches === undefined) return noRow
    let found = noRow
    let passed = -1
    for (const by of triggerPrices) {
      const now = prices[by]
      if (now === 0) continue
      for (const isSell of [true, false]) {
        const trail = isSell ? watches[by].sells : watches[by].buys
        if (!isReached(isSell, now, trail.reach)) continue
        const row = this.furthest(trail, isSell)
        if (!isReached(isSell, now, trail.reach)) continue
        const distance = Math.abs(now - trail.reach)
        if (distance < passed || (distance === passed && this.id.at(row) > this.id.at(found))) continue
        found = row
        passed = distance
      }
    }
    return found
  }

  /** The order that is due first of all; makes the trail's bounds exact. */
  private furthest(trail: Trail, isSell: boolean): Row {
    const top = trail.runs.at(-1)
    let found = noRow
    let reach = 0
    let rateLeast = callbackRateMax
    for (const [rate, { first }] of trail.queues) {
      const activation = this.activation.at(first)
      const price = turnedBack(isSell, runOf(trail, activation).best, rate)
      const isSame = found !== noRow && price === reach
      if (isSame ? this.id.at(first) < this.id.at(found) : furtherOf(isSell, price, reach) === price) {
        found = first
        reach = price
      }
      if (top !== undefined && activation >= top.begin) rateLeast = Math.min(rateLeast, rate)
    }
    trail.reach = reach
    if (top !== undefined) top.rateLeast = rateLeast
    return found
  }

  private wait(row: Row, { by, rate, price, rises }: Activation): void {
    this.by.set(row, triggerPrices.indexOf(by))
    this.rate.set(row, rate)
    this.waitsFor.set(row, price === 0 ? anyPrice : price)
    this.rises.set(row, rises || price === 0 ? 1 : 0)
    this.activation.set(row, 0)
    enqueue(this.ladderOf(row), this, row, this.waitsFor.at(row), oneOrder)
  }

  /** Active from this price on, which all active ones of its trail have followed. */
  private start(row: Row, now: number): void {
    dequeue(this.ladderOf(row), this, row, this.waitsFor.at(row), oneOrder)
    const trail = this.trailOf(row)
    const activation = ++this.activations
    this.activation.set(row, activation)
    const top = trail.runs.at(-1)
    if (top?.best === now) top.count++
    else trail.runs.push({ begin: activation, best: now, count: 1, rateLeast: this.rate.at(row) })
    this.joinQueue(trail, row)
  }

  private leave(row: Row): void {
    if (!this.isActive(row)) return dequeue(this.ladderOf(row), this, row, this.waitsFor.at(row), oneOrder)
    const trail = this.trailOf(row)
    this.leaveQueue(trail, row)
    const run = runOf(trail, this.activation.at(row))
    run.count--
    if (run.count === 0) trail.runs.splice(trail.runs.indexOf(run), 1)
  }

  /** Into the queue of its rate, in the order of activation. */
  private joinQueue(trail: Trail, row: Row): void {
    const rate = this.rate.at(row)
    const activation = this.activation.at(row)
    const queue = trail.queues.get(rate) ?? { first: noRow, last: noRow }
    trail.queues.set(rate, queue)
    let before = queue.last
    while (before !== noRow && this.activation.at(before) > activation) before = this.previous.at(before)
    const after = before === noRow ? queue.first : this.next.at(before)
    this.previous.set(row, before)
    this.next.set(row, after)
    if (before === noRow) queue.first = row
    else this.next.set(before, row)
    if (after === noRow) queue.last = row
    else this.previous.set(after, row)
    this.bound(trail, row)
  }

  private leaveQueue(trail: Trail, row: Row): void {
    const rate = this.rate.at(row)
    const queue = trail.queues.get(rate)
    assert(queue !== undefined, 'an active trailing order is in the queue of its rate')
    const before = this.previous.at(row)
    const after = this.next.at(row)
    if (before === noRow) queue.first = after
    else this.next.set(before, after)
    if (after === noRow) queue.last = before
    else this.previous.set(after, before)
    if (queue.first === noRow) trail.queues.delete(rate)
    else if (before === noRow) this.bound(trail, queue.first)
  }

  /** Has the bounds of the trail, and of the order's run, hold for it. */
  private bound(trail: Trail, row: Row): void {
    const rate = this.rate.at(row)
    const isSell = this.sells.at(row) === 1
    const run = runOf(trail, this.activation.at(row))
    run.rateLeast = Math.min(run.rateLeast, rate)
    trail.reach = furtherOf(isSell, trail.reach, turnedBack(isSell, run.best, rate))
  }

  private ladderOf(row: Row) {
    return sideOf(this.watchOf(row).waiting, this.rises.at(row) === 1 ? 'sell' : 'buy')
  }

  private trailOf(row: Row): Trail {
    const { sells, buys } = this.watchOf(row)
    return this.sells.at(row) === 1 ? sells : buys
  }

  private watchOf(row: Row): Watch {
    const instrument = this.instrument.at(row)
    while (this.watches.length <= instrument) this.watches.push(undefined)
    const watches = (this.watches[instrument] ??= { last: emptyWatch(), mark: emptyWatch() })
    return watches[triggerPrices[this.by.at(row)]]
  }
}

const none: readonly Row[] = []

function emptyWatch(): Watch {
  const emptyTrail = (): Trail => ({ runs: [], queues: new Map(), reach: 0 })
  return { waiting: emptyBook(), sells: emptyTrail(), buys: emptyTrail() }
}

/** A price turned back from the best one by a rate, in whole ticks: down for a sell, up for a buy. */
function turnedBack(isSell: boolean, best: number, rate: CallbackRate): Ticks | 0 {
  const scaled = best * (rateWhole + (isSell ? -rate : rate))
  const rest = scaled % rateWhole
  return ((scaled - rest) / rateWhole + (isSell || rest === 0 ? 0 : 1)) as Ticks | 0
}

function isReached(isSell: boolean, now: number, reach: number): boolean {
  return reach !== 0 && (isSell ? now <= reach : now >= reach)
}

/** Of two prices the one that a price turning back reaches first; zero is reached by none. */
function furtherOf(isSell: boolean, a: number, b: number): number {
  if (a === 0 || b === 0) return a + b
  return isSell ? Math.max(a, b) : Math.min(a, b)
}

/** The run of what became active as this number. */
function runOf({ runs }: Trail, activation: number): Run {
  let low = 0
  let high = runs.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (runs[middle].begin <= activation) low = middle
    else high = middle - 1
  }
  return runs[low]
}

/** A better price than the last run's makes one run of all that it is better than, or as good as. */
function followBest(trail: Trail, isSell: boolean, now: number): void {
  const { runs } = trail
  const isBehind = ({ best }: Run) => (isSell ? best <= now : best >= now)
  let top = runs.at(-1)
  if (top === undefined || top.best === now || !isBehind(top)) return
  for (let below = runs.at(-2); below !== undefined && isBehind(below); below = runs.at(-2)) {
    runs.pop()
    below.count += top.count
    below.rateLeast = Math.min(below.rateLeast, top.rateLeast)
    top = below
  }
  top.best = now
  trail.reach = furtherOf(isSell, trail.reach, turnedBack(isSell, now, top.rateLeast))
}

/** The first waiting order whose activation price is reached. */
function reachedIn(waiting: Book, now: number): Row {
  const rise = bestPrice(waiting, 'sell')
  if (rise !== 0 && rise <= now) return firstAt(waiting, 'sell', rise)
  const fall = bestPrice(waiting, 'buy')
  return fall !== 0 && fall >= now ? firstAt(waiting, 'buy', fall) : noRow
}
