/**
 * The HTTP edge of the venue: the table of endpoints, served.
 *
 * Knows      the two ports of the core (submit, query), history, market data and the key store; nothing else of the venue
 * Table      v2 and v3 lists; routing, reading, limits, permissions and the reference at /docs are made from it
 * Not here   WebSocket (stream/), which may attach itself to `app.server`; health and metrics, which `extra` adds
 * Source     interface.md; design.md §1, §4
 */
import type { FastifyInstance } from 'fastify'
import type { History } from '../history/history.ts'
import type { Market } from '../market/market.ts'
import type { Core } from '../runtime/core.ts'
import { addressFinder } from './addresses.ts'
import { Authentication } from './authentication.ts'
import type { Endpoint } from './endpoint.ts'
import type { KeyStore } from './keys.ts'
import { type RateLimitOptions, RateLimits } from './rate-limits.ts'
import { serveReference } from './reference.ts'
import { Edge } from './serve.ts'
import { type Answered, createServer } from './server.ts'
import { v2Endpoints } from './v2/v2.ts'
import { v3Endpoints } from './v3/v3.ts'

export type { Endpoint } from './endpoint.ts'
export type { ApiKey, KeyStore, Permission } from './keys.ts'
export { permissions } from './keys.ts'
export type { Answered } from './server.ts'

/** Everything that is served, in the order of the document. */
export const endpoints: readonly Endpoint[] = [...v3Endpoints, ...v2Endpoints]

export interface ApiOptions {
  readonly core: Core
  readonly history: History
  readonly market: Market
  readonly keys: KeyStore
  readonly rateLimits: RateLimitOptions
  /** Addresses and networks whose X-Forwarded-For counts. */
  readonly proxies?: readonly string[]
  /** How far a request's timestamp may lie from the clock. */
  readonly timestampWindowMs?: number
  readonly refuseRepeatedRequests?: boolean
  /** Orders of a family and UTC day from which answers to orders carry a warning header; zero or absent: none. */
  readonly dailyOrdersWarning?: number
  /** In place of the system's clock (tests). */
  readonly systemClock?: () => number
  /** In place of the whole table (tests). */
  readonly endpoints?: readonly Endpoint[]
  /** Called for what stands behind an answer of 500 or 503. */
  readonly onTrouble?: (trouble: unknown, endpoint: Endpoint | undefined) => void
  /** Called after every answer (metrics). */
  readonly onAnswered?: (answered: Answered) => void
  /** Adds routes of the composition: health, metrics, the terminal. */
  readonly extra?: (app: FastifyInstance) => void
  readonly version?: string
}

export interface Api {
  readonly app: FastifyInstance
  readonly authentication: Authentication
  /** Begins to accept requests and answers the address, `http://HOST:PORT`. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>
  /** Finishes what was accepted, then stops. */
  close(): Promise<void>
}

export function createApi(options: ApiOptions): Api {
  const { core, history, market } = options
  const table = options.endpoints ?? endpoints
  const onTrouble = options.onTrouble ?? (() => {})
  const authentication = new Authentication({
    keys: options.keys,
    ...(options.timestampWindowMs === undefined ? {} : { windowMs: options.timestampWindowMs }),
    venueClock: () => core.now(),
    ...(options.systemClock === undefined ? {} : { systemClock: options.systemClock }),
    refuseRepeats: options.refuseRepeatedRequests ?? false,
  })
  const edge = new Edge({
    core,
    history,
    market,
    authentication,
    rateLimits: new RateLimits(options.rateLimits),
    clientAddress: addressFinder(options.proxies ?? []),
    dailyOrdersWarning: options.dailyOrdersWarning ?? 0,
    onTrouble,
  })
  const app = createServer({
    endpoints: table,
    edge,
    now: () => core.now(),
    onTrouble,
    onAnswered: options.onAnswered,
  })
  serveReference(app, table, options.version ?? '0.1.0')
  options.extra?.(app)
  return {
    app,
    authentication,
    listen: (address) => app.listen(address),
    close: () => app.close(),
  }
}
