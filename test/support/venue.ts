/**
 * A venue of its own for a test: the real command line on a temporary directory, free ports and loopback.
 *
 * Start     spawns `tidemark start`, waits for its `ready` line, then reads server.json, the operator's token and the
 *           demo keys as any script would
 * People    `person()` makes a fresh account with a key and funds through the operator; `as()` speaks for a demo account
 * Time      requests are signed with the venue's time: the system's, or the manual clock's as the venue says it
 * Answers   are held to the schemas of the table of endpoints (documented.ts)
 * Ends      with its starter, however that ends (scripts/follow-parent.js)
 * Restart   `stop()` asks politely, `kill()` does not; `restart()` starts again on the same directory
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { MetricRead } from '../../src/operator/metric-registry.ts'
import { undocumented } from './documented.ts'
import { type Answer, Connection, type Exchange } from './http.ts'
import { type Key, Person, type Query, withQuery } from './person.ts'
import { sooner } from './sooner.ts'

export interface VenueOptions {
  readonly clock?: 'system' | 'manual'
  readonly rateLimits?: boolean
  /** A free one, unless told. A venue that is started again where a page waits for it has to keep its own. */
  readonly port?: number
  readonly simulator?: boolean
  /** Days of simulated past; none, unless told. */
  readonly past?: number
  readonly durability?: 'sync' | 'os'
  readonly environment?: Readonly<Record<string, string>>
}

export type Wallet = 'spot' | 'p2p' | 'usdt_futures' | 'coin_futures' | 'usdc_futures' | 'crossed_margin' | 'uta'
export type Funds = Readonly<Partial<Record<Wallet, Readonly<Record<string, string>>>>>

export interface PersonOptions {
  readonly mode?: 'unified' | 'hybrid' | 'classic'
  /** Makes a sub-account of this person. */
  readonly parent?: Person
  readonly funds?: Funds
  readonly permissions?: readonly string[]
  readonly ipList?: readonly string[]
}

export interface DemoKey extends Key {
  readonly role: string
  readonly uid: string
  readonly parentUid: string | null
  readonly permissions: readonly string[]
}

interface OperatorAnswer {
  readonly ok: boolean
  readonly data?: unknown
  readonly error?: { readonly code: string; readonly message: string }
}

/** Every permission that a key can have. */
export const allPermissions = [
  'read',
  'uta_trade',
  'uta_mgt',
  'spot_trade',
  'margin_trade',
  'contract_trade',
  'transfer',
  'withdraw',
] as const

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const followParent = new URL('../../scripts/follow-parent.js', import.meta.url).href
const startWithinMs = 90_000
const stopWithinMs = 15_000

export async function startVenue(options: VenueOptions = {}): Promise<Venue> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-venue-'))
  const venue = new Venue(directory, options)
  try {
    await venue.start()
  } catch (cause) {
    await venue.remove()
    throw cause
  }
  return venue
}

export class Venue {
  readonly directory: string
  readonly options: VenueOptions
  #child: ChildProcess | undefined
  #public!: Connection
  #operator!: Connection
  #token = ''
  #demoKeys: readonly DemoKey[] = []
  #manualTime: number | undefined
  #errors = ''

  constructor(directory: string, options: VenueOptions) {
    this.directory = directory
    this.options = options
  }

  async start(): Promise<void> {
    await this.launch()
    const server = JSON.parse(await readFile(join(this.directory, 'server.json'), 'utf8'))
    this.#public = new Connection(server.url, server.certificate)
    this.#operator = new Connection(server.operatorUrl, server.certificate)
    this.#token = (await readFile(join(this.directory, 'operator-token'), 'utf8')).trim()
    this.#demoKeys = JSON.parse(await readFile(join(this.directory, 'demo-keys.json'), 'utf8'))
    await this.readClock()
  }

