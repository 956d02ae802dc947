/**
 * A venue of its own with a flood generator beside it: what the overload and the endurance run have in common.
 *
 * Venue    from the command line, durable, without rate limits and simulator, pinned to core 0; the flood to core 1
 * Flood    orders of many accounts that end at once, so that nothing piles up
 * Trader   on a connection of his own, in turns: place, read, cancel
 * Memory   and files of the venue's process are read from the system, its heap from its own metrics
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Person } from '../../test/support/person.ts'
import { startVenue, type Venue } from '../../test/support/venue.ts'
import type { Flood, FloodMeasured } from './flood.ts'
import { cpuSeconds, loadCore, pin, serverCore, serverOf } from './server.ts'

const path = '/api/v2/mix/order/place-order'
const peopleCount = 64

export type Measured = FloodMeasured & {
  /** Processor time that the venue used meanwhile. */
  readonly cpuSeconds: number
}

/** What the venue's process holds. */
export interface Held {
  readonly rssMb: number
  readonly heapUsedMb: number
  readonly externalMb: number
  /** Open files without sockets. */
  readonly files: number
  readonly sockets: number
}

type Turn = 'place' | 'read' | 'cancel'

export interface Traded {
  readonly ms: Readonly<Record<Turn, number[]>>
  readonly failed: Readonly<Record<Turn, number>>
}

export class FloodedVenue implements AsyncDisposable {
  readonly #venue: Venue
  readonly #generator = fork(fileURLToPath(new URL('flood.ts', import.meta.url)))
  readonly #url: string
  readonly #pid: number
  readonly #people: Person[] = []

  private constructor(venue: Venue) {
    this.#venue = venue
    const { pid, url } = serverOf(venue)
    this.#url = url
    this.#pid = pid
    pin(pid, serverCore)
    pin(this.#generator.pid, loadCore)
  }

  static async open(): Promise<FloodedVenue> {
    const flooded = new FloodedVenue(
      await startVenue({
        durability: 'sync',
        rateLimits: false,
        simulator: false,
        environment: { TIDEMARK_CONNECTIONS_PER_ADDRESS_MAX: '10000' },
      }),
    )
    for (let index = 0; index < peopleCount; index++) flooded.#people.push(await flooded.#person(`person ${index}`))
    return flooded
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#generator.disconnect()
    await this.#venue.remove()
  }

  /** Orders for so many seconds: as many a second as told, or as answers come. */
  async play(asked: Pick<Flood, 'connections' | 'rate' | 'seconds'>): Promise<Measured> {
    const answered = once(this.#generator, 'message') as Promise<[FloodMeasured]>
    const before = cpuSeconds(this.#pid)
    this.#generator.send({
      ...asked,
      port: Number(new URL(this.#url).port),
      keys: this.#people.map(({ key }) => key),
      requests: this.#people.map((_person, key) => ({ key, target: path, body: floodOrder(key) })),
    } satisfies Flood)
    const [measured] = await answered
    return { ...measured, cpuSeconds: cpuSeconds(this.#pid) - before }
  }

  /** What it takes over 64 connections that wait for their answers, once it is warm. */
  async capacity(): Promise<Measured> {
    await this.play({ connections: 64, rate: 0, seconds: 5 })
    return this.play({ connections: 64, rate: 0, seconds: 10 })
  }

  /** Places, reads and cancels in turns until it is stopped. */
  async trade(): Promise<{ stop(): Promise<Traded> }> {
    const trader = await this.#person('trader')
    const ms: Record<Turn, number[]> = { place: [], read: [], cancel: [] }
    const failed = { place: 0, read: 0, cancel: 0 }
    const timed = async (what: Turn, act: () => ReturnType<Person['get']>) => {
      const startMs = performance.now()
      const answer = await act()
      if (answer.code === '00000') ms[what].push(performance.now() - startMs)
      else failed[what] += 1
      return answer
    }
    let stopped = false
    const turns = async () => {
      const named = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' }
      while (!stopped) {
        const placed = await timed('place', () => trader.post(path, JSON.parse(order('40000', 'gtc')) as object))
        await timed('read', () => trader.get('/api/v2/mix/order/orders-pending', named))
        if (placed.code !== '00000') continue
        const { orderId } = placed.fields
        await timed('cancel', () => trader.post('/api/v2/mix/order/cancel-order', { ...named, orderId }))
      }
      return { ms, failed }
    }
    const done = turns()
    return {
      stop: () => {
        stopped = true
        return done
      },
    }
  }

  async balances(): Promise<boolean> {
    const { balanced } = await this.#venue.operator<{ balanced: boolean }>('verify')
    return balanced
  }

  residentMb(): number {
    const [, kb = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.#pid}/status`, 'utf8')) ?? []
    return Number(kb) / 1_024
  }

  async held(): Promise<Held> {
    const text = await (await fetch(`${this.#url}/metrics`, { headers: { connection: 'close' } })).text()
    const mb = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]) / 1_048_576
    const open = readdirSync(`/proc/${this.#pid}/fd`).map((file) => linkOf(`/proc/${this.#pid}/fd/${file}`))
    const sockets = open.filter((link) => link.startsWith('socket:')).length
    return {
      rssMb: this.residentMb(),
      heapUsedMb: mb('nodejs_heap_size_used_bytes'),
      externalMb: mb('nodejs_external_memory_bytes'),
      files: open.length - sockets,
      sockets,
    }
  }

  #person(name: string): Promise<Person> {
    return this.#venue.person(name, { funds: { uta: { USDT: '1000000' } } })
  }
}

/** It finds nobody at its price and ends. */
function floodOrder(index: number): string {
  return order(String(50_000 + index), 'ioc')
}

function order(price: string, force: 'ioc' | 'gtc'): string {
  const market = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginMode: 'crossed', marginCoin: 'USDT' }
  return JSON.stringify({ ...market, size: '0.001', price, side: 'buy', orderType: 'limit', force })
}

/** What an open file is; of one that has just been closed: nothing. */
function linkOf(file: string): string {
  try {
    return readlinkSync(file)
  } catch {
    return ''
  }
}
