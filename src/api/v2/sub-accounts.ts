/**
 * Virtual sub-accounts in v2: made, ruled and given keys by their main account.
 *
 * Mode      as the main account's: unified, or classic when it is classic
 * Rules     a sub-account's list of permissions is what its keys may do at most; a frozen one only reads
 * Keys      what is not named reads only; the secret is answered once, when the key is made
 * Source    wire/client-endpoints.md §4; wire/rate-limits-and-filters.md §3; bitget-api's types of these answers
 */
import Type from 'typebox'
import type { AccountView } from '../../engine/protocol/query.ts'
import { modeRead } from '../../engine/vocabulary.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { ApiError } from '../errors/errors.ts'
import { type Permission, subPermissions } from '../keys/keys.ts'
import {
  addresses,
  changeSub,
  changeSubKey,
  createSub,
  issueSubKey,
  keyOfOwnSub,
  keysOfSub,
  ownSub,
  username,
  usernamePattern,
} from '../own-sub-accounts.ts'
import { id, limit, list, oneOf, passphrase, text } from '../parsing/fields.ts'
import * as dictionary from './dictionary.ts'
import * as records from './records.ts'

const writing = { permission: 'transfer', level: 'write', mainAccount: true } as const
const reading = { permission: 'transfer', level: 'read', mainAccount: true } as const
const perSecond = (calls: number) => ({ perSecond: calls, per: 'uid' }) as const
const source = 'wire/client-endpoints §4'

const namesMax = 20
const permissionList = () => list(oneOf(subPermissions), 1, subPermissions.length)
const readsOnly: readonly Permission[] = ['read']

function modeOfSubs(account: AccountView): 'unified' | 'classic' {
  return modeRead(account) === 'classic' ? 'classic' : 'unified'
}

const createSubAccounts = defineEndpoint({
  method: 'POST',
  path: '/api/v2/user/create-virtual-subaccount',
  summary: 'Makes sub-accounts, each on its own: a name that is wrong or taken fails alone',
  source,
  access: writing,
  limit: perSecond(5),
  request: Type.Object({ subAccountList: list(text(64), 1, namesMax) }),
  response: records.NewSubAccounts,
  async handle(context, { subAccountList }) {
    const successList: records.NewSubAccount[] = []
    const failureList: { subaAccountName: string }[] = []
    for (const name of subAccountList) {
      const sub = await createdOr(context, name)
      if (sub === undefined) failureList.push({ subaAccountName: name })
      else successList.push(dictionary.newSubAccount(sub))
    }
    return { failureList, successList }
  },
})

