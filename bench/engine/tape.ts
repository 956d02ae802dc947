/**
 * What the accounts of a floor do: drawn on a twin of the engine that applies it, so that every cancel finds its order.
 *
 * Mix      70 % limit orders, 25 % cancels, 5 % market orders, by random accounts; nearly half of the limit orders cross the
 *          middle, so that after 25 commands or so one order more rests
 */
import type { Command } from '../../src/engine/protocol/command.ts'
import type { OrderId, Side, Uid } from '../../src/engine/vocabulary.ts'
import { random } from '../measure.ts'
import type { Limit, TradingFloor } from '../trading-floor.ts'
import type { Resting } from '../windows.ts'

/** Of the limit orders. */
const crossingShare = 0.46
export const kinds = { limit: 0, market: 1, cancel: 2 } as const

/** Commands as columns: they become objects shortly before they are applied, as if they had just been decoded. */
export class Tape {
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
export function drawTape(
  twin: TradingFloor,
  uids: readonly Uid[],
  resting: readonly Resting[],
  length: number,
): { readonly tape: Tape; readonly restingAtEnd: number } {
  const draw = random(5)
  const live = new Live()
  for (const order of resting) live.add(order.orderId, order.limit.uid)
  const ended = new Set<OrderId>()
  twin.onEvent = (event) => {
    if (event.kind === 'order-ended') ended.add(event.order.orderId)
  }
  const tape = new Tape(length)
  for (let index = 0; index < length; index++) {
    const what = draw()
    const uid = uids[Math.floor(draw() * uids.length)]
    const order = live.orders[Math.floor(draw() * live.orders.length)]
    if (what < 0.25 && order !== undefined) tape.writeCancel(index, order.uid, order.orderId)
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
