/**
 * The scan: after marks or accounts changed, finds the breached, worst first, and has them worked off in bounded steps.
 *
 * Costs     a mark update looks only at accounts whose price it reached and at those that changed since; at most
 *           `looksMax` accounts and `stepsMax` ladders a command, the rest goes on with a timer that is due at once
 * Order     maintenance over equity, worst first; then uid, then contract (risk-engine §14c)
 * Frozen    a pool waits while what of it cannot be believed is a hundredth of it or more; dust shields nobody
 */
import type { CoinId, InstrumentId } from '../catalog/catalog.ts'
import {
  breachedOf,
  coinPlace,
  everyCoin,
  isPoolFrozen,
  keyOf,
  markPlace,
  type Pool,
  poolsOf,
  roomOf,
  standingOf,
  unionPrices,
} from '../liquidation-rules/liquidation-rules.ts'
import { lastGross } from '../margin/margin.ts'
import { priceTicksMax } from '../numbers/numbers.ts'
import { isFrozen } from '../price-rules/price-rules.ts'
import {
  type Breached,
  distanceOne,
  everybody,
  measure,
  reached,
  type Venue,
  waitFor,
  waitNoMore,
} from '../state/state.ts'
import { type Heap, removeItem, setKey, topKey, topOf } from '../storage/storage.ts'
import { liquidate } from './liquidation-steps.ts'

const looksMax = 500
const stepsMax = 25
export function scanRisk(venue: Venue, instruments: readonly InstrumentId[]): void {
  const found: Breached[] = []
  let looks = lookAtChanged(venue, found, looksMax)
  looks = lookAtUnions(venue, found, looks)
  // What is frozen comes back when it is not.
  const live = instruments.filter((id) => !isFrozen(venue, id))
  for (const instrument of live) looks = lookAtReached(venue, instrument, found, looks)
  if (found.length > 0) enqueue(venue, found)
  workOff(venue)
  const { queue } = venue.liquidation
  if (looks === 0 || queue.length > 0 || venue.ledger.changed.length > 0) goOn(venue, live)
}

/** The rest follows with the next command that the clock brings, after whoever waits. */
function goOn(venue: Venue, instruments: readonly InstrumentId[]): void {
  const { timers } = venue
  const waiting = timers.due.find(({ timer }) => timer.kind === 'scan-risk')
  if (waiting?.timer.kind !== 'scan-risk') {
    timers.add(venue.at + 1, { kind: 'scan-risk', instruments: [...instruments] })
    return
  }
  const both = [...new Set([...waiting.timer.instruments, ...instruments])]
  if (both.length === waiting.timer.instruments.length) return
  timers.remove(({ kind }) => kind === 'scan-risk')
  timers.add(waiting.at, { kind: 'scan-risk', instruments: both })
}

function lookAtChanged(venue: Venue, found: Breached[], looks: number): number {
  const { ledger } = venue
  const now = ledger.changed.splice(0, looks)
  for (const account of now) look(venue, account, found)
  return looks - now.length
}

/**
 * Prices have changed: notes how far those have gone of which unified accounts are made. One whose collateral, debts and positions
 * together are `gross` loses at most 2 × gross × t while no price has gone further than t, below a quarter.
 */
export function measureUnions(venue: Venue, marked: readonly InstrumentId[], coins: readonly CoinId[]): void {
  const { unions } = venue.liquidation
  measure(unions, unionPrices(venue), [...coins.map(coinPlace), ...marked.map(markPlace)])
  for (const account of unions.near) venue.ledger.touch(account)
}

/** What unified accounts count for has changed: all of them that are waited for are looked at again. */
export function touchUnions(venue: Venue): void {
  for (const account of everybody(venue.liquidation.unions)) venue.ledger.touch(account)
}

function lookAtUnions(venue: Venue, found: Breached[], looks: number): number {
  let left = looks
  while (left > 0) {
    const account = reached(venue.liquidation.unions)
    if (account === undefined) break
    look(venue, account, found)
    left--
  }
  return left
}

function lookAtReached(venue: Venue, instrument: InstrumentId, found: Breached[], looks: number): number {
  const mark = venue.prices.markPrice(instrument)
  const { below, above } = venue.liquidation.heaps(instrument)
  let left = looks
  for (const [heap, limit] of [
    [below, -mark],
    [above, mark],
  ] as const) {
    for (let account = topOf(heap); account !== undefined && left > 0; account = topOf(heap)) {
      if (topKey(heap) > limit) break
      removeItem(heap, account)
      look(venue, account, found)
      left--
    }
  }
  return left
}

