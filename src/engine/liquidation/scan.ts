/**
 * The scan: after marks or accounts changed, finds the breached and takes them apart, worst first, in bounded steps.
 *
 * Costs     a mark update checks only accounts whose price it reached, and those that changed since. At most `checksMax`
 *           accounts are checked and `stepsMax` pools taken apart a command; the rest follows by a timer that is due at once
 * Order     maintenance over equity, worst first; then account, then contract
 * Halted    a pool waits while a hundredth of it or more has no trusted price; dust shields nobody
 * Source    risk-engine.md §12, §14c, §16
 */
import type { CoinId, InstrumentId } from '../catalog/catalog.ts'
import {
  breachedOf,
  coinPlace,
  allCoins,
  isPoolHalted,
  keyOf,
  markPlace,
  type Pool,
  poolsOf,
  roomOf,
  marginStateOf,
  unifiedPrices,
} from '../liquidation-rules/liquidation-rules.ts'
import { lastGross } from '../margin/margin.ts'
import { priceTicksMax } from '../numbers/numbers.ts'
import { isHalted } from '../price-rules/price-rules.ts'
import {
  type Breached,
  distanceOne,
  everybody,
  measure,
  reached,
  type State,
  waitFor,
  waitNoMore,
} from '../state/state.ts'
import { type Heap, removeItem, setKey, topKey, topOf } from '../storage/storage.ts'
import { liquidate } from './liquidation-steps.ts'

const checksMax = 500
const stepsMax = 25

/** Finds the breached among what changed and what these marks have reached, and takes the worst apart. */
export function scanRisk(state: State, instruments: readonly InstrumentId[]): void {
  const found: Breached[] = []
  let checks = checkChanged(state, found, checksMax)
  checks = checkUnified(state, found, checks)
  // What is halted comes back when it is not.
  const live = instruments.filter((id) => !isHalted(state, id))
  for (const instrument of live) checks = checkTriggered(state, instrument, found, checks)
  if (found.length > 0) enqueue(state, found)
  drainQueue(state)
  const { queue } = state.liquidation
  if (checks === 0 || queue.length > 0 || state.ledger.changed.length > 0) continueLater(state, live)
}

/** The rest follows with the next command that the clock brings. */
function continueLater(state: State, instruments: readonly InstrumentId[]): void {
  const { timers } = state
  const waiting = timers.due.find(({ timer }) => timer.kind === 'scan-risk')
  if (waiting?.timer.kind !== 'scan-risk') {
    timers.add(state.at + 1, { kind: 'scan-risk', instruments: [...instruments] })
    return
  }
  const both = [...new Set([...waiting.timer.instruments, ...instruments])]
  if (both.length === waiting.timer.instruments.length) return
  timers.remove(({ kind }) => kind === 'scan-risk')
  timers.add(waiting.at, { kind: 'scan-risk', instruments: both })
}

/**
 * Prices have changed: notes how far those have gone that unified accounts depend on. While none has gone further than t
 * (below a quarter), an account loses at most 2 × gross × t. `gross` is its collateral, debts and positions together.
 */
export function measureUnified(state: State, marked: readonly InstrumentId[], coins: readonly CoinId[]): void {
  const { unions: watched } = state.liquidation
  measure(watched, unifiedPrices(state), [...coins.map(coinPlace), ...marked.map(markPlace)])
  for (const account of watched.near) state.ledger.touch(account)
}

/** The terms of collateral have changed: all watched unified accounts are checked again. */
export function touchUnified(state: State): void {
  for (const account of everybody(state.liquidation.unions)) state.ledger.touch(account)
}

function checkChanged(state: State, found: Breached[], checks: number): number {
  const { ledger } = state
  const now = ledger.changed.splice(0, checks)
  for (const account of now) checkAccount(state, account, found)
  return checks - now.length
}

function checkUnified(state: State, found: Breached[], checks: number): number {
  let left = checks
  while (left > 0) {
    const account = reached(state.liquidation.unions)
    if (account === undefined) break
    checkAccount(state, account, found)
    left--
  }
  return left
}

