/** A venue of several cores on loopback, each a process: with a NATS cluster, gateways, and traders who remember what they were answered. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { askCores } from '../../src/cluster/cluster.ts'
import { bid, end, freePorts, personAt, launch, type Started } from '../gateway/processes.ts'
import type { NatsCluster, NatsFiles } from '../support/nats.ts'
import type { Person } from '../support/person.ts'
import { sooner } from '../support/sooner.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url))
process.env['TIDEMARK_CLUSTER_TOKEN'] = 'a token of the tests, long enough for it'

/** What a core says of itself. */
export interface CoreStatus {
  readonly core: string
  readonly role: 'leader' | 'follower'
  readonly epoch: number
  readonly position: number
  readonly sequence: number
  readonly rules: number
  /** Of the core that leads: who holds the log, in sentences. */
  readonly held: string
}

/** Flags of single processes, by their places. */
interface OfEach {
  readonly core?: readonly (readonly string[])[]
  readonly gateway?: readonly (readonly string[])[]
  readonly history?: readonly (readonly string[])[]
}

interface Gone {
  readonly role: string
  readonly place: number
  readonly text: string
}

export interface ClusterOptions {
  readonly cores?: number
  readonly gateways?: number
  /** Whether gateways are started; default: they are. */
  readonly startsGateways?: boolean
  readonly postgres?: string
  readonly each?: OfEach
  /** Files by which processes know each other; absent: by a token. */
  readonly tls?: NatsFiles | undefined
  /** What is done before the cores start, as those that it starts itself. */
  readonly before?: (venue: ClusterVenue) => Promise<void>
  /** The ports at which a core finds the NATS servers; absent: theirs. */
  readonly natsPortsOf?: (place: number) => readonly number[]
  /** The ports at which a gateway finds the cores; absent: theirs. */
  readonly corePortsOf?: (place: number, ports: readonly number[]) => Promise<readonly number[]>
}

/** Longer than any that is behind takes on a busy machine. */
const apartMsMax = 90_000

export class ClusterVenue {
  readonly data = temporaryDirectory('cluster')
  readonly addresses: readonly string[]
  readonly gatewayUrls: string[] = []
  readonly #nats: NatsCluster
  readonly name: string
  readonly #gatewayPorts: readonly number[]
  readonly #children: ChildProcess[] = []
  readonly #cores: (Started | undefined)[] = []
  readonly #gateways: (Started | undefined)[] = []

  readonly #histories: (Started | undefined)[] = []
  readonly #more: readonly string[]
  readonly #options: ClusterOptions

  private constructor(
    nats: NatsCluster,
    venue: string,
    ports: readonly number[],
    cores: number,
    more: readonly string[],
    options: ClusterOptions,
  ) {
    this.#more = more
    this.#options = options
    this.#nats = nats
    this.name = venue
    this.addresses = ports.slice(0, cores).map((port) => `127.0.0.1:${port}`)
    this.#gatewayPorts = ports.slice(cores)
  }

