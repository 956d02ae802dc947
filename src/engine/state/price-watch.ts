/**
 * Accounts that wait for prices to move: a change of prices checks no account whose margin state it cannot have changed enough.
 *
 * Distance   between two prices 1 − smaller/larger, of all prices the largest; distances one after the other add up to at
 *            most their sum
 * Waiting    distances are measured from reference prices: an account found at distance e from them can have come as far
 *            as e + distance now. It waits in a heap until the distance reaches its tolerance less e. If that is no wait, it
 *            waits in `near` for any change of prices
 * Reference  moves to the prices of now when they are `awayMax` off, or many are near; the way there (`base`) counts
 *            against whoever waits
 * Cost       of a change: the prices that changed, and one look along the distances of all
 * Units      distances and tolerances in 1e-9
 */
import { divCeil } from '../numbers/numbers.ts'
import { emptyHeap, type Heap, removeItem, setKey, topKey, topOf } from '../storage/storage.ts'
import type { AccountHandle } from '../vocabulary.ts'

/** One is the distance of a price from nothing. */
export const distanceOne = 1_000_000_000
const awayMax = 10_000_000
const nearMax = 32

export interface PriceWatch {
  /** Way of the reference so far, and distance of the prices from it. */
  base: number
  away: number
  /** Reference prices; zero: none yet. */
  reference: bigint[]
  /** By the `base + away` at which an account is looked at again. */
  readonly far: Heap
  /** Accounts that any change of prices may concern. */
  readonly near: Set<AccountHandle>
}

/** The prices that are waited for, each at a place of its own; zero where there is none yet. */
export interface WatchedPrices {
  readonly places: number
  /** How many there are: one more when another joins. */
  readonly joined: number
  at(place: number): bigint
}

/** How far each price is from its reference, of as many prices as had joined. Derived, so not saved. */
interface Distances {
  readonly joined: number
  readonly apart: number[]
}
const distances = new WeakMap<PriceWatch, Distances>()

export function nobodyWaiting(): PriceWatch {
  return { base: 0, away: 0, reference: [], far: emptyHeap(), near: new Set() }
}

export function isWaiting(waiting: PriceWatch, account: AccountHandle): boolean {
  return waiting.far.places.has(account) || waiting.near.has(account)
}

/** The prices at these places have changed: how far all are from the reference now. */
export function measure(waiting: PriceWatch, prices: WatchedPrices, changed: readonly number[]): void {
  const apart = refer(waiting, prices)
  const { reference } = waiting
  for (const place of changed) apart[place] = distance(reference[place], prices.at(place))
  waiting.away = 0
  for (let place = 0; place < apart.length; place++) if (apart[place] > waiting.away) waiting.away = apart[place]
  if (waiting.away <= awayMax && waiting.near.size <= nearMax) return
  waiting.base += waiting.away
  waiting.away = 0
  waiting.reference = reference.map((_, place) => prices.at(place))
  apart.fill(0)
}

/** The account has been looked at, at these prices: when to look again. */
export function waitFor(waiting: PriceWatch, account: AccountHandle, tolerance: number, prices: WatchedPrices): void {
  refer(waiting, prices)
  const { base, away } = waiting
  const wakeAt = base - away + tolerance
  if (wakeAt <= base + away) {
    removeItem(waiting.far, account)
    waiting.near.add(account)
    return
  }
  waiting.near.delete(account)
  setKey(waiting.far, account, wakeAt)
}

/** Nothing is to be waited for any more. */
export function waitNoMore(waiting: PriceWatch, account: AccountHandle): void {
  waiting.near.delete(account)
  removeItem(waiting.far, account)
}

/** An account whose distance has been reached; it is waited for until it is looked at. */
export function reached({ far, base, away }: PriceWatch): AccountHandle | undefined {
  return topKey(far) <= base + away ? topOf(far) : undefined
}

/** Everybody who waits, far and near. */
export function everybody({ far, near }: PriceWatch): AccountHandle[] {
  return [...far.items, ...near]
}

/** Distances from the reference; prices that have joined since have no other reference than themselves. */
function refer(waiting: PriceWatch, prices: WatchedPrices): number[] {
  const known = distances.get(waiting)
  if (known?.joined === prices.joined) return known.apart
  const { reference } = waiting
  const apart: number[] = []
  for (let place = 0; place < prices.places; place++) {
    const now = prices.at(place)
    if (place === reference.length) reference.push(now)
    else if (reference[place] === 0n) reference[place] = now
    apart.push(distance(reference[place], now))
  }
  distances.set(waiting, { joined: prices.joined, apart })
  return apart
}

function distance(before: bigint, now: bigint): number {
  if (now === before) return 0
  const [smaller, larger] = now < before ? [now, before] : [before, now]
  return Number(divCeil((larger - smaller) * BigInt(distanceOne), larger))
}
