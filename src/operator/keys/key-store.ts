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
import type { ApiKey } from '../../api/api.ts'
import { CannotStart, reasonOf } from '../data-directory.ts'
import { KeyTable } from './key-table.ts'
import type { Seal } from './seal.ts'
import { boundTo, type KeyRow, keyOfRow, otherMasterKey, rowOfKey, sampleName } from './sealed-rows.ts'

const restoreKeys = 'restore the file from a backup, or put it away: then it counts as lost'

/** The version of the file whose secrets are bound to their rows. */
const sealedRows = 1

export class SealedKeyStore extends KeyTable {
  readonly #database: DatabaseSync
  readonly #seal: Seal

  constructor(file: string, seal: Seal, durability: 'sync' | 'os' = 'sync') {
    super()
    closeSync(openSync(file, 'a', 0o600))
    chmodSync(file, 0o600)
    this.#seal = seal
    this.#database = new DatabaseSync(file)
    try {
      this.#open(file, durability)
    } catch (cause) {
      this.#database.close()
      if (cause instanceof CannotStart) throw cause
      throw new CannotStart(`the keys in ${file} cannot be read: ${reasonOf(cause)}; ${restoreKeys}`, { cause })
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
    if (found !== 'ok') {
      throw new CannotStart(`${file} is damaged: ${String(found).replaceAll(/\s+/g, ' ')}; ${restoreKeys}`)
    }
    this.#addReadOnly()
    this.#checkSeal(file)
    this.#sealRows(file)
    this.fill(this.#rows().map((row) => this.#read(file, row)))
  }

  #rows(): KeyRow[] {
    return this.#database.prepare('SELECT * FROM keys ORDER BY created_at, rowid').all() as unknown as KeyRow[]
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

  close(): void {
    this.#database.close()
  }

  protected now(): number {
    return Date.now()
  }

  protected randomHex(bytes: number): string {
    return randomBytes(bytes).toString('hex')
  }

  protected randomBelow(bound: number): number {
    return randomInt(bound)
  }

  protected nameFor(): undefined {
    return undefined
  }

  /** A new key, or one that has changed: its secret is sealed anew with what it is bound to. */
  protected keepForGood(key: ApiKey): void {
    this.#database
      .prepare(`
        INSERT INTO keys (api_key, uid, kind, permissions, read_only, ip_list, label, created_at, revoked_at, sealed)
        VALUES ($api_key, $uid, $kind, $permissions, $read_only, $ip_list, $label, $created_at, $revoked_at, $sealed)
        ON CONFLICT (api_key) DO UPDATE SET permissions = $permissions, read_only = $read_only, ip_list = $ip_list,
          label = $label, revoked_at = $revoked_at, sealed = $sealed
      `)
      .run({ ...rowOfKey(key, this.#seal) })
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
      throw new CannotStart(`the keys in ${file} are sealed under another master key: ${otherMasterKey}`)
    }
  }

  #read(file: string, row: KeyRow): ApiKey {
    const key = keyOfRow(row, this.#seal)
    if (key === undefined) throw new CannotStart(`the key ${row.api_key} in ${file} is damaged; ${restoreKeys}`)
    return key
  }
}
