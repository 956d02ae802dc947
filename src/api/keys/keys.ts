/**
 * API keys as the edge sees them: what authentication needs to know, and the port through which it finds them.
 *
 * Holds      a store answers the same object for a key until the key changes (key material is cached by object)
 * Secret     plain, in memory only; for RSA and Ed25519 keys the public key as PEM
 * At most    10 live keys of one account
 * Not here   sealing and storing keys (operator/); in which order a change is recorded and takes effect (key-issuance.ts)
 * Source     wire/auth.md §1, §5; design.md §4.1
 */
import type { Uid } from '../../engine/vocabulary.ts'

export const permissions = [
  'read',
  'uta_trade',
  'uta_mgt',
  'spot_trade',
  'margin_trade',
  'contract_trade',
  'transfer',
  'withdraw',
] as const

/** `read` reads everything of its account; each of the others reads and writes in its own field. `withdraw` is in no other. */
export type Permission = (typeof permissions)[number]

/** What keys of sub-accounts may be given: no sub-account withdraws. */
export const subPermissions = permissions.filter((permission) => permission !== 'withdraw')

type KeyKind = 'hmac' | 'rsa' | 'ed25519'

export interface ApiKey {
  readonly apiKey: string
  readonly uid: Uid
  readonly kind: KeyKind
  readonly secret: string
  readonly passphrase: string
  readonly permissions: readonly Permission[]
  /** Its permissions are for reading alone. */
  readonly readOnly: boolean
  /** Addresses that may use the key; empty: any. */
  readonly ipList: readonly string[]
  readonly label: string
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Unix milliseconds; undefined while the key is good. */
  readonly revokedAt: number | undefined
  /** Why the key cannot be used although it was not revoked: a public key as it would not be taken any more. */
  readonly fault?: string | undefined
}

/** Whether anything may be done with the key. */
export function isUsable({ revokedAt, fault }: ApiKey): boolean {
  return revokedAt === undefined && fault === undefined
}

export interface KeyStore {
  find(apiKey: string): ApiKey | undefined
}

/** A store whose changes are heard of. */
export interface ChangingKeys extends KeyStore {
  /** `heard` gets the account, whenever one of its keys, or what its keys may do at most, has changed. Answers how to end it. */
  watch(heard: (uid: Uid) => void): () => void
}

export const liveKeysMax = 10
export const passphrasePattern = /^[A-Za-z0-9]{8,32}$/

export interface NewKey {
  readonly uid: Uid
  readonly permissions: readonly Permission[]
  readonly readOnly?: boolean
  readonly ipList: readonly string[]
  readonly label: string
  /** Undefined: the store makes one. */
  readonly passphrase?: string | undefined
  /** PEM of an RSA or Ed25519 key whose private half the client keeps; undefined: an HMAC secret is made. */
  readonly publicKey?: string | undefined
}

/** The secrets of a new key, shown this once; `secret` is empty when a public key was given. */
export interface IssuedKey {
  readonly apiKey: string
  readonly secret: string
  readonly passphrase: string
}

/** A key that is ready to be kept: its name can be recorded before it works. */
export interface DraftKey {
  readonly issued: IssuedKey
  readonly key: ApiKey
}

/** What of a key may be another later; what is undefined stays. */
export interface KeyChange {
  readonly permissions: readonly Permission[] | undefined
  readonly readOnly: boolean | undefined
  readonly ipList: readonly string[] | undefined
  readonly label: string | undefined
}

/** A store in which keys are made, changed and revoked. */
export interface KeyKeeper extends ChangingKeys {
  /** All keys that an account ever had, oldest first. */
  of(uid: Uid): readonly ApiKey[]
  /** A place for one more live key of the account, given back by `release`; false: it has them all. */
  reserve(uid: Uid): boolean
  release(uid: Uid): void
  draft(asked: NewKey): DraftKey
  keep(draft: DraftKey): void
  /** The key as it is from now on. */
  change(apiKey: string, change: KeyChange): ApiKey
  /** False: no such key. Revoking twice is no fault. */
  revoke(apiKey: string): boolean
  /** What the keys of an account may do at most has changed: those who watch are told. */
  limited(uid: Uid): void
}

type Later<T> = T | Promise<T>

/** The same, which may be somewhere else: what changes a key is done when it has answered. */
export interface KeyIssuer extends ChangingKeys {
  of(uid: Uid): readonly ApiKey[]
  reserve(uid: Uid): Later<boolean>
  /** `apiKey`: what was made at that place, where anything was. */
  release(uid: Uid, apiKey?: string): void
  draft(asked: NewKey): Later<DraftKey>
  keep(draft: DraftKey): Later<void>
  change(apiKey: string, change: KeyChange): Later<ApiKey>
  revoke(apiKey: string): Later<boolean>
  limited(uid: Uid): void
  /** There where others read a key when they hear that it was made or changed, and hear of a revocation alone. */
  readonly ahead?: KeysAhead
}

/**
 * What is written before its command is recorded, and works when that is. Each answers how to take it back. Rejects with
 * CommandNotSequenced where it cannot be written now.
 */
interface KeysAhead {
  keep(draft: DraftKey): Promise<() => Promise<void>>
  change(apiKey: string, change: KeyChange): Promise<() => Promise<void>>
}