/** Tests every pool of an account and notes from which prices on it must be tested again. */
function look(venue: Venue, account: number, found: Breached[]): void {
  venue.ledger.lookedAt(account)
  waitNoMore(venue.liquidation.unions, account)
  for (const { instrument } of venue.futures.ofAccount(account)) {
    const { below, above } = venue.liquidation.heaps(instrument)
    removeItem(below, account)
    removeItem(above, account)
  }
  if (account === venue.liquidation.fund) return
  for (const pool of poolsOf(venue, account)) lookAtPool(venue, pool, found)
}

function lookAtPool(venue: Venue, pool: Pool, found: Breached[]): void {
  if (pool.coin === everyCoin) return lookAtUnion(venue, pool, found)
  if (isPoolFrozen(venue, pool)) return lookOnceBelieved(venue, pool)

  const { equity, maintenance } = standingOf(venue, pool)
  if (equity <= maintenance) {
    found.push(breachedOf(pool, equity, maintenance))
    return
  }
  const part = (equity - maintenance) / BigInt(pool.exposures.length)
  for (const exposure of pool.exposures) {
    const room = roomOf(venue, exposure, pool.side, part)
    const { below, above } = venue.liquidation.heaps(exposure.instrument)
    lower(below, pool.account, -room.below)
    lower(above, pool.account, room.above)
  }
}

/** Of several pools of an account in one contract the price that is reached first counts. */
function lower(heap: Heap, account: number, key: number): void {
  const place = heap.places.get(account)
  if (place === undefined || key < heap.keys[place]) setKey(heap, account, key)
}

/**
 * As soon as the price of one of its contracts is believed again, wherever it then lies. Where only trading is halted
 * nobody waits for marks: they come all the time and change nothing. Whoever is there is looked at when the halt ends.
 */
function lookOnceBelieved(venue: Venue, { account, exposures }: Pool): void {
  for (const { instrument } of exposures) {
    if (isFrozen(venue, instrument)) setKey(venue.liquidation.heaps(instrument).below, account, -priceTicksMax - 1)
  }
}

/** A unified account waits for any of its prices; while one of them cannot be believed, for every change. */
function lookAtUnion(venue: Venue, pool: Pool, found: Breached[]): void {
  const { equity, maintenance } = standingOf(venue, pool)
  const gross = lastGross(venue, pool.account)
  const frozen = isPoolFrozen(venue, pool)
  if (equity <= maintenance && !frozen) {
    found.push(breachedOf(pool, equity, maintenance))
    return
  }
  const tolerance = frozen ? 0n : ((equity - maintenance) * BigInt(distanceOne)) / (2n * gross + 1n)
  const most = BigInt(distanceOne / 4)
  waitFor(venue.liquidation.unions, pool.account, Number(tolerance < most ? tolerance : most), unionPrices(venue))
}

function enqueue(venue: Venue, found: Breached[]): void {
  const { queue, queued } = venue.liquidation
  found.sort((a, b) => {
    if (a.ratio !== b.ratio) return a.ratio > b.ratio ? -1 : 1
    if (a.account !== b.account) return a.account - b.account
    return a.instrument - b.instrument || (a.side < b.side ? -1 : 1)
  })
  for (const breached of found) {
    const key = keyOf(breached)
    if (queued.has(key)) continue
    queued.add(key)
    queue.push(breached)
  }
}

/** Takes apart the worst ones; who recovered meanwhile is left alone. What was done is looked at again. */
function workOff(venue: Venue): void {
  const state = venue.liquidation
  for (const breached of state.queue.splice(0, stepsMax)) {
    state.queued.delete(keyOf(breached))
    const result = liquidate(venue, breached)
    if (result.outcome === 'done') venue.ledger.touch(breached.account)
    else if (result.outcome === 'stuck') {
      if (result.pool.coin === everyCoin) waitFor(state.unions, breached.account, 0, unionPrices(venue))
      else lookOnceBelieved(venue, result.pool)
    } else {
      state.queued.add(keyOf(breached))
      state.queue.push(breached)
    }
  }
}