  /** Resolves when the venue is ready. */
  protected async launch(): Promise<void> {
    const {
      clock = 'system',
      port = 0,
      rateLimits = false,
      simulator = false,
      past = 0,
      durability = 'os',
      environment = {},
    } = this.options
    const flags = [
      '--port',
      String(port),
      '--operator-port',
      '0',
      '--data',
      this.directory,
      '--simulator',
      simulator ? 'on' : 'off',
      '--past',
      String(past),
      '--durability',
      durability,
      '--clock',
      clock,
      ...(rateLimits ? [] : ['--no-rate-limits']),
    ]
    const child = spawn(
      process.execPath,
      ['--import', followParent, ...sooner, join(checkout, 'bin/tidemark.js'), 'start', ...flags],
      {
        cwd: checkout,
        env: { ...process.env, ...environment, TIDEMARK_LAUNCHER: String(process.pid) },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      },
    )
    this.#child = child
    this.#errors = ''
    child.stderr!.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-4000)
    })
    await this.#ready(child)
  }

  #ready(child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (reason: string) => reject(new Error(`the venue ${reason}\n${this.#errors}`))
      const late = setTimeout(() => fail(`was not ready within ${startWithinMs} ms`), startWithinMs)
      child.once('exit', (code) => {
        clearTimeout(late)
        fail(`ended with code ${code} before it was ready`)
      })
      createInterface({ input: child.stdout! }).on('line', (line) => {
        if (!/^ready https?:/.test(line)) return
        clearTimeout(late)
        resolve()
      })
    })
  }

  /** SIGTERM: what was accepted is finished. Answers the exit code. */
  stop(): Promise<number | null> {
    return this.#leave('SIGTERM')
  }

  /** SIGKILL: a crash. */
  kill(): Promise<number | null> {
    return this.#leave('SIGKILL')
  }

  /** Resolves with the exit code of a venue that ends by itself. */
  async ended(): Promise<number | null> {
    const child = this.#child!
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await this.stop()
    return child.exitCode
  }

  #leave(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.#public?.close()
    this.#operator?.close()
    return this.end(signal)
  }

  /** Resolves when the venue has ended, or was not there. */
  protected async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.#child
    if (child === undefined) return null
    this.#child = undefined
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const exited = once(child, 'exit')
    child.kill(signal)
    const late = setTimeout(() => child.kill('SIGKILL'), stopWithinMs)
    const [code] = await exited
    clearTimeout(late)
    return code
  }

  async restart(how: 'stop' | 'kill' = 'stop'): Promise<void> {
    await (how === 'stop' ? this.stop() : this.kill())
    await this.start()
  }

  /** Stops the venue and removes its directory. */
  async remove(): Promise<void> {
    await this.stop()
    await rm(this.directory, { recursive: true, force: true, maxRetries: 3 })
  }

  /** Where clients find it. */
  get url(): string {
    return this.#public.base.origin
  }

  /** Where the operator finds it, and with what. */
  get operatorUrl(): string {
    return this.#operator.base.origin
  }

  get operatorToken(): string {
    return this.#token
  }

  /** One request and its answer, which has to be as its endpoint documents it. */
  async exchange(exchange: Exchange): Promise<Answer> {
    const answer = await this.#public.exchange(exchange)
    const fault = undocumented(exchange.method, exchange.target, answer)
    if (fault !== undefined) throw new Error(`${exchange.target} answers ${fault}: ${answer.text.slice(0, 2000)}`)
    return answer
  }

  /** A request without any authentication. */
  get(path: string, query: Query = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.exchange({ method: 'GET', target: withQuery(path, query), headers })
  }

  /** The venue's time in milliseconds. */
  now(): number {
    return this.#manualTime ?? Date.now()
  }

  async readClock(): Promise<void> {
    if (this.options.clock !== 'manual') return
    // Who moved it was answered by the core. A gateway may have its time a moment later, and public calls wait for nothing.
    const { now } = await this.operator<{ readonly now: number }>('clock')
    this.#manualTime = now
  }

  /** Calls the operator and answers its data; a refusal is an error that says what was refused. */
  async operator<T = Record<string, unknown>>(path: string, body?: unknown): Promise<T> {
    const answer = await this.#operator.exchange({
      method: body === undefined ? 'GET' : 'POST',
      target: `/operator/${path}`,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: {
        authorization: `Bearer ${this.#token}`,
        'content-type': body === undefined ? undefined : 'application/json',
      },
    })
    const reply = answer.envelope as OperatorAnswer | undefined
    if (reply?.ok !== true) throw new Error(`operator/${path} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`)
    return reply.data as T
  }

  /** A metric that is one number, of all processes that clients speak to together. */
  async gauge(name: string): Promise<number> {
    const metrics = await this.operator<readonly MetricRead[]>('metrics')
    return Number(metrics.find((metric) => metric.name === name)?.values[0]?.value)
  }

  /** On the manual clock: lets this much time pass, with every timer that falls due. */
  async advance(ms: number): Promise<void> {
    await this.operator('clock/advance', { ms })
    await this.readClock()
  }

  async setIndexPrices(prices: Readonly<Record<string, string>>): Promise<void> {
    await this.operator('prices', { prices })
  }

  async deposit(person: Person, funds: Funds): Promise<void> {
    for (const [wallet, coins] of Object.entries(funds)) {
      for (const [coin, amount] of Object.entries(coins)) {
        await this.operator('deposits', { uid: person.uid, wallet, coin, amount })
      }
    }
  }

  async makeKey(
    uid: string,
    permissions: readonly string[] = allPermissions,
    ipList?: readonly string[],
  ): Promise<Key> {
    return this.operator<Key & Record<string, unknown>>('keys', { uid, permissions, ipList, label: 'test' })
  }

  /** A fresh account with a key and funds. */
  async person(name: string, options: PersonOptions = {}): Promise<Person> {
    const { mode = 'unified', parent, funds = {}, permissions = allPermissions, ipList } = options
    const { uid } = await this.operator<{ uid: string }>('accounts', {
      kind: parent === undefined ? 'main' : 'sub',
      parentUid: parent?.uid,
      mode,
    })
    const person = new Person(this, name, String(uid), await this.makeKey(String(uid), permissions, ipList))
    await this.deposit(person, funds)
    return person
  }

  /** A demo account by its role. */
  as(role: string): Person {
    const key = this.#demoKeys.find((candidate) => candidate.role === role)
    if (key === undefined) throw new Error(`no demo account has the role ${role}`)
    return new Person(this, role, key.uid, key)
  }

  get demoKeys(): readonly DemoKey[] {
    return this.#demoKeys
  }
}
