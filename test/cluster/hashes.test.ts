/**
 * Processes of one venue compare their states: whoever's state was damaged ends with a line and a code of its own, and trading goes
 * on with the others. Nothing of what was damaged is taken over by anybody.
 */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePorts } from '../gateway/processes.ts'
import { damage, damageable, ended } from '../support/damaged.ts'
import { NatsCluster, natsServer } from '../support/nats.ts'
import { healthAt, Scraped } from '../support/scraped.ts'
import { ClusterVenue, pause, Traders } from './processes.ts'

const timeout = 120_000
const line = /the state here differs from that of the others at command \d+: its hash is \w{16}… and not \w{16}…/
const nats = natsServer === undefined ? undefined : await NatsCluster.start()
afterAll(() => nats?.stop())

describe.skipIf(nats === undefined)('three cores and two gateways', { timeout }, () => {
  let venue: ClusterVenue
  let traders: Traders
  let urls: readonly string[]
  beforeAll(async () => {
    const places = (await freePorts(5)).map((port) => `127.0.0.1:${port}`)
    urls = places.map((place) => `http://${place}`)
    const flags = places.map((place) => ['--status', place, '--hash-every', '25'])
    const each = { core: flags.slice(0, 3), gateway: flags.slice(3) }
    venue = await damageable(() => ClusterVenue.start(nats!, { gateways: 2, each }))
    // The second gateway is damaged, and has no clients that would be in doubt.
    traders = new Traders([await venue.person(0)], 2)
  }, timeout)
  afterAll(() => venue?.stop())

  const comparedAt = async (url: string) => (await Scraped.from(url)).value('tidemark_state_hash_sequence') ?? 0
  /** All of these see, at a command that is still to come, that they have the same. */
  async function allCompare(some: readonly string[]): Promise<void> {
    const after = (await Scraped.from(some[0])).value('tidemark_sequence')!
    for (const url of some) while ((await comparedAt(url)) <= after) await pause(100)
  }

  test('have the same', async () => {
    await allCompare(urls)
    for (const url of urls) expect(await healthAt(url)).toEqual({ status: 'ok', reasons: [] })
  })

  test('a core that follows is damaged: it ends, and does not start again on what it has', async () => {
    const place = ((await venue.leader()) + 1) % 3
    const child = venue.core(place)
    damage(child)
    expect(await ended(child)).toBe(3)
    expect(venue.said()).toMatch(line)
    const others = urls.slice(0, 3).filter((_, other) => other !== place)
    for (const url of others) {
      const said = `the state of the core ${venue.addresses[place]} differed from that of the others at command `
      await expect
        .poll(() => healthAt(url))
        .toMatchObject({ status: 'degraded', reasons: expect.arrayContaining([expect.stringContaining(said)]) })
    }
    const data = venue.coreData(place)
    await expect(venue.startCore(place)).rejects.toThrow(`take ${data} away: it is made anew from the log`)
    rmSync(data, { recursive: true })
    await damageable(() => venue.startCore(place))
    await allCompare(urls)
    for (const url of others) await expect.poll(() => healthAt(url)).toEqual({ status: 'ok', reasons: [] })
  })

  test('a gateway is damaged: it ends, and begins anew with the state of the core', async () => {
    damage(venue.gateway(1))
    expect(await ended(venue.gateway(1))).toBe(3)
    await damageable(() => venue.startGateway(1))
    await allCompare(urls)
  })

  test('the core that leads is damaged: nobody takes that over, and it ends once it follows', async () => {
    const place = await venue.leader()
    const child = venue.core(place)
    damage(child)
    const others = urls.filter((_, other) => other !== place)
    await allCompare(others)
    await venue.ask(place, 'resign')
    expect(await ended(child)).toBe(3)
    await allCompare(others)
  })

  test('nothing that was answered is lost', async () => {
    await traders.stop()
    expect(await traders.faults()).toEqual([])
  })
})
