/**
 * A demo venue in this process, as `tidemark start --clock manual` would have it, with clients, for days that pass as fast as
 * they can: simulated market, journal, history, interface, operator, twin.
 *
 * Clients  of every demo account come by HTTP with random requests of both versions, and by WebSocket
 */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { WebSocket } from 'ws'
import { startVenue } from '../../src/main.ts'
import { readConfiguration } from '../../src/operator/config/configuration.ts'
import type { RunningVenue } from '../../src/operator/operator.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { Random } from '../../test/simulation/random.ts'
import { nextRequest, type Sent } from '../../test/simulation/requests.ts'
import { Connection } from '../../test/support/http.ts'
import { Person, type ReachableVenue } from '../../test/support/person.ts'
import type { DemoKey } from '../../test/support/venue.ts'

const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT']
const channels = ['ticker', 'books', 'trade', 'candle1m']
/** Clients remember so many of their orders, to cancel and change them. */
const placedMax = 50

export class DayVenue implements AsyncDisposable {
  readonly data: string
  readonly url: string
  readonly market: Simulator
  readonly #venue: RunningVenue
  readonly #token: string
  readonly #clients: Connection
  readonly #operator: Connection
  readonly #random: Random
  readonly #people: readonly Person[]
  readonly #placed = new Map<Person, Sent[]>()
  #now = 0
  #requests = 0

  private constructor(data: string, venue: RunningVenue, market: Simulator, seed: number) {
    this.data = data
    this.url = venue.url
    this.#venue = venue
    this.market = market
    this.#token = readFileSync(join(data, 'operator-token'), 'utf8').trim()
    this.#clients = new Connection(venue.url)
    this.#operator = new Connection(venue.operatorUrl)
    this.#random = new Random(seed)
    const keys = JSON.parse(readFileSync(join(data, 'demo-keys.json'), 'utf8')) as DemoKey[]
    const reached: ReachableVenue = {
      url: venue.url,
      now: () => this.#now,
      exchange: (exchange) => this.#clients.exchange(exchange),
    }
    this.#people = keys.map((key) => new Person(reached, key.role, key.uid, key))
  }

  static async open(seed: number): Promise<DayVenue> {
    const data = mkdtempSync(join(tmpdir(), 'tidemark-days-'))
    const options = { data, port: '0', operatorPort: '0', clock: 'manual', durability: 'os', seed: String(seed) }
    const { configuration } = readConfiguration({ options: { ...options, noRateLimits: 'true' }, environment: {} })
    let market: Simulator | undefined
    const venue = await startVenue(configuration, {
      log: pino({ level: 'fatal' }),
      onFatal: (error) => {
        throw error
      },
      onMarket: (simulator) => (market = simulator),
    })
    if (market === undefined) throw new Error('a demo venue has a market')
    return new DayVenue(data, venue, market, seed)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#clients.close()
    this.#operator.close()
    await this.#venue.stop()
    rmSync(this.data, { recursive: true, force: true })
  }

  /** Lets this much time pass, then so many requests come, and somebody who watches for a moment. */
  async pass(ms: number, requests: number): Promise<void> {
    const { now } = await this.#operate<{ now: number }>('POST', 'clock/advance', { ms })
    this.#now = now
    for (let count = 0; count < requests; count++) await this.#request(this.#random.pick(this.#people))
    await this.#watch()
  }

  async balances(): Promise<boolean> {
    return (await this.#operate<{ balanced: boolean }>('GET', 'verify')).balanced
  }

  async #request(person: Person): Promise<void> {
    const placed = this.#placed.get(person) ?? []
    this.#placed.set(person, placed)
    const sent = nextRequest(this.#random, this.#requests++, placed)
    const answer =
      sent.method === 'GET' ? await person.get(sent.path, sent.query) : await person.post(sent.path, sent.body)
    if (answer.status >= 500) throw new Error(`${sent.path} is answered ${answer.status}: ${answer.text}`)
    if (answer.code === '00000' && sent.clientOid !== undefined) placed.push(sent)
    if (placed.length > placedMax) placed.shift()
  }

  async #watch(): Promise<void> {
    const socket = new WebSocket(`${this.url.replace('http', 'ws')}/v2/ws/public`)
    await once(socket, 'open')
    const args = symbols.flatMap((instId) => channels.map((channel) => ({ instType: 'USDT-FUTURES', channel, instId })))
    socket.send(JSON.stringify({ op: 'subscribe', args }))
    await once(socket, 'message')
    socket.close()
    await once(socket, 'close')
  }

  async #operate<T>(method: 'GET' | 'POST', call: string, body?: object): Promise<T> {
    const answer = await this.#operator.exchange({
      method,
      target: `/operator/${call}`,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': body && 'application/json' },
      body: body && JSON.stringify(body),
    })
    if (answer.status !== 200) throw new Error(`${call} is answered ${answer.status}: ${answer.text}`)
    return answer.data as T
  }
}
