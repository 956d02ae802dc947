/**
 * A venue of its own for a test, as `Venue` has it, of several processes: a core, and two gateways behind a balancer that gives each
 * request to the next of them. Clients are told the balancer's address.
 *
 * Public  calls wait for nothing at a gateway. So who changed something as an operator goes on when each gateway has it
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePorts } from '../gateway/processes.ts'
import { Connection } from './http.ts'
import { Person } from './person.ts'
import { RoundRobin } from './round-robin.ts'
import { Scraped } from './scraped.ts'
import { sooner } from './sooner.ts'
import { startVenue, Venue, type VenueOptions } from './venue.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const followParent = new URL('../../scripts/follow-parent.js', import.meta.url).href
const gateways = 2

/** One process, or several where `VENUE_GATEWAYS` is set (`npm run clients:gateways`). */
export function venueAsAsked(options: VenueOptions = {}): Promise<Venue> {
  return process.env['VENUE_GATEWAYS'] === undefined ? startVenue(options) : GatewaysVenue.begin(options)
}

export class GatewaysVenue extends Venue {
  #children: ChildProcess[] = []
  #balancer: RoundRobin | undefined
  #ports: readonly number[] = []

  static async begin(options: VenueOptions = {}): Promise<GatewaysVenue> {
    const venue = new GatewaysVenue(await mkdtemp(join(tmpdir(), 'tidemark-venue-')), options)
    try {
      await venue.start()
    } catch (cause) {
      await venue.remove()
      throw cause
    }
    return venue
  }

  /** How many requests and sockets each gateway was given. */
  get given(): readonly number[] {
    return this.#balancer!.given
  }

  override async operator<T = Record<string, unknown>>(path: string, body?: unknown): Promise<T> {
    const answer = await super.operator<T>(path, body)
    if (body !== undefined) {
      await this.readClock()
      await Promise.all(this.#ports.map((port) => this.#reaches(port)))
    }
    return answer
  }

  /** Each gateway tells its own at /metrics, and the core has none of sockets. */
  override async gauge(name: string): Promise<number> {
    const told = await Promise.all(this.#ports.map((port) => Scraped.from(`http://127.0.0.1:${port}`)))
    return told.reduce((sum, metrics) => sum + Number(metrics.value(name)), 0)
  }

  /** Resolves when a gateway has all that anybody was answered: a private read of it waits for that. */
  async #reaches(port: number): Promise<void> {
    const { key } = this.as('read-only')
    const connection = new Connection(`http://127.0.0.1:${port}`)
    const at = { url: this.url, now: () => this.now(), exchange: connection.exchange.bind(connection) }
    const person = new Person(at, 'somebody', '', key)
    try {
      const { status, text } = await person.get('/api/v3/account/assets')
      if (status !== 200 && status !== 429) throw new Error(`the gateway at ${port} answered ${text}`)
    } finally {
      connection.close()
    }
  }

  protected override async launch(): Promise<void> {
    const ports = (this.#ports = await freePorts(gateways))
    this.#balancer = await RoundRobin.before(...ports)
    await this.#process('core', this.#balancer.port)
    await Promise.all(ports.map((port) => this.#process('gateway', port)))
  }

  protected override async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const [core, ...doors] = this.#children
    this.#children = []
    await Promise.all(doors.map((door) => over(door, signal)))
    await this.#balancer?.close()
    return core === undefined ? null : over(core, signal)
  }

  async #process(role: 'core' | 'gateway', port: number): Promise<void> {
    const {
      rateLimits = false,
      simulator = false,
      past = 0,
      durability = 'os',
      environment = {},
      clock = 'system',
    } = this.options
    const flags = ['--data', this.directory, '--port', String(port), '--operator-port', '0', '--past', String(past)]
    flags.push('--clock', clock)
    flags.push('--durability', durability, '--simulator', simulator ? 'on' : 'off')
    if (!rateLimits) flags.push('--no-rate-limits')
    const words = ['--import', followParent, ...sooner, join(checkout, 'bin/tidemark.js'), role, ...flags]
    const child = spawn(process.execPath, words, {
      cwd: checkout,
      env: { ...process.env, ...environment, TIDEMARK_LAUNCHER: String(process.pid) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#children.push(child)
    let errors = ''
    child.stderr!.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4000)))
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the ${role} ended with code ${String(code)} before it was ready\n${errors}`)
    })
    await Promise.race([once(child.stdout!, 'data'), ended])
    ended.catch(() => undefined)
  }
}

async function over(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  return child.exitCode
}
