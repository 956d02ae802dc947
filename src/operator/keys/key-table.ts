/**
 * API keys in memory: every rule of the port, but for where keys are kept.
 *
 * Not here   files and seals (key-store.ts); a store that keeps nothing (memory-key-store.ts)
 * Source     design.md §4.1; wire/auth.md §5
 */
import {
  type ApiKey,
  type DraftKey,
  type IssuedKey,
  type KeyChange,
  type KeyIssuer,
  type KeyKeeper,
  liveKeysMax,
  type NewKey,
} from '../../api/api.ts'
import { judgePublicKey } from './public-key.ts'

/** What the operator asks of keys, wherever they are kept. */
export type KeyBook = KeyIssuer &
  Pick<KeyTable, 'all' | 'live' | 'unfit'> & {
    /** Not yet, where keys are somewhere else: those that are known are not all. */
    readonly isLoaded?: boolean
  }

export abstract class KeyTable implements KeyKeeper {
  readonly #keys = new Map<string, ApiKey>()
  /** Places that are asked for and not yet taken, by account. */
  readonly #reserved = new Map<number, number>()
  readonly #watching = new Set<(uid: number) => void>()

  /** Unix milliseconds. */
  protected abstract now(): number
  /** So many random bytes, in hex. */
  protected abstract randomHex(bytes: number): string
  /** A number from zero, below that. */
  protected abstract randomBelow(bound: number): number
  /** A key that has a name before it is made; undefined: it gets one. */
  protected abstract nameFor(asked: NewKey): IssuedKey | undefined
  /** Resolves nothing: it is kept when this returns. */
  protected abstract keepForGood(key: ApiKey): void

  /** In place of all that are known. */
  protected fill(keys: Iterable<ApiKey>): void {
    this.#keys.clear()
    for (const key of keys) this.#keys.set(key.apiKey, key)
  }

  /** It is as if it had never been there. */
  protected drop(apiKey: string): void {
    const key = this.#keys.get(apiKey)
    if (key === undefined) return
    this.#keys.delete(apiKey)
    this.limited(key.uid)
  }

  find(apiKey: string): ApiKey | undefined {
    return this.#keys.get(apiKey)
  }

  /** Oldest first, revoked ones among them. */
  all(): IterableIterator<ApiKey> {
    return this.#keys.values()
  }

  of(uid: number): readonly ApiKey[] {
    return [...this.#keys.values()].filter((key) => key.uid === uid)
  }

  /** Keys of an account that are not revoked, oldest first. */
  live(uid: number): readonly ApiKey[] {
    return this.of(uid).filter((key) => key.revokedAt === undefined)
  }

  /** Keys that were not revoked and cannot be used all the same, as `fault` says. */
  unfit(): readonly ApiKey[] {
    return [...this.#keys.values()].filter((key) => key.fault !== undefined && key.revokedAt === undefined)
  }

  /** Keys as another store of the venue has them. One that was revoked stays so. Answers whose changed. */
  take(keys: readonly ApiKey[]): ReadonlySet<number> {
    const changed = new Set<number>()
    for (const key of keys) {
      const known = this.#keys.get(key.apiKey)
      if (known !== undefined && (known.revokedAt !== undefined || JSON.stringify(known) === JSON.stringify(key)))
        continue
      this.#put(key)
      changed.add(key.uid)
    }
    return changed
  }

  reserve(uid: number): boolean {
    const reserved = this.#reserved.get(uid) ?? 0
    if (this.live(uid).length + reserved >= liveKeysMax) return false
    this.#reserved.set(uid, reserved + 1)
    return true
  }

  release(uid: number): void {
    const reserved = (this.#reserved.get(uid) ?? 0) - 1
    if (reserved > 0) this.#reserved.set(uid, reserved)
    else this.#reserved.delete(uid)
  }

  draft(asked: NewKey): DraftKey {
    const named = this.nameFor(asked)
    if (named !== undefined) return draftOf(asked, named, this.now())
    const passphrase = asked.passphrase ?? this.#makePassphrase()
    const secret = asked.publicKey === undefined ? this.randomHex(32) : ''
    const apiKey = `tm_${this.randomHex(16)}`
    return draftOf(asked, { apiKey, secret, passphrase }, this.now())
  }

  keep({ key }: DraftKey): void {
    this.#put(key)
  }

  change(apiKey: string, change: KeyChange): ApiKey {
    const key = this.#keys.get(apiKey)
    if (key === undefined) throw new Error('a key that is not there was to be changed')
    const changed: ApiKey = {
      ...key,
      permissions: change.permissions ?? key.permissions,
      readOnly: change.readOnly ?? key.readOnly,
      ipList: change.ipList ?? key.ipList,
      label: change.label ?? key.label,
    }
    this.#put(changed)
    return changed
  }

  revoke(apiKey: string): boolean {
    const key = this.#keys.get(apiKey)
    if (key === undefined) return false
    if (key.revokedAt === undefined) this.#put({ ...key, revokedAt: this.now() })
    return true
  }

  watch(heard: (uid: number) => void): () => void {
    this.#watching.add(heard)
    return () => this.#watching.delete(heard)
  }

  limited(uid: number): void {
    for (const heard of this.#watching) heard(uid)
  }

  #put(key: ApiKey): void {
    this.keepForGood(key)
    this.#keys.set(key.apiKey, key)
    this.limited(key.uid)
  }

  #makePassphrase(): string {
    return Array.from({ length: 16 }, () => passphraseLetters[this.randomBelow(passphraseLetters.length)]).join('')
  }
}

const passphraseLetters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'

function draftOf(asked: NewKey, issued: IssuedKey, createdAt: number): DraftKey {
  return {
    issued,
    key: {
      apiKey: issued.apiKey,
      uid: asked.uid,
      kind: asked.publicKey === undefined ? 'hmac' : kindOf(asked.publicKey),
      secret: asked.publicKey ?? issued.secret,
      passphrase: issued.passphrase,
      permissions: [...asked.permissions],
      readOnly: asked.readOnly ?? false,
      ipList: [...asked.ipList],
      label: asked.label,
      createdAt,
      revokedAt: undefined,
    },
  }
}

function kindOf(publicKey: string): 'rsa' | 'ed25519' {
  const judged = judgePublicKey(publicKey)
  if ('fault' in judged) throw new Error(`a public key was to be kept that is none: ${judged.fault}`)
  return judged.kind
}
