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
import { isAtOrBelow, levelOf, walletStateOf } from '../lending/lending.ts'
import { coinPrices, isDebtorHalted, toleranceOf } from '../liquidation-rules/liquidation-rules.ts'
import { measure, reached, type State, waitFor, waitNoMore } from '../state/state.ts'
import type { AccountHandle } from '../vocabulary.ts'
import { liquidateMargin } from './loan-liquidation.ts'

const looksMax = 500
const liquidationsMax = 25
/** The end of every command: looks at whom it concerned, and liquidates whose level it carried too far. */
export function watchDebtors(state: State): void {
  const { debtors } = state
  if (debtors.changed.size === 0 && debtors.breached.size === 0 && reached(debtors.waiting) === undefined) return

  const left = checkDebtors(state, looksMax)
  let done = 0
  for (const account of debtors.breached) {
    if (done++ === liquidationsMax) break
    debtors.breached.delete(account)
    // Frozen since it was found: it is near, so that the next prices look at it again.
    if (!isDebtorHalted(state, account)) liquidateMargin(state, state.accounts.byHandle(account), 'crossed_margin')
  }
  checkDebtors(state, left)
  const more = debtors.changed.size > 0 || debtors.breached.size > 0 || reached(debtors.waiting) !== undefined
  if (!more || debtors.timed) return
  debtors.timed = true
  state.timers.add(state.at + 1, { kind: 'watch-debtors' })
}

/** Index prices were set: who is near enough to be concerned. */
export function measurePrices(state: State, coins: readonly CoinId[]): void {
  const { waiting, changed } = state.debtors
  measure(waiting, coinPrices(state), coins)
  for (const account of waiting.near) changed.add(account)
}

function checkDebtors(state: State, looks: number): number {
  const { debtors } = state
  const found: { readonly account: AccountHandle; readonly level: bigint }[] = []
  let left = looks
  const lookAt = (account: AccountHandle) => {
    left--
    const level = checkDebtor(state, account)
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
function checkDebtor(state: State, handle: AccountHandle): bigint | undefined {
  const { debtors } = state
  const account = state.accounts.byHandle(handle)
  const { call, liquidation } = state.settings.margin
  const standing = walletStateOf(state, account, 'crossed_margin')
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
    state.emit({ kind: 'margin-call', uid: account.uid, wallet: 'crossed_margin', level, at: state.at })
  }
  const isBreached = isAtOrBelow(standing, liquidation)
  const tolerance = isBreached ? 0 : toleranceOf(standing, isCalled ? liquidation : call, isCalled ? call : 0n)
  waitFor(debtors.waiting, handle, tolerance, coinPrices(state))
  return isBreached && !isDebtorHalted(state, handle) ? level : undefined
}
