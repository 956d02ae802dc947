/**
 * The HTTP edge of the venue: the table of endpoints, served.
 *
 * Knows      the two ports of the core (submit, query), history, market data and the key store; nothing else of the venue
 * Table      v2 and v3 lists; routing, reading, limits, permissions and the reference are made from it
 * Sockets    stream/ serves WebSocket on the same port; what it writes in each version's words, whom it lets in and what
 *            it places for them it has from here
 * Not here   WebSocket itself (stream/); pages (the reference, health, metrics, the terminal), which it is given
 * Source     interface.md; design.md §1, §4
 */
import type { FastifyInstance } from 'fastify'
import type { History } from '../history/history.ts'
import {
  AddressBound,
  type AddressFinder,
  addressFinder,
  type Dropped,
  type HttpServer,
  type IncomingRequest,
  LoadShedder,
  type Outgoing,
  type Page,
  RequestIds,
  type SavedRequestIds,
  type Tls,
} from '../http/http.ts'
import type { Market } from '../market/market.ts'
import type { Core } from '../runtime/core.ts'
import type { Around, AskedBeside, Caller, Inside } from './around.ts'
import type { CatalogIndex } from './catalog-index.ts'
import { Edge, prepareRoute } from './edge.ts'
import type { Endpoint } from './endpoint.ts'
import { ApiError, type V3Dialect } from './errors/errors.ts'
import { Authentication } from './keys/authentication.ts'
import type { KeyIssuer } from './keys/keys.ts'
import type { SavedSignatures } from './keys/seen-signatures.ts'
import { type RandomSource, systemRandom } from './random-source.ts'
import { type RateLimitOptions, RateLimits, type SavedRateLimits } from './rate-limits.ts'
import { openApiDocument } from './reference/openapi.ts'
import { releaseName } from './release.ts'
import { pagesOf } from './reference/reference.ts'
import type { SharedProof } from './shared-proof.ts'
import { type Answered, createServer } from './server.ts'
import { terminalEndpoints } from './terminal/equity.ts'
import { v2Endpoints } from './v2/v2.ts'
import { type ShownProof, showProof, shownProof } from './v3/reserves.ts'
import { v3Endpoints } from './v3/v3.ts'

export type { Around, AskedBeside, AskedByRequest, AskedBySocket, Caller, Inside } from './around.ts'
export { CatalogIndex } from './catalog-index.ts'
export type { Endpoint, PrivateAccess } from './endpoint.ts'
export { failure, refuseSocket } from './envelope.ts'
export { type V3Dialect, dialects } from './errors/dialect.ts'
export { ApiError, type Code, inDialect, isCode, localeOf, messageOf, type Version } from './errors/errors.ts'
export { averagePrice, closingAverage, formatAmount, formatLots, formatRate, formatTicks } from './figures.ts'
export { type Authentication, authorize, checkAddress } from './keys/authentication.ts'
export { issueKey, revokeKey } from './keys/key-issuance.ts'
export type {
  ApiKey,
  ChangingKeys,
  DraftKey,
  IssuedKey,
  KeyChange,
  KeyIssuer,
  KeyKeeper,
  KeyStore,
  NewKey,
  Permission,
} from './keys/keys.ts'
export { isUsable, liveKeysMax, passphrasePattern, permissions } from './keys/keys.ts'
export { SeenSignatures } from './keys/seen-signatures.ts'
export { parseBody } from './parsing/input.ts'
export { type Allowance, type RateLimitOptions, RateLimits } from './rate-limits.ts'
export { type Proof, proofAgeMsMax, type SharedProof } from './shared-proof.ts'
export { type ReadCount, SharedReads } from './shared-reads.ts'
export { releaseName } from './release.ts'
export { type RandomSource, SeededRandom, systemRandom } from './random-source.ts'
export { wordsOf } from './reference/words/words.ts'
export type { Answered } from './server.ts'
export { equityOf } from './v2/assets.ts'
export * as v2 from './v2/dictionary.ts'
export { walletOf } from './v2/lookups.ts'
export { accountValue, CoinPrices } from './v3/asset-values.ts'
export * as v3 from './v3/dictionary.ts'

/** Everything that is served, in the order of the document. */
export const endpoints: readonly Endpoint[] = [...v3Endpoints, ...v2Endpoints, ...terminalEndpoints]

const documents = new WeakMap<readonly Endpoint[], object>()

