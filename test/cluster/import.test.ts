/** A venue of one process becomes one of several cores: all of it, with its keys, or nothing. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { askCores, importVenue } from '../../src/cluster/cluster.ts'
import { writerAt } from '../../src/cluster/journal-to-log.ts'
import { Engine } from '../../src/engine/engine.ts'
import { openHistory } from '../../src/history/history.ts'
import { openSnapshots } from '../../src/journal/journal.ts'
import type { JetStreamLog } from '../../src/jetstream/jetstream.ts'
import { DataDirectory } from '../../src/operator/operator.ts'
import { decodeMessage, importNote, logStart } from '../../src/replication/replication.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { bid, end, freePorts, launch, personAt, start } from '../gateway/processes.ts'
import { NatsCluster, natsServer } from '../support/nats.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { commanded } from './processes.ts'

/** The real engine, which breaks after it has made an account of this name. */
class Brittle extends Engine {
  static override load(...given: Parameters<typeof Engine.load>): Engine {
    return Object.setPrototypeOf(Engine.load(...given), Brittle.prototype) as Engine
  }

  override apply(...given: Parameters<Engine['apply']>) {
    const reply = super.apply(...given)
    const [command] = given
    if (command.kind === 'create-account' && command.name === 'poison') throw new Error('it broke')
    return reply
  }
}

/** What a clean stop has noted of the state. */
async function stood(data: string) {
  const { snapshot } = await (await openSnapshots(join(data, 'snapshots'))).newest()
  return snapshot!
}

const timeout = 180_000
const patience = { timeout, interval: 50 }
const nats = natsServer === undefined ? undefined : await NatsCluster.start()
afterAll(() => nats?.stop())

