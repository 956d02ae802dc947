/**
 * Accounts and keys for whoever runs the venue, a page at a time.
 *
 * Pages     oldest first, `limit` entries behind `after`; `next` is the `after` of the next page, null at the end. What is
 *           made meanwhile comes last, so pages neither repeat nor miss an entry
 * Cost      a page of accounts costs what it shows, however many there are: they are numbered without a gap
 * Secrets   never: a key is shown by its name and what it may do
 */
import type { ApiKey } from '../api/api.ts'
import type { AccountView } from '../engine/query.ts'
import { formatDecimal, rateDecimals } from '../engine/numbers/numbers.ts'
import type { Core } from '../runtime/runtime.ts'
import type { SealedKeyStore } from './key-store.ts'
import { fieldWrong, unknownThing } from './refusals.ts'

export const pageLimitMax = 1_000
const pageLimitDefault = 100

/** The account before the first one. */
const uidBase = 1_000_000_000

interface AccountsAsk {
  /** Only the sub-accounts of this one. */
  readonly parentUid?: number | undefined
  readonly after?: number | undefined
  readonly limit?: number | undefined
}

export function accountsPage(core: Core, ask: AccountsAsk) {
  const { limit = pageLimitDefault, after = uidBase } = ask
  const found =
    ask.parentUid === undefined ? accountsFrom(core, after, limit + 1) : subAccounts(core, ask.parentUid, after)
  const shown = found.slice(0, limit)
  return {
    accounts: shown.map((account) => accountShown(core, account)),
    next: found.length > shown.length ? String(shown.at(-1)?.uid) : null,
  }
}

function accountsFrom(core: Core, after: number, count: number): AccountView[] {
  const found: AccountView[] = []
  for (let uid = Math.max(after, uidBase) + 1; found.length < count; uid += 1) {
    const account = core.query({ kind: 'account', uid })
    if (account === undefined) break
    found.push(account)
  }
  return found
}

function subAccounts(core: Core, parentUid: number, after: number): readonly AccountView[] {
  if (core.query({ kind: 'account', uid: parentUid }) === undefined)
    throw unknownThing('parentUid', parentUid, 'account')
  return core.query({ kind: 'sub-accounts', uid: parentUid }).filter(({ uid }) => uid > after)
}

function accountShown(core: Core, account: AccountView) {
  const { instruments } = core.query({ kind: 'catalog' })
  return {
    uid: String(account.uid),
    kind: account.kind,
    parentUid: account.parentUid === undefined ? null : String(account.parentUid),
    name: account.name,
    mode: account.mode,
    frozen: account.frozen,
    channelCode: account.broker?.channelCode ?? null,
    rebateRate: account.broker === undefined ? null : formatDecimal(account.broker.rebateRate, rateDecimals),
    copyTraderSymbols: account.copyTrader?.map((id) => instruments[id]?.symbol ?? '') ?? null,
    dailyOrders: account.dailyOrders,
    createdAt: account.createdAt,
  }
}

interface KeysAsk {
  readonly uid?: number | undefined
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

export function keysPage(core: Core, keys: SealedKeyStore, { uid, after, limit = pageLimitDefault }: KeysAsk) {
  if (uid !== undefined && core.query({ kind: 'account', uid }) === undefined) throw unknownThing('uid', uid, 'account')
  if (after !== undefined && keys.find(after) === undefined) throw fieldWrong('after', 'must be the apiKey of a key')
  const found: ApiKey[] = []
  let isBehind = after === undefined
  for (const key of keys.all()) {
    if (isBehind && (uid === undefined || key.uid === uid)) found.push(key)
    if (found.length > limit) break
    if (key.apiKey === after) isBehind = true
  }
  const shown = found.slice(0, limit)
  return {
    keys: shown.map(keyShown),
    next: found.length > shown.length ? (shown.at(-1)?.apiKey ?? null) : null,
  }
}

function keyShown({ apiKey, uid, kind, permissions, readOnly, ipList, label, revokedAt }: ApiKey) {
  return { apiKey, uid: String(uid), kind, permissions, readOnly, ipList, label, revokedAt: revokedAt ?? null }
}
