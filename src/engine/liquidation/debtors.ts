/**
 * Who has borrowed in cross margin, and from which prices on each must be looked at again.
 *
 * Distance   between two prices 1 − smaller/larger, of all coins the largest; distances one after the other add up to
 *            at most their sum
 * Tolerance  with assets A and debt D the level stays above l while the distance from the prices that it was found at
 *            is below t:  A·(1 − t) / (D / (1 − t)) > l   ⟸   t < (1 − l·D/A) / 2        (and the mirror image upward)
 * Waiting    distances are measured from reference prices: an account found at distance e from them can have come as
 *            far as e + distance now. It waits in a heap until the distance reaches t − e, and in `near` for any change of
 *            prices if that is no wait; so a change of prices looks at nobody whose level it cannot have carried past
 *            the call or the liquidation
 * Reference  moves to the prices of now when they are `awayMax` off, or many are near; the way there (`base`) counts
 *            against whoever waits
 * Changed    whose debt or assets changed is looked at when the command ends
 * Bounded    `looksMax` accounts and `liquidationsMax` liquidations a command; the rest goes on a millisecond later
 * Called     a margin call is told once, and again only after the level was above the call level
 * Frozen     an account with a coin whose index is stale waits for the next price
 * Source     risk-engine.md §14 (order), §17
 */
import type { AccountHandle } from '../accounts/accounts.ts'
import { divCeil, rateOne } from '../numbers/numbers.ts'
import type { Debtors } from '../loans/loans.ts'
import { isAtOrBelow, levelOf, type Standing, standingOf } from '../margin/margin.ts'
import { isCoinFrozen } from '../pricing/pricing.ts'
import type { Venue } from '../venue.ts'
import { liquidateMargin } from './margin-ladder.ts'

const looksMax = 500
const liquidationsMax = 25
/** Distances are counted in 1e-9. */
const distanceOne = 1_000_000_000n
const awayMax = 10_000_000
const nearMax = 32

/** The end of every command: looks at whom it concerned, and liquidates whose level it carried too far. */
export function watchDebtors(venue: Venue): void {
  const { debtors } = venue
  if (debtors.changed.size === 0 && debtors.breached.size === 0 && !isSomeoneReached(debtors)) return

  const left = lookAround(venue, looksMax)
  let done = 0
  for (const account of debtors.breached) {
    if (done++ === liquidationsMax) break
    debtors.breached.delete(account)
    liquidateMargin(venue, venue.accounts.byHandle(account), 'crossed_margin')
  }
  lookAround(venue, left)
  const more = debtors.changed.size > 0 || debtors.breached.size > 0 || isSomeoneReached(debtors)
  if (!more || debtors.timed) return
  debtors.timed = true
  venue.timers.add(venue.at + 1, { kind: 'watch-debtors' })
}

/** Index prices were set: how far they are from the reference now, and who is near enough to be concerned. */
export function measurePrices(venue: Venue): void {
  const { debtors, prices } = venue
  debtors.away = distance(venue)
  if (debtors.away > awayMax || debtors.near.size > nearMax) {
    debtors.base += debtors.away
    debtors.away = 0
    debtors.reference = [...prices.usd]
  }
  for (const account of debtors.near) debtors.changed.add(account)
}

/** The largest distance of a coin's price from its reference, rounded up. */
function distance({ debtors, prices, catalog }: Venue): number {
  let most = 0n
  for (const [coin, now] of prices.usd.entries()) {
    const before = debtors.reference[coin] ?? catalog.coins[coin].listingPriceE8
    if (now === before) continue
    const [smaller, larger] = now < before ? [now, before] : [before, now]
    const apart = divCeil((larger - smaller) * distanceOne, larger)
    if (apart > most) most = apart
  }
  return Number(most)
}

function isSomeoneReached({ heap, wakeAt, base, away }: Debtors): boolean {
  return heap.length > 0 && (wakeAt.get(heap[0]) as number) <= base + away
}

function lookAround(venue: Venue, looks: number): number {
  const { debtors } = venue
  const found: { readonly account: AccountHandle; readonly level: bigint }[] = []
  let left = looks
  const lookAt = (account: AccountHandle) => {
    left--
    const level = look(venue, account)
    if (level !== undefined) found.push({ account, level })
  }
  for (const account of debtors.changed) {
    if (left === 0) break
    debtors.changed.delete(account)
    lookAt(account)
  }
  while (left > 0 && isSomeoneReached(debtors)) lookAt(debtors.heap[0])
  found.sort((a, b) => (a.level === b.level ? a.account - b.account : a.level < b.level ? -1 : 1))
  for (const { account } of found) debtors.breached.add(account)
  return left
}

