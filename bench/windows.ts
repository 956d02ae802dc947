/**
 * Commands (as batches of a busy venue) and questions a thousand at a time, on a full floor: nanoseconds of processor time for each.
 *
 * Choice   `same`: the first thousand accounts every time, which the processor's caches come to hold · `any`: whichever of
 *          all of them, as a stranger's command would find it
 * Contract each account trades one, the same as its neighbour: what an account with many positions costs is another question
 * State    what a window placed it cancels, what it bought it sells in the next one: the floor stays as it is
 */
import type { CoinId, InstrumentId } from '../src/engine/catalog/catalog.ts'
import type { Command } from '../src/engine/protocol/command.ts'
import type { Reply } from '../src/engine/protocol/reply.ts'
import type { OrderId, Uid } from '../src/engine/vocabulary.ts'
import { nsPer, quantile } from './measure.ts'
import type { Limit, TradingFloor } from './trading-floor.ts'

export type Choice = 'same' | 'any'

/** An order that rests, and how to place it again. */
export interface Resting {
  orderId: OrderId
  readonly limit: Limit
}

export interface FullFloor {
  readonly floor: TradingFloor
  readonly uids: readonly Uid[]
  readonly resting: readonly Resting[]
  readonly contracts: readonly InstrumentId[]
  readonly coins: readonly CoinId[]
  readonly draw: () => number
}

const windowLength = 1_000
const windows = 30
const warmUpWindows = 20

export function placed(floor: TradingFloor, command: Command): OrderId {
  return orderIdOf(floor.do(command))
}

function orderIdOf(reply: Reply): OrderId {
  if (reply.kind !== 'placed') throw new Error('an order was not placed')
  return reply.orderId
}

/** The choice `any` cancels orders that have long been resting and places them again. */
export function placeAndCancel(
  full: FullFloor,
  choice: Choice,
): { readonly placeNs: number; readonly cancelNs: number } {
  const { floor, draw } = full
  const placeNs: number[] = []
  const cancelNs: number[] = []
  for (let window = -warmUpWindows; window < windows; window++) {
    const chosen = choice === 'same' ? newOrders(full) : someOf(full)
    const orders = chosen.map(({ limit }) => floor.limit(limit))
    const place = () => floor.applyAll(orders, (reply, index) => (chosen[index].orderId = orderIdOf(reply)))
    const before = choice === 'same' ? nsPer(chosen.length, place) : 0
    const cancels = shuffled(chosen, draw).map((order) => floor.cancel(order.limit.uid, order.orderId))
    const canceled = nsPer(cancels.length, () => floor.applyAll(cancels, () => {}))
    const after = choice === 'any' ? nsPer(chosen.length, place) : 0
    if (window < 0) continue
    placeNs.push(before + after)
    cancelNs.push(canceled)
  }
  return { placeNs: quiet(placeNs), cancelNs: quiet(cancelNs) }
}

/** An order that takes one whole order of a neighbour, inside the spread. */
export function fill(full: FullFloor, choice: Choice): number {
  const { floor, uids, draw } = full
  const among = choice === 'same' ? windowLength : uids.length
  const times: number[] = []
  for (let window = -warmUpWindows; window < windows; window++) {
    const [makers, takers] = window % 2 === 0 ? (['sell', 'buy'] as const) : (['buy', 'sell'] as const)
    const pairs = Array.from({ length: windowLength }, () => {
      const maker = 2 * Math.floor((draw() * among) / 2)
      const order = { price: floor.middle, quantity: 10, instrument: contractOf(full, maker) }
      return [
        floor.limit({ ...order, uid: uids[maker], side: makers }),
        floor.limit({ ...order, uid: uids[maker + 1], side: takers }),
      ]
    })
    for (const [maker] of pairs) placed(floor, maker)
    const takerOrders = pairs.map(([, taker]) => taker)
    const ns = nsPer(windowLength, () => floor.applyAll(takerOrders, orderIdOf))
    if (window >= 0) times.push(ns)
  }
  return quiet(times)
}

/**
 * Indexes move by up to 0.01 %, with the timers that this makes due.
 * Item   a coin's price, a millisecond after the last
 * All   those of all coins in one command, five seconds later, so that every contract's basis is sampled: for each contract
 */
