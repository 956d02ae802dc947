/**
 * API keys: who may speak for which account. They live outside the engine, in <data>/keys.sqlite.
 *
 * Secrets   sealed at rest (seal.ts), plain only in memory, answered once when the key is made; never in a log or an error
 * Durable   a key that was answered survives a crash, and so does a revocation
 * Whole     what a key may do, for whom and from where is sealed with its secret: a row that was changed stops the start,
 *           as does a file that is no sound database
 * Unfit     a public key that would not be taken today is kept, works no more, and is named at start
 * Asked     in memory, by every signed request; the file is read once, at start
 * Source    design.md §4.1; wire/auth.md §5; reliability.md S5
 */
import { randomBytes, randomInt } from 'node:crypto'
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
} from '../../api/api.ts'
import { CannotStart, reasonOf } from '../data-directory.ts'
import { judgePublicKey } from './public-key.ts'
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

/** The version of the file whose secrets are bound to their rows. */
const sealedRows = 1

export class SealedKeyStore implements KeyKeeper {
  readonly #database: DatabaseSync
  readonly #seal: Seal
  readonly #keys = new Map<string, ApiKey>()
  /** Places that are asked for and not yet taken, by account. */
  readonly #reserved = new Map<number, number>()
  readonly #watching = new Set<(uid: number) => void>()

  constructor(file: string, seal: Seal, durability: 'sync' | 'os' = 'sync') {
    closeSync(openSync(file, 'a', 0o600))
    chmodSync(file, 0o600)
    this.#seal = seal
    this.#database = new DatabaseSync(file)
    try {
      this.#open(file, durability)
    } catch (cause) {
      this.#database.close()
      if (cause instanceof CannotStart) throw cause
      throw new CannotStart(`the keys in ${file} cannot be read: ${reasonOf(cause)}`, { cause })
    }
  }

  #open(file: string, durability: 'sync' | 'os'): void {
    this.#database.exec(`
      PRAGMA journal_mode = DELETE;
      PRAGMA synchronous = ${durability === 'sync' ? 'FULL' : 'OFF'};
      CREATE TABLE IF NOT EXISTS seal (sample BLOB NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS keys (
        api_key TEXT PRIMARY KEY, uid INTEGER NOT NULL, kind TEXT NOT NULL, permissions TEXT NOT NULL, ip_list TEXT NOT NULL,
        label TEXT NOT NULL, sealed BLOB NOT NULL, created_at INTEGER NOT NULL, revoked_at INTEGER,
        read_only INTEGER NOT NULL DEFAULT 0
      ) STRICT;
    `)
    const found = this.#database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
    if (found !== 'ok') throw new CannotStart(`${file} is damaged: ${String(found)}`)
    this.#addReadOnly()
    this.#checkSeal(file)
    this.#sealRows(file)
    for (const row of this.#rows()) this.#keys.set(row.api_key, this.#read(file, row))
  }

  #rows(): Row[] {
    return this.#database.prepare('SELECT * FROM keys ORDER BY created_at, rowid').all() as unknown as Row[]
  }

  /** Up to version 0 secrets were bound to their key's name alone. */
  #sealRows(file: string): void {
    const version = this.#database.prepare('PRAGMA user_version').get()?.['user_version']
    if (version === sealedRows) return
    if (version !== 0) throw new CannotStart(`${file} has version ${String(version)}; this program reads ${sealedRows}`)
    this.#database.exec('BEGIN IMMEDIATE')
    for (const row of this.#rows()) {
      const opened = this.#seal.open(row.sealed, row.api_key)
      if (opened === undefined) throw new CannotStart(`the key ${row.api_key} in ${file} is damaged`)
      const sealed = this.#seal.close(opened, boundTo(row))
      this.#database.prepare('UPDATE keys SET sealed = ? WHERE api_key = ?').run(sealed, row.api_key)
    }
    this.#database.exec(`PRAGMA user_version = ${sealedRows}; COMMIT`)
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
        kind: asked.publicKey === undefined ? 'hmac' : kindOf(asked.publicKey),
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
    this.#save(key)
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
    this.#save(changed)
    return changed
  }

  revoke(apiKey: string): boolean {
    const key = this.#keys.get(apiKey)
    if (key === undefined) return false
    if (key.revokedAt === undefined) this.#save({ ...key, revokedAt: Date.now() })
    return true
  }

  watch(heard: (uid: number) => void): () => void {
    this.#watching.add(heard)
    return () => this.#watching.delete(heard)
  }

  limited(uid: number): void {
    for (const heard of this.#watching) heard(uid)
  }

  close(): void {
    this.#database.close()
  }

  /** A new key, or one that has changed: its secret is sealed anew with what it is bound to. */
  #save(key: ApiKey): void {
    const known = this.#database.prepare('SELECT created_at FROM keys WHERE api_key = ?').get(key.apiKey)
    const row: Omit<Row, 'sealed'> = {
      api_key: key.apiKey,
      uid: key.uid,
      kind: key.kind,
      permissions: key.permissions.join(','),
      read_only: key.readOnly ? 1 : 0,
      ip_list: key.ipList.join(','),
      label: key.label,
      created_at: known === undefined ? Date.now() : Number(known['created_at']),
      revoked_at: key.revokedAt ?? null,
    }
    const sealed = this.#seal.close(JSON.stringify([key.secret, key.passphrase]), boundTo(row))
    this.#database
      .prepare(`
        INSERT INTO keys (api_key, uid, kind, permissions, read_only, ip_list, label, created_at, revoked_at, sealed)
        VALUES ($api_key, $uid, $kind, $permissions, $read_only, $ip_list, $label, $created_at, $revoked_at, $sealed)
        ON CONFLICT (api_key) DO UPDATE SET permissions = $permissions, read_only = $read_only, ip_list = $ip_list,
          label = $label, revoked_at = $revoked_at, sealed = $sealed
      `)
      .run({ ...row, sealed })
    this.#keys.set(key.apiKey, key)
    this.limited(key.uid)
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
    const opened = this.#seal.open(row.sealed, boundTo(row))
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
      fault: row.kind === 'hmac' ? undefined : faultOf(secret),
    }
  }
}

/** Everything of a row that decides anything: the secret opens only beside the same. */
function boundTo(row: Omit<Row, 'sealed'>): string {
  const { api_key, uid, kind, permissions, read_only, ip_list, label, created_at, revoked_at } = row
  return JSON.stringify([api_key, uid, kind, permissions, read_only, ip_list, label, created_at, revoked_at])
}

function kindOf(publicKey: string): 'rsa' | 'ed25519' {
  const judged = judgePublicKey(publicKey)
  if ('fault' in judged) throw new Error(`a public key was to be kept that is none: ${judged.fault}`)
  return judged.kind
}

function faultOf(publicKey: string): string | undefined {
  const judged = judgePublicKey(publicKey)
  return 'fault' in judged ? judged.fault : undefined
}

const passphraseLetters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'

function makePassphrase(): string {
  return Array.from({ length: 16 }, () => passphraseLetters[randomInt(passphraseLetters.length)]).join('')
}
