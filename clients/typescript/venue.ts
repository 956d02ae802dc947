/**
 * One venue as a test has it: its addresses and keys, its time, the way back, what is known of its accounts.
 *
 * Thin     every method is one call to the venue, but `orders`, `fills` and `positions`, which read lists of the interface
 * Errors   LabError, with the code that the venue gave
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Filter, read, type Row } from './accounts.ts'
import { Calls, type Key } from './calls.ts'
import { type Addresses, ccxtAt } from './ccxt.ts'
import { Clock, type Condition, type Duration, millisecondsOf } from './clock.ts'
import { type FaultOn, Faults } from './faults.ts'
import type { Arrivals, DropAnswer, LatencyRule, LatencyShown, Pending, Released, ReleaseOrder } from './hold.ts'

/** Of the moment of the import: a test may make the exported one fake. */
const sleep = wait

/** Demo accounts, one for every kind that a client can have. */
export type Role =
  | 'unified-main'
  | 'unified-sub'
  | 'unified-peer'
  | 'hybrid-main'
  | 'classic-main'
  | 'classic-sub'
  | 'broker-main'
  | 'broker-sub'
  | 'copy-trader'
  | 'read-only'

export type Keys = Readonly<Record<Role, Key>>

/** What `GET /_lab` says. */
export interface Shown extends Addresses {
  readonly venue: string
  readonly now: number
  readonly sequence: number
  readonly keys: Keys
  readonly version: string
}

/** Good in any order and as often as it is used, until its venue stops. */
export interface Snapshot {
  readonly snapshot: string
  readonly name: string | null
  readonly sequence: number
  readonly now: number
  readonly stateHash: string
  readonly bytes: number
}

export interface WentBack {
  readonly sequence: number
  readonly now: number
  readonly stateHash: string
  /** Commands that were under way, and whose senders were told 45001. */
  readonly unknown: number
  readonly tookMs: number
}

/** `keep`: sockets stay, and each channel gets a full snapshot. */
export interface BackOptions {
  readonly streams?: 'close' | 'keep'
}

/** A snapshot, or a moment of the past. Neither: now. */
export interface ForkOptions {
  readonly snapshot?: Snapshot | string
  readonly at?: { readonly sequence: number } | { readonly time: string | number }
}

/** An account by number or role. */
type Who = string | number
type Cheat<Fields> = (
  fields: Fields,
) => Promise<Readonly<Record<string, unknown>> & { readonly sequences: readonly number[] }>
interface At {
  readonly symbol: string
  readonly category?: string
}

/** What a recording came to. */
export interface Recorded {
  readonly bytes: number
  readonly requests: number
  readonly commands: number
  readonly from: number
  readonly to: number
  readonly stateHash: string
}

export interface Recording {
  stop(): Promise<Recorded>
}

/** What no venue lets anybody do, by ordinary commands: the books still add up. Figures are decimals as texts. */
export interface Cheats {
  balance: Cheat<{ readonly uid: Who; readonly wallet: string; readonly coin: string; readonly amount: string }>
  position: Cheat<
    At & {
      readonly uid: Who
      readonly side: 'long' | 'short'
      readonly size: string
      readonly price?: string
      readonly leverage?: number
      readonly marginMode?: 'cross' | 'isolated'
    }
  >
  price: Cheat<{ readonly price: string; readonly coin?: string; readonly symbol?: string; readonly category?: string }>
  funding: Cheat<At & { readonly rate: string }>
  liquidate: Cheat<{ readonly uid: Who; readonly symbol?: string; readonly category?: string }>
  adl: Cheat<At & { readonly uid: Who }>
  fees: Cheat<At & { readonly maker: string; readonly taker: string }>
  halt: Cheat<At & { readonly status: 'online' | 'cancel_only' | 'halted' }>
  /** A market fault begins, or one that is in force ends: docs/lab.md has all of them. */
  market: Cheat<
    | (At & {
        readonly fault: string
        readonly for?: Duration
        readonly size?: string | number
        readonly side?: 'bids' | 'asks'
        readonly uid?: Who
      })
    | { readonly end: number | 'all' }
  >
}

/** A price and a size. */
type Level = readonly [price: string | number, size: string | number]

/** A side that is absent is empty. */
export interface Sides {
  readonly bids?: readonly Level[]
  readonly asks?: readonly Level[]
  readonly category?: string
}

/** Where an order stands at its price; sizes are what is left. */
export interface QueuePlace {
  readonly ahead: string
  readonly aheadOrders: number
  readonly behind: string
  readonly behindOrders: number
  readonly level: string
  readonly [field: string]: unknown
}

