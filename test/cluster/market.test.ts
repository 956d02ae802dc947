/**
 * The simulated market of a venue of two cores: one of the gateways that are told so runs it, whichever core leads and whichever
 * gateway dies.
 */
import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { end, freePorts, start } from '../gateway/processes.ts'
import { NatsCluster, natsServer } from '../support/nats.ts'
import { ClusterVenue, commanded } from './processes.ts'

const timeout = 180_000
const patience = { timeout, interval: 50 }
const nats = natsServer === undefined ? undefined : await NatsCluster.start()
afterAll(() => nats?.stop())

const isOver = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

describe.skipIf(nats === undefined)('the simulated market of several cores', { timeout }, () => {
  let venue: ClusterVenue
  beforeAll(async () => {
    venue = await ClusterVenue.start(nats!, {
      cores: 2,
      gateways: 2,
      each: {
        gateway: [
          ['--simulator', 'on'],
          ['--simulator', 'on'],
        ],
      },
    })
  }, 3 * timeout)
  afterAll(() => venue?.stop())

  async function got(place: number, path: string): Promise<Readonly<Record<string, unknown>>> {
    const answer = await fetch(`${venue.gatewayUrls[place]}${path}`)
    return (await answer.json()) as Readonly<Record<string, unknown>>
  }
  /** What a gateway says of the market; undefined: it is away. */
  const stateOf = (place: number) =>
    got(place, '/health').then(
      ({ simulator }) => simulator,
      () => undefined,
    )
  const states = () => Promise.all([stateOf(0), stateOf(1)])
  const runner = () => vi.waitUntil(async () => (await states()).includes('running'), patience).then(placeOfRunner)
  const placeOfRunner = async () => (await states()).indexOf('running')

  /** Somebody trades: fills come that were not there. */
  async function trades(place: number): Promise<void> {
    const newest = async () => {
      const { data } = await got(place, '/api/v2/spot/market/fills?symbol=BTCUSDT&limit=1')
      return (data as readonly { readonly tradeId: string }[])[0]?.tradeId
    }
    const before = await newest()
    await vi.waitUntil(async () => (await newest()) !== before, patience)
  }

  test('one of two gateways that are told so runs it, and the other stands by', async () => {
    const place = await runner()
    await trades(1 - place)
    expect((await states()).toSorted()).toEqual(['running', 'standby'])
    const { data } = await got(1 - place, '/api/v2/mix/market/tickers?productType=usdt-futures')
    const tickers = data as readonly { readonly bidPr: string; readonly askPr: string }[]
    expect(tickers.filter(({ bidPr, askPr }) => !(Number(bidPr) > 0 && Number(bidPr) < Number(askPr)))).toEqual([])
  })

  test('the core that leads is killed: the same gateway goes on', async () => {
    const place = await runner()
    const leader = await venue.leader()
    await venue.kill(venue.core(leader))
    expect(await venue.leader()).toBe(1 - leader)
    await trades(place)
    expect(await placeOfRunner()).toBe(place)
    await venue.startCore(leader)
  })

  test('the gateway that runs it is killed: the other takes over', async () => {
    const place = await runner()
    await venue.kill(venue.gateway(place))
    await vi.waitUntil(async () => (await stateOf(1 - place)) === 'running', patience)
    await trades(1 - place)
    await venue.startGateway(place)
    await vi.waitUntil(async () => (await stateOf(place)) === 'standby', patience)
  })

  test('the gateway that runs it is ended: it leaves it to the other, and both cores have the same state', async () => {
    // A second try begins as the first did.
    const over = [0, 1].filter((gateway) => isOver(venue.gateway(gateway)))
    await Promise.all(over.map((gateway) => venue.startGateway(gateway)))
    const place = await runner()
    await end(venue.gateway(place))
    await vi.waitUntil(async () => (await stateOf(1 - place)) === 'running', patience)
    await end(venue.gateway(1 - place))
    expect(new Set(await venue.hashes()).size).toBe(1)
  })

  test('a demo venue is reached from this machine alone', async () => {
    const [port] = await freePorts(1)
    const flags = ['--port', String(port), '--cores', venue.addresses.join(','), '--host', '0.0.0.0']
    await expect(start('gateway', `${venue.data}/open`, ...flags)).rejects.toThrow(
      '--host 0.0.0.0: a demo venue has public keys, and listens on loopback only',
    )
  })
})

test.skipIf(nats === undefined)('an empty venue has no simulated market', { timeout }, async () => {
  const [listen, port] = await freePorts(2)
  const data = `${nats!.directory}/empty`
  await commanded('init', '--data', data)
  const log = [
    '--venue',
    await nats!.venue(),
    '--nats',
    nats!.urls.join(','),
    '--nats-monitor',
    nats!.monitors.join(','),
  ]
  await start('core', data, ...log, '--listen', `127.0.0.1:${listen}`)
  const flags = ['--port', String(port), '--cores', `127.0.0.1:${listen}`, '--simulator', 'on']
  await expect(start('gateway', `${nats!.directory}/gateway`, ...flags)).rejects.toThrow(
    '--simulator on: only a demo venue has a simulated market, and this one is empty',
  )
})
