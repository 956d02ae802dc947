/**
 * The whole engine, Engine.apply: admission, holds, matching, settlement and events over 100,000 accounts.
 *
 * Mix      70 % limit orders, 25 % cancels, 5 % market orders, by random accounts; nearly half of the limit orders cross
 *          the middle, so that the number resting stays near where it began. Events are made, counted and dropped
 * Tape     a twin of the engine draws the commands and applies them, so that every cancel finds its order; the engine on
 *          the clock applies the same commands to the same state and, being deterministic, gives the same order ids
 * Place,   a window of 1,000 orders is placed, then cancelled in another order, over and over, beside the same number of
 * cancel   resting orders; `any` cancels whichever of all resting orders and places it again, which no cache holds
 * Memory   what is alive after a collection, per account with two funded wallets and per resting order
 * Saving   the pause that a snapshot makes (`saveMs`), the bytes, and loading them
 * Options  --quick: fewer orders resting · --profile: the mix alone, longer, for `node --cpu-prof`
 */
import type { Command, OrderId, Side, Uid } from '../src/engine/command.ts'
import { chance, bytesInUse, collectGarbage, median, nsPer, perSecond, report, rounded } from './measure.ts'
import { type Limit, type Traded, TradingFloor } from './trading-floor.ts'

const accounts = 100_000
const mixCommands = 200_000
const warmUpCommands = 100_000
/** Built, then applied. */
const sliceCommands = 1_000
/** Of the limit orders. */
const crossingShare = 0.46
const windowOrders = 1_000
const windows = 50
const warmUpWindows = 20
const option = (name: string) => process.argv.includes(`--${name}`)
const [few, many] = option('quick') ? [1_000, 20_000] : [1_000, 1_000_000]

/** An order that rests, and how to place it again. */
interface Resting {
  /** NaN before it was placed, so that the number needs no more memory later. */
  orderId: OrderId
  readonly limit: Limit
}

function place(floor: TradingFloor, limit: Limit): OrderId {
  const reply = floor.do(floor.limit(limit))
  if (reply.kind !== 'placed') throw new Error('an order was not placed')
  return reply.orderId
}

/** `count` orders that will rest, of the accounts in turn. */
function drawOrders(floor: TradingFloor, uids: readonly Uid[], count: number): Resting[] {
  const draw = chance(count + 3)
  return Array.from({ length: count }, (_, index) => {
    return { orderId: Number.NaN, limit: floor.drawResting(draw, uids[index % uids.length]) }
  })
}

const kinds = { limit: 0, market: 1, cancel: 2 } as const

/** Commands as columns: they become objects shortly before they are applied, as if they had just been decoded. */
class Tape {
  readonly length: number
  readonly kind: Uint8Array
  readonly uid: Float64Array
  readonly sell: Uint8Array
  readonly price: Int32Array
  readonly quantity: Int32Array
  readonly orderId: Float64Array

  constructor(length: number) {
    this.length = length
    this.kind = new Uint8Array(length)
    this.uid = new Float64Array(length)
    this.sell = new Uint8Array(length)
    this.price = new Int32Array(length)
    this.quantity = new Int32Array(length)
    this.orderId = new Float64Array(length)
  }

  write(index: number, kind: number, { uid, side, price, quantity }: Limit): void {
    this.kind[index] = kind
    this.uid[index] = uid
    this.sell[index] = side === 'sell' ? 1 : 0
    this.price[index] = price
    this.quantity[index] = quantity
  }

  writeCancel(index: number, uid: Uid, orderId: OrderId): void {
    this.kind[index] = kinds.cancel
    this.uid[index] = uid
    this.orderId[index] = orderId
  }

  command(index: number, floor: TradingFloor): Command {
    const uid = this.uid[index]
    const side: Side = this.sell[index] === 1 ? 'sell' : 'buy'
    if (this.kind[index] === kinds.cancel) return floor.cancel(uid, this.orderId[index])
    if (this.kind[index] === kinds.market) return floor.market(uid, side, this.quantity[index])
    return floor.limit({ uid, side, price: this.price[index], quantity: this.quantity[index] })
  }
}

