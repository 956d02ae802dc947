/**
 * Which live orders a version of the interface may touch.
 *
 * Hybrid    an account in this mode trades by both versions at once, v3 from `uta` and v2 from the other wallets: what it
 *           has over the one is unknown to the other
 * Others    have one set of wallets for both, and are not asked
 * Source    design.md §3; interface.md E7
 */
import type { OrderReference } from '../engine/protocol/command.ts'
import type { AccountView } from '../engine/protocol/query.ts'
import { modeRead, type WalletType } from '../engine/vocabulary.ts'
import type { PrivateContext } from './endpoint.ts'
import { type Family, refusalError, type Version } from './errors/errors.ts'

/** Whether an order or trigger order is the other version's. */
export function isOfOtherVersion(
  account: AccountView,
  version: Version,
  { wallet }: { readonly wallet: WalletType },
): boolean {
  return modeRead(account) === 'hybrid' && (wallet === 'uta') !== (version === 'v3')
}

/** Refuses an order of the other version, live or waiting for a price, as one that does not exist. */
export function checkOwn(
  { account, core }: PrivateContext,
  version: Version,
  order: OrderReference,
  family: Family,
): void {
  if (modeRead(account) !== 'hybrid') return
  const named = { uid: account.uid, order }
  const live = core.query({ kind: 'order', ...named })
  if (live !== undefined && isOfOtherVersion(account, version, live)) {
    throw refusalError({ kind: 'order-unknown' }, family)
  }
  const waiting = core.query({ kind: 'trigger', ...named })
  if (waiting !== undefined && isOfOtherVersion(account, version, waiting)) {
    throw refusalError({ kind: 'trigger-unknown' }, family)
  }
}
