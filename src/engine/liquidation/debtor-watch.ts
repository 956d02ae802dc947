/**
 * Who has borrowed in cross margin, and from which prices on each must be checked again.
 *
 * Waiting    state/price-watch.ts: after a change of prices only those accounts are checked whose level can have passed the
 *            call or the liquidation level; how far prices may go says liquidation-rules/debtors.ts
 * Changed    an account whose debt or assets changed is checked when the command ends
 * Bounded    `checksMax` accounts and `liquidationsMax` liquidations a command; the rest goes on a millisecond later
 * Called     a margin call is published once, and again only after the level was above the call level
 * Halted     an account with a coin whose index is stale or suspect waits for the next price
 * Source     risk-engine.md §14 (order), §17
 */
import type { CoinId } from '../catalog/catalog.ts'
import { isAtOrBelow, levelOf, walletStateOf } from '../lending/lending.ts'
import { coinPrices, isDebtorHalted, toleranceOf } from '../liquidation-rules/liquidation-rules.ts'
import { measure, reached, type State, waitFor, waitNoMore } from '../state/state.ts'
import type { AccountHandle } from '../vocabulary.ts'
import { liquidateMargin } from './loan-liquidation.ts'

const checksMax = 500
const liquidationsMax = 25

/** The end of every command: checks the accounts that it concerned, and liquidates those whose level is too low. */
export function watchDebtors(state: State): void {
  const { debtors } = state
  if (debtors.changed.size === 0 && debtors.breached.size === 0 && reached(debtors.waiting) === undefined) return

  const left = checkDebtors(state, checksMax)
  let done = 0
  for (const account of debtors.breached) {
    if (done++ === liquidationsMax) break
    debtors.breached.delete(account)
    // Halted since it was found: it is near, so that the next prices have it checked again.
    if (!isDebtorHalted(state, account)) liquidateMargin(state, state.accounts.byHandle(account), 'crossed_margin')
  }
  checkDebtors(state, left)
  const more = debtors.changed.size > 0 || debtors.breached.size > 0 || reached(debtors.waiting) !== undefined
  if (!more || debtors.timed) return
  debtors.timed = true
  state.timers.add(state.at + 1, { kind: 'watch-debtors' })
}

/** Index prices were set: notes the accounts that are near enough to be concerned. */
export function measurePrices(state: State, coins: readonly CoinId[]): void {
  const { waiting, changed } = state.debtors
  measure(waiting, coinPrices(state), coins)
  for (const account of waiting.near) changed.add(account)
}

/** Checks at most `checks` accounts, queues the breached, lowest level first; answers how many checks are left. */
function checkDebtors(state: State, checks: number): number {
  const { debtors } = state
  const found: { readonly account: AccountHandle; readonly level: bigint }[] = []
  let left = checks
  const check = (account: AccountHandle) => {
    left--
    const level = checkDebtor(state, account)
    if (level !== undefined) found.push({ account, level })
  }
  for (const account of debtors.changed) {
    if (left === 0) break
    debtors.changed.delete(account)
    check(account)
  }
  while (left > 0) {
    const account = reached(debtors.waiting)
    if (account === undefined) break
    check(account)
  }
  found.sort((a, b) => (a.level === b.level ? a.account - b.account : a.level < b.level ? -1 : 1))
  for (const { account } of found) debtors.breached.add(account)
  return left
}

/** Publishes a margin call, and notes when to check again. Answers the level of an account that has to be liquidated. */
function checkDebtor(state: State, handle: AccountHandle): bigint | undefined {
  const { debtors } = state
  const account = state.accounts.byHandle(handle)
  const { call, liquidation } = state.settings.margin
  const walletState = walletStateOf(state, account, 'crossed_margin')
  const level = levelOf(walletState)
  if (level === undefined) {
    debtors.called.delete(handle)
    waitNoMore(debtors.waiting, handle)
    return undefined
  }
  const isCalled = isAtOrBelow(walletState, call)
  if (!isCalled) debtors.called.delete(handle)
  else if (!debtors.called.has(handle)) {
    debtors.called.add(handle)
    state.emit({ kind: 'margin-call', uid: account.uid, wallet: 'crossed_margin', level, at: state.at })
  }
  const isBreached = isAtOrBelow(walletState, liquidation)
  const tolerance = isBreached ? 0 : toleranceOf(walletState, isCalled ? liquidation : call, isCalled ? call : 0n)
  waitFor(debtors.waiting, handle, tolerance, coinPrices(state))
  return isBreached && !isDebtorHalted(state, handle) ? level : undefined
}
