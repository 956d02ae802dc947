/**
 * One moment of a tape into the book: its trades, then its levels.
 *
 * Trades    come first: what the levels of that millisecond say is what the trades left. A trade meets its price and its size: levels
 *           of the house that stand better step aside for it, and what its own level lacks is put there. Orders of others that
 *           stand better, or before, are filled by it
 * Levels    are brought to what the record has, less what others took and has not come back. More goes to the end of the queue
 * Put back  what a trade took and the levels of its moment do not mention is put back at the end of the queue. When the record
 *           mentions the level, that part leaves first: the trade had taken it from the front already
 * Crossing  a level that comes to an order of somebody else trades with it
 * Source    lab.md §4.9
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import type { Ticks } from '../engine/numbers/numbers.ts'
import type { Uid } from '../engine/vocabulary.ts'
import type { House } from './house.ts'
import { houseLots, type HouseOrder, type Level, LevelSide, missingLots, wantedLots } from './levels.ts'
import type { MomentRows, Trade } from './moment.ts'
import { type Askable, restingOf } from './orders.ts'
import { leavingOf, type QueueModel } from './queue.ts'

/** What did not come about is tried again so many times in one moment. */
const triesMax = 3

export class BookPlay {
  readonly bids = new LevelSide('buy')
  readonly asks = new LevelSide('sell')
  readonly #house: House
  readonly #model: QueueModel
  /** In lots: a level below it cannot stand in the venue's book. */
  readonly #leastAt: (price: Ticks) => number
  /** Levels from which others took. */
  readonly taken = new Set<Level>()
  /** Of this moment: what its trades took, and levels that the record speaks of. */
  readonly #gone = new Map<Level, number>()
  readonly #mentioned = new Set<Level>()
  /** Orders of levels that are gone, bids and asks. */
  readonly #spare: readonly HouseOrder[][] = [[], []]

  constructor(house: House, model: QueueModel, leastAt: (price: Ticks) => number) {
    this.#house = house
    this.#model = model
    this.#leastAt = leastAt
  }

  get levels(): number {
    return this.bids.size + this.asks.size
  }

  /** All of it: resolves when it is carried out. */
  async play(rows: MomentRows, now: number): Promise<void> {
    this.#house.lookAtOthers()
    for (const run of runsOf(rows.trades)) await this.#trade(run)
    this.record(rows)
    for (const [level, lots] of this.#gone) {
      if (!this.#mentioned.has(level)) level.putBack = Math.min(level.recorded, level.putBack + lots)
    }
    this.#gone.clear()
    await this.settle(now)
  }

  /** What the record says from now on, without the book. */
  record({ isCleared, changes }: Pick<MomentRows, 'isCleared' | 'changes'>): void {
    if (isCleared) {
      for (const side of [this.bids, this.asks]) for (const level of side.sorted) this.#says(level, 0)
    }
    for (const { isBid, price, lots } of changes) this.#says((isBid ? this.bids : this.asks).get(price as Ticks), lots)
  }

  #says(level: Level, lots: number): void {
    level.recorded = lots
    this.#mentioned.add(level)
    this.#house.dirty.add(level)
  }