/** Undefined: the name is wrong or taken, or there are too many. */
async function createdOr(context: PrivateContext, name: string): Promise<AccountView | undefined> {
  if (!usernamePattern.test(name)) return undefined
  try {
    return await createSub(context, { name, note: '', mode: modeOfSubs(context.account) }, 'v2')
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

const modifySubAccount = defineEndpoint({
  method: 'POST',
  path: '/api/v2/user/modify-virtual-subaccount',
  summary: 'Freezes a sub-account or lets it trade again, and bounds what its keys may do',
  source,
  access: writing,
  limit: perSecond(5),
  request: Type.Object({
    subAccountUid: id(),
    permList: Type.Optional(permissionList()),
    status: Type.Optional(oneOf(['normal', 'freeze'])),
  }),
  response: Type.Object({ result: Type.Literal('success') }),
  async handle(context, { subAccountUid: uid, permList, status }) {
    if (permList === undefined && status === undefined) throw new ApiError('40913', ['permList and status'])
    await changeSub(context, { uid, permissions: permList, frozen: status && status === 'freeze' })
    return { result: 'success' } as const
  },
})

const subAccounts = defineEndpoint({
  method: 'GET',
  path: '/api/v2/user/virtual-subaccount-list',
  summary: 'Sub-accounts, newest first',
  source,
  access: reading,
  limit: perSecond(1),
  request: Type.Object({
    limit: limit(100, 500),
    idLessThan: Type.Optional(id()),
    status: Type.Optional(oneOf(['normal', 'freeze'])),
  }),
  response: records.SubAccounts,
  handle({ account, core }, { limit: most, idLessThan = Number.MAX_SAFE_INTEGER, status }) {
    const page = core
      .query({ kind: 'sub-accounts', uid: account.uid })
      .filter((sub) => sub.uid < idLessThan && (status === undefined || sub.frozen === (status === 'freeze')))
      .reverse()
      .slice(0, most)
    return { subAccountList: page.map(dictionary.subAccount), endId: page.at(-1)?.uid ?? null }
  },
})

const newKeyFields = {
  passphrase: passphrase(),
  label: text(64),
  ipList: Type.Optional(addresses()),
  permList: Type.Optional(permissionList()),
}

const createKey = defineEndpoint({
  method: 'POST',
  path: '/api/v2/user/create-virtual-subaccount-apikey',
  summary: 'Makes a key for a sub-account',
  source,
  access: writing,
  limit: perSecond(5),
  request: Type.Object({ subAccountUid: id(), ...newKeyFields }),
  response: records.NewSubKey,
  async handle(context, { subAccountUid: uid, passphrase: secretWord, label, ipList = [], permList }) {
    const { key, issued } = await issueSubKey(context, {
      uid,
      permissions: [...new Set(permList ?? readsOnly)],
      ipList,
      label,
      passphrase: secretWord,
    })
    return { ...dictionary.subKey(key), secretKey: issued.secret }
  },
})

const modifyKey = defineEndpoint({
  method: 'POST',
  path: '/api/v2/user/modify-virtual-subaccount-apikey',
  summary: 'Changes what a key of a sub-account may do, and from where; what is not named stays',
  source,
  access: writing,
  limit: perSecond(5),
  request: Type.Object({
    subAccountUid: id(),
    subAccountApiKey: text(128),
    ...newKeyFields,
    label: Type.Optional(text(64)),
  }),
  response: records.NewSubKey,
  async handle(context, input) {
    const { uid } = ownSub(context, input.subAccountUid)
    const changed = await changeSubKey(context, {
      key: keyOfOwnSub(context, input.subAccountApiKey, uid),
      passphrase: input.passphrase,
      permissions: input.permList && [...new Set(input.permList)],
      readOnly: input.permList === undefined ? undefined : false,
      ipList: input.ipList,
      label: input.label,
    })
    // The secret is told once, when the key is made.
    return { ...dictionary.subKey(changed), secretKey: '' }
  },
})

const keys = defineEndpoint({
  method: 'GET',
  path: '/api/v2/user/virtual-subaccount-apikey-list',
  summary: 'Keys of a sub-account, oldest first',
  source,
  access: reading,
  limit: perSecond(5),
  request: Type.Object({ subAccountUid: id() }),
  response: Type.Array(records.SubKey),
  handle: (context, { subAccountUid }) => keysOfSub(context, subAccountUid).map(({ key }) => dictionary.subKey(key)),
})

const createAgent = defineEndpoint({
  method: 'POST',
  path: '/api/v2/user/create-agent-subaccount',
  summary: 'Makes a sub-account and a key for it that may trade from anywhere',
  source,
  access: writing,
  limit: perSecond(1),
  request: Type.Object({ username: username(), passphrase: passphrase(), note: Type.Optional(text(50)) }),
  response: records.NewAgent,
  async handle(context, { username: name, passphrase: secretWord, note = '' }) {
    const sub = await createSub(context, { name, note, mode: modeOfSubs(context.account) }, 'v2')
    const { issued } = await issueSubKey(context, {
      uid: sub.uid,
      permissions: subPermissions,
      ipList: [],
      label: note,
      passphrase: secretWord,
    })
    const { apiKey, secret } = issued
    return { username: name, subUid: String(sub.uid), apiKey, secret, note, createdTime: String(sub.createdAt) }
  },
})

export const subAccountEndpoints: readonly Endpoint[] = [
  createSubAccounts,
  modifySubAccount,
  subAccounts,
  createKey,
  modifyKey,
  keys,
  createAgent,
]