/** The reference of all endpoints as an OpenAPI document, the one at /api/openapi.json. Made once for a process. */
export function referenceDocument(table: readonly Endpoint[] = endpoints): object {
  let document = documents.get(table)
  if (document === undefined) documents.set(table, (document = openApiDocument(table, releaseName())))
  return document
}

type DocumentPages = ReturnType<typeof pagesOf>
const pagesByTable = new WeakMap<readonly Endpoint[], DocumentPages>()

/** The same as pages, for all venues of a process. */
export function referencePages(table: readonly Endpoint[] = endpoints): DocumentPages {
  let found = pagesByTable.get(table)
  if (found === undefined) pagesByTable.set(table, (found = pagesOf(() => referenceDocument(table))))
  return found
}

export interface ApiOptions {
  readonly core: Core
  readonly history: History
  readonly market: Market
  readonly keys: KeyIssuer
  readonly rateLimits: RateLimitOptions
  /** Addresses and networks whose X-Forwarded-For counts. */
  readonly proxies?: readonly string[]
  /** How far a request's timestamp may lie from the clock. */
  readonly timestampWindowMs?: number
  readonly refuseRepeatedRequests?: boolean
  /** Of those: whether any gateway was sent the one with this hash before; absent: there is no other. */
  readonly seenByAny?: ((hash: string) => Promise<boolean>) | undefined
  /** The last proof of reserves, of all gateways; absent: there is no other. */
  readonly sharedProof?: SharedProof | undefined
  /** Orders of a family and UTC day from which answers to orders carry a warning header; zero or absent: none. */
  readonly dailyOrdersWarning?: number
  /** How v3 speaks where recorded messages and the interface differ; absent: as the interface has it. */
  readonly v3Dialect?: V3Dialect
  /** In place of the system's clock: of a venue that knows when it is wrong. */
  readonly systemClock?: () => number
  /** In place of one that watches the event loop: who takes all refuses nobody because the machine is slow. */
  readonly loadShedder?: Pick<LoadShedder, 'takes'>
  /**
   * Whose time rate limits, receive windows, repeats and the `Date` of answers follow; the system's if absent. By the venue's
   * they do not depend on when and how fast a program runs.
   */
  readonly clock?: 'system' | 'venue'
  /** Where ids come from that a client left away; the system's if absent. */
  readonly random?: RandomSource
  /** What the ids of requests begin with, where other gateways may have begun in the same moment; absent: when this one began. */
  readonly run?: number | undefined
  /** What stands around calls; absent: nothing. */
  readonly around?: Around
  /** The name of a header that every answer has, with the value 1. */
  readonly mark?: string
  /** In place of the whole table (tests). */
  readonly endpoints?: readonly Endpoint[]
  /** Called for what stands behind an answer of 500 or 503. */
  readonly onTrouble?: (trouble: unknown, endpoint: Endpoint | undefined, requestId: string | undefined) => void
  /** Called after every answer (metrics). */
  readonly onAnswered?: (answered: Answered) => void
  /** Paths on which a socket may be asked for; elsewhere the request is answered as if it had not been. */
  readonly upgrades?: (path: string) => boolean
  /** Connections at a time, sockets included; one more is closed at once. Absent: any number. */
  readonly connectionsMax?: number
  /** Absent: clients speak as they are. */
  readonly tls?: Tls | undefined
  /** Connections of one address at a time, proxies aside; one more is closed at once. Absent: any number. */
  readonly connectionsPerAddressMax?: number
  /** What is served besides: the reference, health, metrics, the terminal. */
  readonly pages?: readonly Page[]
  /** Adds routes of another kind. */
  readonly extra?: (app: FastifyInstance) => void
}

/** What the interface remembers of earlier requests: plain data. */
interface SavedApi {
  readonly rateLimits: SavedRateLimits
  readonly signatures: SavedSignatures | undefined
  readonly requestIds: SavedRequestIds
  readonly proof: ShownProof | undefined
}

