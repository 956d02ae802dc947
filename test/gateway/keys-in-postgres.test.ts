/**
 * Keys in PostgreSQL: made at one gateway and good at the other at once, and refused at every gateway as soon as they are revoked,
 * whatever is gone or dies in between.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { acceptLoss } from '../../src/operator/acceptance.ts'
import { DataDirectory } from '../../src/operator/data-directory.ts'
import { ask, launchedPostgres } from '../support/postgres.ts'
import { Socket } from '../support/socket.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import type { ChildProcess } from 'node:child_process'
import { bid, end, freePorts, launch, personAt, speakingTo, start, type Started } from './processes.ts'

const timeout = 180_000
const patience = { timeout: 60_000, interval: 50 }

const postgres = await launchedPostgres()

function theServer() {
  if (postgres === undefined) throw new Error('there is no PostgreSQL')
  return postgres
}

/** One venue for all rows: each leaves it running, with the keys that it found. */
const children: ChildProcess[] = []

async function venueWithTwo() {
  const data = temporaryDirectory('postgres-keys')
  const ports = await freePorts(2)
  const url = await theServer().database()
  const run = (role: string, place = 0, database = url) =>
    launch(children, role, data, '--port', String(ports[place]), '--no-rate-limits', '--postgres', database)
  const follow = async () => ({
    history: await run('history'),
    gateways: await Promise.all([0, 1].map((place) => run('gateway', place))),
  })
  const core = await run('core')
  const followers = await follow()
  const urls = followers.gateways.map(({ ready }) => String(ready['url']))
  const mains = urls.map((address) => personAt(address, data, 'unified-main'))
  const sub = personAt(urls[0], data, 'unified-sub')
  const without = ['--port', String(ports[0]), '--no-rate-limits']
  return { data, url, core, followers, urls, mains, sub, run, follow, without }
}

type Venue = Awaited<ReturnType<typeof venueWithTwo>>
let venue: Venue

type Main = Venue['mains'][number]

const passphrase = 'passphrase1'

function makeKey(main: Main, subUid: string) {
  return main.post('/api/v3/user/create-sub-api', {
    subUid,
    note: 'gateway',
    type: 'read_write',
    passphrase,
    permissions: ['uta_mgt', 'uta_trade'],
    ips: [],
  })
}

async function madeKey(main: Main, subUid: string) {
  const made = await makeKey(main, subUid)
  expect(made.code, made.text).toBe('00000')
  return { apiKey: String(made.fields['apiKey']), secret: String(made.fields['secret']), passphrase }
}

type Key = Awaited<ReturnType<typeof madeKey>>

const codeAt = async (url: string, key: Key) => (await speakingTo(url, key).get('/api/v3/account/assets')).code

async function revoke(main: Main, { apiKey }: Pick<Key, 'apiKey'>): Promise<void> {
  const answer = await main.post('/api/v3/user/delete-sub-api', { apiKey })
  expect(answer.code, answer.text).toBe('00000')
}

const demoKeysOf = (data: string) =>
  (JSON.parse(readFileSync(join(data, 'demo-keys.json'), 'utf8')) as { apiKey: string }[]).map(({ apiKey }) => apiKey)

const good = '00000'
const unknown = '40037'

