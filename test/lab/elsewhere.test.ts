/**
 * A fork of a venue that is somewhere else: in the directory of one that runs, has stopped or crashed, or at an address.
 *
 * Untouched  what is read stays as it is, byte for byte
 * Source     lab.md §3, §4.4; docs/lab.md
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readLabSettings } from '../../src/lab/settings.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { startVenue, type Venue } from '../support/venue.ts'
import { openHere, type OpenedHere } from './in-process.ts'
import { LabVenue, type Shown } from './laboratory.ts'

const category = 'USDT-FUTURES'
let here: OpenedHere
let lab: LabVenue
beforeAll(async () => {
  here = await openHere({})
  lab = here.venue
})
afterAll(() => here.close())

const start = Date.UTC(2026, 0, 1)
const limit = { category, symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', timeInForce: 'gtc', qty: '0.1' }
const order = (price: number) => ({ ...limit, price: String(price) })

function filesOf(directory: string): Map<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort()
  return new Map(paths.map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]))
}

interface Verified {
  readonly stateHash: string
  readonly sequence: number
}

/** A fork, and what it stands at; it is gone afterwards. */
async function forked<T>(body: object, look: (fork: LabVenue, shown: Shown) => Promise<T>): Promise<T & Verified> {
  const shown = await lab.post<Shown>('/fork', body)
  try {
    const fork = await LabVenue.at(shown.url)
    const { stateHash, sequence } = await fork.get<Verified>('/operator/verify')
    return { stateHash, sequence, ...(await look(fork, shown)) }
  } finally {
    await lab.call('DELETE', `/venues/${shown.venue}`)
  }
}

/** What the account has, as the interface says it: ended orders are of history. */
async function rowsOf(fork: LabVenue, now: number) {
  const person = fork.person('unified-main', () => now)
  const rows = async (target: string) => ((await person.get(target)).data as { list: object[] | null }).list ?? []
  const open = await rows(`/api/v3/trade/unfilled-orders?category=${category}`)
  const ended = await rows(`/api/v3/trade/history-orders?category=${category}`)
  return { open: open.length, ended: ended.length }
}

describe('of a venue of `start`', () => {
  let venue: Venue
  const moments: (Verified & { open: number; ended: number })[] = []
  beforeAll(async () => {
    venue = await startVenue({ clock: 'manual', simulator: false })
    const person = venue.as('unified-main')
    const noted = async (open: number, ended: number) => {
      const { stateHash, sequence } = (await venue.operator('verify')) as Verified
      moments.push({ stateHash, sequence, open, ended })
    }
    await person.post('/api/v3/trade/place-order', order(59_000))
    await noted(1, 0)
    const placed = await person.post('/api/v3/trade/place-order', order(58_000))
    await noted(2, 0)
    await person.post('/api/v3/trade/cancel-order', { orderId: (placed.data as { orderId: string }).orderId })
    await noted(1, 1)
  })
  afterAll(() => venue.remove())

  async function expectForks(past: typeof moments, stays: (file: string) => boolean = () => true): Promise<void> {
    const files = () => new Map([...filesOf(venue.directory)].filter(([file]) => stays(file)))
    const before = files()
    const stands = await forked({ from: venue.directory }, (fork, { now }) => rowsOf(fork, now))
    expect(stands).toEqual(moments.at(-1))
    for (const moment of past) {
      const at = { sequence: moment.sequence }
      const then = await forked({ from: venue.directory, at }, (fork, { now }) => rowsOf(fork, now))
      expect(then).toEqual(moment)
    }
    expect(files()).toEqual(before)
  }

  test('that runs', async () => {
    // It writes the log of its history when it likes.
    await expectForks(moments, (file) => !/-(?:wal|shm)$/.test(file))
    // It goes on as before, and the fork for itself.
    await forked({ from: venue.directory }, async (fork, { now }) => {
      await fork.person('unified-main', () => now).post('/api/v3/trade/place-order', order(57_000))
      return {}
    })
    expect(await venue.operator('verify')).toMatchObject({ stateHash: moments.at(-1)!.stateHash })
  })

  test('that crashed, and that has stopped', async () => {
    await venue.kill()
    await expectForks(moments.slice(1, 2))
    await venue.restart()
    await venue.stop()
    await expectForks([])
  })

  test('keys stay there, unless they are asked for', async () => {
    const own = JSON.parse(readFileSync(join(venue.directory, 'demo-keys.json'), 'utf8')) as {
      role: string
      apiKey: string
    }[]
    const { apiKey } = own.find(({ role }) => role === 'unified-main')!
    const keysOf = (body: object) => forked(body, async (_fork, { keys }) => ({ key: keys['unified-main'].apiKey }))
    expect(await keysOf({ from: venue.directory })).toMatchObject({ key: 'dev-unified-main' })
    expect(await keysOf({ from: venue.directory, withKeys: true })).toMatchObject({ key: apiKey })
  })
})

