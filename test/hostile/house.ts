/**
 * A whole venue inside the test's own process, for tests that send it more than a socket would carry: the real engine,
 * runtime, journal, history, key store, table of endpoints and streams, put together as main.ts does.
 *
 * Clock      manual and still, so that a seed decides everything: signatures, numbers, answers
 * State      `fingerprint` is what the engine would save, without the count and the time of commands: a refused command
 *            is counted and changes nothing else
 * Trouble    what the venue would have logged as an error is kept; a test holds it to be empty
 */
import type { InjectOptions } from 'fastify'
import { createHash, createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Api, createApi, type RandomSource, SeededRandom, systemRandom } from '../../src/api/api.ts'
import type { ApiKey, Permission } from '../../src/api/keys/keys.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import { decode, encode } from '../../src/engine/storage/storage.ts'
import { type History, openHistory } from '../../src/history/history.ts'
import type { Tls } from '../../src/http/http.ts'
import type { Disk } from '../../src/journal/journal.ts'
import { Market } from '../../src/market/market.ts'
import { operatorCalls, type OperatorPorts } from '../../src/operator/calls/calls.ts'
import { setUpDemoVenue } from '../../src/operator/demo/venue.ts'
import { MemoryKeyStore } from '../../src/operator/keys/memory-key-store.ts'
import { masterSeal, openLog, SealedKeyStore, tailOf, Trail } from '../../src/operator/operator.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { isStreamPath, Stream } from '../../src/stream/stream.ts'
import { Answer } from '../support/http.ts'

export const startedAt = Date.UTC(2026, 10, 21, 12)

export interface HouseOptions {
  readonly disk?: Disk
  readonly waitingMax?: number
  readonly refuseRepeats?: boolean
  /** Then nothing depends on when and how fast the test runs: made-up names, and all that counts time. */
  readonly seed?: number
  readonly tls?: Tls
}

export interface Sent {
  readonly method: string
  /** Path and query as they stand on the request line. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Buffer | undefined
  /** Where it comes from; loopback if absent. */
  readonly from?: string
}

/** The engine of the venue that is being opened, so that its state can be looked at from outside. */
class SeenEngine extends Engine {
  static newest: SeenEngine | undefined

  constructor(emit: (event: Event) => void) {
    super(emit)
    SeenEngine.newest = this
  }
}

export class House {
  readonly directory: string
  readonly runtime: Runtime
  readonly history: History
  readonly api: Api
  readonly keys: SealedKeyStore | MemoryKeyStore
  readonly ports: OperatorPorts
  readonly stream: Stream
  /** What was reported as trouble, from anywhere. */
  readonly trouble: unknown[] = []
  /** Events that the engine has emitted so far. */
  events = 0
  #engine: Engine

  private constructor(
    parts: {
      directory: string
      runtime: Runtime
      history: History
      market: Market
      keys: House['keys']
      random: RandomSource
    },
    { refuseRepeats = false, seed, tls }: HouseOptions,
  ) {
    const { directory, runtime, history, market, keys, random } = parts
    const clock = seed === undefined ? 'system' : 'venue'
    this.directory = directory
    this.runtime = runtime
    this.history = history
    this.keys = keys
    this.#engine = SeenEngine.newest!
    this.ports = {
      core: runtime,
      history,
      keys,
      verify: () => runtime.verify(),
      snapshot: () => runtime.snapshot(),
      market: undefined,
      clock: runtime.clock,
      advanceClock: (ms) => runtime.advance(ms),
      status: () => ({ sequence: runtime.sequence }),
      metrics: async () => [],
      course: () => ({}),
      logTail: tailOf(openLog('silent').log),
      trail: new Trail(),
    }
    this.api = createApi({
      core: runtime,
      history,
      market,
      keys,
      rateLimits: { enabled: seed !== undefined },
      clock,
      random,
      proxies: ['127.0.0.1'],
      refuseRepeatedRequests: refuseRepeats,
      systemClock: () => runtime.now(),
      ...(seed === undefined ? {} : { loadShedder: { takes: () => true } }),
      onTrouble: (trouble) => this.trouble.push(trouble),
      upgrades: isStreamPath,
      tls,
    })
    this.stream = new Stream({
      api: { ...this.api, server: this.api.app.server },
      core: runtime,
      history,
      market,
      keys,
      connectionsPerAddressMax: 1_000,
      bounds: { subscriptionsMax: 1_000, bytesBufferedMax: 4 * 1024 * 1024, limited: seed !== undefined },
      clock,
      onTrouble: (trouble) => this.trouble.push(trouble),
    })
    runtime.addConsumer(this.stream)
    runtime.addConsumer({ record: (_sequence, _at, events) => void (this.events += events.length) })
  }

