/**
 * Sub-accounts and their keys as v3 writes them.
 *
 * Type    all sub-accounts are virtual: they have no login of their own, only keys
 * Source  wire/v3-endpoints.md §5
 */
import type { Static } from 'typebox'
import type { AccountView } from '../../../engine/protocol/query.ts'
import type { ApiKey } from '../../keys/keys.ts'
import type * as records from '../records.ts'

export function newSubAccountRecord(sub: AccountView): Static<typeof records.NewSubAccount> {
  return {
    username: sub.name,
    subUid: String(sub.uid),
    status: sub.frozen ? 'freeze' : 'normal',
    note: sub.note,
    createdTime: String(sub.createdAt),
    updatedTime: String(sub.updatedAt),
  }
}

export function subAccountRecord(sub: AccountView): Static<typeof records.SubAccount> {
  return { ...newSubAccountRecord(sub), accountMode: sub.mode.toUpperCase(), type: 'virtual' }
}

export function subKeyRecord({ apiKey, label, permissions, readOnly, ipList }: ApiKey): Static<typeof records.SubKey> {
  const reads = readOnly || permissions.every((permission) => permission === 'read')
  return {
    apiKey,
    note: label,
    type: reads ? 'read_only' : 'read_write',
    permissions: [...permissions],
    ips: [...ipList],
  }
}

/** In a list also when it was made. */
export function listedSubKeyRecord(key: ApiKey): Static<typeof records.ListedSubKey> {
  return { ...subKeyRecord(key), ts: String(key.createdAt) }
}

export function newSubKeyRecord(key: ApiKey, secret: string): Static<typeof records.NewSubKey> {
  return { ...subKeyRecord(key), secret }
}
