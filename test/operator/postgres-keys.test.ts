/** Keys in PostgreSQL at two processes of one venue: sealed rows, and what each makes of what the other did. */
import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { changeKey, issueKey, revokeKey } from '../../src/api/keys/key-issuance.ts'
import { isUsable, type NewKey } from '../../src/api/keys/keys.ts'
import type { RecordKeyChange } from '../../src/engine/protocol/command.ts'
import { KeyRows } from '../../src/operator/keys/key-rows.ts'
import { PostgresKeyStore } from '../../src/operator/keys/postgres-keys.ts'
import { Seal } from '../../src/operator/keys/seal.ts'
import { CommandNotSequenced, OutcomeUnknown } from '../../src/runtime/core.ts'
import { ask, launchedPostgres } from '../support/postgres.ts'

const postgres = await launchedPostgres()
const seal = new Seal(randomBytes(32))
const log = { info() {}, warn() {}, error: vi.fn<() => void>() }
const asked: NewKey = { uid: 1001, permissions: ['read', 'uta_trade'], ipList: ['10.0.0.0/8'], label: 'bot' }
const patience = { timeout: 20_000 }

function theServer() {
  if (postgres === undefined) throw new Error('there is no PostgreSQL')
  return postgres
}

function storeOf(url: string, under = seal): PostgresKeyStore {
  const store = new PostgresKeyStore({ url, seal: under, log })
  onTestFinished(() => store.close())
  return store
}

/** Two that hear one journal. */
async function two() {
  const url = await theServer().database()
  const stores = [storeOf(url), storeOf(url)]
  await stores[0].prepare('venue', () => [])
  for (const store of stores) await store.load([])
  let at = 1_790_000_000_000
  const recorded: RecordKeyChange[] = []
  const record = async (command: RecordKeyChange) => {
    recorded.push(command)
    at += 1
    for (const store of stores) store.heard(command, at)
  }
  const settled = () => Promise.all(stores.map((store) => store.settled() ?? Promise.resolve()))
  const [here, there] = stores
  return { url, here, there, record, recorded, settled }
}