  static async open(options: HouseOptions = {}): Promise<House> {
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-hostile-'))
    const history = await openHistory(join(directory, 'history.sqlite'))
    const market = new Market()
    const runtime = await openRuntime({
      dataDirectory: directory,
      engineClass: SeenEngine,
      history,
      consumers: [{ record: (_sequence, _at, events) => market.record(events) }],
      durability: options.disk === undefined ? 'os' : 'sync',
      clock: { kind: 'manual', startAt: startedAt },
      snapshotEvery: 0,
      snapshotAtStop: false,
      ...(options.disk === undefined ? {} : { disk: options.disk }),
      ...(options.waitingMax === undefined ? {} : { waitingMax: options.waitingMax }),
    })
    const seeded = options.seed === undefined ? undefined : new SeededRandom(options.seed)
    const keys =
      seeded === undefined
        ? new SealedKeyStore(join(directory, 'keys.sqlite'), masterSeal(join(directory, 'master.key'), undefined))
        : new MemoryKeyStore({ now: () => runtime.now(), random: (bound) => seeded.below(bound) })
    const random = seeded ?? systemRandom
    const house = new House({ directory, runtime, history, market, keys, random }, options)
    await setUpDemoVenue(house.ports)
    await house.api.app.ready()
    return house
  }

  /** The operator's call. */
  async operator(path: string, sent: unknown): Promise<Record<string, unknown>> {
    const call = operatorCalls.find(
      (candidate) => candidate.method === 'POST' && candidate.path === `/operator/${path}`,
    )
    if (call === undefined) throw new Error(`there is no operator call ${path}`)
    return (await call.run(sent, this.ports)) as Record<string, unknown>
  }

  /** A new key of an account; the whole of it, as the venue keeps it. */
  async key(uid: number, permissions: readonly Permission[], ipList: readonly string[] = []): Promise<ApiKey> {
    const { apiKey } = await this.operator('keys', { uid, permissions: [...permissions], ipList: [...ipList] })
    return this.keys.find(String(apiKey))!
  }

  /** The key with every permission that the demo set-up made for a role. */
  demoKey(role: string): ApiKey {
    const account = this.runtime.query({ kind: 'accounts' }).find((view) => view.name === role)
    return this.keys.live(account!.uid).find((key) => key.label === `demo ${role}`)!
  }

  signed(key: ApiKey, method: string, target: string, body?: string | Buffer, at = this.runtime.now()): Sent {
    const bytes = body === undefined ? undefined : Buffer.from(body)
    const timestamp = String(at)
    const sign = createHmac('sha256', key.secret).update(timestamp + method + target)
    return {
      method,
      target,
      body: bytes,
      headers: {
        'access-key': key.apiKey,
        'access-sign': (bytes === undefined ? sign : sign.update(bytes)).digest('base64'),
        'access-timestamp': timestamp,
        'access-passphrase': key.passphrase,
        ...(bytes === undefined ? {} : { 'content-type': 'application/json' }),
      },
    }
  }

  async send({ method, target, headers, body, from = '127.0.0.1' }: Sent): Promise<Answer> {
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value]))
    const asked: InjectOptions = { method: method, url: target, headers: given, remoteAddress: from }
    const answer = await this.api.app.inject(body === undefined ? asked : { ...asked, payload: body })
    return new Answer(answer.statusCode, answer.headers as IncomingHttpHeaders, answer.payload)
  }

  /** Resolves when nothing that was sent is on its way any more. */
  async quiet(): Promise<void> {
    for (let calm = 0, last = -1; calm < 10; calm++) {
      await this.history.flush()
      await new Promise(setImmediate)
      if (this.runtime.sequence !== last) calm = 0
      last = this.runtime.sequence
    }
  }

  fingerprint(): string {
    const { sequence: _sequence, at: _at, ...state } = decode(this.#engine.save()) as Record<string, unknown>
    const hash = createHash('sha256')
    for (const chunk of encode(state)) hash.update(chunk)
    return hash.digest('hex')
  }

  /** Whether a second engine, made from the journal alone, comes to the same state. */
  async replaysAlike(): Promise<boolean> {
    const found = await this.runtime.stateHash()
    await this.stopServing()
    const again = await openRuntime({ dataDirectory: this.directory, engineClass: Engine, clock: { kind: 'manual' } })
    try {
      return (await again.stateHash()) === found
    } finally {
      await again.stop()
    }
  }

  /** Lets what runs finish, and takes nothing more. */
  async stopServing(): Promise<void> {
    this.stream.close()
    await this.api.close()
    await this.runtime.stop()
  }

  async close(): Promise<void> {
    await this.stopServing()
    await this.history.close()
    if (this.keys instanceof SealedKeyStore) this.keys.close()
    await rm(this.directory, { recursive: true, force: true })
  }
}
