/**
 * The house of a followed market: the accounts that hold its levels, the commands that change their orders, and what became of them.
 *
 * Accounts  makers, each with room for its open orders, and a taker, which trades
 * Money     is deposited before an order can lack it: many times its worth, so that this is rare
 * Told      by the venue's events, command by command: what others took, what did not come to rest, who stands before whom
 * Others    orders of everybody else in this book are looked up when something has happened to them
 * Source    lab.md §4.9
 */
import { type Instrument, openOrdersMax } from '../engine/catalog/catalog.ts'
import { type Lots, lots as lotsOf } from '../engine/numbers/numbers.ts'
import type { AmendOrder, Command, PlaceOrder } from '../engine/protocol/command.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import type { OrderId, Side, Uid } from '../engine/vocabulary.ts'
import type { Core } from '../runtime/core.ts'
import { Capacity } from './capacity.ts'
import { type HouseOrder, type Level, noteTaken } from './levels.ts'
import type { Trade } from './moment.ts'
import { deposits, limitOrder, parts } from './orders.ts'

/** An order of somebody else in this book. */
export interface OtherOrder {
  readonly uid: Uid
  readonly side: Side
  readonly price: number
  readonly lots: number
  readonly entered: number
}

/** A command that is on its way, and what it is to do. */
type Act =
  | { readonly kind: 'place' | 'grow'; readonly order: HouseOrder; readonly lots: number }
  | { readonly kind: 'shrink'; readonly order: HouseOrder; readonly before: number }
  | { readonly kind: 'cancel'; readonly order: HouseOrder; readonly before: number }
  | {
      readonly kind: 'move'
      readonly order: HouseOrder
      readonly from: Level
      readonly before: number
      readonly lots: number
    }
  /** `met`: whom it will meet, if that is known and has been reckoned with. */
  | { readonly kind: 'deposit' }
  | { readonly kind: 'trade'; readonly trade: Trade; readonly lots: number; readonly met: readonly Met[] | undefined }

interface Met {
  readonly order: HouseOrder
  readonly lots: number
}

export interface SavedHouse {
  readonly uids: readonly Uid[]
  readonly takerUid: Uid
  readonly others: readonly (readonly [OrderId, OtherOrder])[]
  readonly touched: readonly (readonly [OrderId, Uid, number])[]
  readonly traded: number
  readonly refused: number
  readonly lastRefusal: string | undefined
}

/** Of the open orders of an account, so many are left for what comes to rest while others leave. */
const sparePlaces = 20
/** An order that may lack money brings in as much as so many like it take; half of them need not be looked at. */
const depositFactor = 20

export class House {
  readonly #core: Core
  readonly #instrument: Instrument
  readonly healMs: number
  readonly #capacity: Capacity
  #uids: Uid[] = []
  #takerUid: Uid = 0
  readonly #resting = new Map<OrderId, HouseOrder>()
  readonly #counts = new Map<Uid, number>()
  #isFull = false
  /** Of bids and asks, by account: what certainly can be paid for, in ticks times lots. */
  readonly #budgets: readonly Map<Uid, number>[] = [new Map(), new Map()]
  #acts: Act[] = []
  #commands: Command[] = []
  #trace: { sequence: number | undefined } = { sequence: undefined }
  readonly #others = new Map<OrderId, OtherOrder>()
  /** Orders of others that something happened to, and by which command they may have gone to the end of a queue. */
  readonly #touched = new Map<OrderId, { readonly uid: Uid; readonly sequence: number }>()
  /** Levels that are not as they were meant: they are looked at again. */
  readonly dirty = new Set<Level>()
  /** What lacked money. */
  #lacking: { readonly uid: Uid; readonly side: Side; readonly price: Level['price']; readonly lots: number }[] = []
  #tradesLacking: Trade[] = []
  /** Lots of recorded trades that met somebody. */
  traded = 0
  refused = 0
  lastRefusal: string | undefined

  constructor(core: Core, instrument: Instrument, healMs: number) {
    this.#core = core
    this.#instrument = instrument
    this.#capacity = new Capacity(instrument)
    this.healMs = healMs
  }

  get uids(): readonly Uid[] {
    return this.#uids
  }

