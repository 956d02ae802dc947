/**
 * A NATS cluster of the tests' own: three servers on free ports of loopback, in a temporary directory, each ended by its process
 * id. One for a test file, and each test takes a venue of its own.
 *
 * Server  NATS_SERVER, or what scripts/nats-server.sh has brought
 * Absent  one line says so and the tests are skipped. With `CI=true` they fail instead
 */
import { type ChildProcess, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { JetStreamLog, makeStream, NatsLink } from '../../src/jetstream/jetstream.ts'
import { spawnWithUs } from './ends-with-us.ts'
import { freePorts } from './ports.ts'
import { temporaryDirectory } from './temporary.ts'

const brought = fileURLToPath(
  new URL('../../node_modules/.cache/nats-server/root/usr/sbin/nats-server', import.meta.url),
)

/** The program; undefined: there is none here, and the line was said. */
export const natsServer: string | undefined = found()

function found(): string | undefined {
  const program = process.env['NATS_SERVER'] ?? brought
  if (existsSync(program) && spawnSync(program, ['--version']).status === 0) return program
  const text = 'no nats-server for the tests of several cores: scripts/nats-server.sh brings one'
  if (process.env['CI'] === 'true') throw new Error(text)
  console.warn(`SKIPPED: ${text}`)
  return undefined
}

const meetingMs = 100
const knownMsMax = 10_000
/** Catching up takes a second, or a few on a busy machine. */
const behindMsMax = 30_000

interface Places {
  readonly client: number
  readonly route: number
  readonly monitor: number
}

export interface NatsOptions {
  readonly servers?: number
  /** `sync_interval`; undefined: the server's own. */
  readonly sync?: string | undefined
  /** Whether servers tell clients of one another; default: they do. Who is to be cut off from all of them must not know. */
  readonly advertise?: boolean
  /** Files by which servers and clients know each other; absent: nothing is encrypted. */
  readonly tls?: NatsFiles | undefined
}

/** PEM files, and what they hold. */
export interface NatsFiles {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

export class NatsCluster {
  readonly directory = temporaryDirectory('nats')
  readonly #places: readonly Places[]
  readonly #sync: string | undefined
  readonly #advertise: boolean
  readonly #tls: NatsFiles | undefined
  readonly #processes: (ChildProcess | undefined)[] = []
  #venues = 0

  private constructor(
    places: readonly Places[],
    { sync, advertise = true, tls }: Pick<NatsOptions, 'sync' | 'advertise' | 'tls'>,
  ) {
    this.#tls = tls
    this.#advertise = advertise
    this.#places = places
    this.#sync = sync
  }

  static async start({ servers = 3, sync = 'always', ...more }: NatsOptions = {}): Promise<NatsCluster> {
    const ports = await freePorts(servers * 3)
    const places = Array.from({ length: servers }, (_, index) => {
      const [client, route, monitor] = ports.slice(index * 3)
      return { client, route, monitor }
    })
    const cluster = new NatsCluster(places, { sync: sync === 'default' ? undefined : sync, ...more })
    // Servers that begin in the same moment may miss one another for good.
    for (let place = 0; place < servers; place++) {
      cluster.startServer(place)
      await cluster.#answer(place)
      await pause(meetingMs)
    }
    for (;;) {
      const missed = await cluster.#missed()
      if (missed.length === 0) break
      for (const place of missed) {
        await cluster.end(place, 'SIGKILL')
        cluster.startServer(place)
      }
    }
    await Promise.all(cluster.monitors.map((_, place) => cluster.isHealthy(place)))
    return cluster
  }

  /** Resolves when its monitor answers at all. */
  async #answer(place: number): Promise<void> {
    while ((await metaOf(this.monitors[place], this.#tls)) === undefined) await pause(20)
  }

  /** Servers that the one which leads JetStream does not know after ten seconds. */
  async #missed(): Promise<number[]> {
    if (this.#places.length === 1) return []
    const names = this.#places.map((_, place) => `n${place}`)
    let known: string[] = []
    for (const sinceMs = performance.now(); performance.now() - sinceMs < knownMsMax; await pause(50)) {
      const metas = await Promise.all(this.monitors.map((monitor) => metaOf(monitor, this.#tls)))
      const leader = names.find((name, place) => metas[place]?.leader === name)
      if (leader === undefined) continue
      const replicas = metas[names.indexOf(leader)]?.replicas ?? []
      known = [leader, ...replicas.filter(({ current }) => current === true).map(({ name }) => name)]
      if (names.every((name, place) => known.includes(name) && metas[place]?.leader === leader)) return []
    }
    return names.flatMap((name, place) => (known.includes(name) ? [] : [place]))
  }

  get urls(): string[] {
    return this.#places.map(({ client }) => `${this.#tls === undefined ? 'nats' : 'tls'}://127.0.0.1:${client}`)
  }

  get #trust() {
    const tls = this.#tls
    return tls && (() => contentOf(tls))
  }

  get ports(): number[] {
    return this.#places.map(({ client }) => client)
  }

  get monitors(): string[] {
    return this.#places.map(({ monitor }) => `${this.#tls === undefined ? 'http' : 'https'}://127.0.0.1:${monitor}`)
  }

  /** Where a server keeps the messages of a venue. */
  messagesOf(place: number, venue: string): string {
    return join(this.#store(place), 'jetstream', '$G', 'streams', `TIDEMARK_${venue}`, 'msgs')
  }

  /** A new venue: its stream is there. */
  async venue(): Promise<string> {
    for (;;) {
      const venue = `v${++this.#venues}`
      const link = await NatsLink.open(this.urls, 'tests', this.#trust)
      try {
        await makeStream(link, venue, randomUUID())
        return venue
      } catch {
        // The servers do not all know one another yet.
        await pause(100)
      } finally {
        await link.close()
      }
    }
  }

  /** The log of a venue, as a core opens it. */
  open(venue: string, options: { readonly shortMsMax?: number } = {}): Promise<JetStreamLog> {
    return JetStreamLog.open({
      urls: this.urls,
      venue,
      name: 'tests',
      monitors: this.monitors,
      tls: this.#trust,
      ...options,
    })
  }

  startServer(place: number): void {
    const { client, route, monitor } = this.#places[place]
    mkdirSync(this.#store(place), { recursive: true })
    const routes = this.#places.map((one) => `nats://127.0.0.1:${one.route}`).join(', ')
    const { ca, cert, key } = this.#tls ?? {}
    const tls = ca === undefined ? '' : `{ ca_file: "${ca}", cert_file: "${cert}", key_file: "${key}", verify: true }`
    const encrypted = tls === '' ? '' : `, tls ${tls}`
    const lines = [
      `server_name: n${place}`,
      `listen: 127.0.0.1:${client}`,
      `${this.#tls === undefined ? 'http' : 'https'}: 127.0.0.1:${monitor}`,
      tls === '' ? '' : `tls ${tls}`,
      'max_payload: 8388608',
      `jetstream { store_dir: "${this.#store(place)}", max_file_store: 4GB`,
      this.#sync === undefined ? '' : `sync_interval: ${this.#sync}`,
      '}',
      this.#places.length > 1
        ? `cluster { name: tests, listen: 127.0.0.1:${route}, no_advertise: ${!this.#advertise}, routes: [${routes}]${encrypted} }`
        : '',
      `log_file: "${this.#store(place)}.log"`,
      '',
    ]
    const configuration = `${this.#store(place)}.conf`
    writeFileSync(configuration, lines.join('\n'))
    this.#processes[place] = spawnWithUs(natsServer!, ['-c', configuration], { stdio: 'ignore' })
  }

  /** The place of the server with a name. */
  placeOf(server: string | undefined): number {
    return Number(server?.slice(1))
  }

  pidOf(place: number): number {
    return this.#processes[place]!.pid!
  }

  signal(place: number, signal: NodeJS.Signals): void {
    this.#processes[place]?.kill(signal)
  }

  async end(place: number, signal: NodeJS.Signals): Promise<void> {
    const server = this.#processes[place]
    this.#processes[place] = undefined
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const over = once(server, 'exit')
    server.kill(signal)
    await over
  }

  /**
   * Resolves when the server says that it is well: that it has caught up. One that came back and hears nothing of the others, which
   * is a fault of the servers' own (docs/scale.md), is started anew, and a line says so.
   */
  async isHealthy(place: number): Promise<void> {
    for (;;) {
      if (await isHealthyWithin(behindMsMax, this.monitors[place], this.#tls)) return
      console.warn(`n${place} stayed behind for ${behindMsMax} ms: it is started anew`)
      await this.end(place, 'SIGKILL')
      this.startServer(place)
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#places.map((_, place) => this.end(place, 'SIGKILL')))
  }

  #store(place: number): string {
    return join(this.directory, `n${place}`)
  }
}

/** What a server says of the cluster of JetStream; undefined: it does not answer. */
interface Meta {
  readonly leader?: string
  readonly replicas?: readonly { readonly name: string; readonly current?: boolean }[]
}

async function metaOf(monitor: string, tls: NatsFiles | undefined): Promise<Meta | undefined> {
  const url = `${monitor}/varz`
  const request = tls === undefined ? http.get(url) : https.get(url, contentOf(tls))
  try {
    const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
    const { jetstream } = JSON.parse(await textOf(answer)) as { readonly jetstream?: { readonly meta?: Meta } }
    return jetstream?.meta ?? {}
  } catch {
    return undefined
  }
}

async function isHealthyWithin(ms: number, monitor: string, tls: NatsFiles | undefined): Promise<boolean> {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs) {
    const url = `${monitor}/healthz`
    const request = tls === undefined ? http.get(url) : https.get(url, contentOf(tls))
    const answer = await once(request, 'response').catch(() => undefined)
    const [{ statusCode }] = (answer ?? [{}]) as [{ readonly statusCode?: number }]
    request.destroy()
    if (statusCode === 200) return true
    await pause(50)
  }
  return false
}

/** What the files hold. */
function contentOf(files: NatsFiles): NatsFiles {
  const [ca, cert, key] = [files.ca, files.cert, files.key].map((file) => readFileSync(file, 'utf8'))
  return { ca, cert, key }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