/** The orders that rest, any of which can be drawn; each is known by its number. */
class Live {
  readonly orders: { readonly orderId: OrderId; readonly uid: Uid }[] = []
  readonly #places = new Map<OrderId, number>()

  add(orderId: OrderId, uid: Uid): void {
    this.#places.set(orderId, this.orders.length)
    this.orders.push({ orderId, uid })
  }

  remove(orderId: OrderId): void {
    const index = this.#places.get(orderId)
    if (index === undefined) return
    this.#places.delete(orderId)
    const last = this.orders.pop()
    if (last === undefined || last.orderId === orderId) return
    this.orders[index] = last
    this.#places.set(last.orderId, index)
  }
}

/** Draws commands on a twin that applies them. */
function drawTape(
  twin: TradingFloor,
  uids: readonly Uid[],
  resting: readonly Resting[],
  length: number,
): { readonly tape: Tape; readonly restingAtEnd: number } {
  const draw = chance(5)
  const live = new Live()
  for (const one of resting) live.add(one.orderId, one.limit.uid)
  const ended = new Set<OrderId>()
  twin.onEvent = (event) => {
    if (event.kind === 'order-ended') ended.add(event.order.orderId)
  }
  const tape = new Tape(length)
  for (let index = 0; index < length; index++) {
    const what = draw()
    const uid = uids[Math.floor(draw() * uids.length)]
    const one = live.orders[Math.floor(draw() * live.orders.length)]
    if (what < 0.25 && one !== undefined) tape.writeCancel(index, one.uid, one.orderId)
    else if (what < 0.3) tape.write(index, kinds.market, twin.drawCrossing(draw, uid))
    else if (draw() < crossingShare) tape.write(index, kinds.limit, twin.drawCrossing(draw, uid))
    else tape.write(index, kinds.limit, twin.drawResting(draw, uid))
    const reply = twin.apply(tape.command(index, twin))
    if (reply.kind === 'placed' && !ended.has(reply.orderId)) live.add(reply.orderId, uid)
    for (const orderId of ended) live.remove(orderId)
    ended.clear()
  }
  return { tape, restingAtEnd: live.orders.length }
}

/** `twin` and `floor` are in the same state; both are used up. */
function benchMix(twin: TradingFloor, floor: TradingFloor, uids: readonly Uid[], resting: readonly Resting[]): void {
  const commands = option('profile') ? mixCommands * 5 : mixCommands
  const { tape, restingAtEnd } = drawTape(twin, uids, resting, warmUpCommands + commands)
  const eventsBefore = floor.events
  collectGarbage()
  const times: number[] = []
  let refused = 0
  for (let start = 0; start < tape.length; start += sliceCommands) {
    const slice = Array.from({ length: sliceCommands }, (_, index) => tape.command(start + index, floor))
    const ns = nsPer(sliceCommands, () => {
      for (const command of slice) if (floor.apply(command).kind === 'refused') refused++
    })
    if (start >= warmUpCommands) times.push(ns)
  }
  // The mean, not the median: growing tables and collections are part of the price.
  const ns = times.reduce((sum, one) => sum + one, 0) / times.length
  report({
    bench: 'engine',
    case: `${floor.what}: mix, ${resting.length} resting`,
    count: commands,
    figures: {
      commandsPerSecond: perSecond(ns),
      commandNs: rounded(ns),
      medianNs: rounded(median(times)),
      eventsPerCommand: rounded((floor.events - eventsBefore) / tape.length),
      refusedShare: rounded(refused / tape.length),
      restingAtEnd,
    },
  })
}