  /** Levels that are not as they are to be become so. */
  async settle(now: number): Promise<void> {
    const { dirty, healMs } = this.#house
    for (const level of this.taken) {
      if (missingLots(level, now, healMs) !== level.recorded - houseLots(level)) dirty.add(level)
    }
    for (let tries = 0; dirty.size > 0 && tries < triesMax; tries++) {
      const levels = [...dirty]
      dirty.clear()
      // What leaves goes before what comes, so that no level meets one that is about to go.
      for (const level of levels) this.#lower(level, now)
      for (const level of levels) this.#raise(level, now)
      for (const spare of this.#spare) for (const order of spare.splice(0)) this.#house.shrink(order, 0)
      for (const level of levels) this.#tidy(level, now)
      await this.#house.flush()
      this.#house.lookAtOthers()
    }
    dirty.clear()
    this.#mentioned.clear()
  }

  #lower(level: Level, now: number): void {
    const { healMs } = this.#house
    if (level.taken > level.recorded) level.taken = level.recorded
    let wanted = wantedLots(level, now, healMs)
    if (wanted > 0 && wanted < this.#leastAt(level.price) && !this.#mayRemain(level, wanted)) wanted = 0
    let leaving = houseLots(level) - wanted
    if (level.putBack > 0 && this.#mentioned.has(level)) {
      const back = Math.max(0, Math.min(level.putBack, leaving))
      level.putBack = 0
      if (back > 0) this.#cut(level, back, 'back')
      leaving -= back
    }
    if (wanted === 0 && this.#isFree(level)) {
      for (const order of level.orders) this.#spare[level.side === 'buy' ? 0 : 1].push(order)
    } else if (leaving > 0) this.#cut(level, leaving, this.#model)
  }

  /** Less than the least order may be left of one that was filled: what was filled counts. */
  #mayRemain({ orders, price }: Level, lots: number): boolean {
    return orders.length === 1 && orders[0].lots >= lots && orders[0].filled + lots >= this.#leastAt(price)
  }