describe('of a laboratory', () => {
  test('by its address: as it stands, or as it was; keys of its own stay there', async () => {
    const other = await openHere({})
    try {
      const { url } = other.venue
      const begun = await other.venue.get<Verified>('/operator/verify')
      await other.venue.person('unified-main', () => start).post('/api/v3/trade/place-order', order(59_000))
      await other.venue.post('/operator/keys', { uid: '1000000009', permissions: ['read'], label: 'own' })
      const stands = await other.venue.get<Verified>('/operator/verify')
      const labels = async (fork: LabVenue) => JSON.stringify(await fork.get('/operator/keys?uid=1000000009'))
      const look = async (fork: LabVenue) => ({ ...(await rowsOf(fork, start)), labels: await labels(fork) })
      const present = await forked({ from: url }, look)
      expect(present).toMatchObject({ stateHash: stands.stateHash, sequence: stands.sequence, open: 1 })
      expect(present.labels).not.toContain('"own"')
      expect((await forked({ from: `${url}/`, withKeys: true }, look)).labels).toContain('"own"')
      const past = await forked({ from: url, at: { sequence: begun.sequence } }, (fork) => rowsOf(fork, start))
      expect(past).toEqual({ stateHash: begun.stateHash, sequence: begun.sequence, open: 0, ended: 0 })
      expect(await other.venue.get('/snapshots')).toEqual([])
    } finally {
      await other.close()
    }
  })

  test('by its directory, while it runs and afterwards; another one may begin with it on disk', async () => {
    const data = join(temporaryDirectory('lab-elsewhere'), 'data')
    const other = await openHere({ data })
    await other.venue.post('/snapshots', { name: 'a' })
    await other.venue.person('unified-main', () => start).post('/api/v3/trade/place-order', order(59_000))
    await other.venue.post('/revert', { snapshot: 'a' })
    for (const price of [58_000, 57_000]) {
      await other.venue.person('unified-main', () => start).post('/api/v3/trade/place-order', order(price))
    }
    const { stateHash } = await other.venue.get<Verified>('/operator/verify')
    expect(await forked({ from: data }, (fork) => rowsOf(fork, start))).toMatchObject({ stateHash, open: 2 })
    await other.close()
    const before = filesOf(data)
    expect(await forked({ from: data }, (fork) => rowsOf(fork, start))).toMatchObject({ stateHash, open: 2 })
    expect(filesOf(data)).toEqual(before)

    const next = await openHere({ from: data, data: `${data}-next` })
    expect(await next.venue.get('/operator/verify')).toMatchObject({ stateHash })
    await next.close()
    const again = await openHere({ data: `${data}-next` })
    expect(await again.venue.get('/operator/verify')).toMatchObject({ stateHash })
    await again.close()
  })
})

test('`dev --from` begins as it was then, and a reset goes back to that', async () => {
  const [{ sequence }] = [await lab.get<Verified>('/operator/verify')]
  const other = await openHere({ from: lab.url, at: String(sequence - 1) })
  try {
    expect(await other.venue.get('/operator/verify')).toMatchObject({ sequence: sequence - 1 })
    await other.venue.person('unified-main', () => start).post('/api/v3/trade/place-order', order(59_000))
    expect(await other.venue.post('/reset')).toMatchObject({ sequence: sequence - 1 })
  } finally {
    await other.close()
  }
})

describe('what is wrong is said', () => {
  const nowhere = temporaryDirectory('lab-nowhere')

  test.each<[object, number, string, string, RegExp]>([
    // asked                                              status  code               field  sentence
    [{ from: 'name' }, 400, 'body-wrong', 'from', /the path of a file or directory/],
    [{ from: 7, at: 7, withKeys: 'x' }, 400, 'body-wrong', 'from', /from .*; at .*; withKeys /],
    [{ from: '/a', snapshot: 's1' }, 400, 'body-wrong', 'from', /without a snapshot/],
    [{ withKeys: true }, 400, 'body-wrong', 'withKeys', /goes with from/],
    [{ from: '/nowhere/x' }, 404, 'unknown-file', 'from', /no file \/nowhere\/x/],
    [{ from: nowhere }, 409, 'venue-unreadable', 'from', /it is not the directory of a venue/],
    [{ from: 'http://127.0.0.1:1' }, 409, 'venue-unreadable', 'from', /nobody answers there/],
    [{ from: 'http://' }, 409, 'venue-unreadable', 'from', /it is no address/],
  ])('%j', async (asked, status, code, field, said) => {
    const answer = await lab.call('POST', '/fork', asked)
    expect([answer.status, answer.envelope]).toMatchObject([status, { ok: false, error: { code, field } }])
    expect((answer.envelope!['error'] as { message: string }).message).toMatch(said)
  })

  test.each([
    [{ sequence: 1_000_000 }, /has not come so far/],
    [{ time: '2030-01-01T00:00:00Z' }, /has not come so far/],
    [{ time: '2020-01-01T00:00:00Z' }, /nothing is kept from before it/],
  ])('a moment that is not there: %j', async (at, said) => {
    const { status, envelope } = await lab.call('POST', '/fork', { from: lab.url, at })
    expect([status, envelope]).toMatchObject([409, { error: { code: 'moment-unknown', field: 'at' } }])
    expect((envelope!['error'] as { message: string }).message).toMatch(said)
  })

  test('a venue that cannot be read', async () => {
    const data = temporaryDirectory('lab-other')
    writeFileSync(join(data, 'venue.json'), '{"kind":"demo"}')
    const refused = async (said: RegExp) => {
      const { status, envelope } = await lab.call('POST', '/fork', { from: data })
      expect([status, envelope]).toMatchObject([409, { error: { code: 'venue-unreadable', field: 'from' } }])
      expect((envelope!['error'] as { message: string }).message).toMatch(said)
    }
    await refused(/its history\.sqlite is not there/)
    writeFileSync(join(data, 'history.sqlite'), 'no database')
    await refused(/not a database/)
    writeFileSync(join(data, 'branches.json'), '{}')
    await refused(/branches\.json is damaged/)
  })

  test.each<[Record<string, string>, string]>([
    [{ at: '5' }, '--at says when of --from: it goes with that'],
    [{ withKeys: 'true' }, '--with-keys is for keys of --from: it goes with that'],
    [{ from: '/a', at: 'tea' }, '--at must be a sequence, Unix milliseconds, or ISO 8601 with a zone, not "tea"'],
  ])('settings %j', (settings, said) => {
    expect(() => readLabSettings(settings, {}, true)).toThrow(said)
  })
})
