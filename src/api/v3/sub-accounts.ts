/**
 * Sub-accounts in v3: made, listed, frozen by their main account; their coins.
 *
 * Order     newest first; the cursor of a page is the last sub-account that it shows
 * Frozen    its keys read and do nothing else (40024), no money moves in or out, what is open goes on
 * Agent     a unified sub-account together with a key that may trade and manage it, from any address
 * Source    wire/v3-endpoints.md §4 `sub-unified-assets`, §5
 */
import Type from 'typebox'
import type { AccountView } from '../../engine/protocol/query.ts'
import { modeRead } from '../../engine/vocabulary.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { changeSub, createSub, issueSubKey, ownSub, username } from '../own-sub-accounts.ts'
import type { CursorList } from '../parsing/cursor.ts'
import * as field from '../parsing/fields.ts'
import { accountValue } from './asset-values.ts'
import * as wire from './dictionary.ts'
import { before, cursorOf, nextCursor } from './pages.ts'
import * as records from './records.ts'

const reading = { permission: 'uta_mgt', level: 'read', mainAccount: true } as const
const writing = { permission: 'uta_mgt', level: 'write', mainAccount: true } as const
const perSecond = (calls: number) => ({ perSecond: calls, per: 'uid' }) as const
const source = 'wire/v3-endpoints §5'

const note = () => Type.Optional(field.text(50))

const createSubAccount = defineEndpoint({
  method: 'POST',
  path: '/api/v3/user/create-sub',
  summary: 'Makes a sub-account',
  source,
  access: writing,
  limit: perSecond(10),
  request: Type.Object({
    username: username(),
    accountMode: field.oneOfOr(['classic', 'unified'], 'unified'),
    note: note(),
  }),
  response: records.NewSubAccount,
  handle: async (context, { username: name, accountMode, note: text = '' }) => {
    const sub = await createSub(context, { name, note: text, mode: accountMode }, 'v3')
    return wire.newSubAccountRecord(sub)
  },
})

const subList = defineEndpoint({
  method: 'GET',
  path: '/api/v3/user/sub-list',
  summary: 'Sub-accounts, newest first',
  source,
  access: reading,
  limit: perSecond(10),
  request: Type.Object({ limit: field.limit(100, 100), cursor: Type.Optional(field.cursor()) }),
  response: records.SubAccounts,
  handle: (context, { limit, cursor }) => {
    const found = pageOfSubs(context, 'sub-accounts', () => true, { limit, cursor })
    return { list: found.page.map(wire.subAccountRecord), hasNext: found.hasNext, cursor: found.cursor }
  },
})

/** A page of the caller's sub-accounts, and the cursor of the next one. */
function pageOfSubs(
  { account, core, dialect }: PrivateContext,
  list: CursorList,
  isMeant: (sub: AccountView) => boolean,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
) {
  const seen = before(list, cursor, dialect) ?? Number.POSITIVE_INFINITY
  const left = core
    .query({ kind: 'sub-accounts', uid: account.uid })
    .filter((sub) => sub.uid < seen && isMeant(sub))
    .reverse()
  const page = left.slice(0, limit)
  const last = page.at(-1)?.uid
  const hasNext = left.length > page.length
  return { page, hasNext, cursor: nextCursor(dialect, list, { next: hasNext ? last : undefined, last }) }
}

const freezeSub = defineEndpoint({
  method: 'POST',
  path: '/api/v3/user/freeze-sub',
  summary: 'Freezes a sub-account, or lets it trade again',
  source,
  access: writing,
  limit: perSecond(10),
  request: Type.Object({ subUid: field.id(), operation: field.oneOf(['freeze', 'unfreeze']) }),
  response: records.Done,
  handle: async (context, { subUid, operation }) => {
    await changeSub(context, { uid: subUid, frozen: operation === 'freeze', permissions: undefined })
    return 'success' as const
  },
})

const agentCreate = defineEndpoint({
  method: 'POST',
  path: '/api/v3/user/sub-account/agent-create',
  summary: 'Makes a unified sub-account and a key for it',
  source,
  access: writing,
  limit: perSecond(1),
  request: Type.Object({ username: username(), passphrase: field.passphrase(), note: note() }),
  response: records.NewAgent,
  handle: async (context, { username: name, passphrase, note: text = '' }) => {
    const sub = await createSub(context, { name, note: text, mode: 'unified' }, 'v3')
    const permissions = ['uta_mgt', 'uta_trade'] as const
    const { issued } = await issueSubKey(context, { uid: sub.uid, permissions, ipList: [], label: text, passphrase })
    const { username: given, subUid, note: kept, createdTime } = wire.newSubAccountRecord(sub)
    return { username: given, subUid, apiKey: issued.apiKey, secret: issued.secret, note: kept, createdTime }
  },
})

const subUnifiedAssets = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/sub-unified-assets',
  summary: 'Coins of the unified sub-accounts, newest account first',
  source: 'wire/v3-endpoints §4',
  access: reading,
  limit: perSecond(1),
  request: Type.Object({
    subUid: Type.Optional(field.id()),
    cursor: Type.Optional(field.cursor()),
    limit: field.limit(10, 50),
  }),
  response: Type.Array(records.SubAssets),
  handle: (context, { subUid, cursor, limit }) => {
    const list = 'sub-assets'
    const only = subUid === undefined ? undefined : ownSub(context, subUid)
    const isMeant = (sub: AccountView) => modeRead(sub) !== 'classic' && (only === undefined || sub.uid === only.uid)
    return pageOfSubs(context, list, isMeant, { limit, cursor }).page.map((sub) => ({
      subUid: String(sub.uid),
      cursor: cursorOf(context.dialect, list, sub.uid),
      assets: wire.coinAssetRecords(accountValue({ ...context, account: sub }), context.catalog),
    }))
  },
})

export const subAccountEndpoints: readonly Endpoint[] = [
  createSubAccount,
  subList,
  freezeSub,
  agentCreate,
  subUnifiedAssets,
]