  /** Whether its orders can leave as late as others come: nothing that comes would meet them. */
  #isFree({ side, price }: Level): boolean {
    if (side === 'buy') return price < (this.asks.sorted.at(-1)?.price ?? Number.POSITIVE_INFINITY)
    return price > (this.bids.sorted.at(-1)?.price ?? 0)
  }

  #cut(level: Level, leaving: number, model: QueueModel): void {
    const others = this.#house.othersAt(level.side, level.price)
    if (others.length === 0) {
      let rest = leaving
      for (let at = level.orders.length - 1; at >= 0 && rest > 0; at--) {
        const order = level.orders[at]
        const cut = Math.min(order.lots, rest)
        rest -= cut
        this.#house.shrink(order, order.lots - cut)
      }
      return
    }
    const orders = [...level.orders]
    const queue = [
      ...orders.map((order) => ({ order, lots: order.lots, entered: order.entered })),
      ...others.map(({ lots, entered }) => ({ order: undefined, lots, entered })),
    ].toSorted((a, b) => a.entered - b.entered)
    const cuts = leavingOf(
      queue.map(({ order, lots }) => ({ lots, isHouse: order !== undefined })),
      leaving,
      model,
    )
    queue.forEach(({ order }, at) => {
      if (order !== undefined && cuts[at] > 0) this.#house.shrink(order, order.lots - cuts[at])
    })
  }

  #raise(level: Level, now: number): void {
    const wanted = wantedLots(level, now, this.#house.healMs)
    const coming = wanted - houseLots(level)
    if (coming <= 0) return
    const spare = this.#spare[level.side === 'buy' ? 0 : 1]
    if (
      level.orders.length === 0 &&
      spare.length > 0 &&
      coming >= this.#leastAt(level.price) &&
      this.#house.isOne(coming)
    ) {
      return this.#house.move(spare.pop() as HouseOrder, level, coming)
    }
    const last = level.orders.at(-1)
    const isLast =
      last !== undefined &&
      last.orderId !== 0 &&
      !this.#house.othersAt(level.side, level.price).some(({ entered }) => entered > last.entered)
    if (isLast) return this.#house.grow(last, coming)
    // Less than the least order waits until it is more.
    if (coming >= this.#leastAt(level.price)) this.#house.place(level, coming)
  }

  #tidy(level: Level, now: number): void {
    if (level.taken > 0 && missingLots(level, now, this.#house.healMs) === 0) level.taken = 0
    if (level.taken > 0) this.taken.add(level)
    else this.taken.delete(level)
    if (level.recorded > 0 || level.orders.length > 0) return
    this.taken.delete(level)
    const side = level.side === 'buy' ? this.bids : this.asks
    if (side.find(level.price) === level) side.drop(level)
  }

  /** Of one side, at one price. */
  async #trade(run: readonly Trade[]): Promise<void> {
    const house = this.#house
    const [{ isBuy, price }] = run
    const lots = run.reduce((sum, trade) => sum + trade.lots, 0)
    const [opposite, own] = isBuy ? [this.asks, this.bids] : [this.bids, this.asks]
    const isBetter = (at: number) => (isBuy ? at < price : at > price)
    this.#stepAside(opposite, isBetter)
    this.#stepAside(own, (at) => !isBetter(at))
    const level = opposite.get(price as Ticks)
    const before = houseLots(level)
    const lacking = lots - before - (house.hasOthers ? house.othersUpTo(run[0]) : 0)
    if (lacking > 0) {
      const last = level.orders.at(-1)
      if (last !== undefined && !house.hasOthers) house.grow(last, lacking)
      else house.place(level, Math.max(lacking, this.#leastAt(level.price)))
    }
    const isAlone = !house.hasOthers && houseLots(level) >= lots && level.orders.every(({ orderId }) => orderId !== 0)
    for (const trade of run) house.trade(trade, isAlone ? level : undefined)
    if (!isAlone) {
      await house.flush()
      house.lookAtOthers()
    }
    house.dirty.add(level)
    // What was there before and has gone comes back, unless the record says otherwise at once.
    const gone = Math.min(before, level.recorded) - houseLots(level)
    if (gone > 0) this.#gone.set(level, (this.#gone.get(level) ?? 0) + gone)
  }

  /** Best first, as long as they are in the way. */
  #stepAside(side: LevelSide, isInTheWay: (price: number) => boolean): void {
    for (let at = side.sorted.length - 1; at >= 0; at--) {
      const level = side.sorted[at]
      if (!isInTheWay(level.price)) return
      for (const order of level.orders.slice()) this.#house.shrink(order, 0)
      this.#house.dirty.add(level)
    }
  }

  /** Takes the house's orders as they are in the engine; what the market has besides counts as taken. Answers them. */
  adopt(of: Askable, instrument: Instrument, uids: readonly Uid[], now: number): HouseOrder[] {
    const orders: HouseOrder[] = []
    const levels = () => [...this.bids.sorted, ...this.asks.sorted]
    for (const level of levels()) level.orders.length = 0
    for (const uid of uids) {
      for (const { orderId, bookSide, price, quantity, filled } of restingOf(of, uid, instrument)) {
        const level = (bookSide === 'buy' ? this.bids : this.asks).get(price as Ticks)
        const order = { uid, level, orderId, lots: quantity - filled, filled, entered: orderId }
        level.orders.push(order)
        orders.push(order)
      }
    }
    for (const level of levels()) {
      level.orders.sort((a, b) => a.entered - b.entered)
      level.taken = Math.max(0, level.recorded - houseLots(level))
      level.takenAt = now
      if (level.taken > 0) this.taken.add(level)
    }
    return orders
  }

  /** Every level is compared at the next settling: what was refused is tried again. */
  lookAtAll(): void {
    for (const side of [this.bids, this.asks]) for (const level of side.sorted) this.#house.dirty.add(level)
  }

  /** Everything of the house leaves the book. */
  async leave(): Promise<void> {
    for (const side of [this.bids, this.asks]) {
      for (const level of side.sorted) for (const order of level.orders.slice()) this.#house.shrink(order, 0)
    }
    await this.#house.flush()
  }
}

/** Trades that follow each other at one price, on one side: they need the same of the book. */
function runsOf(trades: readonly Trade[]): Trade[][] {
  const runs: Trade[][] = []
  for (const trade of trades) {
    if (trade.lots === 0) continue
    const run = runs.at(-1)
    if (run !== undefined && run[0].isBuy === trade.isBuy && run[0].price === trade.price) run.push(trade)
    else runs.push([trade])
  }
  return runs
}
