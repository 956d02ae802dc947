/**
 * A key as a row at rest, wherever that is.
 *
 * Bound   whatever decides what a key may do, for whom and from where is sealed with its secret: it opens beside the same only
 * Unfit   a public key that would not be taken today is read, and says why it works no more
 */
import type { ApiKey, Permission } from '../../api/api.ts'
import { judgePublicKey } from './public-key.ts'
import type { Seal } from './seal.ts'

export interface KeyRow {
  readonly api_key: string
  readonly uid: number
  readonly kind: ApiKey['kind']
  readonly permissions: string
  readonly read_only: number
  readonly ip_list: string
  readonly label: string
  readonly sealed: Uint8Array
  readonly created_at: number
  readonly revoked_at: number | null
}

/** The name under which a store seals a known text, to notice a wrong master key. */
export const sampleName = 'tidemark'
export const otherMasterKey = 'give back the master.key, or the TIDEMARK_MASTER_KEY, that they were made under'

export function rowOfKey(key: ApiKey, seal: Seal): KeyRow {
  const row: Omit<KeyRow, 'sealed'> = {
    api_key: key.apiKey,
    uid: key.uid,
    kind: key.kind,
    permissions: key.permissions.join(','),
    read_only: key.readOnly ? 1 : 0,
    ip_list: key.ipList.join(','),
    label: key.label,
    created_at: key.createdAt,
    revoked_at: key.revokedAt ?? null,
  }
  return { ...row, sealed: seal.close(JSON.stringify([key.secret, key.passphrase]), boundTo(row)) }
}

/** Undefined: it was changed by somebody, or is damaged. */
export function keyOfRow(row: KeyRow, seal: Seal): ApiKey | undefined {
  const opened = seal.open(row.sealed, boundTo(row))
  if (opened === undefined) return undefined
  const [secret, passphrase] = JSON.parse(opened) as [string, string]
  return {
    apiKey: row.api_key,
    uid: row.uid,
    kind: row.kind,
    secret,
    passphrase,
    permissions: row.permissions.split(',') as Permission[],
    readOnly: row.read_only === 1,
    ipList: row.ip_list === '' ? [] : row.ip_list.split(','),
    label: row.label,
    createdAt: row.created_at,
    revokedAt: row.revoked_at ?? undefined,
    fault: row.kind === 'hmac' ? undefined : faultOf(secret),
  }
}

/** Everything of a row that decides anything: the secret opens only beside the same. */
export function boundTo(row: Omit<KeyRow, 'sealed'>): string {
  const { api_key, uid, kind, permissions, read_only, ip_list, label, created_at, revoked_at } = row
  return JSON.stringify([api_key, uid, kind, permissions, read_only, ip_list, label, created_at, revoked_at])
}

function faultOf(publicKey: string): string | undefined {
  const judged = judgePublicKey(publicKey)
  return 'fault' in judged ? judged.fault : undefined
}