  static async start(nats: NatsCluster, options: ClusterOptions = {}): Promise<ClusterVenue> {
    const { cores = 3, gateways = 1, startsGateways = true, postgres = '' } = options
    const ports = await freePorts(cores + gateways)
    const more = [...(postgres === '' ? [] : ['--postgres', postgres]), ...tlsFlags(options.tls)]
    const venue = new ClusterVenue(nats, await nats.venue(), ports, cores, more, options)
    try {
      await options.before?.(venue)
      const others = [...venue.addresses.keys()].filter((place) => venue.#cores[place] === undefined)
      await Promise.all(others.map((place) => venue.startCore(place)))
      await venue.leader()
      if (postgres !== '') await venue.startHistory()
      for (let place = 0; startsGateways && place < gateways; place++) await venue.startGateway(place)
      return venue
    } catch (error) {
      await venue.stop()
      throw error
    }
  }

  async startCore(place: number): Promise<void> {
    this.#cores[place] = await launch(
      this.#children,
      'core',
      this.coreData(place),
      ...this.coreFlags(place),
      ...this.#more,
      ...(this.#options.each?.core?.[place] ?? []),
      '--no-rate-limits',
    )
  }

  async startGateway(place: number): Promise<void> {
    const { corePortsOf } = this.#options
    const ports = this.addresses.map((address) => Number(address.split(':')[1]))
    const reached = (await corePortsOf?.(place, ports)) ?? ports
    const cores = reached.map((port) => `127.0.0.1:${port}`).join(',')
    const port = String(this.#gatewayPorts[place])
    const flags = ['--port', port, '--cores', cores, '--no-rate-limits']
    const gateway = await launch(
      this.#children,
      'gateway',
      this.gatewayData(place),
      ...flags,
      ...this.#more,
      ...(this.#options.each?.gateway?.[place] ?? []),
    )
    this.#gateways[place] = gateway
    this.gatewayUrls[place] = String(gateway.ready['url'])
  }

  /** Who writes the history into PostgreSQL, or stands by. */
  async startHistory(place = this.#histories.length): Promise<Started> {
    const own = this.#options.each?.history?.[place] ?? []
    const flags = ['--cores', this.addresses.join(','), ...this.#more, ...own]
    const history = await launch(this.#children, 'history', join(this.data, `history-${place}`), ...flags)
    this.#histories[place] = history
    return history
  }

  coreFlags(place: number): string[] {
    const peers = this.addresses.filter((_, other) => other !== place)
    const urls = this.#options.natsPortsOf?.(place).map((port) => `nats://127.0.0.1:${port}`)
    return [...this.logFlags(urls), '--listen', this.addresses[place], '--peers', peers.join(',')]
  }

  /** Where the log is. */
  logFlags(urls: readonly string[] = this.#nats.urls): string[] {
    return ['--venue', this.name, '--nats', urls.join(','), '--nats-monitor', this.#nats.monitors.join(',')]
  }

  gatewayData(place: number): string {
    return join(this.data, `gateway-${place}`)
  }

  coreData(place: number): string {
    return join(this.data, `core-${place}`)
  }

  core(place: number): ChildProcess {
    return this.#cores[place]!.process
  }

  gateway(place: number): ChildProcess {
    return this.#gateways[place]!.process
  }

  history(place: number): ChildProcess {
    return this.#histories[place]!.process
  }

  /** What everybody said on standard error. */
  said(): string {
    return [...this.#cores, ...this.#gateways].map((one) => one?.said() ?? '').join('')
  }

  /** Processes that do not run, each with what it said at last. */
  gone(): Gone[] {
    const roles = { core: this.#cores, gateway: this.#gateways, history: this.#histories }
    return Object.entries(roles).flatMap(([role, started]) =>
      started.flatMap((one, place) => {
        const { exitCode, signalCode } = one?.process ?? {}
        if (one === undefined || (exitCode === null && signalCode === null)) return []
        return {
          role,
          place,
          text: `${role} ${place} ended with ${exitCode ?? signalCode}: ${one.said().slice(-2_000)}`,
        }
      }),
    )
  }

  async stop(): Promise<void> {
    await Promise.all(this.#children.map((child) => end(child, 'SIGKILL')))
  }

  kill(child: ChildProcess): Promise<number | null> {
    return end(child, 'SIGKILL')
  }

  /** A demo account at a gateway; its keys are those of any core that leads or has led. */
  async person(gateway: number, role = 'unified-main'): Promise<Person> {
    for (;;) {
      for (const place of this.addresses.keys()) {
        try {
          return personAt(this.gatewayUrls[gateway], this.coreData(place), role)
        } catch {
          // Not this one, or not yet.
        }
      }
      await pause(50)
    }
  }

  /** The place of the core that leads, once one does. */
  async leader(): Promise<number> {
    for (;;) {
      const told = await Promise.all(this.addresses.map((_, place) => this.status(place).catch(() => undefined)))
      const place = told.findIndex((status) => status?.role === 'leader')
      if (place >= 0) return place
      await pause(20)
    }
  }

  status(place: number): Promise<CoreStatus> {
    return this.ask(place, 'status') as Promise<CoreStatus>
  }

  async ask(place: number, what: string): Promise<unknown> {
    const { tls } = this.#options
    const files = { clusterCa: tls?.ca ?? '', clusterCert: tls?.cert ?? '', clusterKey: tls?.key ?? '' }
    const [answer] = await askCores([this.addresses[place]], files, what)
    if (answer === undefined) {
      const ends = this.gone().map(({ text }) => text)
      throw new Error([`${this.addresses[place]} does not answer`, ...ends].join('; '))
    }
    return answer
  }

  /** Why a core says that it is degraded. */
  async reasons(place: number): Promise<readonly string[]> {
    const answer = await fetch(`${String(this.#cores[place]!.ready['operatorUrl'])}/health`)
    return ((await answer.json()) as { readonly reasons: readonly string[] }).reasons
  }

  /** The state hash of all cores at one sequence, once they all stand there. Rejects where one of them stays behind. */
  async hashes(): Promise<readonly string[]> {
    for (const lateMs = performance.now() + apartMsMax; ; ) {
      const told = (await Promise.all(this.addresses.map((_, place) => this.ask(place, 'verify')))) as {
        readonly sequence: number
        readonly stateHash: string
      }[]
      const sequences = told.map(({ sequence }) => sequence)
      if (new Set(sequences).size === 1) return told.map(({ stateHash }) => stateHash)
      if (performance.now() > lateMs) throw new Error(`cores stand apart, at ${sequences.join(', ')}: ${this.said()}`)
      await pause(100)
    }
  }
}

export function tlsFlags(tls: NatsFiles | undefined): string[] {
  return tls === undefined ? [] : ['--cluster-ca', tls.ca, '--cluster-cert', tls.cert, '--cluster-key', tls.key]
}

/** What a command of `tidemark` answers, as JSON. */
export async function commanded(...words: readonly string[]): Promise<Record<string, unknown>> {
  const child = spawn(process.execPath, [...sooner, cli, ...words, '--json'], { stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = await Promise.all(
    [child.stdout, child.stderr].map((stream) => Array.fromAsync(stream.setEncoding('utf8'))),
  )
  const [answer, trouble] = texts.map((parts) => parts.join(''))
  if (answer === '') throw new Error(trouble)
  return JSON.parse(answer) as Record<string, unknown>
}

export interface Outcome {
  readonly code: string | undefined
  readonly orderId: string | undefined
}

/** What stands at a gateway: the orders of each `clientOid`, and those that are open. */
export interface Standing {
  readonly orders: ReadonlyMap<string, ReadonlySet<string>>
  readonly open: ReadonlySet<string>
}

export interface TradersOptions {
  /** What each `clientOid` begins with; traders of one venue at different times need different ones. */
  readonly name?: string
  /** Between two orders of a lane. */
  readonly restMs?: number
}

/**
 * Traders who place one order after the other, and remember each answer. At each gateway somebody reads the order that was
 * acknowledged last, wherever that was.
 */
export class Traders {
  readonly outcomes = new Map<string, Outcome>()
  readonly #people: readonly Person[]
  readonly #done: Promise<unknown>
  readonly #restMs: number
  /** In the order of `ms`, all by the monotonic clock. */
  readonly #acknowledged: { readonly sentMs: number; readonly ms: number }[] = []
  /** Orders whose cancelling was acknowledged. */
  readonly #canceled = new Set<string>()
  readonly #unseen: string[] = []
  #isOver = false
  #lastOrder = ''
  /** Reads that were answered. */
  reads = 0

  constructor(people: readonly Person[], lanes: number, { name = '', restMs = 10 }: TradersOptions = {}) {
    this.#people = people
    this.#restMs = restMs
    const trading = people.flatMap((person, place) =>
      Array.from({ length: lanes }, (_, lane) => this.#trade(person, `${name}p${place}l${lane}`)),
    )
    this.#done = Promise.all([...trading, ...people.map((person) => this.#read(person))])
  }

  get answered(): number {
    return this.#acknowledged.length
  }

  /** Refused or unknown. */
  get refused(): number {
    return this.outcomes.size - this.answered
  }

  /** Resolves when an order is acknowledged that was sent after a moment, with when the first one was; on the monotonic clock. */
  async acknowledgedAfter(sentMs: number): Promise<number> {
    for (;;) {
      const first = this.#acknowledgedSince(sentMs).find((one) => one.sentMs > sentMs)
      if (first !== undefined) return first.ms
      await pause(1)
    }
  }

  /** The longest time without an acknowledged order between two moments. */
  silenceMs(fromMs: number, toMs: number): number {
    const times = this.#acknowledgedSince(fromMs).map(({ ms }) => ms)
    const all = [fromMs, ...times.filter((ms) => ms < toMs), toMs]
    return Math.max(...all.slice(1).map((ms, place) => ms - all[place]))
  }

  async until(count: number): Promise<void> {
    while (this.answered < count) await pause(2)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#done
  }

  /** Every fault of what was answered, against what stands at the first gateway. */
  async faults(): Promise<string[]> {
    const standing = await standingAt(this.#people[0])
    return [...this.faultsIn(standing), ...standTwice(standing)]
  }

  /**
   * Every fault of what was answered, against what stood later: lost, refused and there all the same, canceled and open, not seen by
   * who read it at once.
   */
  faultsIn({ orders: found, open }: Standing): string[] {
    const faults = [...this.#unseen]
    for (const [clientOid, { code, orderId }] of this.outcomes) {
      const orders = found.get(clientOid) ?? new Set()
      if (code === '00000' && !orders.has(orderId!)) faults.push(`${clientOid} was acknowledged and is lost`)
      if (code === '40015' && orders.size > 0) faults.push(`${clientOid} was refused for good and stands`)
    }
    for (const orderId of this.#canceled) if (open.has(orderId)) faults.push(`${orderId} was canceled and is open`)
    return faults
  }

  codes(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { code = 'none' } of this.outcomes.values()) counts[code] = (counts[code] ?? 0) + 1
    return counts
  }

  #acknowledgedSince(fromMs: number) {
    const before = this.#acknowledged.findLastIndex(({ ms }) => ms <= fromMs)
    return this.#acknowledged.slice(before + 1)
  }

  async #trade(person: Person, name: string): Promise<void> {
    const open: string[] = []
    for (let count = 0; !this.#isOver; count++) {
      const clientOid = `${name}-${count}`
      const sentMs = performance.now()
      const outcome = await placed(person, clientOid)
      this.outcomes.set(clientOid, outcome)
      const { orderId } = outcome
      if (orderId === undefined) {
        await pause(20)
        continue
      }
      this.#acknowledged.push({ sentMs, ms: performance.now() })
      this.#lastOrder = orderId
      open.push(orderId)
      if (open.length > openMax && (await canceled(person, open[0]))) this.#canceled.add(open[0])
      if (open.length > openMax) open.shift()
      if (this.#restMs > 0) await pause(this.#restMs)
    }
  }

  async #read(person: Person): Promise<void> {
    for (let seen = ''; !this.#isOver; await pause(readEveryMs)) {
      const orderId = this.#lastOrder
      if (orderId === seen) continue
      seen = orderId
      const code = await person.get('/api/v3/trade/order-info', { orderId }).then(
        (answer) => answer.code,
        () => undefined,
      )
      if (code === undefined || noAnswers.has(code)) continue
      this.reads += 1
      if (code !== '00000')
        this.#unseen.push(`${orderId} was acknowledged and then not seen at ${person.venue.url}: ${code}`)
    }
  }
}

const readEveryMs = 20
/** Whoever gets these knows nothing: refused before it was looked at, or too late. */
const noAnswers: ReadonlySet<string> = new Set(['40010', '40015', '40725', '45001'])

/** An account may have so many open, and there are several lanes. */
const openMax = 20

/** Whether it was acknowledged. */
async function canceled(person: Person, orderId: string): Promise<boolean> {
  try {
    const asked = { category: 'SPOT', symbol: 'BTCUSDT', orderId }
    return (await person.post('/api/v3/trade/cancel-order', asked)).code === '00000'
  } catch {
    return false
  }
}

async function placed(person: Person, clientOid: string): Promise<Outcome> {
  try {
    const answer = await person.post('/api/v3/trade/place-order', bid('1000', clientOid))
    return { code: answer.code, orderId: answer.code === '00000' ? answer.fields['orderId'] : undefined }
  } catch {
    // Its gateway went away.
    return { code: undefined, orderId: undefined }
  }
}

/** All orders of an account, from one gateway: those that are open before those that have ended, so that none slips through. */
export async function standingAt(person: Person): Promise<Standing> {
  const orders = new Map<string, Set<string>>()
  await addOrders(person, 'unfilled-orders', orders)
  const open = new Set([...orders.values()].flatMap((ids) => [...ids]))
  await addOrders(person, 'history-orders', orders)
  return { orders, open }
}

/** Whoever was answered twice. */
export function standTwice({ orders }: Standing): string[] {
  return [...orders].flatMap(([clientOid, ids]) => (ids.size > 1 ? `${clientOid} stands ${ids.size} times` : []))
}

async function addOrders(person: Person, path: string, found: Map<string, Set<string>>): Promise<void> {
  for (let cursor: string | undefined; ; ) {
    const answer = await person.get(`/api/v3/trade/${path}`, { category: 'SPOT', limit: 100, cursor })
    if (answer.code !== '00000') throw new Error(answer.text)
    const list = answer.list('list')
    for (const { clientOid, orderId } of list) found.set(clientOid, (found.get(clientOid) ?? new Set()).add(orderId))
    cursor = (answer.data as { readonly cursor?: string }).cursor
    if (list.length < 100 || !cursor) return
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