describe.skipIf(postgres === undefined || process.platform !== 'linux')('keys in PostgreSQL', () => {
  beforeAll(async () => {
    venue = await venueWithTwo()
  }, timeout)

  afterAll(async () => void (await Promise.all(children.map((child) => end(child)))))

  test('made, changed and revoked at one gateway: so at the other at once', { timeout }, async () => {
    const { urls, mains, sub, url } = venue
    for (let round = 0; round < 5; round++) {
      const key = await madeKey(mains[0], sub.uid)
      expect(await codeAt(urls[1], key)).toBe(good)
      const changed = await mains[1].post('/api/v3/user/update-sub-api', {
        apiKey: key.apiKey,
        passphrase,
        type: 'read_only',
        permissions: ['uta_mgt'],
      })
      expect(changed.code, changed.text).toBe(good)
      const refused = await speakingTo(urls[0], key).post('/api/v3/trade/place-order', bid('1000', `no-${round}`))
      expect(refused.code, refused.text).not.toBe(good)
      const socket = await Socket.of(speakingTo(urls[0], key), '/v3/ws/private')
      await revoke(mains[1], key)
      for (const address of urls) expect(await codeAt(address, key)).toBe(unknown)
      await socket.closed
    }
    const revoked = () => ask(url, "select 1 from api_keys where label = 'gateway' and revoked_at is not null")
    await vi.waitUntil(async () => (await revoked()).length === 5, patience)
  })

  test('an account has ten, however many gateways are asked at once', { timeout }, async () => {
    const { mains, sub } = venue
    const asked = Array.from({ length: 16 }, (_, place) => makeKey(mains[place % 2], sub.uid))
    const answers = await Promise.all(asked)
    const made = answers.filter(({ code }) => code === good)
    expect(made.length + answers.filter(({ code }) => code === '40063').length).toBe(16)
    // One it had before. While a key is made it may count twice for a moment: whoever is refused asks again.
    const ofTen = 9
    expect(made.length).toBeLessThanOrEqual(ofTen)
    const oneMore = async () => {
      if (made.length === ofTen) return true
      const answer = await makeKey(mains[0], sub.uid)
      if (answer.code === good) made.push(answer)
      return made.length === ofTen
    }
    await vi.waitUntil(oneMore, patience)
    expect((await makeKey(mains[1], sub.uid)).code).toBe('40063')
    for (const { fields } of made) await revoke(mains[0], { apiKey: String(fields['apiKey']) })
  })

  test('PostgreSQL is down: keys are revoked all the same, and neither made nor changed', { timeout }, async () => {
    const { urls, mains, sub, url } = venue
    const { history, gateways } = venue.followers
    const key = await madeKey(mains[0], sub.uid)
    const other = await madeKey(mains[0], sub.uid)
    for (const made of [key, other]) for (const address of urls) expect(await codeAt(address, made)).toBe(good)
    await theServer().kill()
    const refused = await makeKey(mains[0], sub.uid)
    expect([refused.status, refused.code]).toEqual([503, '40015'])
    await revoke(mains[0], key)
    for (const address of urls) expect(await codeAt(address, key)).toBe(unknown)
    for (const address of urls) expect(await codeAt(address, other)).toBe(good)
    // All that heard of it die before the database does.
    for (const { process: running } of [...gateways, history]) await end(running, 'SIGKILL')
    await end(venue.core.process, 'SIGKILL')
    // The core does not wait for the database.
    venue.core = await venue.run('core')
    await theServer().start()
    venue.followers = await venue.follow()
    for (const address of urls) expect(await codeAt(address, key)).toBe(unknown)
    for (const address of urls) expect(await codeAt(address, other)).toBe(good)
    const revoked = () => ask(url, `select 1 from api_keys where api_key = '${key.apiKey}' and revoked_at is not null`)
    await vi.waitUntil(async () => (await revoked()).length === 1, patience)
  })

  test('a gateway that is cut off refuses within the time that it waits for the core', { timeout }, async () => {
    const { urls, mains, sub } = venue
    const key = await madeKey(mains[0], sub.uid)
    await end(venue.core.process, 'SIGKILL')
    const answer = await speakingTo(urls[1], key).get('/api/v3/account/assets')
    expect([answer.status, answer.code]).toEqual([503, '40015'])
    venue.core = await venue.run('core')
    await vi.waitUntil(async () => (await codeAt(urls[1], key)) === good, patience)
    await revoke(mains[0], key)
    expect(await codeAt(urls[1], key)).toBe(unknown)
  })

  test('a venue that had its keys in its directory goes on with them', { timeout }, async () => {
    const data = temporaryDirectory('moved-keys')
    const [port] = await freePorts(1)
    const flags = ['--port', String(port)]
    const before = await start('core', data, ...flags)
    await end(before.process)
    const url = await theServer().database()
    const database = ['--postgres', url]
    await start('core', data, ...flags, ...database)
    await start('history', data, ...database)
    const gateway = await start('gateway', data, ...flags, ...database)
    const answer = await personAt(String(gateway.ready['url']), data, 'unified-main').get('/api/v3/account/assets')
    expect(answer.code, answer.text).toBe(good)
  })

  test('one clear line for what does not go together', { timeout }, async () => {
    const { data, core, url, without } = venue
    const line = async (starting: Promise<Started>) =>
      starting.then(
        () => 'it started',
        (error: Error) => error.message.split('\n').filter(Boolean).join(' | '),
      )
    expect(await line(start('gateway', data, ...without))).toMatch(
      /--postgres: the core has its keys in PostgreSQL: name the same database$/,
    )
    await end(core.process)
    expect(await line(start('core', data, ...without))).toMatch(
      /--postgres: the keys of this venue are in PostgreSQL: name the database$/,
    )
    const empty = await theServer().database()
    expect(await line(start('core', data, ...without, '--postgres', empty))).toMatch(
      /: it has no keys, and this venue has its keys in PostgreSQL: name the database that has them$/,
    )
    // Unless somebody says that they are lost: a demo venue makes its own anew.
    const [before] = demoKeysOf(data)
    const directory = DataDirectory.open(data)
    acceptLoss(directory, 'keys.sqlite', undefined)
    directory.close()
    await end((await start('core', data, ...without, '--postgres', empty)).process)
    expect(demoKeysOf(data)[0]).not.toBe(before)
    expect(await ask(empty, `select 1 from api_keys where api_key = '${demoKeysOf(data)[0]}'`)).toHaveLength(1)
    await ask(url, "update venue set id = 'another'")
    expect(await line(venue.run('core'))).toMatch(/: it has the history of another venue: /)
  })
})