  open(takerUid: Uid): void {
    this.#takerUid = takerUid
  }

  add(uid: Uid): void {
    this.#uids.push(uid)
    this.#counts.set(uid, 0)
    this.#isFull = false
  }

  /** Orders that can still be placed; none while no account takes as much as the last one asked for. */
  get room(): number {
    return this.#isFull ? 0 : this.#uids.length * (openOrdersMax - sparePlaces) - this.#resting.size
  }

  /** Of others, on one side at one price, first to last. */
  othersAt(side: Side, price: number): readonly OtherOrder[] {
    if (this.#others.size === 0) return []
    const found = [...this.#others.values()].filter((other) => other.side === side && other.price === price)
    return found.toSorted((a, b) => a.entered - b.entered)
  }

  /** Lots of others that a trade up to a price would meet. */
  othersUpTo({ isBuy, price }: Trade): number {
    let sum = 0
    for (const other of this.#others.values()) {
      if (isBuy ? other.side === 'sell' && other.price <= price : other.side === 'buy' && other.price >= price)
        sum += other.lots
    }
    return sum
  }

  /** Whether so many lots are one order. */
  isOne(wanted: number): boolean {
    const { quantityMax } = this.#instrument
    return quantityMax === 0 || wanted <= quantityMax
  }

  get hasOthers(): boolean {
    return this.#others.size > 0
  }

  place(level: Level, wanted: number): void {
    const most = Math.max(1, Math.floor(this.#capacity.at(level.price) / 4))
    for (const quantity of parts(this.#instrument, wanted, most)) {
      const uid = this.#roomiest(level, quantity)
      const order: HouseOrder = { uid, level, orderId: 0, lots: quantity, filled: 0, entered: Number.POSITIVE_INFINITY }
      level.orders.push(order)
      this.#count(uid, 1)
      this.#fund(uid, level.side, level.price, quantity)
      this.#send({ kind: 'place', order, lots: quantity }, this.#order(uid, level.side, level.price, quantity, 'gtc'))
    }
  }

  /** Fewer lots keep their place; none: it goes. */
  shrink(order: HouseOrder, left: number): void {
    const before = order.lots
    order.lots = left
    this.#release(order.uid, order.level, before - left)
    if (left > 0) return this.#send({ kind: 'shrink', order, before }, amended(order))
    order.level.orders.splice(order.level.orders.indexOf(order), 1)
    this.#send(
      { kind: 'cancel', order, before },
      {
        kind: 'cancel-order',
        uid: order.uid,
        order: { orderId: order.orderId, clientOid: '' },
        category: undefined,
        instrument: undefined,
      },
    )
  }

  /** More lots go to the end of the queue. */
  grow(order: HouseOrder, more: number): void {
    if (!this.#takes(order.uid, order.level, more)) return this.place(order.level, more)
    this.#fund(order.uid, order.level.side, order.level.price, more)
    order.lots += more
    order.entered = Number.POSITIVE_INFINITY
    this.#send({ kind: 'grow', order, lots: more }, amended(order))
  }

  /** An order of a level that is gone goes to another one of its side: no order ends, and none begins. */
  move(order: HouseOrder, to: Level, wanted: number): void {
    if (!this.#takes(order.uid, to, wanted)) {
      this.shrink(order, 0)
      return this.place(to, wanted)
    }
    const { level: from, lots: before } = order
    this.#release(order.uid, from, before)
    this.#fund(order.uid, to.side, to.price, wanted)
    from.orders.splice(from.orders.indexOf(order), 1)
    to.orders.push(order)
    order.level = to
    order.lots = wanted
    order.entered = Number.POSITIVE_INFINITY
    this.#send({ kind: 'move', order, from, before, lots: wanted }, { ...amended(order), price: to.price })
  }

  /** `level`: the only ones that it will meet are the house's there, which have as much and are not on their way. */
  trade(trade: Trade, level: Level | undefined): void {
    for (const quantity of parts(this.#instrument, trade.lots)) {
      const met = level && meet(level, quantity)
      const side = trade.isBuy ? 'buy' : 'sell'
      this.#fund(this.#takerUid, side, trade.price as Level['price'], quantity)
      const order = this.#order(this.#takerUid, side, trade.price as Level['price'], quantity, 'ioc')
      this.#send({ kind: 'trade', trade, lots: quantity, met }, order)
    }
  }

  /** Sends what was asked for, as one run, and again what lacked money. Resolves when it is carried out. */
  async flush(): Promise<void> {
    if (this.#commands.length === 0) return
    const commands = this.#commands
    this.#commands = []
    this.#trace = { sequence: undefined }
    await this.#core.submitAll(commands, this.#trace)
    this.#acts = []
    this.#trace = { sequence: undefined }
    if (this.#lacking.length === 0) return
    await this.#deposit()
    const again = this.#tradesLacking.splice(0)
    if (again.length === 0) return
    for (const trade of again) this.trade(trade, undefined)
    await this.flush()
  }

  async #deposit(): Promise<void> {
    const lacking = this.#lacking.splice(0)
    for (const uid of new Set(lacking.map((one) => one.uid))) {
      const wanted = lacking.flatMap((one) => {
        return one.uid === uid ? [{ side: one.side, price: one.price, quantity: lotsOf(one.lots * depositFactor) }] : []
      })
      await this.#core.submitAll(deposits(this.#core, uid, this.#instrument, wanted))
    }
  }

  /** What others have in this book, as it is now. */
  lookAtOthers(): void {
    if (this.#touched.size === 0) return
    for (const [orderId, { uid, sequence }] of this.#touched) {
      const record = this.#core.query({ kind: 'order', uid, order: { orderId, clientOid: '' } })
      const known = this.#others.get(orderId)
      this.#others.delete(orderId)
      if (record === undefined || record.instrument !== this.#instrument.id || record.price === 0) continue
      const left = record.quantity - record.filled
      if (left <= 0 || (record.status !== 'live' && record.status !== 'partially_filled')) continue
      const keeps = known !== undefined && known.price === record.price && left <= known.lots
      const entered = keeps ? known.entered : sequence
      this.#others.set(orderId, { uid, side: record.bookSide, price: record.price, lots: left, entered })
    }
    this.#touched.clear()
  }

  /** An order of somebody else that rested before this house heard events. */
  met(orderId: OrderId, uid: Uid): void {
    if (!this.#isHouse(uid)) this.#touched.set(orderId, { uid, sequence: orderId })
  }

  /** What was on its way may have come about or not: orders are to be adopted anew. */
  forgetActs(): void {
    this.#acts = []
    this.#commands = []
    this.#trace = { sequence: undefined }
    this.#lacking = []
    this.#tradesLacking = []
    this.dirty.clear()
  }

  /** As a consumer of the runtime. */
  record(sequence: number, at: number, events: readonly Event[], reply: Reply | undefined): void {
    const { sequence: first } = this.#trace
    const act = first === undefined ? undefined : this.#acts[sequence - first]
    for (const event of events) this.#hear(event, sequence, at, act)
    if (act !== undefined && reply !== undefined) this.#answered(act, reply, sequence)
  }

  #hear(event: Event, sequence: number, at: number, act: Act | undefined): void {
    switch (event.kind) {
      case 'order-accepted':
      case 'order-amended':
        if (!this.#isHouse(event.uid)) this.#touched.set(event.orderId, { uid: event.uid, sequence })
        return
      case 'order-cut':
        if (!this.#isHouse(event.uid)) this.#touched.set(event.orderId, { uid: event.uid, sequence })
        return
      case 'order-ended':
        return this.#ended(event.order.orderId, event.order.uid, act)
      case 'fill':
        if (event.instrument !== this.#instrument.id) return
        return this.#filled(event, sequence, at, act)
      default:
    }
  }

  #filled(fill: Extract<Event, { kind: 'fill' }>, sequence: number, at: number, act: Act | undefined): void {
    if (fill.scope === 'taker') {
      if (act?.kind === 'trade') this.traded += fill.quantity
      // It met others where it was to rest: that much of its level they have taken.
      else if (act?.kind === 'place' || act?.kind === 'grow' || act?.kind === 'move') {
        act.order.lots -= fill.quantity
        act.order.filled += fill.quantity
        noteTaken(act.order.level, fill.quantity, at, this.healMs)
      }
      return
    }
    const order = this.#resting.get(fill.orderId)
    if (order === undefined) {
      if (this.#others.has(fill.orderId)) this.#touched.set(fill.orderId, { uid: fill.uid, sequence })
      return
    }
    if (act?.kind === 'trade' && act.met !== undefined) return
    order.lots -= fill.quantity
    order.filled += fill.quantity
    this.dirty.add(order.level)
    if (act?.kind !== 'trade') noteTaken(order.level, fill.quantity, at, this.healMs)
  }

  #ended(orderId: OrderId, uid: Uid, act: Act | undefined): void {
    if (!this.#isHouse(uid)) {
      if (this.#others.delete(orderId)) this.#touched.delete(orderId)
      return
    }
    const order = this.#resting.get(orderId)
    if (order === undefined) return
    this.#forget(order)
    // Somebody else took it away: it is put back as the record has it.
    const isKnown = act?.kind === 'cancel' || (act?.kind === 'trade' && act.met !== undefined)
    if (!isKnown) this.dirty.add(order.level)
  }

  #answered(act: Act, reply: Reply, sequence: number): void {
    if (reply.kind !== 'refused') {
      if (act.kind === 'place' && reply.kind === 'placed') this.#placed(act.order, reply.orderId, sequence)
      if (act.kind === 'grow' || act.kind === 'move') act.order.entered = sequence
      return
    }
    if (act.kind === 'deposit') return
    const { kind } = reply.refusal
    const isShort = kind === 'insufficient-margin' || kind === 'insufficient-available'
    if (!isShort) {
      this.refused += 1
      this.lastRefusal = `${act.kind}: ${kind}`
    }
    if (act.kind === 'trade') {
      const { trade, lots: quantity } = act
      const side = trade.isBuy ? 'buy' : 'sell'
      for (const { order, lots: back } of act.met ?? []) {
        if (order.lots === 0) order.level.orders.unshift(order)
        order.lots += back
        order.filled -= back
        this.dirty.add(order.level)
      }
      if (!isShort) return
      this.#lacking.push({ uid: this.#takerUid, side, price: trade.price as Level['price'], lots: quantity })
      this.#tradesLacking.push({ ...trade, lots: quantity })
      return
    }
    const { order } = act
    const { level, uid } = order
    if (act.kind === 'move') {
      level.orders.splice(level.orders.indexOf(order), 1)
      act.from.orders.push(order)
      order.level = act.from
      order.lots = act.before
      this.dirty.add(act.from)
    }
    if (act.kind === 'place') {
      const place = level.orders.indexOf(order)
      if (place >= 0) level.orders.splice(place, 1)
      this.#count(uid, -1)
    } else if (act.kind === 'grow') order.lots -= act.lots
    else if (act.kind === 'shrink' || act.kind === 'cancel') order.lots = act.before
    if (act.kind === 'cancel' && this.#resting.has(order.orderId)) level.orders.push(order)
    if (!isShort || act.kind === 'shrink' || act.kind === 'cancel') return
    this.#lacking.push({ uid, side: level.side, price: level.price, lots: act.lots })
    this.dirty.add(level)
  }

  #placed(order: HouseOrder, orderId: OrderId | 0, sequence: number): void {
    order.orderId = orderId
    order.entered = sequence
    if (order.lots > 0) this.#resting.set(orderId, order)
    else this.#forget(order)
  }

  #forget(order: HouseOrder): void {
    this.#resting.delete(order.orderId)
    this.#count(order.uid, -1)
    const { orders } = order.level
    const place = orders.indexOf(order)
    if (place >= 0) orders.splice(place, 1)
  }

  #isHouse(uid: Uid): boolean {
    return uid === this.#takerUid || this.#counts.has(uid)
  }

  #send(act: Act, command: Command): void {
    this.#acts.push(act)
    this.#commands.push(command)
  }

  /** An order's money is there before it comes. */
  #fund(uid: Uid, side: Side, price: Level['price'], wanted: number): void {
    const worth = price * wanted
    const budgets = this.#budgetsOf(side)
    let budget = budgets.get(uid) ?? 0
    if (budget < worth) {
      const quantity = lotsOf(wanted * depositFactor)
      for (const command of deposits(this.#core, uid, this.#instrument, [{ side, price, quantity }])) {
        this.#send({ kind: 'deposit' }, command)
      }
      budget = (worth * depositFactor) / 2
    }
    budgets.set(uid, budget - worth)
  }

  /** What an order held is free again. */
  #release(uid: Uid, { side, price }: Level, lots: number): void {
    const budgets = this.#budgetsOf(side)
    budgets.set(uid, (budgets.get(uid) ?? 0) + price * lots)
  }

  #budgetsOf(side: Side): Map<Uid, number> {
    return this.#budgets[side === 'buy' ? 0 : 1]
  }

  #order(uid: Uid, side: Side, price: Level['price'], quantity: Lots, force: PlaceOrder['timeInForce']): PlaceOrder {
    return { ...limitOrder(uid, this.#instrument, { side, price, quantity }, force), stpMode: 'none' }
  }

  /** The account with the fewest orders that takes so much there. */
  #roomiest(level: Level, quantity: number): Uid {
    let best = this.#uids[0]
    for (const uid of this.#uids) if ((this.#counts.get(uid) ?? 0) < (this.#counts.get(best) ?? 0)) best = uid
    if (this.#takes(best, level, quantity)) return best
    const other = this.#uids.find((uid) => this.#takes(uid, level, quantity))
    this.#isFull ||= other === undefined
    return other ?? best
  }

  #takes(uid: Uid, { side, price }: Level, more: number): boolean {
    const most = this.#capacity.at(price)
    // So little that all orders of an account together are within it.
    if (more * openOrdersMax < most) return true
    let sum = more
    const count = (order: HouseOrder) => {
      if (order.uid === uid && order.level.side === side) sum += order.lots
    }
    for (const order of this.#resting.values()) count(order)
    for (const act of this.#acts) if (act.kind === 'place') count(act.order)
    return sum <= most
  }

  #count(uid: Uid, change: number): void {
    this.#counts.set(uid, (this.#counts.get(uid) ?? 0) + change)
  }

  save(): SavedHouse {
    const { traded, refused, lastRefusal } = this
    return {
      uids: [...this.#uids],
      takerUid: this.#takerUid,
      others: [...this.#others],
      touched: [...this.#touched].map(([orderId, { uid, sequence }]) => [orderId, uid, sequence]),
      traded,
      refused,
      lastRefusal,
    }
  }

  /** `orders`: of the levels as they were restored. */
  restore(saved: SavedHouse, orders: Iterable<HouseOrder>): void {
    this.#uids = []
    this.#counts.clear()
    for (const budgets of this.#budgets) budgets.clear()
    this.#resting.clear()
    this.#acts = []
    this.#commands = []
    this.#trace = { sequence: undefined }
    this.#takerUid = saved.takerUid
    for (const uid of saved.uids) this.add(uid)
    for (const order of orders) {
      this.#resting.set(order.orderId, order)
      this.#count(order.uid, 1)
    }
    this.#others.clear()
    for (const [orderId, other] of saved.others) this.#others.set(orderId, other)
    this.#touched.clear()
    for (const [orderId, uid, sequence] of saved.touched) this.#touched.set(orderId, { uid, sequence })
    this.traded = saved.traded
    this.refused = saved.refused
    this.lastRefusal = saved.lastRefusal
  }
}

/** What a trade takes of a level, the first ones first. */
function meet({ orders }: Level, quantity: number): Met[] {
  const met: Met[] = []
  for (let left = quantity; left > 0; ) {
    const order = orders[0]
    const lots = Math.min(left, order.lots)
    met.push({ order, lots })
    order.lots -= lots
    order.filled += lots
    left -= lots
    if (order.lots === 0) orders.shift()
  }
  return met
}

function amended({ uid, orderId, lots: left, filled }: HouseOrder): AmendOrder {
  return {
    kind: 'amend-order',
    uid,
    order: { orderId, clientOid: '' },
    category: undefined,
    instrument: undefined,
    price: undefined,
    quantity: lotsOf(left + filled),
    attachedTpsl: undefined,
    autoCancel: false,
    requestId: '',
  }
}
