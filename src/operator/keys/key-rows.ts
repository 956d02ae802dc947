/**
 * Keys as rows in PostgreSQL: what is asked of the database, and nothing of who hears of it.
 *
 * Sealed    as in a file (sealed-rows.ts), under the master key that all processes of the venue have
 * Active    a row is written before its command; it is active when that was recorded. Nobody was told the secret of one that never is
 * Places    what is asked for and not yet made holds a place of the account, for a minute at most. It names its key as soon as that
 *           has a row, so that a key which is there while its place is held counts once
 */
import type pg from 'pg'
import { type ApiKey, liveKeysMax } from '../../api/api.ts'
import { assertServer, noteVenue, WrongDatabase } from '../../history/postgres-history.ts'
import type { Seal } from './seal.ts'
import { type KeyRow, keyOfRow, otherMasterKey, rowOfKey, sampleName } from './sealed-rows.ts'

/** Any number that nobody else takes: it keeps two processes from making the tables at once. */
const tablesLock = 84_336_276
/** Beside the number of an account: its places are counted by one at a time. */
const placesLock = 84_336_277

const names = [
  'api_key',
  'uid',
  'kind',
  'permissions',
  'read_only',
  'ip_list',
  'label',
  'sealed',
  'created_at',
  'revoked_at',
] as const satisfies (keyof KeyRow)[]

/** The driver gives bytes as text. */
const selected = names.map((name) => (name === 'sealed' ? "encode(sealed, 'hex') as sealed" : name)).join(', ')

const tables = `
  create table if not exists api_key_seal ("only" int8 primary key check ("only" = 1), sample bytea not null);
  create table if not exists api_keys (
    place int8 generated always as identity, api_key text primary key, uid int8 not null, kind text not null,
    permissions text not null, read_only int8 not null, ip_list text not null, label text not null, sealed bytea not null,
    created_at int8 not null, revoked_at int8, active boolean not null
  );
  create index if not exists api_keys_by_uid on api_keys (uid);
  create table if not exists api_key_places (
    place int8 generated always as identity primary key, uid int8 not null, at timestamptz not null default now(), api_key text
  )`

/** Of an earlier release: places did not name their keys. Only then, as it waits for whoever uses the table. */
const placesOf = `
  select 1 from pg_attribute where attrelid = 'api_key_places'::regclass and attname = 'api_key' and not attisdropped`
const placesNamed = 'alter table api_key_places add column if not exists api_key text'

export class KeyRows {
  readonly #pool: pg.Pool
  readonly #seal: Seal

  constructor(pool: pg.Pool, seal: Seal) {
    this.#pool = pool
    this.#seal = seal
  }

