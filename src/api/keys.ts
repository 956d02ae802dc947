/**
 * API keys as the edge sees them: what authentication needs to know, and the port through which it finds them.
 *
 * Holds      a store answers the same object for a key until the key changes (key material is cached by object)
 * Secret     plain, in memory only; for RSA and Ed25519 keys the public key as PEM
 * Not here   making, sealing and revoking keys (operator/)
 * Source     wire/auth.md §1, §5; design.md §4.1
 */
import type { Uid } from '../engine/command.ts'

export const permissions = [
  'read',
  'uta_trade',
  'uta_mgt',
  'spot_trade',
  'margin_trade',
  'contract_trade',
  'transfer',
] as const

/** `read` reads everything of its account; each of the others reads and writes in its own field. */
export type Permission = (typeof permissions)[number]

type KeyKind = 'hmac' | 'rsa' | 'ed25519'

export interface ApiKey {
  readonly apiKey: string
  readonly uid: Uid
  readonly kind: KeyKind
  readonly secret: string
  readonly passphrase: string
  readonly permissions: readonly Permission[]
  /** Addresses that may use the key; empty: any. */
  readonly ipList: readonly string[]
  readonly label: string
  /** Unix milliseconds; undefined while the key is good. */
  readonly revokedAt: number | undefined
}

export interface KeyStore {
  find(apiKey: string): ApiKey | undefined
}
