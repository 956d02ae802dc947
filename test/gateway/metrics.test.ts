/** What core and gateways tell whoever watches them, over HTTP: of a small venue of three processes, which needs no NATS. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { healthAt, Scraped } from '../support/scraped.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { bid, end, freePorts, personAt, start } from './processes.ts'

const timeout = 90_000

test.skipIf(process.platform !== 'linux')('core and gateways say how they stand', { timeout }, async () => {
  const data = temporaryDirectory('process-metrics')
  const [port, ...status] = await freePorts(4)
  const flags = (place: number) => ['--port', String(port), '--past', '0', '--status', `127.0.0.1:${status[place]}`]
  const [coreUrl, ...gatewayUrls] = status.map((one) => `http://127.0.0.1:${one}`)
  const core = await start('core', data, ...flags(0))
  const gateways = await Promise.all([1, 2].map((place) => start('gateway', data, ...flags(place))))

  const person = personAt(String(gateways[0].ready['url']), data, 'unified-main')
  const placed = await person.post('/api/v3/trade/place-order', bid('1000', 'watched'))
  expect(placed.code, placed.text).toBe('00000')

  const told = await Scraped.from(coreUrl)
  expect(told.value('tidemark_gateways_connected', { role: 'core', node: `127.0.0.1:${status[0]}` })).toBe(2)
  // The operator's port tells the same, without its token.
  expect((await Scraped.from(String(core.ready['operatorUrl']))).names).toEqual(told.names)
  expect(await healthAt(String(core.ready['operatorUrl']))).toEqual({ status: 'ok', reasons: [] })
  const sequence = told.value('tidemark_sequence')!
  let answered = 0
  for (const url of gatewayUrls) {
    await expect.poll(async () => (await Scraped.from(url)).value('tidemark_sequence')).toBeGreaterThanOrEqual(sequence)
    const seen = await Scraped.from(url)
    expect(seen.label('tidemark_link_core', 'core')).toBe('core.sock')
    expect(seen.value('tidemark_link_up', { role: 'gateway' })).toBe(1)
    expect(seen.value('tidemark_link_behind_commands')).toBe(0)
    expect(seen.value('tidemark_link_lag_seconds')).toBeLessThan(2)
    expect(seen.value('tidemark_core_epoch')).toBe(1)
    answered += seen.value('tidemark_command_outcomes_total', { outcome: 'answered' })!
    expect(await healthAt(url)).toEqual({ status: 'ok', reasons: [] })
  }
  expect(answered).toBe(1)

  // Without the core: an order is refused for good, and whoever asks is told why.
  await end(core.process, 'SIGKILL')
  const refused = await person.post('/api/v3/trade/place-order', bid('1000', 'unheard'))
  expect(refused.code).toBe('40015')
  const away = {
    status: 'failed',
    reasons: [expect.stringMatching(/^no core is heard since \d+ s: .*calls are refused/)],
  }
  for (const url of gatewayUrls) {
    await expect.poll(() => healthAt(url), { timeout: 10_000 }).toEqual(away)
    await expect.poll(async () => (await Scraped.from(url)).value('tidemark_link_up'), { timeout: 5_000 }).toBe(0)
    expect((await Scraped.from(url)).label('tidemark_link_core', 'core')).toBeUndefined()
  }
  await start('core', data, ...flags(0))
  for (const url of gatewayUrls) {
    await expect.poll(async () => (await Scraped.from(url)).value('tidemark_link_up'), { timeout: 10_000 }).toBe(1)
  }
  expect(
    await Promise.all([...gatewayUrls, coreUrl].map((url) => fetch(url).then(({ status: code }) => code))),
  ).toEqual([404, 404, 404])
})

test('where somebody listens already, a process says so and ends', { timeout }, async () => {
  const data = temporaryDirectory('status-taken')
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as { port: number }
  const starting = start('core', data, '--port', '8090', '--past', '0', '--status', `127.0.0.1:${port}`)
  await expect(starting).rejects.toThrow(`--status 127.0.0.1:${port}: cannot listen there: listen EADDRINUSE`)
})
