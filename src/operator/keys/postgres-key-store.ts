/**
 * API keys of a venue of several processes: in PostgreSQL, and in memory at each process that asks for them.
 *
 * Heard     every process hears in the journal that a key was made, changed or revoked (`heard`), and reads its row anew. Who is asked
 *           something waits for that with `settled`
 * Revoked   when the command is heard, with the database or without. Who heard it writes it there as soon as that is back; a process
 *           that begins learns it from the core (revoked-keys.ts)
 * Newest    of several looks at one key the last that began counts, in whatever order they end
 * Refused   making and changing keys while the database is away: nothing was done then
 * Source    scale.md §7
 */
import { randomInt } from 'node:crypto'
import type { ApiKey, DraftKey, KeyChange, NewKey } from '../../api/api.ts'
import type { RecordKeyChange } from '../../engine/protocol/command.ts'
import { isAway, poolOf, postgresTrouble, unlessSlow } from '../../history/postgres-history.ts'
import { CommandNotSequenced } from '../../runtime/core.ts'
import type { RuntimeLog } from '../../runtime/runtime.ts'
import { CannotStart } from '../data-directory.ts'
import { KeyRows } from './key-rows.ts'
import type { KeyBook } from './key-table.ts'
import { MemoryKeyStore } from './memory-key-store.ts'
import type { Seal } from './seal.ts'

const connectionsMax = 4
const againMs = 500

export interface PostgresKeyOptions {
  readonly url: string
  readonly seal: Seal
  readonly log: RuntimeLog
  /** A revocation stands in the database. */
  readonly onRevoked?: (apiKey: string) => void
}

/** Of an account, and the key that is to have it once that is known. */
interface Place {
  readonly place: number
  apiKey: string | undefined
}

export class PostgresKeyStore implements KeyBook {
  readonly #url: string
  readonly #pool: ReturnType<typeof poolOf>
  readonly #rows: KeyRows
  readonly #log: RuntimeLog
  readonly #onRevoked: (apiKey: string) => void
  readonly #known = new KnownKeys({ now: Date.now, random: (bound) => randomInt(bound) })
  /** When each was revoked that was heard of: no row that is read undoes it. */
  readonly #revoked = new Map<string, number>()
  /** Places of accounts that are held here. */
  readonly #places = new Map<number, Place[]>()
  /** The last look at each row that changed, by its turn. */
  readonly #looks = new Map<string, number>()
  #turn = 0
  /** First looks at rows that changed. */
  readonly #looking = new Set<Promise<void>>()
  /** What the database is still to do or to tell, by name. */
  readonly #owed = new Map<string, () => Promise<void>>()
  readonly #again: NodeJS.Timeout
  #isPaying = false
  #isLoaded = false

  constructor({ url, seal, log, onRevoked = () => undefined }: PostgresKeyOptions) {
    this.#url = url
    this.#pool = poolOf(url, connectionsMax)
    this.#rows = new KeyRows(this.#pool, seal)
    this.#log = log
    this.#onRevoked = onRevoked
    this.#again = setInterval(() => void this.#pay(), againMs)
  }

  /** Makes the tables of a venue with these keys, if they are not there; undefined: they have to be. Rejects with CannotStart. */
  async prepare(venue: string, first: (() => Iterable<ApiKey>) | undefined): Promise<void> {
    await this.#orCannotStart(() => this.#rows.prepare(venue, first))
  }

  /** Reads them all, but for these, which are revoked. Rejects with CannotStart. */
  async load(revoked: readonly string[]): Promise<void> {
    for (const apiKey of revoked) this.#noteRevoked(apiKey, Date.now())
    await this.#orCannotStart(() => this.#load())
  }

