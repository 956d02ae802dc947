/**
 * When two orders are the same to a judge: same symbol and side, as large and as far from the price, within tolerance.
 */
import type { AccountState, OpenOrder } from '../account.ts'
import { type Evidence, priceAt } from '../evidence.ts'

export interface Tolerance {
  /** Of positions and of an order's size, in base coin. */
  readonly position: number
  /** Of an order's distance from the price, as a share of that: 0.005 is half a percent. */
  readonly price: number
}

/** An order with its distance from the price, as a share of that; at market: none. */
export interface Placed {
  readonly order: OpenOrder
  readonly distance: number | undefined
}

export function placedIn(state: AccountState, evidence: Evidence): readonly Placed[] {
  return state.orders.map((order) => {
    const price = priceAt(evidence, order.symbol, state.until)
    return { order, distance: price === undefined || order.price === 0 ? undefined : order.price / price - 1 }
  })
}

export function areAlike(one: Placed, other: Placed, tolerance: Tolerance): boolean {
  const [a, b] = [one.order, other.order]
  if (a.symbol !== b.symbol || a.side !== b.side || a.isTrigger !== b.isTrigger) return false
  if (Math.abs(a.quantity - b.quantity) > tolerance.position + tiny) return false
  if (one.distance === undefined || other.distance === undefined) return one.distance === other.distance
  return Math.abs(one.distance - other.distance) <= tolerance.price + tiny
}

/** A state that was over sooner than this was a step from one to the next. */
const lastingMs = 400

/** What lasted, of the states that a stretch of time saw. What was cut off by its ends counts in full. */
export function lasting(states: readonly AccountState[], from: number, until: number): readonly AccountState[] {
  return states.filter((state) => state.until >= from && state.from <= until && state.until - state.from >= lastingMs)
}

/** Floating point: figures are sums of steps. */
export const tiny = 1e-9

export function shown({ side, symbol, quantity, price }: OpenOrder): string {
  return `${side} ${figure(quantity)} ${symbol} at ${price === 0 ? 'market' : figure(price)}`
}

export function figure(value: number): string {
  return String(Number(value.toFixed(8)))
}
