/**
 * Virtual sub-accounts and their keys as v2 writes them; the reference spells two of the names with an a too many.
 *
 * Source  wire/client-endpoints.md §4
 */
import type { AccountView } from '../../../engine/protocol/query.ts'
import { type ApiKey, permissions } from '../../keys/keys.ts'
import type * as records from '../records.ts'

const statusOf = ({ frozen }: AccountView) => (frozen ? 'freeze' : 'normal')
const permListOf = (sub: AccountView) => [...(sub.permissions ?? permissions)]

export function newSubAccount(sub: AccountView): records.NewSubAccount {
  return {
    subaAccountUid: String(sub.uid),
    subaAccountName: sub.name,
    status: statusOf(sub),
    permList: permListOf(sub),
    label: sub.note,
    cTime: String(sub.createdAt),
    uTime: String(sub.updatedAt),
  }
}

export function subAccount(sub: AccountView): records.SubAccount {
  return {
    subAccountUid: String(sub.uid),
    subAccountName: sub.name,
    label: sub.note,
    status: statusOf(sub),
    permList: permListOf(sub),
    accountType: sub.mode,
    bindingTime: sub.boundAt === undefined ? '' : String(sub.boundAt),
    cTime: String(sub.createdAt),
    uTime: String(sub.updatedAt),
  }
}

export function subKey(key: ApiKey): records.SubKey {
  return {
    subAccountUid: String(key.uid),
    subAccountApiKey: key.apiKey,
    permList: [...key.permissions],
    label: key.label,
    ipList: [...key.ipList],
  }
}
