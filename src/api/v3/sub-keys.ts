/**
 * Keys of sub-accounts in v3, made and changed by their main account.
 *
 * Permissions  those of v3, and those of v2, without which a classic sub-account could do nothing
 * Type         `read_only` keys read in their fields, `read_write` ones do everything in them
 * Addresses    none: the key may be used from anywhere
 * Passphrase   of a change: the key's own, which proves that it is meant (40036); it cannot be changed
 * Secret       answered once, when the key is made
 * ts           in the list: when the key was made
 * Source       wire/v3-endpoints.md §5; wire/auth.md §5; fidelity §1
 */
import Type from 'typebox'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { missingParameter } from '../errors/errors.ts'
import { subPermissions } from '../keys/keys.ts'
import { addresses, changeSubKey, deleteSubKey, issueSubKey, keyOfOwnSub, keysOfSub } from '../own-sub-accounts.ts'
import * as field from '../parsing/fields.ts'
import * as wire from './dictionary.ts'
import { before, nextCursor } from './pages.ts'
import * as records from './records.ts'

const reading = { permission: 'uta_mgt', level: 'read', mainAccount: true } as const
const writing = { permission: 'uta_mgt', level: 'write', mainAccount: true } as const
const limit = { perSecond: 10, per: 'uid' } as const
const source = 'wire/v3-endpoints §5'

const keyType = () => field.oneOf(['read_write', 'read_only'])
const permissionList = () => field.list(field.oneOf(subPermissions), 1, subPermissions.length)
/** The reference spells the name of the key in two ways. */
const keyName = { apiKey: Type.Optional(field.text(128)), apikey: Type.Optional(field.text(128)) }

function nameOf({ apiKey, apikey }: { readonly apiKey?: string; readonly apikey?: string }): string {
  const name = apiKey ?? apikey
  if (name === undefined) throw missingParameter('apiKey')
  return name
}

const createSubApi = defineEndpoint({
  method: 'POST',
  path: '/api/v3/user/create-sub-api',
  summary: 'Makes a key for a sub-account',
  source,
  access: writing,
  limit,
  request: Type.Object({
    subUid: field.id(),
    note: field.text(50),
    type: keyType(),
    passphrase: field.passphrase(),
    permissions: permissionList(),
    ips: addresses(),
  }),
  response: records.NewSubKey,
  handle: async (context, { subUid, note, type, passphrase, permissions: asked, ips }) => {
    const { key, issued } = await issueSubKey(context, {
      uid: subUid,
      permissions: [...new Set(asked)],
      readOnly: type === 'read_only',
      ipList: ips,
      label: note,
      passphrase,
    })
    return wire.newSubKeyRecord(key, issued.secret)
  },
})

const updateSubApi = defineEndpoint({
  method: 'POST',
  path: '/api/v3/user/update-sub-api',
  summary: 'Changes what a key of a sub-account may do, and from where; what is not named stays',
  source,
  access: writing,
  limit,
  request: Type.Object({
    ...keyName,
    passphrase: field.passphrase(),
    type: Type.Optional(keyType()),
    permissions: Type.Optional(permissionList()),
    ips: Type.Optional(addresses()),
  }),
  response: records.SubKey,
  handle: async (context, input) => {
    const { passphrase, type, permissions: asked, ips } = input
    const changed = await changeSubKey(context, {
      key: keyOfOwnSub(context, nameOf(input)),
      passphrase,
      permissions: asked && [...new Set(asked)],
      readOnly: type && type === 'read_only',
      ipList: ips,
      label: undefined,
    })
    return wire.subKeyRecord(changed)
  },
})

const deleteSubApi = defineEndpoint({
  method: 'POST',
  path: '/api/v3/user/delete-sub-api',
  summary: 'Ends a key of a sub-account',
  source,
  access: writing,
  limit,
  request: Type.Object(keyName),
  response: Type.Object({}),
  handle: async (context, input) => {
    await deleteSubKey(context, keyOfOwnSub(context, nameOf(input)))
    return {}
  },
})

const subApiList = defineEndpoint({
  method: 'GET',
  path: '/api/v3/user/sub-api-list',
  summary: 'Keys of a sub-account, oldest first',
  source,
  access: reading,
  limit,
  request: Type.Object({
    subUid: field.id(),
    limit: field.limit(100, 100),
    cursor: Type.Optional(field.cursor()),
  }),
  response: records.SubKeys,
  handle: (context, { subUid, limit: most, cursor }) => {
    const { dialect } = context
    const after = before('keys', cursor, dialect) ?? 0
    const left = keysOfSub(context, subUid).filter(({ place }) => place > after)
    const page = left.slice(0, most)
    const last = page.at(-1)?.place
    const hasNext = left.length > page.length
    const next = nextCursor(dialect, 'keys', { next: hasNext ? last : undefined, last })
    return { items: page.map(({ key }) => wire.listedSubKeyRecord(key)), hasNext, cursor: next }
  },
})

export const subKeyEndpoints: readonly Endpoint[] = [createSubApi, updateSubApi, deleteSubApi, subApiList]