export interface Api {
  readonly app: FastifyInstance
  readonly authentication: Authentication
  /** The address that a request came from, behind the configured proxies. */
  readonly clientAddress: AddressFinder
  /** The catalogue as it stands. */
  catalog(): CatalogIndex
  /** Calls a private POST endpoint for somebody known; answers its data, or rejects with an ApiError. */
  call(path: Endpoint['path'], caller: Caller, input: unknown): Promise<unknown>
  /** One request, past the listener. */
  serve(request: IncomingRequest): Promise<Outgoing>
  /** The same of one that reached no endpoint. */
  serveBeside(asked: AskedBeside): Promise<Outgoing>
  save(): SavedApi
  /** As after `save`, also in another venue with the same settings. `saved` can be restored again. */
  restore(saved: SavedApi): void
  /**
   * Begins to accept requests and answers the address, `http://HOST:PORT` or, with TLS, `https://HOST:PORT`. `reusePort`: other
   * processes do so on the same port.
   */
  listen(address: { readonly host: string; readonly port: number; readonly reusePort?: boolean }): Promise<string>
  /** Nobody new gets in for so many real milliseconds: the port is closed, then opens again. */
  shut(ms: number): void
  /** Ends connections, but those that last asked for something below a path. */
  drop(which: Dropped): void
  /** Finishes what was accepted, then stops. */
  close(): Promise<void>
}

/** The listener makes no other. */
function serverOf({ server }: FastifyInstance): HttpServer {
  return server as unknown as HttpServer
}

export function createApi(options: ApiOptions): Api {
  const { core, history, market, around, clock = 'system', random = systemRandom } = options
  const inside = { core, history, market }
  const isByVenue = clock === 'venue'
  const venueClock = () => core.now()
  const table = options.endpoints ?? endpoints
  const onTrouble = options.onTrouble ?? (() => {})
  const authentication = new Authentication({
    keys: options.keys,
    ...(options.timestampWindowMs === undefined ? {} : { windowMs: options.timestampWindowMs }),
    venueClock,
    isByVenue,
    ...(options.systemClock === undefined ? {} : { systemClock: options.systemClock }),
    refuseRepeats: options.refuseRepeatedRequests ?? false,
    ...(options.seenByAny === undefined ? {} : { seenByAny: options.seenByAny }),
  })
  const { proxies = [], pages = [], connectionsPerAddressMax } = options
  const clientAddress = addressFinder(proxies)
  const loadShedder = options.loadShedder ?? new LoadShedder()
  const rateLimits = new RateLimits({ ...(isByVenue && { clock: venueClock }), ...options.rateLimits })
  const dateNow = isByVenue ? venueClock : Date.now
  const requestIds = new RequestIds(options.run ?? dateNow())
  const edge = new Edge({
    core,
    history,
    market,
    keys: options.keys,
    authentication,
    rateLimits,
    loadShedder,
    random,
    sharedProof: options.sharedProof,
    clientAddress,
    dailyOrdersWarning: options.dailyOrdersWarning ?? 0,
    v3Dialect: options.v3Dialect ?? 'interface',
    onTrouble,
  })
  const { app, serve, serveBeside } = createServer({
    endpoints: table,
    pages,
    edge,
    around,
    inside,
    keys: options.keys,
    rateLimits,
    clientAddress,
    loadShedder,
    now: () => core.now(),
    onTrouble,
    onAnswered: options.onAnswered,
    upgrades: options.upgrades ?? (() => false),
    connectionsMax: options.connectionsMax,
    tls: options.tls,
    requestIds,
    dateNow,
    markLine: options.mark === undefined ? '' : `${options.mark}: 1\r\n`,
    addressBound:
      connectionsPerAddressMax === undefined ? undefined : new AddressBound(connectionsPerAddressMax, proxies),
  })
  options.extra?.(app)
  const callable = new Map(
    table.filter((endpoint) => endpoint.method === 'POST').map((endpoint) => [endpoint.path, prepareRoute(endpoint)]),
  )
  return {
    app,
    authentication,
    clientAddress,
    catalog: () => edge.catalog(),
    call(path, caller, input) {
      const route = callable.get(path)
      if (route === undefined) return Promise.reject(new ApiError('40404', [], 404))
      if (around?.isActive !== true) return edge.call(route, caller, input)
      const act = (within: Inside) => edge.call(route, caller, input, within)
      return around.call({ endpoint: route.endpoint, caller, input }, inside, act)
    },
    serve,
    serveBeside,
    save: () => ({
      rateLimits: rateLimits.save(),
      signatures: authentication.save(),
      requestIds: requestIds.save(),
      proof: shownProof(core),
    }),
    restore(saved) {
      rateLimits.restore(saved.rateLimits)
      authentication.restore(saved.signatures)
      requestIds.restore(saved.requestIds)
      showProof(core, saved.proof)
    },
    async listen(address) {
      const url = await app.listen(address)
      return options.tls === undefined ? url : url.replace(/^http:/, 'https:')
    },
    shut: (ms) => serverOf(app).shut(ms),
    drop: (which) => serverOf(app).drop(which),
    close: () => app.close(),
  }
}