export function markUpdate(full: FullFloor): {
  readonly markUpdateNs: number
  readonly allMarksPerContractNs: number
} {
  const { floor, coins, contracts, draw } = full
  lookAtAll(full)
  const update = (moved: readonly CoinId[]) => {
    const prices = moved.map((coin) => [coin, BigInt(Math.round(60_000e8 * (1 + (draw() - 0.5) * 0.0002)))] as const)
    return { kind: 'set-index-prices', prices } as const
  }
  const apply = (command: Command, afterMs: number) => {
    floor.wait(afterMs)
    floor.do(command)
    while (isDue(floor)) floor.do({ kind: 'run-timers' })
  }
  const oneNs: number[] = []
  const allNs: number[] = []
  const batch = 20
  for (let window = -warmUpWindows; window < windows; window++) {
    const all = update(coins)
    const each = Array.from({ length: batch }, () => update([oneOf(coins, draw)]))
    const ofAll = nsPer(contracts.length, () => apply(all, 5_000))
    const ofOne = nsPer(batch, () => each.forEach((command) => apply(command, 1)))
    if (window < 0) continue
    allNs.push(ofAll)
    oneNs.push(ofOne)
  }
  return { markUpdateNs: quiet(oneNs), allMarksPerContractNs: quiet(allNs) }
}

/** Whoever has just traded is looked at once when a price moves, some at a time: that is over before the windows begin. */
function lookAtAll({ floor, coins }: FullFloor): void {
  const prices = coins.map((coin) => [coin, 60_000_00000000n] as const)
  floor.wait(1_000)
  floor.do({ kind: 'set-index-prices', prices })
  for (let idle = 0; idle < 10; floor.wait(1)) {
    idle = isDue(floor) ? 0 : idle + 1
    if (idle === 0) floor.do({ kind: 'run-timers' })
  }
}

function isDue(floor: TradingFloor): boolean {
  const due = floor.engine.nextTimerAt()
  return due !== undefined && due <= floor.now
}

/** What the single-position endpoint asks (E5). */
export function positionRead(full: FullFloor, choice: Choice): number {
  const { floor, uids, draw } = full
  const among = choice === 'same' ? windowLength : uids.length
  const times: number[] = []
  for (let window = -warmUpWindows; window < windows; window++) {
    const asks = Array.from({ length: windowLength }, () => {
      const index = Math.floor(draw() * among)
      const instrument = contractOf(full, index)
      return { kind: 'positions', uid: uids[index], interface: 'v2', line: 'USDT-FUTURES', instrument } as const
    })
    let found = 0
    const ns = nsPer(windowLength, () => {
      for (const ask of asks) found += floor.engine.query(ask).length
    })
    if (found < 0.9 * windowLength) throw new Error(`only ${found} of ${windowLength} had the position`)
    if (window >= 0) times.push(ns)
  }
  return quiet(times)
}

/** Sizes are compared, each measured at another moment: the slower windows show the machine's other work. */
function quiet(times: readonly number[]): number {
  return quantile(times, 0.25)
}

function newOrders(full: FullFloor): Resting[] {
  const { floor, uids, draw } = full
  return uids.slice(0, windowLength).map((uid, index) => {
    const limit = { ...floor.drawResting(draw, uid), instrument: contractOf(full, index) }
    return { orderId: Number.NaN, limit }
  })
}

/** Of the account at this place in the list. */
export function contractOf({ contracts }: Pick<FullFloor, 'contracts'>, account: number): InstrumentId {
  return contracts[Math.floor(account / 2) % contracts.length]
}

function someOf({ resting, draw }: FullFloor): Resting[] {
  const drawn = new Set<Resting>()
  while (drawn.size < windowLength) drawn.add(oneOf(resting, draw))
  return [...drawn]
}

function oneOf<Item>(list: readonly Item[], draw: () => number): Item {
  return list[Math.floor(draw() * list.length)]
}

function shuffled<Item>(list: readonly Item[], draw: () => number): Item[] {
  return list
    .map((item) => ({ item, order: draw() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)
}
