/** What cores of one log tell whoever watches them, over HTTP; and that they say so when the log takes nothing. */
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { freePorts } from '../gateway/processes.ts'
import { NatsCluster, natsServer } from '../support/nats.ts'
import { healthAt, Scraped } from '../support/scraped.ts'
import { ClusterVenue } from './processes.ts'

const timeout = 120_000
const nats = natsServer === undefined ? undefined : await NatsCluster.start()
afterAll(() => nats?.stop())

describe.skipIf(nats === undefined)('cores of one log', { timeout }, () => {
  test('say who leads, how far each is, and when nothing can be written', async () => {
    const status = await freePorts(4)
    const urls = status.map((port) => `http://127.0.0.1:${port}`)
    const flags = status.map((port) => ['--status', `127.0.0.1:${port}`])
    const venue = await ClusterVenue.start(nats!, { each: { core: flags.slice(0, 3), gateway: flags.slice(3) } })
    onTestFinished(() => venue.stop())
    const person = await venue.person(0)
    await person.get('/api/v3/account/settings')
    const leader = await venue.leader()
    const follower = (leader + 1) % 3

    // Of one moment: what comes meanwhile stands at one core before it stands at another.
    const told = await vi.waitFor(async () => {
      const all = await Promise.all(urls.map((url) => Scraped.from(url)))
      const [first, ...others] = all.slice(0, 3).map((seen) => seen.value('tidemark_log_sequence'))
      expect(others).toEqual([first, first])
      return all
    })
    for (const [place, seen] of told.slice(0, 3).entries()) {
      const labels = { role: 'core', node: venue.addresses[place] }
      const states = ['leader', 'candidate', 'follower'].map((state) =>
        seen.value('tidemark_core_state', { ...labels, state }),
      )
      expect(states).toEqual(place === leader ? [1, 0, 0] : [0, 0, 1])
      expect(seen.value('tidemark_core_epoch')).toBe(1)
      expect([seen.value('tidemark_rules'), seen.value('tidemark_rules_newest')]).toEqual([Engine.rules, Engine.rules])
      expect(seen.value('tidemark_log_unapplied_commands')).toBe(0)
      expect(seen.value('tidemark_log_behind_seconds')).toBe(0)
      expect(seen.value('tidemark_log_silent_seconds')).toBeLessThan(5)
      expect(seen.value('tidemark_log_sequence')).toBe(seen.value('tidemark_sequence'))
      expect(await healthAt(urls[place])).toEqual({ status: 'ok', reasons: [] })
    }
    expect(told[leader].value('tidemark_log_append_seconds_count')).toBeGreaterThan(0)
    expect(told[follower].value('tidemark_log_append_seconds_count')).toBe(0)
    expect(told[leader].value('tidemark_gateways_connected')).toBe(1)
    expect(told[3].label('tidemark_link_core', 'core')).toBe(venue.addresses[leader])
    await expect
      .poll(async () => (await Scraped.from(urls[follower])).value('tidemark_log_bytes'), { timeout: 10_000 })
      .toBeGreaterThan(0)

    // Most of the NATS servers are gone: nobody can write.
    await Promise.all([nats!.end(0, 'SIGKILL'), nats!.end(1, 'SIGKILL')])
    for (const url of urls.slice(0, 3)) {
      await expect
        .poll(() => healthAt(url), { timeout: 30_000 })
        .toMatchObject({
          status: 'degraded',
          reasons: expect.arrayContaining([
            expect.stringMatching(/^nothing came to the log for .* s: no core leads, or the log does not answer$/),
          ]),
        })
    }
    const silent = await Scraped.from(urls[leader])
    expect(silent.value('tidemark_degraded', { reason: 'no-leader' })).toBe(1)
    expect(silent.value('tidemark_log_appends_unknown_total')).toBeGreaterThan(0)
  })
})