describe.skipIf(postgres === undefined)('keys in PostgreSQL', () => {
  test('made at one, changed at the other, revoked at the first: both know all of it', async () => {
    const { here, there, record, recorded, settled, url } = await two()
    const made = (await issueKey({ keys: here, record }, asked))!
    await settled()
    const { apiKey } = made.key
    expect(there.find(apiKey)).toEqual({ ...made.key, fault: undefined })
    await changeKey({ keys: there, record }, there.find(apiKey)!, {
      permissions: ['read'],
      readOnly: true,
      ipList: undefined,
      label: undefined,
    })
    await settled()
    for (const store of [here, there]) {
      expect(store.find(apiKey)).toMatchObject({ permissions: ['read'], readOnly: true, secret: made.issued.secret })
    }
    await revokeKey({ keys: here, record }, here.find(apiKey)!)
    for (const store of [here, there]) expect(isUsable(store.find(apiKey)!)).toBe(false)
    expect(recorded.map(({ change }) => change)).toEqual(['created', 'changed', 'revoked'])
    const later = storeOf(url)
    await vi.waitUntil(async () => (await ask(url, 'select revoked_at from api_keys'))[0]['revoked_at'] !== null)
    await later.load([])
    expect(isUsable(later.find(apiKey)!)).toBe(false)
  })

  test('rows that come late never take the place of what was read after them', async () => {
    const { here, there, url } = await two()
    const heardThere = async (command: RecordKeyChange) => there.heard(command, 1_790_000_000_000)
    const { key } = (await issueKey({ keys: here, record: heardThere }, asked))!
    await there.settled()
    const later = storeOf(url)
    const [row, rows, late] = [1, 2, 3].map(() => Promise.withResolvers<void>())
    const { find, all } = Object.getOwnPropertyDescriptors(KeyRows.prototype)
    vi.spyOn(KeyRows.prototype, 'find').mockImplementationOnce(async function (this: KeyRows, apiKey) {
      const found = await find.value!.call(this, apiKey)
      row.resolve()
      await late.promise
      return found
    })
    vi.spyOn(KeyRows.prototype, 'all').mockImplementationOnce(async function (this: KeyRows) {
      const found = await all.value!.call(this)
      rows.resolve()
      await late.promise
      return found
    })
    onTestFinished(() => void vi.restoreAllMocks())
    const changed: RecordKeyChange = { kind: 'record-key-change', uid: key.uid, apiKey: key.apiKey, change: 'changed' }
    // As it was before it changed.
    there.heard(changed, 1_790_000_000_000)
    const loading = later.load([])
    await Promise.all([row.promise, rows.promise])
    const change = { permissions: ['read' as const], readOnly: undefined, ipList: undefined, label: undefined }
    const record = async () => {
      for (const store of [there, later]) store.heard(changed, 1_790_000_000_001)
    }
    await changeKey({ keys: here, record }, key, change)
    for (const store of [there, later]) {
      await vi.waitUntil(() => store.find(key.apiKey)?.permissions.length === 1, patience)
    }
    late.resolve()
    await Promise.all([loading, there.settled()])
    for (const store of [there, later]) expect(store.find(key.apiKey)?.permissions).toEqual(['read'])
  })

  test('nothing secret is in a row, and a row that was changed opens no more', async () => {
    const { here, record, url } = await two()
    const { issued } = (await issueKey({ keys: here, record }, { ...asked, passphrase: 'correcthorse42' }))!
    const rows = JSON.stringify(await ask(url, "select *, encode(sealed, 'hex') as bytes from api_keys"))
    expect(rows).toContain(issued.apiKey)
    for (const secret of [issued.secret, 'correcthorse42', Buffer.from('correcthorse42').toString('hex')]) {
      expect(rows).not.toContain(secret)
    }
    await ask(url, "update api_keys set permissions = 'read,withdraw'")
    await expect(storeOf(url).load([])).rejects.toThrow(`the key ${issued.apiKey} in it is damaged: restore a backup`)
  })

  test('another master key is refused', async () => {
    const { url } = await two()
    await expect(storeOf(url, new Seal(randomBytes(32))).load([])).rejects.toThrow(
      /^--postgres .*: its keys are sealed under another master key: give back the master.key, or the TIDEMARK_MASTER_KEY/,
    )
  })

  test('what was never recorded is taken back; of what may have been the row stays', async () => {
    const { here, record, url } = await two()
    const refused = new CommandNotSequenced('no core leads')
    await expect(issueKey({ keys: here, record: () => Promise.reject(refused) }, asked)).rejects.toBe(refused)
    expect(await ask(url, 'select * from api_keys')).toEqual([])
    const unknown = new OutcomeUnknown('timed-out')
    await expect(issueKey({ keys: here, record: () => Promise.reject(unknown) }, asked)).rejects.toBe(unknown)
    expect(await ask(url, 'select active from api_keys')).toEqual([{ active: false }])
    const { key } = (await issueKey({ keys: here, record }, asked))!
    const change = { permissions: undefined, readOnly: undefined, ipList: undefined, label: 'other' }
    await expect(changeKey({ keys: here, record: () => Promise.reject(refused) }, key, change)).rejects.toBe(refused)
    expect(await ask(url, 'select label from api_keys where active')).toEqual([{ label: 'bot' }])
  })

  test('a key whose maker died before it was active is what the journal says', async () => {
    const { here, there, settled, url } = await two()
    const record = async (command: RecordKeyChange) => {
      there.heard(command, Date.now())
      throw new OutcomeUnknown('link-failed')
    }
    await expect(issueKey({ keys: here, record }, asked)).rejects.toThrow('link-failed')
    await settled()
    const [{ api_key: apiKey }] = await ask(url, 'select api_key from api_keys')
    expect(isUsable(there.find(String(apiKey))!)).toBe(true)
    await vi.waitUntil(async () => (await ask(url, 'select active from api_keys'))[0]['active'] === true, patience)
  })

  test('ten of an account, and a place that nobody gave back is free after a minute', async () => {
    const { here, there, record, url } = await two()
    for (let count = 0; count < 9; count++) expect(await issueKey({ keys: here, record }, asked)).toBeDefined()
    expect(await there.reserve(asked.uid)).toBe(true)
    expect(await issueKey({ keys: here, record }, asked)).toBeUndefined()
    await ask(url, "update api_key_places set at = now() - interval '61 seconds'")
    expect(await issueKey({ keys: here, record }, asked)).toBeDefined()
    expect(await issueKey({ keys: here, record }, asked)).toBeUndefined()
  })

  test('of twenty that are asked for at once ten are made, and a new one never counts twice', async () => {
    const { here, there, record, url } = await two()
    const stores = [here, there]
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, place) => issueKey({ keys: stores[place % 2], record }, asked)),
    )
    expect(made.filter((draft) => draft !== undefined)).toHaveLength(10)
    expect(await ask(url, 'select count(*) as keys from api_keys where active')).toEqual([{ keys: '10' }])
    await vi.waitUntil(async () => (await ask(url, 'select * from api_key_places')).length === 0, patience)

    // Nine others' are there, the last of them still with its place.
    const other = { ...asked, uid: 1002 }
    for (let count = 0; count < 8; count++) await issueKey({ keys: here, record }, other)
    await vi.waitUntil(async () => (await ask(url, 'select * from api_key_places')).length === 0, patience)
    expect(await here.reserve(other.uid)).toBe(true)
    const draft = here.draft(other)
    await here.ahead.keep(draft)
    await here.keep(draft)
    expect(await there.reserve(other.uid)).toBe(true)
    expect(await there.reserve(other.uid)).toBe(false)
    here.release(other.uid, draft.key.apiKey)
  })

  test('revoked while the database is away: at once, and there when it is back', async () => {
    const { here, there, record, settled, url } = await two()
    const { key } = (await issueKey({ keys: here, record }, asked))!
    await settled() // who has not read the row yet knows no such key, and refuses it as unknown
    await theServer().kill()
    await expect(issueKey({ keys: here, record }, asked)).rejects.toThrow('keys are in PostgreSQL, which is away')
    await revokeKey({ keys: here, record }, key)
    for (const store of [here, there]) expect(store.find(key.apiKey)?.revokedAt).toBeGreaterThan(0)
    await theServer().start()
    await vi.waitUntil(
      async () => (await ask(url, 'select revoked_at from api_keys'))[0]['revoked_at'] !== null,
      patience,
    )
    expect(log.error).not.toHaveBeenCalled()
  })

  test('who begins does not take a key that the core says is revoked', async () => {
    const { here, record, url } = await two()
    const { key } = (await issueKey({ keys: here, record }, asked))!
    const late = storeOf(url)
    await late.load([key.apiKey])
    expect(isUsable(late.find(key.apiKey)!)).toBe(false)
  })
})
