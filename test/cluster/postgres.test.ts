/**
 * Three cores with one log, and history and keys in PostgreSQL: whoever is killed, rows are there once, reads see what was answered
 * before, and a key that was revoked is refused at every gateway. The log is cut all the time: who lacks what is gone begins with the
 * state of another.
 */
import type { ChildProcess } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { bid, end, speakingTo, type Started } from '../gateway/processes.ts'
import { NatsCluster, natsServer } from '../support/nats.ts'
import type { Person } from '../support/person.ts'
import { ask, launchedPostgres } from '../support/postgres.ts'
import { ClusterVenue, commanded, Traders } from './processes.ts'

const timeout = 180_000
const patience = { timeout, interval: 20 }
const good = '00000'
const unknown = '40037'
const laterRules = fileURLToPath(new URL('later-rules.ts', import.meta.url))
/** What is started from here on is of the release that a module makes of it; undefined: of this one. */
const releaseIs = (module: string | undefined) => vi.stubEnv('NODE_OPTIONS', module && `--import ${module}`)
const postgres = await launchedPostgres()
const nats = natsServer === undefined || postgres === undefined ? undefined : await NatsCluster.start()
afterAll(() => nats?.stop())

// Keys in the database open for every process that has it.
beforeAll(() => void vi.stubEnv('TIDEMARK_MASTER_KEY', 'ab'.repeat(32)))
afterAll(() => void vi.unstubAllEnvs())