  /** Does both when the database is there, for who does not wait for it. */
  loadLater(venue: string, first: (() => Iterable<ApiKey>) | undefined, revoked: readonly string[]): void {
    for (const apiKey of revoked) this.#noteRevoked(apiKey, Date.now())
    this.#owed.set('load', async () => {
      await this.#rows.prepare(venue, first)
      await this.#load()
    })
  }

  /** All there are are known. */
  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /** A command of the journal was carried out, at this time of the venue. */
  heard({ apiKey, change }: RecordKeyChange, at: number): void {
    if (change === 'revoked') {
      const key = this.#known.find(apiKey)
      this.#noteRevoked(apiKey, at)
      if (key !== undefined && key.revokedAt === undefined) this.#known.put({ ...key, revokedAt: at })
      return
    }
    if (change === 'created') this.#owe(`activate ${apiKey}`, () => this.#rows.activate(apiKey))
    const look = this.#look(apiKey).catch(() => {
      // What it may do now is not known, so it may do nothing.
      if (change === 'changed') this.#known.drop(apiKey)
      this.#owed.set(`look ${apiKey}`, () => this.#look(apiKey))
    })
    this.#looking.add(look)
    void look.finally(() => this.#looking.delete(look))
  }

  /** Resolves when rows of what was heard are read, or could not be; undefined: there are none. */
  settled(): Promise<unknown> | undefined {
    return this.#looking.size === 0 ? undefined : Promise.all(this.#looking)
  }

  find(apiKey: string): ApiKey | undefined {
    return this.#known.find(apiKey)
  }

  all(): IterableIterator<ApiKey> {
    return this.#known.all()
  }

  of(uid: number): readonly ApiKey[] {
    return this.#known.of(uid)
  }

  live(uid: number): readonly ApiKey[] {
    return this.#known.live(uid)
  }

  unfit(): readonly ApiKey[] {
    return this.#known.unfit()
  }

  watch(heard: (uid: number) => void): () => void {
    return this.#known.watch(heard)
  }

  limited(uid: number): void {
    this.#known.limited(uid)
  }

  async reserve(uid: number): Promise<boolean> {
    const place = await this.#orNotDone(this.#rows.reserve(uid))
    if (place === undefined) return false
    this.#places.set(uid, [...(this.#places.get(uid) ?? []), { place, apiKey: undefined }])
    return true
  }

  release(uid: number, apiKey?: string): void {
    const places = this.#places.get(uid) ?? []
    const given = places.find((held) => held.apiKey === apiKey) ?? places.find((held) => held.apiKey === undefined)
    const rest = places.filter((held) => held !== given)
    if (rest.length > 0) this.#places.set(uid, rest)
    else this.#places.delete(uid)
    // It ends by itself a minute after it was taken.
    if (given !== undefined) void this.#rows.release(given.place).catch(() => undefined)
  }

  draft(asked: NewKey): DraftKey {
    return this.#known.draft(asked)
  }

  /** Its command was recorded. Who is answered has a key that lasts: it is active in the database. */
  async keep(draft: DraftKey): Promise<void> {
    const { apiKey } = draft.key
    await this.#rows.activate(apiKey)
    if (!this.#revoked.has(apiKey)) this.#show(draft.key)
  }

  /** Its row is written ahead. */
  change(apiKey: string, change: KeyChange): ApiKey {
    return this.#known.change(apiKey, change)
  }

  /** Its command was heard. */
  revoke(apiKey: string): boolean {
    const key = this.#known.find(apiKey)
    if (key === undefined) return false
    this.heard({ kind: 'record-key-change', uid: key.uid, apiKey, change: 'revoked' }, key.revokedAt ?? Date.now())
    return true
  }

  readonly ahead = {
    keep: async ({ key }: DraftKey) => {
      const held = this.#places.get(key.uid)?.find(({ apiKey }) => apiKey === undefined)
      if (held !== undefined) held.apiKey = key.apiKey
      await this.#orNotDone(this.#rows.insert(key, held?.place))
      return () => this.#rows.remove(key.apiKey)
    },
    change: async (apiKey: string, change: KeyChange) => {
      const before = await this.#orNotDone(this.#rows.find(apiKey))
      if (before === undefined) throw new Error('a key that is not there was to be changed')
      await this.#orNotDone(this.#rows.replace(changed(before, change)))
      return () => this.#rows.replace(before)
    },
  }

  async close(): Promise<void> {
    clearInterval(this.#again)
    await this.#pool.end()
  }

  async #load(): Promise<void> {
    const turn = ++this.#turn
    const found = await this.#rows.all()
    for (const key of found) if ((this.#looks.get(key.apiKey) ?? 0) < turn) this.#show(key)
    this.#isLoaded = true
  }

  async #look(apiKey: string): Promise<void> {
    const turn = ++this.#turn
    this.#looks.set(apiKey, turn)
    const key = await this.#rows.find(apiKey)
    if (key !== undefined && this.#looks.get(apiKey) === turn) this.#show(key)
  }

  #show(key: ApiKey): void {
    const revokedAt = key.revokedAt ?? this.#revoked.get(key.apiKey)
    const known = this.#known.find(key.apiKey)
    const shown = { ...key, revokedAt }
    // Whoever knows a key knows it by its object, as long as it is the same.
    if (known === undefined || JSON.stringify(known) !== JSON.stringify(shown)) this.#known.put(shown)
  }

  #noteRevoked(apiKey: string, at: number): void {
    if (this.#revoked.has(apiKey)) return
    this.#revoked.set(apiKey, at)
    this.#owe(`revoke ${apiKey}`, async () => {
      await this.#rows.revoke(apiKey, at)
      this.#onRevoked(apiKey)
    })
  }

  #owe(name: string, work: () => Promise<void>): void {
    this.#owed.set(name, work)
    void this.#pay()
  }

  /** Does what is owed, as long as the database does it. */
  async #pay(): Promise<void> {
    if (this.#isPaying) return
    this.#isPaying = true
    for (const [name, work] of this.#owed) {
      try {
        await work()
      } catch (error) {
        if (isAway(error)) break
        this.#log.error({ err: error, name }, 'keys in PostgreSQL cannot be brought up to date')
      }
      if (this.#owed.get(name) === work) this.#owed.delete(name)
    }
    this.#isPaying = false
  }

  async #orNotDone<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work
    } catch (cause) {
      if (!isAway(cause)) throw cause
      throw Object.assign(new CommandNotSequenced('keys are in PostgreSQL, which is away'), { cause })
    }
  }

  async #orCannotStart(work: () => Promise<void>): Promise<void> {
    try {
      await unlessSlow(work)
    } catch (cause) {
      throw new CannotStart(postgresTrouble(this.#url, cause), { cause })
    }
  }
}

/** What is known of keys: rows that were read take the place of earlier ones. */
class KnownKeys extends MemoryKeyStore {
  put(key: ApiKey): void {
    this.keep({ key, issued: key })
  }

  override drop(apiKey: string): void {
    super.drop(apiKey)
  }
}

function changed(key: ApiKey, { permissions, readOnly, ipList, label }: KeyChange): ApiKey {
  return {
    ...key,
    permissions: permissions ?? key.permissions,
    readOnly: readOnly ?? key.readOnly,
    ipList: ipList ?? key.ipList,
    label: label ?? key.label,
  }
}
