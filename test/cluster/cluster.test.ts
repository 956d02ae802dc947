/**
 * Three cores with one log, and two gateways, all under load: whoever is killed, stopped or asked to go, nothing that was acknowledged
 * is lost, nothing is answered twice, nothing that was refused as never sequenced stands, and all cores have the same state.
 */
import { readFileSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { handshakeOf, SocketLink, type WireFrame } from '../../src/replication/replication.ts'
import { end, start } from '../gateway/processes.ts'
import { NatsCluster, natsServer } from '../support/nats.ts'
import { ClusterVenue, commanded, pause, Traders } from './processes.ts'

const timeout = 180_000
const nats = natsServer === undefined ? undefined : await NatsCluster.start()
afterAll(() => nats?.stop())

describe.skipIf(nats === undefined)('three cores with one log', { timeout }, () => {
  let venue: ClusterVenue
  let traders: Traders
  beforeAll(async () => {
    const quick = ['--snapshot-every', '100', '--log-keep-ms', '1000']
    venue = await ClusterVenue.start(nats!, { gateways: 2, each: { core: [quick, quick, quick] } })
    traders = new Traders([await venue.person(0), await venue.person(1)], 2)
    await traders.until(20)
    // Five processes that start at once.
  }, 3 * timeout)
  afterAll(() => venue?.stop())

  /** Orders are acknowledged again: more than were under way. */
  const goesOn = () => traders.until(traders.answered + 20)

  test('the core that leads is killed: another takes over', async () => {
    const leader = await venue.leader()
    const { epoch } = await venue.status(leader)
    await venue.kill(venue.core(leader))
    await goesOn()
    const next = await venue.leader()
    expect(next).not.toBe(leader)
    expect((await venue.status(next)).epoch).toBe(epoch + 1)
    await venue.startCore(leader)
  })

  test('the core that leads resigns: another takes over, and clients notice nothing', async () => {
    const leader = await venue.leader()
    const refused = traders.refused
    await venue.ask(leader, 'resign')
    await goesOn()
    expect(await venue.leader()).not.toBe(leader)
    expect(traders.refused).toBe(refused)
  })

  test('the core that leads tells each gateway what passed at the others, and knows what any was sent', async () => {
    const [host, port] = venue.addresses[await venue.leader()].split(':')
    const trust = handshakeOf({ token: process.env['TIDEMARK_CLUSTER_TOKEN']! })
    const frames = Promise.withResolvers<WireFrame>()
    const answers: unknown[] = []
    const both = Promise.withResolvers<void>()
    const connected = async (take: (frame: WireFrame) => void) => {
      const socket = await trust.dial({ host, port: Number(port) })
      onTestFinished(() => void socket.destroy())
      const link = new SocketLink(socket, take, () => {})
      socket.resume()
      return link
    }
    await connected((frame) => {
      if (frame.kind === 'told' && frame.what === 'reads') frames.resolve(frame)
    })
    const link = await connected((frame) => {
      if (frame.kind !== 'answer') return
      answers[frame.number] = frame.error ?? frame.value
      if (frame.number === 2) both.resolve()
    })
    const counts = [{ endpoint: 'GET /api/v3/account/assets', caller: 7, passed: 2, leftMs: 900 }]
    link.send({ kind: 'ask', number: 0, what: 'reads', args: [1, counts] })
    for (const number of [1, 2]) link.send({ kind: 'ask', number, what: 'seen', args: ['a hash'] })
    expect(await frames.promise).toMatchObject({ value: { from: 1, counts } })
    await both.promise
    expect(answers).toEqual([undefined, false, true])
  })

  test('an operator sees all of it, and has another core lead', async () => {
    const leader = await venue.leader()
    const cores = ['--cores', venue.addresses.join(',')]
    const log = ['--venue', venue.name, '--nats', nats!.urls.join(','), '--nats-monitor', nats!.monitors.join(',')]
    const status = await commanded('cluster', 'status', ...log, ...cores)
    expect(status).toMatchObject({ log: { stream: `TIDEMARK_${venue.name}` } })
    const { copies } = status['log'] as {
      readonly copies: readonly { readonly server: string; readonly isAway: boolean }[]
    }
    expect(copies.flatMap(({ server, isAway }) => (isAway ? [] : server)).toSorted()).toEqual(['n0', 'n1', 'n2'])
    const roles = venue.addresses.map((core, place) => ({ core, role: place === leader ? 'leader' : 'follower' }))
    expect(status['cores']).toMatchObject(roles)
    const { resigned, leads } = await commanded('cluster', 'resign', ...cores)
    expect(resigned).toBe(venue.addresses[leader])
    expect(venue.addresses).toContain(leads)
    expect(leads).not.toBe(resigned)
    await goesOn()
  })

  test('the core that leads is ended by SIGTERM: it resigns before', async () => {
    const leader = await venue.leader()
    const refused = traders.refused
    expect(await end(venue.core(leader))).toBe(0)
    await goesOn()
    expect(traders.refused).toBe(refused)
    await venue.startCore(leader)
  })

  test('the core that leads is stopped, and continued when another leads: it follows', async () => {
    const leader = await venue.leader()
    venue.core(leader).kill('SIGSTOP')
    await goesOn()
    venue.core(leader).kill('SIGCONT')
    while ((await venue.status(leader)).role !== 'follower') await pause(50)
    await goesOn()
  })

  test('a core whose directory is lost begins with the state of another, as the log has no beginning any more', async () => {
    const log = await nats!.open(venue.name)
    onTestFinished(() => log.close())
    // A busy server does not always say it.
    const first = async () => (await log.bounds().catch(() => ({ first: 0 }))).first
    await vi.waitUntil(async () => (await first()) > 1, { timeout, interval: 100 })
    const place = ((await venue.leader()) + 1) % 3
    expect(await end(venue.core(place))).toBe(0)
    const keys = () => {
      using file = new DatabaseSync(`${venue.coreData(place)}/keys.sqlite`, { readOnly: true })
      return file.prepare('select api_key from keys order by api_key').all()
    }
    const had = keys()
    rmSync(venue.coreData(place), { recursive: true })
    await venue.startCore(place)
    expect(keys()).toEqual(had)
    await goesOn()
  })

  test('a gateway is stopped and continued, then killed: the other serves on, and it comes back', async () => {
    venue.gateway(1).kill('SIGSTOP')
    await goesOn()
    venue.gateway(1).kill('SIGCONT')
    await goesOn()
    await venue.kill(venue.gateway(1))
    await goesOn()
    await venue.startGateway(1)
    await goesOn()
  })

  test('the NATS server that leads the stream is killed: orders go on, and a core names it until it is back', async () => {
    const log = await nats!.open(venue.name)
    onTestFinished(() => log.close())
    const place = nats!.placeOf(await log.leader())
    await nats!.end(place, 'SIGKILL')
    await goesOn()
    const core = await venue.leader()
    const named = async () =>
      (await venue.reasons(core)).some((reason) => reason.includes(`the NATS server n${place} is`))
    await vi.waitUntil(named, { timeout: timeout / 3, interval: 100 })
    nats!.startServer(place)
    // It takes a server from a second to many minutes to be current again: until then it is named, and then no more.
    const isBack = async () =>
      (await log.copies()).copies.some(({ server, isAway, lag }) => server === `n${place}` && !isAway && lag === 0)
    const came = await vi.waitUntil(isBack, { timeout: 20_000, interval: 100 }).catch(() => false)
    if (came) await vi.waitUntil(async () => !(await named()), { timeout: timeout / 3, interval: 100 })
    else expect(await named()).toBe(true)
  })

  test('then everything that was answered holds, and all cores have the same state', async () => {
    await traders.stop()
    expect(await traders.faults()).toEqual([])
    expect(new Set(await venue.hashes()).size).toBe(1)
  })

  test('a directory of a core is nobody else’s', async () => {
    const data = venue.coreData(0)
    expect(JSON.parse(readFileSync(`${data}/server.json`, 'utf8'))).toMatchObject({ role: 'core' })
    await end(venue.core(0))
    await expect(start('start', data, '--port', '0')).rejects.toThrow(
      `${data} holds a core of the venue ${venue.name}: nothing else may write there`,
    )
    await expect(start('core', data, ...venue.coreFlags(0), '--venue', 'other')).rejects.toThrow(
      'nothing else may write',
    )
  })
})

describe.skipIf(nats === undefined)('a core does not start', { timeout }, () => {
  const flags = (venue: string) => ['--venue', venue, '--nats', nats!.urls.join(','), '--listen', '127.0.0.1:1']

  test('where nobody has seen that the servers sync, unless it was told so', async () => {
    const data = `${nats!.directory}/unseen`
    const starts = start('core', data, ...flags('none'))
    await expect(starts).rejects.toThrow('--nats: needs --nats-monitor, by which a core sees that the servers sync')
  })

  test('where its listener could be reached from elsewhere', async () => {
    const starts = start('core', `${nats!.directory}/open`, ...flags('none'), '--listen', '10.0.0.1:7400')
    await expect(starts).rejects.toThrow('--listen "10.0.0.1:7400": must be loopback')
  })

  test('where there is no stream', async () => {
    const starts = start('core', `${nats!.directory}/absent`, ...flags('absent'), '--log-sync', 'unchecked')
    await expect(starts).rejects.toThrow('there is no stream TIDEMARK_absent: tidemark cluster init makes it')
  })
})
