/**
 * Who has borrowed in cross margin, and from which prices on each must be looked at again.
 *
 * Waiting    pricing/waiting.ts: a change of prices looks at nobody whose level it cannot have carried past the call or
 *            the liquidation
 * Tolerance  with assets A and debt D the level stays above l while the distance from the prices that it was found at
 *            is below t:  A·(1 − t) / (D / (1 − t)) > l   ⟸   t < (1 − l·D/A) / 2        (and the mirror image upward)
 * Changed    whose debt or assets changed is looked at when the command ends
 * Bounded    `looksMax` accounts and `liquidationsMax` liquidations a command; the rest goes on a millisecond later
 * Called     a margin call is told once, and again only after the level was above the call level
 * Frozen     an account with a coin whose index is stale waits for the next price
 * Source     risk-engine.md §14 (order), §17
 */
import type { CoinId } from '../catalog/catalog.ts'
import { isAtOrBelow, levelOf, standingOf } from '../lending/lending.ts'
import { coinPrices, isFrozen, toleranceOf } from '../liquidation-rules/liquidation-rules.ts'
import { measure, reached, type Venue, waitFor, waitNoMore } from '../state/state.ts'
import type { AccountHandle } from '../vocabulary.ts'
import { liquidateMargin } from './loan-liquidation.ts'

const looksMax = 500
const liquidationsMax = 25
/** The end of every command: looks at whom it concerned, and liquidates whose level it carried too far. */
export function watchDebtors(venue: Venue): void {
  const { debtors } = venue
  if (debtors.changed.size === 0 && debtors.breached.size === 0 && reached(debtors.waiting) === undefined) return

  const left = lookAround(venue, looksMax)
  let done = 0
  for (const account of debtors.breached) {
    if (done++ === liquidationsMax) break
    debtors.breached.delete(account)
    // Frozen since it was found: it is near, so that the next prices look at it again.
    if (!isFrozen(venue, account)) liquidateMargin(venue, venue.accounts.byHandle(account), 'crossed_margin')
  }
  lookAround(venue, left)
  const more = debtors.changed.size > 0 || debtors.breached.size > 0 || reached(debtors.waiting) !== undefined
  if (!more || debtors.timed) return
  debtors.timed = true
  venue.timers.add(venue.at + 1, { kind: 'watch-debtors' })
}

/** Index prices were set: who is near enough to be concerned. */
export function measurePrices(venue: Venue, coins: readonly CoinId[]): void {
  const { waiting, changed } = venue.debtors
  measure(waiting, coinPrices(venue), coins)
  for (const account of waiting.near) changed.add(account)
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
  while (left > 0) {
    const account = reached(debtors.waiting)
    if (account === undefined) break
    lookAt(account)
  }
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
    waitNoMore(debtors.waiting, handle)
    return undefined
  }
  const isCalled = isAtOrBelow(standing, call)
  if (!isCalled) debtors.called.delete(handle)
  else if (!debtors.called.has(handle)) {
    debtors.called.add(handle)
    venue.emit({ kind: 'margin-call', uid: account.uid, wallet: 'crossed_margin', level, at: venue.at })
  }
  const isBreached = isAtOrBelow(standing, liquidation)
  const tolerance = isBreached ? 0 : toleranceOf(standing, isCalled ? liquidation : call, isCalled ? call : 0n)
  waitFor(debtors.waiting, handle, tolerance, coinPrices(venue))
  return isBreached && !isFrozen(venue, handle) ? level : undefined
}