/** Tells a margin call, and notes when to look again. Answers the level of an account that has to be liquidated. */
function look(venue: Venue, handle: AccountHandle): bigint | undefined {
  const { debtors } = venue
  const account = venue.accounts.byHandle(handle)
  const { call, liquidation } = venue.settings.margin
  const standing = standingOf(venue, account, 'crossed_margin')
  const level = levelOf(standing)
  if (level === undefined) {
    debtors.called.delete(handle)
    debtors.near.delete(handle)
    forget(debtors, handle)
    return undefined
  }
  const isCalled = isAtOrBelow(standing, call)
  if (!isCalled) debtors.called.delete(handle)
  else if (!debtors.called.has(handle)) {
    debtors.called.add(handle)
    venue.emit({ kind: 'margin-call', uid: account.uid, wallet: 'crossed_margin', level, at: venue.at })
  }
  const isBreached = isAtOrBelow(standing, liquidation)
  wait(debtors, handle, isBreached ? 0 : toleranceOf(standing, isCalled ? liquidation : call, isCalled ? call : 0n))
  return isBreached && !isFrozen(venue, handle) ? level : undefined
}

/** How far prices may go before the level can have come down to `below`, or (not zero) up past `above`; 1e-9. */
function toleranceOf({ assets, debt }: Standing, below: bigint, above: bigint): number {
  const have = assets * rateOne
  let tolerance = ((have - below * debt) * distanceOne) / (2n * have)
  if (above > 0n) {
    const upward = ((above * debt - have) * distanceOne) / (2n * above * debt)
    if (upward < tolerance) tolerance = upward
  }
  return Number(tolerance)
}

/** Whether the account has or owes a coin whose price is stale: nothing is sold on such a price (risk-engine §12). */
function isFrozen(venue: Venue, handle: AccountHandle): boolean {
  const { ledger } = venue
  for (const row of ledger.rowsOf(handle)) {
    if (ledger.walletOf(row) !== 'crossed_margin') continue
    const counts = ledger.balanceOf(row) > 0n || ledger.debtOf(row) > 0n
    if (counts && isCoinFrozen(venue, ledger.coinOf(row))) return true
  }
  return false
}

// The heap

function wait(debtors: Debtors, account: AccountHandle, tolerance: number): void {
  const { base, away } = debtors
  const wakeAt = base - away + tolerance
  if (wakeAt <= base + away) {
    forget(debtors, account)
    debtors.near.add(account)
    return
  }
  debtors.near.delete(account)
  debtors.wakeAt.set(account, wakeAt)
  let place = debtors.placeOf.get(account)
  if (place === undefined) {
    place = debtors.heap.length
    debtors.heap.push(account)
    debtors.placeOf.set(account, place)
  }
  sink(debtors, rise(debtors, place))
}

function forget(debtors: Debtors, account: AccountHandle): void {
  const place = debtors.placeOf.get(account)
  if (place === undefined) return
  const last = debtors.heap.pop() as AccountHandle
  debtors.placeOf.delete(account)
  debtors.wakeAt.delete(account)
  if (last === account) return
  put(debtors, place, last)
  sink(debtors, rise(debtors, place))
}

function rise(debtors: Debtors, from: number): number {
  const { heap } = debtors
  let place = from
  while (place > 0) {
    const parent = (place - 1) >> 1
    if (!isEarlier(debtors, heap[place], heap[parent])) break
    swap(debtors, place, parent)
    place = parent
  }
  return place
}

function sink(debtors: Debtors, from: number): void {
  const { heap } = debtors
  let place = from
  for (;;) {
    let least = place
    for (const child of [place * 2 + 1, place * 2 + 2]) {
      if (child < heap.length && isEarlier(debtors, heap[child], heap[least])) least = child
    }
    if (least === place) return
    swap(debtors, place, least)
    place = least
  }
}

function isEarlier({ wakeAt }: Debtors, a: AccountHandle, b: AccountHandle): boolean {
  const [first, second] = [wakeAt.get(a) as number, wakeAt.get(b) as number]
  return first === second ? a < b : first < second
}

function swap(debtors: Debtors, a: number, b: number): void {
  const account = debtors.heap[a]
  put(debtors, a, debtors.heap[b])
  put(debtors, b, account)
}

function put(debtors: Debtors, place: number, account: AccountHandle): void {
  debtors.heap[place] = account
  debtors.placeOf.set(account, place)
}
