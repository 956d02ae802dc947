/** How a venue of several cores begins: its log, its database, and the file by which everybody finds them. And who may not join. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { end, freePorts, type Started, start } from '../gateway/processes.ts'
import { NatsLink, streamOf } from '../../src/jetstream/jetstream.ts'
import { NatsCluster, natsServer } from '../support/nats.ts'
import { ask, launchedPostgres } from '../support/postgres.ts'
import { commanded } from './processes.ts'

const timeout = 180_000
const postgres = await launchedPostgres()
const nats = natsServer === undefined || postgres === undefined ? undefined : await NatsCluster.start()
afterAll(() => nats?.stop())
beforeAll(() => void vi.stubEnv('TIDEMARK_MASTER_KEY', 'cd'.repeat(32)))
afterAll(() => void vi.unstubAllEnvs())

describe.skipIf(nats === undefined)('a venue of several cores', { timeout }, () => {
  const at = (name: string) => join(nats!.directory, name)
  const servers = () => ['--nats', nats!.urls.join(','), '--nats-monitor', nats!.monitors.join(',')]
  const init = (venue: string, ...flags: readonly string[]) =>
    commanded('cluster', 'init', '--venue', venue, ...servers(), '--cluster', at(`${venue}.json`), ...flags)
  const streams = async (): Promise<string[]> => {
    const link = await NatsLink.open(nats!.urls, 'tests')
    try {
      return await Array.fromAsync(link.manager.streams.names())
    } finally {
      await link.close()
    }
  }
  let url: string
  let made: Record<string, unknown>
  let cores: string[]
  beforeAll(async () => {
    url = await postgres!.database()
    cores = (await freePorts(2)).map((port) => `127.0.0.1:${port}`)
    made = await init('one', '--postgres', url, '--cores', cores.join(','))
  }, timeout)

  test('has a file that says all of it, for its owner alone', async () => {
    const file = at('one.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      venue: 'one',
      venueId: made['venueId'],
      nats: nats!.urls,
      natsMonitor: nats!.monitors,
      logSync: 'checked',
      postgres: url,
      cores,
    })
    expect(made['venueId']).toMatch(/^[0-9a-f-]{36}$/)
    expect(await ask(url, 'select id from venue')).toEqual([{ id: made['venueId'] }])
  })

  test('is begun once', async () => {
    await expect(init('one')).rejects.toThrow(`--cluster ${at('one.json')}: there is such a file`)
    const again = ['--venue', 'one', ...servers(), '--cluster', at('again.json')]
    await expect(commanded('cluster', 'init', ...again)).rejects.toThrow('there is a stream TIDEMARK_one already')
    expect(existsSync(at('again.json'))).toBe(false)
  })

  test('leaves nothing where its database is another venue’s', async () => {
    await expect(init('two', '--postgres', url)).rejects.toThrow(/^tidemark: --postgres .*of another venue/)
    expect(existsSync(at('two.json'))).toBe(false)
    expect(await streams()).not.toContain(streamOf('two'))
    expect(await ask(url, 'select id from venue')).toEqual([{ id: made['venueId'] }])
  })

  test('is joined by the file alone: cores, gateway and history; and a log of the same name that is another’s is not', async () => {
    const file = ['--cluster', at('one.json')]
    const data = at('core')
    const core = await start('core', data, ...file, '--listen', cores[0])
    const status = () => commanded('cluster', 'status', ...file)
    const roles = async () => (((await status())['cores'] as { role: string }[]) ?? []).map(({ role }) => role)
    await vi.waitUntil(async () => (await roles()).join(' ') === 'leader away', { timeout, interval: 100 })
    await start('history', at('history'), ...file)
    const [port] = await freePorts(1)
    const gateway = await start('gateway', at('gateway'), '--port', String(port), ...file)
    expect((await fetch(`${String(gateway.ready['url'])}/api/v2/public/time`)).status).toBe(200)

    const other = '00000000-0000-4000-8000-000000000000'
    await expect(start('core', at('other'), ...file, '--listen', cores[1], '--venue-id', other)).rejects.toThrow(
      `--venue-id: the log of one is of the venue ${String(made['venueId'])}, and not of ${other}`,
    )
    await expect(
      start('gateway', at('other-gateway'), '--port', String(port), ...file, '--venue-id', other),
    ).rejects.toThrow(`--venue-id ${other}: the venue of the cores at`)
    await expect(start('core', at('third'), ...file, '--listen', '127.0.0.1:1')).rejects.toThrow(
      `--listen 127.0.0.1:1: must be one of the cores: ${cores.join(', ')}`,
    )

    await Promise.all([gateway, core].map(({ process }: Started) => end(process)))
    const link = await NatsLink.open(nats!.urls, 'tests')
    await link.manager.streams.delete(streamOf('one'))
    await link.close()
    const anew = ['--venue', 'one', ...servers(), '--cluster', at('anew.json')]
    const { venueId } = await commanded('cluster', 'init', ...anew)
    await expect(start('core', data, '--cluster', at('anew.json'), '--postgres', url)).rejects.toThrow(
      `${data} holds a core of the venue ${String(made['venueId'])}, and the log of one is of ${String(venueId)}`,
    )
    await expect(start('core', at('new'), '--cluster', at('anew.json'), '--postgres', url)).rejects.toThrow(
      /--postgres.*of another venue/,
    )
  })

  test.each([
    [{}, ['venue in wrong.json: is missing', 'venueId in wrong.json: is missing', 'nats in wrong.json: is missing']],
    [{ venue: 'one', venueId: '', nats: 'nats://a:1' }, ['nats in wrong.json: must be a list of texts']],
    [
      { venue: 1, venueId: '', nats: [], host: 'x' },
      ['venue in wrong.json: must be a text', 'host in wrong.json: there is no such field'],
    ],
  ])('is not found by a file such as %j', async (content, faults) => {
    writeFileSync(at('wrong.json'), JSON.stringify(content))
    const asked = commanded('cluster', 'status', '--cluster', at('wrong.json'))
    for (const fault of faults) await expect(asked).rejects.toThrow(fault)
  })
})