function checkTriggered(state: State, instrument: InstrumentId, found: Breached[], checks: number): number {
  const mark = state.prices.markPrice(instrument)
  const { below, above } = state.liquidation.heaps(instrument)
  let left = checks
  for (const [heap, limit] of [
    [below, -mark],
    [above, mark],
  ] as const) {
    for (let account = topOf(heap); account !== undefined && left > 0; account = topOf(heap)) {
      if (topKey(heap) > limit) break
      removeItem(heap, account)
      checkAccount(state, account, found)
      left--
    }
  }
  return left
}

/** Tests every pool of an account and notes from which prices on it must be tested again. */
function checkAccount(state: State, account: number, found: Breached[]): void {
  state.ledger.lookedAt(account)
  waitNoMore(state.liquidation.unions, account)
  for (const { instrument } of state.futures.ofAccount(account)) {
    const { below, above } = state.liquidation.heaps(instrument)
    removeItem(below, account)
    removeItem(above, account)
  }
  if (account === state.liquidation.fund) return
  for (const pool of poolsOf(state, account)) checkPool(state, pool, found)
}

function checkPool(state: State, pool: Pool, found: Breached[]): void {
  if (pool.coin === allCoins) return checkUnifiedPool(state, pool, found)
  if (isPoolHalted(state, pool)) return checkOnceTrusted(state, pool)

  const { equity, maintenance } = marginStateOf(state, pool)
  if (equity <= maintenance) {
    found.push(breachedOf(pool, equity, maintenance))
    return
  }
  const part = (equity - maintenance) / BigInt(pool.exposures.length)
  for (const exposure of pool.exposures) {
    const room = roomOf(state, exposure, pool.side, part)
    const { below, above } = state.liquidation.heaps(exposure.instrument)
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
 * Has a pool checked as soon as one of its contracts has a trusted price again, whatever that is. Where only trading is
 * halted no account waits for marks: they come all the time and change nothing. It is checked when the halt ends.
 */
function checkOnceTrusted(state: State, { account, exposures }: Pool): void {
  for (const { instrument } of exposures) {
    if (isHalted(state, instrument)) setKey(state.liquidation.heaps(instrument).below, account, -priceTicksMax - 1)
  }
}

/** A unified account waits for any of its prices; while one of them is not trusted, for every change. */
function checkUnifiedPool(state: State, pool: Pool, found: Breached[]): void {
  const { equity, maintenance } = marginStateOf(state, pool)
  const gross = lastGross(state, pool.account)
  const halted = isPoolHalted(state, pool)
  if (equity <= maintenance && !halted) {
    found.push(breachedOf(pool, equity, maintenance))
    return
  }
  const tolerance = halted ? 0n : ((equity - maintenance) * BigInt(distanceOne)) / (2n * gross + 1n)
  const most = BigInt(distanceOne / 4)
  waitFor(state.liquidation.unions, pool.account, Number(tolerance < most ? tolerance : most), unifiedPrices(state))
}

function enqueue(state: State, found: Breached[]): void {
  const { queue, queued } = state.liquidation
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

/** Takes the worst pools apart; one that recovered meanwhile is left alone. The accounts are checked again afterwards. */
function drainQueue(state: State): void {
  const liquidation = state.liquidation
  for (const breached of liquidation.queue.splice(0, stepsMax)) {
    liquidation.queued.delete(keyOf(breached))
    const result = liquidate(state, breached)
    if (result.outcome === 'done') state.ledger.touch(breached.account)
    else if (result.outcome === 'stuck') {
      if (result.pool.coin === allCoins) waitFor(liquidation.unions, breached.account, 0, unifiedPrices(state))
      else checkOnceTrusted(state, result.pool)
    } else {
      liquidation.queued.add(keyOf(breached))
      liquidation.queue.push(breached)
    }
  }
}
