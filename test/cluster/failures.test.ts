/**
 * What clients see when something of a venue of several processes fails: two cores, two gateways, three NATS servers, under load.
 *
 * Watched   in every row: an order is answered, refused for good, or unknown and found by its `clientOid`; sockets hear each order that
 *           was acknowledged once. At the end nothing that was acknowledged is lost, and nothing stands twice
 * Cut off   cores reach the NATS servers, and the second gateway the cores, through proxies that can be cut
 * Gateways  the first waits as by default. The second waits for a second, so that it is seen to the end in twelve
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { bid } from '../gateway/processes.ts'
import { NatsCluster, natsServer } from '../support/nats.ts'
import type { Person } from '../support/person.ts'
import { type Message, Socket } from '../support/socket.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { ClusterVenue, Traders } from './processes.ts'

const timeout = 180_000
const patience = { timeout, interval: 20 }
const good = '00000'
const notSequenced = '40015'
const timedOut = '40010'
const quick = ['--leader-wait', '1000', '--reply-timeout-ms', '3000']
const nats = natsServer === undefined ? undefined : await NatsCluster.start({ advertise: false })
afterAll(() => nats?.stop())

describe.skipIf(nats === undefined)('clients of two gateways', { timeout }, () => {
  let venue: ClusterVenue
  let people: readonly Person[]
  let traders: Traders
  /** Of each core, to the NATS servers; of the second gateway, to the cores. */
  const toLog: (readonly TcpProxy[])[] = []
  let toCores: readonly TcpProxy[] = []
  beforeAll(async () => {
    for (let core = 0; core < 2; core++) toLog.push(await Promise.all(nats!.ports.map((port) => TcpProxy.before(port))))
    venue = await ClusterVenue.start(nats!, {
      cores: 2,
      gateways: 2,
      each: { gateway: [[], quick] },
      natsPortsOf: (core) => toLog[core].map(({ port }) => port),
      corePortsOf: async (gateway, ports) => {
        if (gateway === 0) return ports
        if (toCores.length === 0) toCores = await Promise.all(ports.map((port) => TcpProxy.before(port)))
        return toCores.map(({ port }) => port)
      },
    })
    people = await Promise.all([0, 1].map((gateway) => venue.person(gateway)))
    traders = new Traders(people, 2)
    await traders.until(20)
  }, 3 * timeout)
  afterAll(async () => {
    await venue?.stop()
    for (const proxy of [...toLog.flat(), ...toCores]) await proxy.close()
  })

  const goesOn = () => traders.until(traders.answered + 20)
  const publicRead = (place: number) =>
    people[place].get('/api/v3/market/tickers', { category: 'SPOT', symbol: 'BTCUSDT' })
  const privateRead = (place: number) => people[place].get('/api/v3/account/assets')
  const order = (place: number, clientOid: string) =>
    people[place].post('/api/v3/trade/place-order', bid('900', clientOid))

  async function health(place: number) {
    const answer = await fetch(`${venue.gatewayUrls[place]}/health`)
    const said = (await answer.json()) as { readonly stale: boolean; readonly reasons: readonly string[] }
    return { httpStatus: answer.status, ...said }
  }

  /** Hears the orders of the account at a gateway. */
  async function watching(place: number): Promise<Socket> {
    const socket = await Socket.of(
      { venue: { url: venue.gatewayUrls[place], now: Date.now } as Person['venue'], key: people[place].key },
      '/v3/ws/private',
    )
    await socket.subscribe({ instType: 'UTA', topic: 'order' })
    return socket
  }

  /** From now on; `isWhole` resolves when a socket has heard of each order that is acknowledged until then, and of none twice. */
  async function watchingAll(...places: readonly number[]) {
    const sockets = await Promise.all(places.map(watching))
    // What was under way before is answered then.
    await goesOn()
    const before = new Set(traders.outcomes.keys())
    return async () => {
      await goesOn()
      const acknowledged = [...traders.outcomes]
        .filter(([clientOid, { code }]) => code === good && !before.has(clientOid))
        .map(([clientOid]) => clientOid)
      for (const socket of sockets) {
        const heard = () => {
          const rows = socket.heard.flatMap(({ action, data = [] }) => (action === undefined ? [] : data))
          return rows.filter((row) => row['orderStatus'] === 'live').map((row) => String(row['clientOid']))
        }
        await vi.waitUntil(() => new Set(heard()).isSupersetOf(new Set(acknowledged)), patience)
        expect(heard()).toHaveLength(new Set(heard()).size)
        expect(socket.heard.filter(isError)).toEqual([])
        socket.close()
      }
    }
  }

  const isError = ({ event }: Message) => event === 'error'

  test('the core that leads is killed: public reads go on, sockets stay, nothing is missed', async () => {
    const isWhole = await watchingAll(0, 1)
    const leader = await venue.leader()
    await venue.kill(venue.core(leader))
    expect((await publicRead(0)).code).toBe(good)
    await Promise.all([isWhole(), venue.startCore(leader)])
    expect((await privateRead(0)).code).toBe(good)
  })

  test('the core that leads is cut off from the log: gateways go over to the next', async () => {
    const isWhole = await watchingAll(0, 1)
    const leader = await venue.leader()
    const { epoch } = await venue.status(leader)
    for (const proxy of toLog[leader]) proxy.cut()
    // Whoever answers has a log that goes on: the other one reads it, or is refused.
    for (let count = 0; (await venue.status(1 - leader)).role !== 'leader'; count++) {
      const placed = await order(0, `cut-off-${count}`)
      const read = await people[1].get('/api/v3/trade/order-info', { clientOid: `cut-off-${count}` })
      if (placed.code === good) expect([good, notSequenced], read.text).toContain(read.code)
    }
    await isWhole()
    expect(await venue.status(1 - leader)).toMatchObject({ role: 'leader', epoch: epoch + 1 })
    for (const proxy of toLog[leader]) proxy.mend()
    await vi.waitUntil(async () => (await venue.status(leader)).role === 'follower', patience)
  })

  test('a core that follows is stopped, then killed: nobody notices', async () => {
    const isWhole = await watchingAll(0, 1)
    const { refused } = traders
    const follower = 1 - (await venue.leader())
    venue.core(follower).kill('SIGSTOP')
    await goesOn()
    await venue.kill(venue.core(follower))
    await isWhole()
    expect(traders.refused).toBe(refused)
    await venue.startCore(follower)
  })

  test('the disk of a core fails: it ends, and another leads', async () => {
    const isWhole = await watchingAll(0, 1)
    const leader = await venue.leader()
    const core = venue.core(leader)
    const over = once(core, 'exit')
    // No file of it may become longer, or be written there.
    expect(spawnSync('prlimit', ['--pid', String(core.pid), '--fsize=1']).status).toBe(0)
    expect(await over).toEqual([1, null])
    await vi.waitUntil(async () => (await venue.status(1 - leader)).role === 'leader', patience)
    await Promise.all([isWhole(), venue.startCore(leader)])
  })

  test('a NATS server that follows is stopped, then killed: nobody notices; the one that leads: orders wait', async () => {
    const log = await nats!.open(venue.name)
    const leads = nats!.placeOf(await log.leader())
    await log.close()
    const { refused } = traders
    const follows = (leads + 1) % 3
    nats!.signal(follows, 'SIGSTOP')
    await goesOn()
    await nats!.end(follows, 'SIGKILL')
    await goesOn()
    expect(traders.refused).toBe(refused)
    nats!.startServer(follows)
    await nats!.isHealthy(follows)
    const isWhole = await watchingAll(0)
    await nats!.end(leads, 'SIGKILL')
    expect((await publicRead(0)).code).toBe(good)
    await isWhole()
    nats!.startServer(leads)
    await nats!.isHealthy(leads)
  })

  test('a gateway is killed: its connections break, the other knows what became of it', async () => {
    const isWhole = await watchingAll(0)
    const socket = await watching(1)
    const underWay = order(1, 'broken').then(
      ({ code }) => code,
      () => 'no answer',
    )
    await venue.kill(venue.gateway(1))
    expect(await socket.closed).toBe(1006)
    expect([good, 'no answer']).toContain(await underWay)
    // The same again: it stands once, whichever of both has placed it.
    expect([good, '40786']).toContain((await order(0, 'broken')).code)
    expect((await order(0, 'broken')).code).toBe('40786')
    await Promise.all([isWhole(), venue.startGateway(1)])
  })

  test('the link of a gateway breaks: what was not sent is refused, and it goes on where it stood', async () => {
    const isWhole = await watchingAll(0)
    const socket = await watching(1)
    for (const proxy of toCores) proxy.cut()
    await vi.waitUntil(async () => (await health(1)).stale, patience)
    expect((await publicRead(1)).code).toBe(good)
    expect((await order(1, 'unsent')).code).toBe(notSequenced)
    expect((await privateRead(1)).code).toBe(notSequenced)
    // The other one serves on; its orders are heard when the link is back.
    expect((await order(0, 'elsewhere')).code).toBe(good)
    for (const proxy of toCores) proxy.mend()
    await socket.push('order', (row) => row['clientOid'] === 'elsewhere')
    await isWhole()
    await vi.waitUntil(async () => (await order(1, 'unsent')).code === good, patience)
  })

  test('the log stands still: two NATS servers are stopped, and continued', async () => {
    const sockets = [await watching(0), await watching(1)]
    await goesOn()
    for (const place of [1, 2]) nats!.signal(place, 'SIGSTOP')

    // Orders under way: unknown when their time is over. Public data goes on, and is marked.
    const underWay = [order(0, 'under-way-0'), order(1, 'under-way-1')]
    for (const place of [0, 1]) await vi.waitUntil(async () => (await health(place)).stale, patience)
    expect((await publicRead(0)).code).toBe(good)
    expect(await health(0)).toMatchObject({
      httpStatus: 503,
      status: 'failed',
      reasons: [
        expect.stringMatching(
          /^the log stands still since \d+ s: private calls are refused, and what is public is stale$/,
        ),
      ],
    })
    expect(sockets.flatMap(({ heard }) => heard.filter(isError))).toEqual([])

    // New orders and private reads: never sequenced.
    for (const place of [0, 1]) {
      const refused = await Promise.all([order(place, `refused-${place}`), privateRead(place)])
      expect(refused.map(({ status, code }) => [status, code])).toEqual([
        [503, notSequenced],
        [503, notSequenced],
      ])
    }

    // Then what is public is too old as well, and sockets are told so.
    for (const place of [1, 0]) {
      await vi.waitUntil(async () => (await publicRead(place)).status === 503, patience)
      expect((await publicRead(place)).code).toBe(notSequenced)
      const told = { event: 'error', code: Number(notSequenced) }
      await vi.waitUntil(() => sockets[place].heard.some(isError), patience)
      expect(sockets[place].heard.filter(isError)).toMatchObject([told])
      await expect(Socket.open({ url: venue.gatewayUrls[place] }, '/v3/ws/public')).rejects.toThrow('refused with 503')
    }
    expect((await Promise.all(underWay)).map(({ code }) => code)).toEqual([timedOut, timedOut])

    // At last they end; the other gateway's wait longer.
    expect(await sockets[1].closed).toBe(1013)
    for (const place of [1, 2]) nats!.signal(place, 'SIGCONT')
    await goesOn()
    for (const place of [0, 1]) await vi.waitUntil(async () => !(await health(place)).stale, patience)
    expect(await health(1)).toMatchObject({ httpStatus: 200, status: 'ok', stale: false })
    const again = await order(0, 'after')
    expect(again.code, again.text).toBe(good)
    await sockets[0].push('order', (row) => row['clientOid'] === 'after')

    // Unknown has become definite: it stands once, or a second try places it.
    for (const place of [0, 1]) {
      const clientOid = `under-way-${place}`
      expect([good, '40786']).toContain((await order(1 - place, clientOid)).code)
      expect((await people[place].get('/api/v3/trade/order-info', { clientOid })).fields['clientOid']).toBe(clientOid)
      expect((await people[place].get('/api/v3/trade/order-info', { clientOid: `refused-${place}` })).code).not.toBe(
        good,
      )
    }
  })

  test('two NATS servers go, one by SIGTERM and one killed, and are started: all goes on', async () => {
    await nats!.end(0, 'SIGTERM')
    await nats!.end(1, 'SIGKILL')
    await vi.waitUntil(async () => (await health(1)).stale, patience)
    expect((await order(1, 'meanwhile')).code).toBe(notSequenced)
    for (const place of [0, 1]) nats!.startServer(place)
    await goesOn()
    expect((await order(1, 'meanwhile')).code).toBe(good)
  })

  test('no core leads: the same; all NATS servers are killed as well, and what was acknowledged is there', async () => {
    for (const place of [0, 1]) await venue.kill(venue.core(place))
    await vi.waitUntil(async () => (await health(1)).stale, patience)
    const { reasons } = await health(1)
    expect(reasons).toEqual([expect.stringMatching(/^no core is heard since \d+ s: /)])
    expect((await order(1, 'leaderless')).code).toBe(notSequenced)
    await vi.waitUntil(async () => (await publicRead(1)).status === 503, patience)
    await Promise.all([0, 1, 2].map((place) => nats!.end(place, 'SIGKILL')))
    for (const place of [0, 1, 2]) nats!.startServer(place)
    await Promise.all([0, 1].map((place) => venue.startCore(place)))
    await goesOn()
    expect((await order(0, 'leaderless')).code).toBe(good)
  })

  test('then everything that was answered holds, and both cores have the same state', async () => {
    await traders.stop()
    expect(await traders.faults()).toEqual([])
    expect(new Set(await venue.hashes()).size).toBe(1)
  })
})
