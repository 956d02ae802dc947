/**
 * Accounts and keys for whoever runs the venue, a page at a time.
 *
 * Pages     oldest first, `limit` entries behind `after`; `next` is the `after` of the next page, null at the end. What is
 *           made meanwhile comes last, so pages neither repeat nor miss an entry
 * Cost      a page of accounts costs what it shows, however many there are: they are numbered without a gap
 * Worth     is worked out only when it is asked for, account by account: between two of them commands have their turn
 * Search    looks at so many accounts for a page; one that found fewer than asked may still have a `next`
 * Secrets   never: a key is shown by its name and what it may do
 */
import { setImmediate } from 'node:timers/promises'
import { type ApiKey, CatalogIndex } from '../../api/api.ts'
import { formatDecimal, rateDecimals } from '../../engine/numbers/numbers.ts'
import type { AccountView } from '../../engine/protocol/query.ts'
import type { Core } from '../../runtime/runtime.ts'
import type { KeyBook } from '../keys/key-table.ts'
import { wholeNumber } from './fields.ts'
import { equityUsdt } from './holdings.ts'
import { fieldWrong, unknownThing } from './refusals.ts'

const pageLimitMax = 1_000
export const pageLimit = wholeNumber(1, pageLimitMax)
const pageLimitDefault = 100

/** The account before the first one. */
const uidBase = 1_000_000_000

/** Accounts that a page of a search looks at. */
const searchedMax = 2_000

interface AccountsAsk {
  /** Only the sub-accounts of this one. */
  readonly parentUid?: number | undefined
  /** A part of their number or, in any case, of their name. */
  readonly search?: string | undefined
  readonly worth?: 'yes' | 'no' | undefined
  readonly after?: number | undefined
  readonly limit?: number | undefined
}

export async function accountsPage(core: Core, ask: AccountsAsk) {
  const { limit = pageLimitDefault, after = uidBase, parentUid, search, worth = 'no' } = ask
  const looked = search === undefined ? limit : searchedMax
  const found = parentUid === undefined ? accountsFrom(core, after, looked + 1) : subAccounts(core, parentUid, after)
  const seen = found.slice(0, looked)
  const fitting = search === undefined ? seen : seen.filter((account) => fits(account, search.toLowerCase()))
  const shown = fitting.slice(0, limit)
  const last = fitting.length > limit ? shown.at(-1) : found.length > looked ? seen.at(-1) : undefined
  const catalog = new CatalogIndex(core.query({ kind: 'catalog' }))
  const accounts = []
  for (const account of shown) {
    if (worth === 'yes') await setImmediate()
    const equity = worth === 'yes' ? { equityUsdt: equityUsdt(core, catalog, account) } : {}
    accounts.push({ ...accountShown(catalog, account), ...equity })
  }
  return { accounts, next: last === undefined ? null : String(last.uid) }
}

function fits({ uid, name }: AccountView, search: string): boolean {
  return String(uid).includes(search) || name.toLowerCase().includes(search)
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

function accountShown(catalog: CatalogIndex, account: AccountView) {
  return {
    uid: String(account.uid),
    kind: account.kind,
    parentUid: account.parentUid === undefined ? null : String(account.parentUid),
    name: account.name,
    mode: account.mode,
    frozen: account.frozen,
    frozenByOperator: account.frozenByOperator,
    channelCode: account.broker?.channelCode ?? null,
    rebateRate: account.broker === undefined ? null : formatDecimal(account.broker.rebateRate, rateDecimals),
    copyTraderSymbols: account.copyTrader?.map((id) => catalog.instrument(id).symbol) ?? null,
    bindingTime: account.boundAt ?? null,
    dailyOrders: account.dailyOrders,
    createdAt: account.createdAt,
  }
}

interface KeysAsk {
  readonly uid?: number | undefined
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

export function keysPage(core: Core, keys: KeyBook, { uid, after, limit = pageLimitDefault }: KeysAsk) {
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

function keyShown({ apiKey, uid, kind, permissions, readOnly, ipList, label, revokedAt, fault }: ApiKey) {
  return {
    apiKey,
    uid: String(uid),
    kind,
    permissions,
    readOnly,
    ipList,
    label,
    revokedAt: revokedAt ?? null,
    fault: fault ?? null,
  }
}
