/**
 * API keys: who may speak for which account. They live outside the engine, in <data>/keys.sqlite.
 *
 * Secrets   sealed at rest (seal.ts), plain only in memory, answered once when the key is made; never in a log or an error
 * Durable   a key that was answered survives a crash, and so does a revocation
 * Asked     in memory, by every signed request; the file is read once, at start
 * Source    design.md §4.1; wire/auth.md §5; reliability.md S5
 */
import { createPublicKey, randomBytes, randomInt } from 'node:crypto'
import { chmodSync, closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import {
  type ApiKey,
  type DraftKey,
  type KeyChange,
  type KeyKeeper,
  liveKeysMax,
  type NewKey,
  type Permission,
} from '../api/api.ts'
import { CannotStart } from './data-directory.ts'
import type { Seal } from './seal.ts'

interface Row {
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

/** The name under which the store seals a known text, to notice a wrong master key at start. */
const sampleName = 'tidemark'

export class SealedKeyStore implements KeyKeeper {
  readonly #database: DatabaseSync
  readonly #seal: Seal
  readonly #keys = new Map<string, ApiKey>()
  /** Places that are asked for and not yet taken, by account. */
  readonly #reserved = new Map<number, number>()

  constructor(file: string, seal: Seal) {
    closeSync(openSync(file, 'a', 0o600))
    chmodSync(file, 0o600)
    this.#seal = seal
    this.#database = new DatabaseSync(file)
    this.#database.exec(`
      PRAGMA journal_mode = DELETE;
      PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS seal (sample BLOB NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS keys (
        api_key TEXT PRIMARY KEY, uid INTEGER NOT NULL, kind TEXT NOT NULL, permissions TEXT NOT NULL, ip_list TEXT NOT NULL,
        label TEXT NOT NULL, sealed BLOB NOT NULL, created_at INTEGER NOT NULL, revoked_at INTEGER,
        read_only INTEGER NOT NULL DEFAULT 0
      ) STRICT;
    `)
    this.#addReadOnly()
    this.#checkSeal(file)
    for (const row of this.#database
      .prepare('SELECT * FROM keys ORDER BY created_at, rowid')
      .all() as unknown as Row[]) {
      this.#keys.set(row.api_key, this.#read(file, row))
    }
  }

  find(apiKey: string): ApiKey | undefined {
    return this.#keys.get(apiKey)
  }

  of(uid: number): readonly ApiKey[] {
    return [...this.#keys.values()].filter((key) => key.uid === uid)
  }

  /** Keys of an account that are not revoked, oldest first. */
  live(uid: number): readonly ApiKey[] {
    return this.of(uid).filter((key) => key.revokedAt === undefined)
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
    const passphrase = asked.passphrase ?? makePassphrase()
    const secret = asked.publicKey === undefined ? randomBytes(32).toString('hex') : ''
    const apiKey = `tm_${randomBytes(16).toString('hex')}`
    return {
      issued: { apiKey, secret, passphrase },
      key: {
        apiKey,
        uid: asked.uid,
        kind: asked.publicKey === undefined ? 'hmac' : (publicKeyKind(asked.publicKey) ?? 'rsa'),
        secret: asked.publicKey ?? secret,
        passphrase,
        permissions: [...asked.permissions],
        readOnly: asked.readOnly ?? false,
        ipList: [...asked.ipList],
        label: asked.label,
        revokedAt: undefined,
      },
    }
  }

  keep({ key }: DraftKey): void {
    const sealed = this.#seal.close(JSON.stringify([key.secret, key.passphrase]), key.apiKey)
    this.#database
      .prepare('INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)')
      .run(
        key.apiKey,
        key.uid,
        key.kind,
        key.permissions.join(','),
        key.ipList.join(','),
        key.label,
        sealed,
        Date.now(),
        key.readOnly ? 1 : 0,
      )
    this.#keys.set(key.apiKey, key)
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
    const { permissions, readOnly, ipList, label } = changed
    this.#database
      .prepare('UPDATE keys SET permissions = ?, read_only = ?, ip_list = ?, label = ? WHERE api_key = ?')
      .run(permissions.join(','), readOnly ? 1 : 0, ipList.join(','), label, apiKey)
    this.#keys.set(apiKey, changed)
    return changed
  }

  revoke(apiKey: string): boolean {
    const key = this.#keys.get(apiKey)
    if (key === undefined) return false
    const revokedAt = key.revokedAt ?? Date.now()
    this.#database.prepare('UPDATE keys SET revoked_at = ? WHERE api_key = ?').run(revokedAt, apiKey)
    this.#keys.set(apiKey, { ...key, revokedAt })
    return true
  }

  close(): void {
    this.#database.close()
  }

  /** A file of before there were keys that only read their field. */
  #addReadOnly(): void {
    const columns = this.#database.prepare('PRAGMA table_info(keys)').all() as unknown as { name: string }[]
    if (columns.some(({ name }) => name === 'read_only')) return
    this.#database.exec('ALTER TABLE keys ADD COLUMN read_only INTEGER NOT NULL DEFAULT 0')
  }

  #checkSeal(file: string): void {
    const row = this.#database.prepare('SELECT sample FROM seal').get() as { sample: Uint8Array } | undefined
    if (row === undefined) {
      this.#database.prepare('INSERT INTO seal VALUES (?)').run(this.#seal.close(sampleName, sampleName))
    } else if (this.#seal.open(row.sample, sampleName) !== sampleName) {
      throw new CannotStart(`the keys in ${file} are sealed under another master key`)
    }
  }

  #read(file: string, row: Row): ApiKey {
    const opened = this.#seal.open(row.sealed, row.api_key)
    if (opened === undefined) throw new CannotStart(`the key ${row.api_key} in ${file} is damaged`)
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
      revokedAt: row.revoked_at ?? undefined,
    }
  }
}

/** Which signatures a public key verifies; undefined: none that the interface knows. */
export function publicKeyKind(pem: string): 'rsa' | 'ed25519' | undefined {
  try {
    const { asymmetricKeyType } = createPublicKey(pem)
    return asymmetricKeyType === 'rsa' || asymmetricKeyType === 'ed25519' ? asymmetricKeyType : undefined
  } catch {
    return undefined
  }
}

const passphraseLetters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'

function makePassphrase(): string {
  return Array.from({ length: 16 }, () => passphraseLetters[randomInt(passphraseLetters.length)]).join('')
}
