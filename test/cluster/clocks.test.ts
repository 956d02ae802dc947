/** A core whose clock is wrong does not lead: it gives up when it does, says so, and does not claim when another is gone. */
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { freePorts } from '../gateway/processes.ts'
import { NatsCluster, natsServer } from '../support/nats.ts'
import { healthAt, Scraped } from '../support/scraped.ts'
import { ClusterVenue, pause } from './processes.ts'

const leaping = fileURLToPath(new URL('leaping.ts', import.meta.url))
const nats = natsServer === undefined ? undefined : await NatsCluster.start()
afterAll(() => nats?.stop())

describe.skipIf(nats === undefined)('cores whose clocks are watched', () => {
  test('the clock of the core that leads leaps: another leads, and never that one', { timeout: 120_000 }, async () => {
    const places = (await freePorts(3)).map((port) => `127.0.0.1:${port}`)
    vi.stubEnv('NODE_OPTIONS', `--import ${leaping}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const each = { core: places.map((place) => ['--status', place]) }
    const venue = await ClusterVenue.start(nats!, { gateways: 0, each })
    onTestFinished(() => venue.stop())
    const wrong = await venue.leader()
    const url = `http://${places[wrong]}`
    expect(await healthAt(url)).toEqual({ status: 'ok', reasons: [] })

    venue.core(wrong).kill('SIGUSR2')
    while ((await venue.status(wrong)).role === 'leader') await pause(50)
    const next = await venue.leader()
    expect(next).not.toBe(wrong)
    expect((await healthAt(url)).reasons).toContainEqual(
      expect.stringMatching(/^the clock of this core is [45]\d{3} ms ahead of the others: it does not lead$/),
    )
    const told = await Scraped.from(url)
    expect(told.value('tidemark_clock_others_ahead_seconds')).toBeCloseTo(-5, 0)
    expect(told.value('tidemark_degraded', { reason: 'clock-off' })).toBe(1)

    // Two are left, of which one may lead.
    await venue.kill(venue.core(next))
    expect(await venue.leader()).toBe(3 - wrong - next)
  })
})
