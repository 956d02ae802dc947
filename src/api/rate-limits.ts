/**
 * Who may still ask: calls per endpoint and account or address, counted in windows of one second before any work is done.
 *
 * Window    begins with a caller's first call and lasts one second; the next call after it begins a new one. Of an
 *           endpoint that may be called less than once per second it is as long as one call takes: 10 seconds at 0.1
 * Clock     monotonic and real, so that a venue on a manual clock limits like any other; the venue's in a laboratory. A clock
 *           that went back begins new windows
 * Saved     all windows, for a venue that goes back to an earlier moment
 * Forged    calls that fail authentication count only against their address (100 a second), never against the account
 *           they name; authenticated ones count against the account even when refused later (design §4.38)
 * Reads     of several gateways are counted for all of them together, as far as they have told one another (shared-reads.ts)
 * Pages     what is no endpoint and needs no key (documents, health, metrics, unknown paths) counts by path and address
 * Source    interface.md Limits; design.md §4.19; wire/rate-limits-and-filters.md §1, §3
 */
import type { Uid } from '../engine/vocabulary.ts'
import { type Caller, type SavedWindows, Windows } from './call-windows.ts'
import type { Endpoint } from './endpoint.ts'
import type { EndpointReads, SharedReads } from './shared-reads.ts'

/** All windows as they stood: plain data, which later calls leave as it is. */
export interface SavedRateLimits {
  /** By `METHOD path`. */
  readonly endpoints: ReadonlyMap<string, SavedWindows>
  readonly forged: SavedWindows
  readonly addresses: SavedWindows
}

/** What a limit is, and the windows that count for it. */
interface Limit {
  readonly perSecond: number
  readonly windows: Windows
  /** Of a read, what passes at other gateways; undefined: there are none. */
  readonly reads: EndpointReads | undefined
}

export interface RateLimitOptions {
  readonly enabled: boolean
  /** Calls per second of single endpoints in place of the table's, by `METHOD path`. */
  readonly perSecond?: Readonly<Record<string, number>>
  /** All calls of one address per minute; zero or absent: not limited. */
  readonly perAddressPerMinute?: number
  /** Milliseconds; of a monotonic clock if absent. */
  readonly clock?: () => number
  /** Counts a call for all copies of the venue together; absent: there are none. */
  readonly shared?: CountsShared | undefined
  /** What passes at other gateways, by the same clock; absent: there are none. */
  readonly reads?: SharedReads | undefined
}

type CountsShared = (endpoint: Endpoint, uid: Uid, copyTrader: boolean) => Promise<Allowance>

export interface Allowance {
  readonly allowed: boolean
  /** Calls left in the window. */
  readonly remaining: number
}

const unlimited: Allowance = { allowed: true, remaining: Number.POSITIVE_INFINITY }
const forgedPerSecondMax = 100
/** Interface E3 and its likes. */
const ordersPerSecondDefault = 10

/** How long the window of a limit lasts, whole seconds. */
export function windowSeconds(perSecond: number): number {
  return perSecond > 0 && perSecond < 1 ? Math.round(1 / perSecond) : 1
}

export class RateLimits {
  /** Of one account, by the calls that place one each. */
  readonly ordersPerSecond: number
  /** Undefined: counting here is enough. */
  readonly shared: CountsShared | undefined
  readonly #enabled: boolean
  readonly #clock: () => number
  readonly #perSecond: Readonly<Record<string, number>>
  readonly #perAddressPerMinute: number
  readonly #reads: SharedReads | undefined
  readonly #endpoints = new Map<Endpoint, Limit>()
  /** By `METHOD path`, or `page` and its name. */
  #windows = new Map<string, Windows>()
  #forged = new Windows(1000)
  #addresses = new Windows(60_000)

  constructor(options: RateLimitOptions) {
    this.shared = options.enabled ? options.shared : undefined
    this.#reads = options.reads
    this.#enabled = options.enabled
    this.#clock = options.clock ?? (() => performance.now())
    this.#perSecond = options.perSecond ?? {}
    this.ordersPerSecond = this.#perSecond['POST /api/v3/trade/place-order'] ?? ordersPerSecondDefault
    this.#perAddressPerMinute = options.perAddressPerMinute ?? 0
  }

  /** Any call, by address. */
  countAddress(ip: string): boolean {
    if (!this.#enabled || this.#perAddressPerMinute === 0) return true
    return this.#addresses.count(ip, this.#clock()) <= this.#perAddressPerMinute
  }

  /** A call that failed authentication. */
  countForged(ip: string): boolean {
    return !this.#enabled || this.#forged.count(ip, this.#clock()) <= forgedPerSecondMax
  }

  /** A request of a page; the names of pages are few. */
  countPage(name: string, ip: string, perSecondMax: number): boolean {
    if (!this.#enabled) return true
    const key = `page ${name}`
    let windows = this.#windows.get(key)
    if (windows === undefined) this.#windows.set(key, (windows = new Windows(1000)))
    return windows.count(ip, this.#clock()) <= perSecondMax
  }

  /** A call of an endpoint, by the caller its limit names. */
  count(endpoint: Endpoint, caller: Caller, copyTrader: boolean): Allowance {
    if (!this.#enabled) return unlimited
    const { perSecond, windows, reads } = this.#endpoints.get(endpoint) ?? this.#limitOf(endpoint)
    const maximum = copyTrader ? (endpoint.limit.copyTraderPerSecond ?? perSecond) : perSecond
    const now = this.#clock()
    const window = windows.counted(caller, now)
    const remaining = Math.ceil(maximum) - window.calls - (reads === undefined ? 0 : reads.elsewhere(caller, now))
    if (reads !== undefined && remaining >= 0) reads.note(window)
    return { allowed: remaining >= 0, remaining: Math.max(0, remaining) }
  }

  save(): SavedRateLimits {
    return {
      endpoints: new Map([...this.#windows].map(([name, windows]) => [name, windows.save()])),
      forged: this.#forged.save(),
      addresses: this.#addresses.save(),
    }
  }

  /** In place of what was counted, also by another with the same limits. `saved` can be restored again. */
  restore({ endpoints, forged, addresses }: SavedRateLimits): void {
    this.#endpoints.clear()
    this.#windows = new Map([...endpoints].map(([name, saved]) => [name, Windows.restored(saved)]))
    this.#forged = Windows.restored(forged)
    this.#addresses = Windows.restored(addresses)
  }

  #limitOf(endpoint: Endpoint): Limit {
    const name = `${endpoint.method} ${endpoint.path}`
    const perSecond = this.#perSecond[name] ?? endpoint.limit.perSecond
    const windows = this.#windows.get(name) ?? new Windows(windowSeconds(perSecond) * 1000)
    this.#windows.set(name, windows)
    const reads = endpoint.method === 'GET' ? this.#reads?.of(name, windows.lengthMs) : undefined
    const limit = { perSecond, windows, reads }
    this.#endpoints.set(endpoint, limit)
    return limit
  }
}
