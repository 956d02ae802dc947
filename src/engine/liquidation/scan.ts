/**
 * The scan: after marks or accounts changed, finds the breached, worst first, and has them worked off in bounded steps.
 *
 * Costs     a mark update looks only at accounts whose price it reached and at those that changed since; at most
 *           `looksMax` accounts and `stepsMax` ladders a command, the rest goes on with a timer that is due at once
 * Order     maintenance over equity, worst first; then uid, then contract (risk-engine §14c)
 * Frozen    a pool with a frozen contract waits until it is not
 */
import type { InstrumentId } from '../catalog/catalog.ts'
import { priceTicksMax } from '../numbers/numbers.ts'
import { isFrozen } from '../pricing/pricing.ts'
import type { Exposure } from '../futures/futures.ts'
import type { Venue } from '../venue.ts'
import { everyCoin, type Pool, poolsOf, roomOf, standingOf } from './equity.ts'
import { liquidate } from './ladder.ts'
import type { Breached } from './state.ts'
import { popUpTo, push } from './watch.ts'

const looksMax = 2_000
const stepsMax = 100
const moveOne = 1_000_000_000
const ratioOne = 1_000_000_000n
const ratioWorst = 1_000_000_000_000_000_000n

export function scanRisk(venue: Venue, instruments: readonly InstrumentId[]): void {
  const found: Breached[] = []
  countMoves(venue)
  let looks = lookAtChanged(venue, found, looksMax)
  looks = lookAtUnions(venue, found, looks)
  for (const instrument of instruments) looks = lookAtReached(venue, instrument, found, looks)
  if (found.length > 0) enqueue(venue, found)
  workOff(venue)
  const { queue } = venue.liquidation
  if (looks === 0 || queue.length > 0 || venue.ledger.changed.length > 0) goOn(venue, instruments)
}

/** The rest follows with the next command that the clock brings, after whoever waits. */
function goOn(venue: Venue, instruments: readonly InstrumentId[]): void {
  const waiting = venue.timers.due.find(({ timer }) => timer.kind === 'scan-risk')
  if (waiting === undefined) venue.timers.add(venue.at + 1, { kind: 'scan-risk', instruments: [...instruments] })
}

function lookAtChanged(venue: Venue, found: Breached[], looks: number): number {
  const { ledger } = venue
  const now = ledger.changed.slice(0, looks)
  ledger.changed = ledger.changed.slice(now.length)
  for (const account of now) look(venue, account, found)
  return looks - now.length
}

/**
 * Adds the largest relative move of a mark or coin price since the last scan. A unified account whose collateral, debts
 * and positions together are `gross` cannot have lost more than 2 × gross × moved while that is below one half.
 */
function countMoves(venue: Venue): void {
  const state = venue.liquidation
  let most = 0
  venue.catalog.instruments.forEach(({ id, kind }) => {
    const mark = venue.prices.markPrice(id)
    const before = state.marks[id] ?? mark
    if (kind !== 'spot') most = Math.max(most, relative(Math.abs(mark - before), Math.min(mark, before)))
    state.marks[id] = mark
  })
  venue.catalog.coins.forEach(({ id }) => {
    const price = venue.prices.usdE8(id)
    const before = state.usd[id] ?? price
    const change = price > before ? price - before : before - price
    most = Math.max(most, relative(Number(change), Number(price < before ? price : before)))
    state.usd[id] = price
  })
  state.moved += most
}

/** In 1e-9, rounded up: a bound, so that floating point may not round it down. */
function relative(change: number, from: number): number {
  return change === 0 ? 0 : Math.ceil((change / from) * moveOne) + 1
}

function lookAtUnions(venue: Venue, found: Breached[], looks: number): number {
  const { unions, moved } = venue.liquidation
  let left = looks
  while (left > 0) {
    const entry = popUpTo(unions, moved)
    if (entry === undefined) break
    if (entry.version !== venue.liquidation.version(entry.account)) continue
    look(venue, entry.account, found)
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
    while (left > 0) {
      const entry = popUpTo(heap, limit)
      if (entry === undefined) break
      if (entry.version !== venue.liquidation.version(entry.account)) continue
      look(venue, entry.account, found)
      left--
    }
  }
  return left
}

/** Tests every pool of an account and notes from which prices on it must be tested again. */
function look(venue: Venue, account: number, found: Breached[]): void {
  venue.ledger.lookedAt(account)
  if (account === venue.liquidation.fund) return
  const version = venue.liquidation.newVersion(account)
  for (const pool of poolsOf(venue, account)) {
    const frozen = pool.exposures.find(({ instrument }) => isFrozen(venue, instrument))
    if (frozen !== undefined) {
      // Looked at with the first mark after the freeze, wherever that lies.
      push(venue.liquidation.heaps(frozen.instrument).below, -priceTicksMax - 1, account, version)
      continue
    }
    const { equity, maintenance, gross } = standingOf(venue, pool)
    if (equity <= maintenance) {
      found.push(breachedOf(pool, equity, maintenance))
      continue
    }
    if (pool.coin === everyCoin) {
      const tolerance = ((equity - maintenance) * BigInt(moveOne)) / (2n * gross + 1n)
      const half = BigInt(moveOne / 2)
      const waits = Number(tolerance < half ? tolerance : half)
      push(venue.liquidation.unions, venue.liquidation.moved + Math.max(1, waits), account, version)
      continue
    }
    const part = (equity - maintenance) / BigInt(pool.exposures.length)
    for (const exposure of pool.exposures) {
      const room = roomOf(venue, exposure, pool.side, part)
      const heaps = venue.liquidation.heaps(exposure.instrument)
      push(heaps.below, -room.below, account, version)
      push(heaps.above, room.above, account, version)
    }
  }
}

function breachedOf(pool: Pool, equity: bigint, maintenance: bigint): Breached {
  const first = pool.exposures[0] as Exposure | undefined
  return {
    account: pool.account,
    wallet: pool.wallet,
    coin: pool.coin,
    exposure: pool.side === undefined || first === undefined ? -1 : first.index,
    side: pool.side ?? '',
    ratio: equity <= 0n ? ratioWorst - equity : (maintenance * ratioOne) / equity,
    instrument: first?.instrument ?? 0,
  }
}

function keyOf({ account, wallet, coin, exposure, side }: Breached): string {
  return `${account} ${wallet} ${coin} ${exposure} ${side}`
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

/** Takes apart the worst ones; who recovered meanwhile is left alone. */
function workOff(venue: Venue): void {
  const state = venue.liquidation
  const now = state.queue.slice(0, stepsMax)
  state.queue = state.queue.slice(now.length)
  for (const breached of now) {
    state.queued.delete(keyOf(breached))
    // What could be done is looked at again; what cannot trade now waits for its mark to move.
    if (liquidate(venue, breached)) venue.ledger.touch(breached.account)
  }
}
