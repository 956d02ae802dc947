/**
 * A durable venue with 128 funded accounts, whose collector's pauses are noted.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Person } from '../../test/support/person.ts'
import { startVenue, type Venue } from '../../test/support/venue.ts'
import type { Pause } from './collector.ts'
import { peopleCount } from './kinds.ts'
import type { LoadKey } from './requests.ts'
import { type Server, serverOf } from './server.ts'

/** Of all houses of this process. */
const pausesFile = join(tmpdir(), `tidemark-pauses-${process.pid}.jsonl`)

export class House implements AsyncDisposable {
  readonly venue: Venue
  #server: Server
  readonly people: readonly Person[]

  private constructor(venue: Venue, people: readonly Person[]) {
    this.venue = venue
    this.#server = serverOf(venue)
    this.people = people
  }

  static async open(environment: Readonly<Record<string, string>> = {}): Promise<House> {
    const collector = new URL('collector.ts', import.meta.url).href
    const noting = { NODE_OPTIONS: `--import ${collector}`, BENCH_PAUSES: pausesFile }
    // Requests are signed long before the last of them leaves.
    const patient = { TIDEMARK_TIMESTAMP_WINDOW_MS: '600000' }
    const venue = await startVenue({ durability: 'sync', environment: { ...environment, ...noting, ...patient } })
    await using opened = new AsyncDisposableStack()
    opened.defer(() => venue.remove())
    const people: Person[] = []
    for (let index = 0; index < peopleCount; index++) {
      people.push(await venue.person(`person ${index}`, { funds: { uta: { USDT: '1000000' } } }))
    }
    opened.move()
    return new House(venue, people)
  }

  get server(): Server {
    return this.#server
  }

  /** Stops, and goes on after a change in the data directory. */
  async restartAfter(change: (directory: string) => void): Promise<void> {
    await this.venue.stop()
    change(this.venue.directory)
    await this.venue.start()
    this.#server = serverOf(this.venue)
  }

  get keys(): LoadKey[] {
    return this.people.map(({ key }) => key)
  }

  /** Pauses of the garbage collector in a span of the shared clock. */
  async pauses(fromMs: number, toMs: number): Promise<Pause[]> {
    await sleep(200)
    if (!existsSync(pausesFile)) return []
    const noted = readFileSync(pausesFile, 'utf8').trimEnd().split('\n')
    return noted
      .map((line) => JSON.parse(line) as Pause)
      .filter(({ pid, atMs, ms }) => pid === this.server.pid && atMs + ms >= fromMs && atMs <= toMs)
  }

  /** What a round left resting goes, and history catches up. */
  async clear(): Promise<void> {
    const everything = { productType: 'USDT-FUTURES' }
    await Promise.all(this.people.map((person) => person.post('/api/v2/mix/order/cancel-all-orders', everything)))
    await this.historyStands()
  }

  /** Public trades answer when history has everything that was acknowledged before they were asked for. */
  async historyStands(): Promise<void> {
    const ask = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', limit: 1 }
    const answer = await this.people[0].get('/api/v2/mix/market/fills-history', ask)
    if (answer.code !== '00000') throw new Error(answer.text)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.venue.remove()
    rmSync(pausesFile, { force: true })
  }
}