describe.skipIf(nats === undefined)('three cores with PostgreSQL', { timeout }, () => {
  let venue: ClusterVenue
  let url: string
  let standby: Started
  let mains: readonly Person[]
  let sub: Person
  beforeAll(async () => {
    url = await postgres!.database()
    // What is old in the log goes as soon as two snapshots are there, and a core that is away is waited for seconds.
    const quick = ['--snapshot-every', '60', '--log-keep-ms', '1000', '--log-wait-ms', '3000']
    venue = await ClusterVenue.start(nats!, { gateways: 2, postgres: url, each: { core: [quick, quick, quick] } })
    standby = await venue.startHistory()
    mains = await Promise.all([venue.person(0), venue.person(1)])
    sub = await venue.person(0, 'unified-sub')
  }, 3 * timeout)
  afterAll(() => venue?.stop())

  const passphrase = 'passphrase1'
  async function madeKey() {
    const asked = {
      subUid: sub.uid,
      note: 'cluster',
      type: 'read_write',
      passphrase,
      permissions: ['uta_mgt', 'uta_trade'],
      ips: [],
    }
    const made = await mains[0].post('/api/v3/user/create-sub-api', asked)
    expect(made.code, made.text).toBe(good)
    return { apiKey: String(made.fields['apiKey']), secret: String(made.fields['secret']), passphrase }
  }
  type Key = Awaited<ReturnType<typeof madeKey>>
  const codesOf = (key: Key) =>
    Promise.all(venue.gatewayUrls.map(async (at) => (await speakingTo(at, key).get('/api/v3/account/assets')).code))
  async function revoke({ apiKey }: Key) {
    const answer = await mains[1].post('/api/v3/user/delete-sub-api', { apiKey })
    expect(answer.code, answer.text).toBe(good)
  }

  async function rows() {
    const found = await ask(url, 'select client_oid, count(*) as count from orders group by client_oid')
    return new Map(found.map((row) => [String(row['client_oid']), Number(row['count'])]))
  }

  test('the core that leads is killed, who writes the history stopped and killed, under load: each row is there, once', async () => {
    const traders = new Traders(mains, 1)
    await traders.until(20)
    const leader = await venue.leader()
    await venue.kill(venue.core(leader))
    await traders.until(traders.answered + 20)
    venue.history(0).kill('SIGSTOP')
    await traders.until(traders.answered + 20)
    await end(venue.history(0), 'SIGKILL')
    await traders.until(traders.answered + 20)
    await venue.startCore(leader)
    await traders.stop()
    // What was answered is seen by whoever reads, at either gateway.
    expect(await traders.faults()).toEqual([])
    const placed = [...traders.outcomes].filter(([, { code }]) => code === good).map(([clientOid]) => clientOid)
    const read = await mains[1].get('/api/v3/trade/history-orders', { category: 'SPOT', limit: 1 })
    expect(read.code, read.text).toBe(good)
    const open = await mains[0].get('/api/v3/trade/unfilled-orders', { category: 'SPOT', limit: 100 })
    const stillOpen = new Set(open.list('list').map((order) => String(order['clientOid'])))
    const done = placed.filter((clientOid) => !stillOpen.has(clientOid))
    await vi.waitUntil(async () => {
      const found = await rows()
      return done.every((clientOid) => found.get(clientOid) === 1)
    }, patience)
    expect([...(await rows()).values()].filter((count) => count > 1)).toEqual([])
    expect(standby.process.exitCode).toBeNull()
  })

  test('a key is made at one gateway, known after the core that leads is killed, and refused once it is revoked', async () => {
    const key = await madeKey()
    expect(await codesOf(key)).toEqual([good, good])
    const leader = await venue.leader()
    await venue.kill(venue.core(leader))
    await venue.leader()
    expect(await codesOf(key)).toEqual([good, good])
    await revoke(key)
    expect(await codesOf(key)).toEqual([unknown, unknown])
    await venue.startCore(leader)
  })

  test('PostgreSQL is down: a key that is revoked stays so, whoever dies or begins', async () => {
    const key = await madeKey()
    const other = await madeKey()
    expect(await codesOf(key)).toEqual([good, good])
    await postgres!.kill()
    await revoke(key)
    expect(await codesOf(key)).toEqual([unknown, unknown])
    // Another leads, which was told of it by the log alone.
    const leader = await venue.leader()
    await venue.kill(venue.core(leader))
    await venue.leader()
    expect(await codesOf(key)).toEqual([unknown, unknown])
    await Promise.all([venue.kill(venue.gateway(0)), end(venue.gateway(1))])
    await venue.startCore(leader)
    // It is back, with a row that says nothing of it: who begins is told by the core.
    await postgres!.start()
    await Promise.all([0, 1].map((place) => venue.startGateway(place)))
    expect(await codesOf(key)).toEqual([unknown, unknown])
    expect(await codesOf(other)).toEqual([good, good])
    const revoked = () => ask(url, `select 1 from api_keys where api_key = '${key.apiKey}' and revoked_at is not null`)
    await vi.waitUntil(async () => (await revoked()).length === 1, patience)
  })

  /** The oldest position of the log; zero: a busy server did not say it. */
  async function firstPosition(): Promise<number> {
    const log = await nats!.open(venue.name)
    try {
      return (await log.bounds().catch(() => ({ first: 0 }))).first
    } finally {
      await log.close()
    }
  }

  /** Others hand over until this one leads. */
  async function leadBy(place: number): Promise<void> {
    for (let leader = await venue.leader(); leader !== place; leader = await venue.leader()) {
      await venue.ask(leader, 'resign')
    }
  }

  test('the log is cut under load: a core that lost all it had begins with the state of another', async () => {
    const revoked = await madeKey()
    const key = await madeKey()
    await revoke(revoked)
    const traders = new Traders(mains, 2, { name: 'lost' })
    await vi.waitUntil(async () => (await firstPosition()) > 1, patience)
    const place = ((await venue.leader()) + 1) % 3
    await venue.kill(venue.core(place))
    rmSync(venue.coreData(place), { recursive: true })
    await venue.startCore(place)
    await traders.until(traders.answered + 20)
    await leadBy(place)
    await traders.until(traders.answered + 20)
    await traders.stop()
    expect(await traders.faults()).toEqual([])
    expect(await codesOf(key)).toEqual([good, good])
    expect(await codesOf(revoked)).toEqual([unknown, unknown])
    expect(new Set(await venue.hashes()).size).toBe(1)
    // All that was told before its snapshot is in its own history, too.
    const oldest = (core: number) => {
      using history = new DatabaseSync(join(venue.coreData(core), 'history.sqlite'), { readOnly: true })
      return history.prepare('select min(order_id) as oldest from orders').get()?.['oldest']
    }
    expect(oldest(place)).toBe(oldest((place + 1) % 3))
  })

  test('a core is away until the log begins behind its end: it begins with the state of another', async () => {
    const traders = new Traders(mains, 2, { name: 'away' })
    const place = ((await venue.leader()) + 1) % 3
    const { position } = await venue.status(place)
    await venue.kill(venue.core(place))
    const held = `the core ${venue.addresses[place]} does not answer`
    // A slow machine sees it for a moment alone, or not at all: then it has been waited for long enough.
    const isHeld = async () => String((await venue.status(await venue.leader())).held).includes(held)
    const isCut = async () => (await firstPosition()) > position + 1
    await vi.waitUntil(async () => (await isHeld().catch(() => false)) || isCut(), patience)
    await vi.waitUntil(isCut, patience)
    await venue.startCore(place)
    expect(existsSync(join(venue.coreData(place), 'put-aside', 'journal'))).toBe(true)
    await traders.until(traders.answered + 20)
    await traders.stop()
    expect(await traders.faults()).toEqual([])
  })

  test('a gateway and who writes the history begin while the log has no beginning', async () => {
    await end(venue.history(1), 'SIGKILL')
    await venue.startHistory()
    await venue.kill(venue.gateway(1))
    await venue.startGateway(1)
    const traders = new Traders(mains, 1, { name: 'begun' })
    await traders.until(20)
    await traders.stop()
    expect(await traders.faults()).toEqual([])
  })

  test('goes over to the rules of a later release: process by process, then at one command', {
    timeout: 5 * timeout,
  }, async () => {
    const upgrade = () => commanded('cluster', 'upgrade', '--cores', venue.addresses.join(','))
    const prices = async (clientOid: string) =>
      Promise.all(
        mains.map(async (person) => {
          const answer = await person.get('/api/v3/trade/order-info', { clientOid })
          return answer.fields['price']
        }),
      )
    const place = async (clientOid: string) => {
      const answer = await mains[0].post('/api/v3/trade/place-order', bid('1000', clientOid))
      expect(answer.code, answer.text).toBe(good)
    }
    await expect(upgrade()).rejects.toThrow(/^tidemark: the venue stands at rules 3 already, the newest that release/)

    releaseIs(laterRules)
    onTestFinished(() => void releaseIs(undefined))
    const earlier = await venue.leader()
    const anew = async (child: ChildProcess, start: () => Promise<unknown>) => {
      await end(child)
      await start()
    }
    await Promise.all([0, 1].map((gateway) => anew(venue.gateway(gateway), () => venue.startGateway(gateway))))
    const next = await venue.startHistory()
    await Promise.all([0, 1, 2].map((writer) => end(venue.history(writer))))
    const followers = [0, 1, 2].filter((core) => core !== earlier)
    await Promise.all(followers.map((core) => anew(venue.core(core), () => venue.startCore(core))))
    await venue.ask(earlier, 'resign')
    await vi.waitUntil(async () => (await venue.leader()) !== earlier, patience)
    await place('earlier')
    await expect(upgrade()).rejects.toThrow(
      new RegExp(`the venue stays at rules 3: core ${venue.addresses[earlier]} is release .* and applies rules 3 only`),
    )
    await end(venue.core(earlier))
    await venue.startCore(earlier)
    // Orders go on meanwhile.
    const traders = new Traders(mains, 1)
    await traders.until(20)
    expect(await upgrade()).toMatchObject({ from: 3, to: 4 })
    await traders.until(traders.answered + 20)
    await traders.stop()
    await place('later')
    expect([await prices('earlier'), await prices('later')]).toEqual([
      ['1000', '1000'],
      ['999.99', '999.99'],
    ])
    for (const core of [0, 1, 2]) await vi.waitUntil(async () => (await venue.status(core)).rules === 4, patience)
    const log = ['--venue', venue.name, '--nats', nats!.urls.join(','), '--nats-monitor', nats!.monitors.join(',')]
    const status = await commanded('cluster', 'status', '--cores', venue.addresses.join(','), ...log)
    const shown = status['followers'] as readonly { readonly process: string; readonly applies: string }[]
    expect(shown.map(({ process, applies }) => `${process.split(' ')[0]} ${applies}`).toSorted()).toEqual([
      'gateway 3 to 4',
      'gateway 3 to 4',
      'history 3 to 4',
    ])

    // There is no way back, for nobody.
    releaseIs(undefined)
    const refused = /this release applies rules 3 only: start release .*, or another that applies rules 4/
    const follower = ((await venue.leader()) + 1) % 3
    await Promise.all([venue.kill(venue.core(follower)), end(venue.gateway(1))])
    await Promise.all([
      expect(venue.startCore(follower)).rejects.toThrow(refused),
      expect(venue.startGateway(1)).rejects.toThrow(refused),
    ])

    // A core that begins with nothing goes the same way.
    releaseIs(laterRules)
    rmSync(venue.coreData(follower), { recursive: true })
    await Promise.all([venue.startGateway(1), venue.startCore(follower)])
    expect(await traders.faults()).toEqual([])
    expect(next.process.exitCode).toBeNull()
  })

  test('all cores have the same state', async () => {
    expect(new Set(await venue.hashes()).size).toBe(1)
  })
})