/** What a script file has: docs/lab.md. */
export interface Script {
  readonly makers?: readonly object[]
  readonly steps?: string | readonly unknown[] | object
  readonly symbol?: string
  readonly category?: string
  readonly name?: string
}

const cheatNames = ['balance', 'position', 'price', 'funding', 'liquidate', 'adl', 'fees', 'halt', 'market'] as const

/** What a venue is in. */
export interface Home {
  /** To the first venue of its process, which outlives it. */
  readonly calls: Calls
  /** Once the venue stops. */
  leave(): Promise<void>
}

export class Venue {
  readonly id: string
  readonly url: string
  readonly ws: Addresses['ws']
  readonly keys: Keys
  readonly version: string
  readonly clock: Clock
  readonly cheats: Cheats
  readonly faults: Faults
  readonly #calls: Calls
  readonly #home: Home
  readonly #closed: { close?: () => unknown }[] = []
  #stopped: Promise<void> | undefined

  /** Is had from `startVenue` or `fork`. */
  constructor(shown: Shown, home: Home) {
    this.id = shown.venue
    this.url = shown.url
    this.ws = shown.ws
    this.keys = shown.keys
    this.version = shown.version
    this.#calls = new Calls(shown.url, home.calls.token)
    this.#home = home
    this.clock = new Clock(this.#calls)
    this.faults = new Faults(this.#calls)
    const cheat = (name: string) =>
      [name, (fields: object) => this.call('POST', '/cheats', { [name]: fields })] as const
    this.cheats = Object.fromEntries(cheatNames.map(cheat)) as unknown as Cheats
  }

  /** Any call below /_lab, an operator's (`/operator/prices`) too; answers its data. */
  call<Data = unknown>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Data> {
    return this.#calls.lab<Data>(method, path, body)
  }

  /** A call of the interface, signed with the key of a role; answers its data. LabError has the code of the interface. */
  request<Data = unknown>(role: Role, method: 'GET' | 'POST', target: string, body?: object): Promise<Data> {
    return this.#calls.signed<Data>(this.#key(role), method, target, body === undefined ? '' : JSON.stringify(body))
  }

  /** An exchange of `ccxt` or `ccxt.pro` with the key of a role, every address replaced. Its sockets close when the venue stops. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the class is the caller's: ccxt is no dependency
  ccxt(library: unknown, role: Role, options: object = {}): any {
    const exchange = ccxtAt(library, this, this.#key(role), options) as { close?: () => unknown }
    this.#closed.push(exchange)
    return exchange
  }

  snapshot(name?: string): Promise<Snapshot> {
    return this.call('POST', '/snapshots', name === undefined ? {} : { name })
  }

  /** To a snapshot of this venue, by itself, its id or its name. */
  async revert(snapshot: Snapshot | string, options: BackOptions = {}): Promise<WentBack> {
    const to = typeof snapshot === 'string' ? snapshot : snapshot.snapshot
    return this.#back(this.call('POST', '/revert', { snapshot: to, ...options }))
  }

  /** To what the venue began with. */
  reset(options: BackOptions = {}): Promise<WentBack> {
    return this.#back(this.call('POST', '/reset', options))
  }

  /** A further venue that is what this one is, or was; afterwards they share nothing. Stop it, too. */
  async fork(options: ForkOptions = {}): Promise<Venue> {
    const { snapshot, at } = options
    const from = typeof snapshot === 'object' ? snapshot.snapshot : snapshot
    const shown = await this.call<Shown>('POST', '/fork', { snapshot: from, at })
    return new Venue(shown, { calls: this.#home.calls, leave: async () => {} })
  }

  /** Orders of a role's account, open and ended. */
  orders(role: Role, filter?: Filter): Promise<Row[]> {
    return read('orders', this.#calls, role, this.#key(role), filter)
  }

  fills(role: Role, filter?: Filter): Promise<Row[]> {
    return read('fills', this.#calls, role, this.#key(role), filter)
  }

  /** Open positions. */
  positions(role: Role, filter?: Filter): Promise<Row[]> {
    return read('positions', this.#calls, role, this.#key(role), filter)
  }

  /** The whole book of a symbol: what the house has there goes, and these levels rest in its place. Orders of accounts stay. */
  book(symbol: string, sides: Sides): Promise<Readonly<Record<string, unknown>>> {
    return this.call('POST', '/book', { symbol, ...sides })
  }

  /** What stands before and behind a resting order, exactly. */
  queue(orderId: string): Promise<QueuePlace> {
    return this.call('GET', `/queue?orderId=${encodeURIComponent(orderId)}`)
  }

  /** Makers and steps, in the venue's time: the text of a file, or what would stand there. */
  script(script: string | Script): Promise<Readonly<Record<string, unknown>>> {
    return this.call('POST', '/script', typeof script === 'string' ? { text: script } : script)
  }

  /** From now on commands that match wait after admission, until they are released. */
  hold(on?: FaultOn): Promise<unknown> {
    return this.call('POST', '/hold', on === undefined ? {} : { on })
  }

  /** Nothing more is held; what waits goes on waiting. */
  endHold(): Promise<unknown> {
    return this.call('DELETE', '/hold')
  }

  /** Commands that wait, once there are `atLeast` so many. */
  pending(arrivals: Arrivals = {}): Promise<readonly Pending[]> {
    return this.call('GET', `/pending${queryOf(arrivals)}`)
  }

  /** Carried out one after the other; all in the order of arrival unless told. */
  release(order?: ReleaseOrder, options: { readonly seed?: number } = {}): Promise<Released> {
    return this.call('POST', '/release', { ...(order !== undefined && { order }), ...options })
  }

  /** It never happens, and its client is answered so: `none`, a code, or `{code, status}`. */
  drop(id: string, answer: DropAnswer): Promise<unknown> {
    return this.call('POST', '/drop', { id, answer })
  }

  /** How long everything takes, in place of what was said before. */
  latency(rules: readonly LatencyRule[] | { readonly rules: readonly LatencyRule[] }): Promise<LatencyShown> {
    return this.call('POST', '/latency', 'rules' in rules ? rules : { rules })
  }

  /** What is on its way, once there are `atLeast` so many commands. */
  onTheirWay(arrivals: Arrivals = {}): Promise<LatencyShown> {
    return this.call('GET', `/latency${queryOf(arrivals)}`)
  }

  /** Resolves when a condition of `clock.until` holds, whoever brings it about. */
  wait(condition: Condition, options: { readonly timeout?: Duration } = {}): Promise<unknown> {
    const query = new URLSearchParams({ for: JSON.stringify(condition) })
    if (options.timeout !== undefined) query.set('timeout', String(options.timeout))
    return this.call('GET', `/wait?${query.toString()}`)
  }

  /** Commands and what came of them, in order: the evidence. `uid` also by role. */
  journal(
    filter: { readonly uid?: Who; readonly after?: number; readonly limit?: number } = {},
  ): Promise<Readonly<Record<string, unknown>>[]> {
    const query = new URLSearchParams(
      Object.entries(filter).map(([name, value]): [string, string] => [name, String(value)]),
    )
    return this.call('GET', `/journal?${query.toString()}`)
  }

  /** All that this venue does from now on, for `tidemark replay`; `stop` ends it, and writes it to the file. */
  async record(file?: string): Promise<Recording> {
    await this.call('POST', '/record', { start: true })
    return {
      stop: async () => {
        if (file !== undefined) await this.saveRecording(file)
        return this.call('POST', '/record', { stop: true })
      },
    }
  }

  /** Writes what was recorded lately, or since `record`; its directory is made. */
  async saveRecording(file: string): Promise<void> {
    const content = await this.#calls.file('/recording')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content, { mode: 0o600 })
  }

  /** So much of the venue's time passes: a clock that stands still is moved, and a running one is waited for. */
  async sleep(duration: Duration): Promise<void> {
    const { mode, speed } = await this.clock.mode()
    if (mode === 'manual' && speed === 0) return void (await this.clock.step(duration))
    const ms = millisecondsOf(duration)
    if (ms === undefined) throw new TypeError('duration: 250ms, 8h, 90d or whole milliseconds are wanted')
    await sleep(Math.ceil(ms / speed))
  }

  /** The venue is gone, with all that it knew. Once more does nothing. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop())
  }

  async #stop(): Promise<void> {
    this.clock.release()
    await Promise.allSettled(this.#closed.map(async (exchange) => exchange.close?.()))
    try {
      await this.#home.calls.lab('DELETE', `/venues/${encodeURIComponent(this.id)}`)
    } finally {
      await this.#home.leave()
    }
  }

  async #back(going: Promise<WentBack>): Promise<WentBack> {
    const gone = await going
    await this.clock.follow(gone.now)
    return gone
  }

  #key(role: Role): Key {
    const key = this.keys[role]
    if (key === undefined) throw new TypeError(`role: there is no ${role}, only ${Object.keys(this.keys).join(', ')}`)
    return key
  }
}

function queryOf(fields: object): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))
  return given.length === 0 ? '' : `?${query.toString()}`
}