describe.skipIf(nats === undefined)('a venue of one process', { timeout }, () => {
  const home = temporaryDirectory('import')
  const original = join(home, 'original')
  const silent = { info() {}, warn() {}, error() {} }
  let copies = 0
  const copy = (): string => {
    const to = join(home, `copy-${++copies}`)
    cpSync(original, to, { recursive: true })
    return to
  }
  const addressOf = (venue: string) => ({ urls: nats!.urls, venue, monitors: nats!.monitors })
  const brought = (venue: string, data: string) =>
    importVenue(addressOf(venue), data, { masterKey: undefined, log: silent })
  async function opened(venue: string): Promise<JetStreamLog> {
    const log = await nats!.open(venue)
    onTestFinished(() => log.close())
    return log
  }

  /** Another run of it; a short segment of the journal is soon followed by another. */
  async function running(
    data: string,
    engineClass: typeof Engine,
    act: (runtime: Runtime) => Promise<void>,
    segmentBytesMax = 1_000_000,
  ) {
    const history = await openHistory(join(data, 'history.sqlite'))
    const runtime = await openRuntime({ dataDirectory: data, engineClass, history, durability: 'os', segmentBytesMax })
    await act(runtime)
    await runtime.stop()
    await history.close()
  }
  const account = (name: string) =>
    ({ kind: 'create-account', account: 'main', parentUid: undefined, mode: 'unified', name }) as const

  beforeAll(async () => {
    const children: Parameters<typeof launch>[0] = []
    const venue = await launch(children, 'start', original, '--port', '0')
    const placed = await personAt(String(venue.ready['url']), original, 'unified-main').post(
      '/api/v3/trade/place-order',
      bid('1000', 'before'),
    )
    expect(placed.code, placed.text).toBe('00000')
    await end(venue.process)
  }, 2 * timeout)

  const logFlags = (venue: string) => {
    return ['--venue', venue, '--nats', nats!.urls.join(','), '--nats-monitor', nats!.monitors.join(',')]
  }
  const coreFlags = (venue: string, ports: readonly number[], place: number) => {
    const cores = ports.map((port) => `127.0.0.1:${port}`)
    return [...logFlags(venue), '--cores', cores.join(','), '--listen', cores[place]]
  }
  interface Told {
    readonly role: string
    readonly sequence: number
    readonly stateHash: string
  }
  const asked = async (port: number, what: string) =>
    (await askCores([`127.0.0.1:${port}`], { clusterCa: '', clusterCert: '', clusterKey: '' }, what))[0] as
      | Told
      | undefined
  const leads = (port: number) => vi.waitUntil(async () => (await asked(port, 'status'))?.role === 'leader', patience)
  /** Both cores have the state that was brought in: the one in its directory, and one in an empty directory. */
  async function bothHave(
    venue: string,
    data: string,
    found: { readonly through: number; readonly stateHash: string },
  ) {
    const ports = await freePorts(3)
    const first = await start('core', data, ...coreFlags(venue, ports.slice(1), 0))
    await leads(ports[1])
    await start('core', `${data}-second`, ...coreFlags(venue, ports.slice(1), 1))
    for (const port of ports.slice(1)) {
      expect(await asked(port, 'verify')).toMatchObject({ sequence: found.through, stateHash: found.stateHash })
    }
    return { first, ports }
  }

  test('has the same state at all cores, and its keys whoever leads', async () => {
    const data = copy()
    const { stateHash, sequence } = await stood(data)
    const venue = await nats!.venue()
    const found = await commanded('cluster', 'import', '--data', data, ...logFlags(venue))
    expect(found).toMatchObject({ stateHash, through: sequence, snapshot: 0 })
    const { first, ports } = await bothHave(venue, data, found as never)
    const cores = ports
      .slice(1)
      .map((port) => `127.0.0.1:${port}`)
      .join(',')
    const gateway = await start('gateway', `${data}-gateway`, '--port', String(ports[0]), '--cores', cores)
    const person = personAt(String(gateway.ready['url']), original, 'unified-main')
    const open = async () => {
      const answer = await person.get('/api/v3/trade/unfilled-orders', { category: 'SPOT', limit: 100 })
      expect(answer.code, answer.text).toBe('00000')
      return answer.list('list').map(({ clientOid }) => clientOid)
    }
    expect(await open()).toEqual(['before'])
    await end(first.process, 'SIGKILL')
    await leads(ports[2])
    expect((await person.post('/api/v3/trade/place-order', bid('1001', 'after'))).code).toBe('00000')
    expect((await open()).toSorted()).toEqual(['after', 'before'])
  })

  test('whose first commands are gone begins in the log with a snapshot', async () => {
    const data = copy()
    await running(
      data,
      Engine,
      async (runtime) => {
        for (let round = 0; round < 4; round++) {
          for (let place = 0; place < 40; place++) await runtime.submit(account(`r${round}n${place}`))
          await runtime.snapshot()
        }
        for (let place = 0; place < 5; place++) await runtime.submit(account(`last${place}`))
      },
      2_000,
    )
    expect(readdirSync(join(data, 'journal'))).not.toContain('00000000000000000001.journal')
    const { stateHash, sequence } = await stood(data)
    const venue = await nats!.venue()
    const found = await brought(venue, data)
    expect(found).toMatchObject({ stateHash, through: sequence })
    expect(found.snapshot).toBeGreaterThan(0)
    await bothHave(venue, data, found)
  })

  test('passes over at each core what it has passed over', async () => {
    const data = copy()
    let poisoned = 0
    await running(data, Brittle, async (runtime) => {
      await runtime.submit(account('sound'))
      expect(await runtime.submit(account('poison'))).toMatchObject({ kind: 'refused' })
      poisoned = runtime.sequence
      await runtime.submit(account('sound, too'))
    })
    const venue = await nats!.venue()
    await brought(venue, data)
    const log = await opened(venue)
    const { last } = await log.bounds()
    const messages = await Promise.all(
      Array.from({ length: last }, async (_, place) => decodeMessage((await log.at(place + 1))!)),
    )
    const shown = messages.map((message) =>
      typeof message === 'string' ? message : [message.kind, message.firstSequence, message.records.length],
    )
    const skips = shown.findIndex(([kind]) => kind === 'skip')
    expect(shown[skips]).toEqual(['skip', poisoned, 0])
    expect(Number(shown[skips - 1][1]) + Number(shown[skips - 1][2]) - 1).toBe(poisoned)
    expect(shown.at(-1)![0]).toBe('resign')
  })

  test('that was brought in by half is refused by cores, and brought in whole when it is asked again', async () => {
    const venue = await nats!.venue()
    const log = await opened(venue)
    await writerAt(log, logStart).claim(
      importNote(JSON.stringify({ through: 9, stateHash: '', snapshot: 0, snapshotBytes: 0 })),
    )
    const [port] = await freePorts(1)
    await expect(start('core', join(home, 'early'), ...coreFlags(venue, [port], 0))).rejects.toThrow(
      'the log has a part of a venue: tidemark cluster import has not ended, or is to be called again',
    )
    const data = copy()
    const found = await brought(venue, data)
    expect((await opened(venue)).venueId).toBe(log.venueId)
    // Who was cut off before the directory was the log's asks once more.
    const again = copy()
    expect(await brought(venue, again)).toEqual(found)
    await expect(brought(venue, copy())).resolves.toEqual(found)
    const other = copy()
    await running(other, Engine, async (runtime) => void (await runtime.submit(account('one more'))))
    await expect(brought(venue, other)).rejects.toThrow(
      'the log is not empty: a venue is brought into one that cluster init has just made',
    )
  })

  test('is not brought in where it cannot be, and nothing is written then', async () => {
    const venue = await nats!.venue()
    const damaged = copy()
    const segment = join(damaged, 'journal', '00000000000000000001.journal')
    const bytes = readFileSync(segment)
    bytes[2_000] ^= 1
    writeFileSync(segment, bytes)
    const core = copy()
    const asCore = DataDirectory.open(core)
    asCore.venue()
    asCore.remember({ log: 'another' })
    asCore.close()
    const empty = join(home, 'empty')
    await commanded('init', '--data', empty)
    const keysElsewhere = copy()
    const elsewhere = DataDirectory.open(keysElsewhere)
    elsewhere.venue()
    elsewhere.remember({ keysInPostgres: true, id: 'somebody' })
    elsewhere.close()
    const taken = copy()
    const lock = DataDirectory.open(taken)
    const refused = [
      [damaged, /cannot start: .*00000000000000000001\.journal/],
      [core, `--data ${core}: holds a core of the venue another already`],
      [empty, `--data ${empty}: has no commands: let a core begin there`],
      [join(home, 'none'), `--data ${join(home, 'none')}: there is no such directory`],
      [keysElsewhere, 'the keys of this venue are in the database of somebody'],
      [taken, 'another venue is running in it'],
    ] as const
    for (const [data, line] of refused) await expect(brought(venue, data)).rejects.toThrow(line)
    lock.close()
    expect(existsSync(join(home, 'none'))).toBe(false)
    expect((await (await opened(venue)).bounds()).last).toBe(0)
  })
})