function benchPlaceAndCancel(
  floor: TradingFloor,
  uids: readonly Uid[],
  resting: Resting[],
  which: 'window' | 'any',
): void {
  const draw = chance(11)
  let placeNs = 0
  let cancelNs = 0
  for (let window = -warmUpWindows; window < windows; window++) {
    const chosen = which === 'window' ? drawWindow(floor, uids, draw) : drawDistinct(resting, draw)
    const orders = chosen.map((one) => floor.limit(one.limit))
    const placeAll = () => {
      for (let index = 0; index < orders.length; index++) {
        const reply = floor.apply(orders[index])
        if (reply.kind === 'placed') chosen[index].orderId = reply.orderId
        else throw new Error('an order was not placed')
      }
    }
    const placed = which === 'window' ? nsPer(windowOrders, placeAll) : 0
    const cancels = shuffled(chosen, draw).map((one) => floor.cancel(one.limit.uid, one.orderId))
    const cancelAll = () => {
      for (const cancel of cancels) floor.apply(cancel)
    }
    const canceled = nsPer(windowOrders, cancelAll)
    const placedAgain = which === 'any' ? nsPer(windowOrders, placeAll) : 0
    if (window < 0) continue
    placeNs += placed + placedAgain
    cancelNs += canceled
  }
  const count = resting.length
  report({
    bench: 'engine',
    case: `${floor.what}: ${which === 'window' ? `window beside ${count} resting` : `any of ${count} resting`}`,
    count: windowOrders * windows,
    figures: { placeNs: rounded(placeNs / windows), cancelNs: rounded(cancelNs / windows) },
  })
}

/** New orders of a thousand accounts that are the same each time. */
function drawWindow(floor: TradingFloor, uids: readonly Uid[], draw: () => number): Resting[] {
  return uids.slice(0, windowOrders).map((uid) => ({ orderId: Number.NaN, limit: floor.drawResting(draw, uid) }))
}

function drawDistinct(resting: readonly Resting[], draw: () => number): Resting[] {
  const drawn = new Set<Resting>()
  while (drawn.size < windowOrders) drawn.add(resting[Math.floor(draw() * resting.length)])
  return [...drawn]
}

function shuffled<One>(list: readonly One[], draw: () => number): One[] {
  return list
    .map((one) => ({ one, order: draw() }))
    .sort((a, b) => a.order - b.order)
    .map(({ one }) => one)
}

/** Answers a second floor in the same state. */
function benchSaving(floor: TradingFloor, resting: number): TradingFloor {
  const before = performance.now()
  const chunksSaved = floor.engine.save()
  const saveMs = performance.now() - before
  const saved = Buffer.concat(chunksSaved)
  const beforeLoading = performance.now()
  const again = new TradingFloor(floor.what, { saved })
  const loadMs = performance.now() - beforeLoading
  if (!Buffer.concat(again.engine.save()).equals(saved)) throw new Error('what was loaded saves other bytes')
  report({
    bench: 'engine',
    case: `${floor.what}: saving, ${resting} resting`,
    count: 1,
    figures: { saveMs: rounded(saveMs), loadMs: rounded(loadMs), savedBytes: saved.length },
  })
  return again
}

function copyOf(floor: TradingFloor): TradingFloor {
  return new TradingFloor(floor.what, { saved: Buffer.concat(floor.engine.save()) })
}

function benchEngine(what: Traded): void {
  const empty = bytesInUse()
  const floor = new TradingFloor(what)
  const uids = floor.openAccounts(accounts)
  const accountBytes = (bytesInUse() - empty) / accounts
  const resting = drawOrders(floor, uids, few)
  for (const one of resting) one.orderId = place(floor, one.limit)
  benchMix(copyOf(floor), copyOf(floor), uids, resting)
  if (option('profile')) return
  benchPlaceAndCancel(floor, uids, resting, 'window')
  benchPlaceAndCancel(floor, uids, resting, 'any')

  for (const one of drawOrders(floor, uids, many - few)) resting.push(one)
  const withFew = bytesInUse()
  for (let index = few; index < many; index++) resting[index].orderId = place(floor, resting[index].limit)
  const orderBytes = (bytesInUse() - withFew) / (many - few)
  report({
    bench: 'engine',
    case: `${what}: memory, ${many} resting`,
    count: many,
    figures: { accountBytes: rounded(accountBytes), orderBytes: rounded(orderBytes) },
  })
  benchPlaceAndCancel(floor, uids, resting, 'window')
  benchPlaceAndCancel(floor, uids, resting, 'any')
  benchMix(floor, benchSaving(floor, many), uids, resting)
}

for (const what of ['spot', 'linear'] as const) benchEngine(what)