  /** Makes what is not there, with these keys in it. Rejects with WrongDatabase; also where it has to be there, `first` undefined. */
  async prepare(venue: string, first: (() => Iterable<ApiKey>) | undefined): Promise<void> {
    await this.#together(async (client) => {
      await assertServer(client)
      await client.query('select pg_advisory_xact_lock($1)', [tablesLock])
      await noteVenue(client, venue)
      const there = await client.query("select to_regclass('api_keys') is not null as there")
      if (there.rows[0].there !== true && first === undefined) {
        throw new WrongDatabase(
          'it has no keys, and this venue has its keys in PostgreSQL: name the database that has them',
        )
      }
      await client.query(tables)
      if ((await client.query(placesOf)).rowCount === 0) await client.query(placesNamed)
      await client.query('insert into api_key_seal values (1, $1) on conflict do nothing', [
        this.#seal.close(sampleName, sampleName),
      ])
      if (there.rows[0].there !== true) for (const key of first?.() ?? []) await this.#insert(client, key, true)
    })
  }

  /** Active ones, oldest first. Rejects with WrongDatabase. */
  async all(): Promise<ApiKey[]> {
    const there = await this.#pool.query("select to_regclass('api_key_seal') is not null as there")
    if (there.rows[0].there !== true) {
      throw new WrongDatabase('there are no keys in it: start the core of this venue with --postgres first')
    }
    const { rows } = await this.#pool.query("select encode(sample, 'hex') as sample from api_key_seal")
    if (this.#seal.open(Buffer.from(String(rows[0]?.sample), 'hex'), sampleName) !== sampleName) {
      throw new WrongDatabase(`its keys are sealed under another master key: ${otherMasterKey}`)
    }
    const found = await this.#pool.query(`select ${selected} from api_keys where active order by place`)
    return found.rows.map((row) => this.#keyOf(row))
  }

  async find(apiKey: string): Promise<ApiKey | undefined> {
    const { rows } = await this.#pool.query(`select ${selected} from api_keys where api_key = $1`, [apiKey])
    return rows.length === 0 ? undefined : this.#keyOf(rows[0])
  }

  /** A place for one more key of the account; undefined: it has them all. */
  reserve(uid: number): Promise<number | undefined> {
    return this.#together(async (client) => {
      await client.query('select pg_advisory_xact_lock($1, $2)', [placesLock, uid % 2 ** 31])
      await client.query("delete from api_key_places where at < now() - interval '1 minute'")
      const { rows } = await client.query(
        `select count(*) as taken from (
          select api_key from api_keys where uid = $1 and active and revoked_at is null
          union select coalesce(api_key, place::text) from api_key_places where uid = $1
        ) as keys`,
        [uid],
      )
      if (Number(rows[0].taken) >= liveKeysMax) return undefined
      const made = await client.query('insert into api_key_places (uid) values ($1) returning place', [uid])
      return Number(made.rows[0].place)
    })
  }

  async release(place: number): Promise<void> {
    await this.#pool.query('delete from api_key_places where place = $1', [place])
  }

  /** A key that is not active yet, and the place that is held for it; undefined: none is. */
  async insert(key: ApiKey, place: number | undefined): Promise<void> {
    await this.#together(async (client) => {
      await client.query('update api_key_places set api_key = $1 where place = $2', [key.apiKey, place ?? null])
      await this.#insert(client, key, false)
    })
  }

  /** One that never became active. */
  async remove(apiKey: string): Promise<void> {
    await this.#pool.query('delete from api_keys where api_key = $1 and not active', [apiKey])
  }

  async activate(apiKey: string): Promise<void> {
    await this.#pool.query('update api_keys set active = true where api_key = $1', [apiKey])
  }

  /** A key that is not revoked, as it is to be. */
  async replace(key: ApiKey): Promise<void> {
    await this.#replace(this.#pool, key)
  }

  /** One that is revoked already stays as it is. */
  async revoke(apiKey: string, at: number): Promise<void> {
    await this.#together(async (client) => {
      const found = await client.query(`select ${selected} from api_keys where api_key = $1 for update`, [apiKey])
      if (found.rows.length > 0) await this.#replace(client, { ...this.#keyOf(found.rows[0]), revokedAt: at })
    })
  }

  async #insert(client: pg.PoolClient, key: ApiKey, active: boolean): Promise<void> {
    const row = rowOfKey(key, this.#seal)
    const places = [...names, 'active'].map((_name, place) => `$${place + 1}`)
    await client.query(`insert into api_keys (${names.join(', ')}, active) values (${places.join(', ')})`, [
      ...names.map((name) => row[name]),
      active,
    ])
  }

  async #replace(client: Asked, key: ApiKey): Promise<void> {
    const row = rowOfKey(key, this.#seal)
    const changes = names.map((name, place) => `${name} = $${place + 1}`)
    await client.query(
      `update api_keys set ${changes.join(', ')} where api_key = $1 and revoked_at is null`,
      names.map((name) => row[name]),
    )
  }

  #keyOf(row: KeyRow): ApiKey {
    const key = keyOfRow({ ...row, sealed: Buffer.from(String(row.sealed), 'hex') }, this.#seal)
    if (key === undefined) throw new WrongDatabase(`the key ${row.api_key} in it is damaged: restore a backup`)
    return key
  }

  async #together<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect()
    try {
      await client.query('begin')
      const result = await work(client)
      await client.query('commit')
      client.release()
      return result
    } catch (error) {
      // It is not known what it is in the middle of.
      client.release(true)
      throw error
    }
  }
}

type Asked = Pick<pg.Pool, 'query'> | pg.PoolClient
