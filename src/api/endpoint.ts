/**
 * One endpoint of the interface as data: routing, reading, limits, permissions and the OpenAPI document are all made
 * from the table of these (api.ts), so that none of them can say something else than the others.
 *
 * Request   `input` is already read: right types, defaults filled in, spelling canonical (parsing/)
 * Answer    a handler returns the envelope's `data` or throws an `ApiError` (errors/)
 * Handlers  know nothing of HTTP but `context`; the core is asked synchronously, history and market as their ports say
 * Lists     v2/v2.ts and v3/v3.ts export `v2Endpoints` and `v3Endpoints`; terminal/ has what the interface has no call for
 */
import type { Static, TSchema } from 'typebox'
import type { AccountView } from '../engine/protocol/query.ts'
import type { History } from '../history/history.ts'
import type { Market } from '../market/market.ts'
import type { Core } from '../runtime/core.ts'
import type { CatalogIndex } from './catalog-index.ts'
import type { V3Dialect, Locale } from './errors/errors.ts'
import type { JsonText } from './json-text.ts'
import type { ApiKey, KeyIssuer, Permission } from './keys/keys.ts'
import type { RandomSource } from './random-source.ts'
import type { SharedProof } from './shared-proof.ts'

export interface PrivateAccess {
  /** The field of the key that is needed; `read` suffices for endpoints that only read. */
  readonly permission: Exclude<Permission, 'read'>
  readonly level: 'read' | 'write'
  /** Only the key of a main account (40048 otherwise). */
  readonly mainAccount?: true
}

export type Access = 'public' | PrivateAccess

interface RateLimit {
  /** Below one: one call in so many seconds as its inverse says. */
  readonly perSecond: number
  /** Public endpoints count by address, private ones by account. */
  readonly per: 'uid' | 'ip'
  /** What an elite (copy) trader has instead. */
  readonly copyTraderPerSecond?: number
}

export interface Context {
  readonly core: Core
  readonly history: History
  readonly market: Market
  /** Where keys of accounts are made and changed (keys/key-issuance.ts). */
  readonly keys: KeyIssuer
  /** For ids that a client left away. */
  readonly random: RandomSource
  /** Absent: there is no other copy of the venue. */
  readonly sharedProof?: SharedProof | undefined
  /** As of the start of the request. */
  readonly catalog: CatalogIndex
  /** The venue's time, Unix milliseconds. */
  readonly now: number
  readonly ip: string
  readonly locale: Locale
  /** Orders a second that one account may send. */
  readonly ordersPerSecond: number
  /** Of the answer; v2 has one. */
  readonly dialect: V3Dialect
  /** X-CHANNEL-API-CODE, or empty. */
  readonly channelCode: string
}

export interface PrivateContext extends Context {
  readonly account: AccountView
  readonly key: ApiKey
}

type ContextOf<A extends Access> = A extends 'public' ? Context : PrivateContext

type Answer<Data extends TSchema> = Static<Data> | JsonText<Static<Data>>

interface EndpointFacts {
  readonly method: 'GET' | 'POST'
  /** Calls of our own are below `/terminal`: they speak v2, and need no unified account. */
  readonly path: `/api/v2/${string}` | `/api/v3/${string}` | `/terminal/${string}`
  /** One line for the document. */
  readonly summary: string
  /** Where its rules stand, for example `interface E3`. */
  readonly source: string
  readonly limit: RateLimit
  /** It does nothing but cancel: served however much there is to do, as the sequencer takes its commands. */
  readonly urgent?: true
}

/** An endpoint with the types of its own request and answer, as it is written down. */
export interface EndpointDefinition<A extends Access, Request extends TSchema, Data extends TSchema>
  extends EndpointFacts {
  readonly access: A
  /** An object of the fields of parsing/fields.ts (query of a GET, body of a POST), or `batch` for a bare array. */
  readonly request: Request
  /** The envelope's `data`. */
  readonly response: Data
  handle(context: ContextOf<A>, input: Static<Request>): Answer<Data> | Promise<Answer<Data>>
}

/** Any endpoint, as the table holds it: `input` is what the reader of its own `request` delivered. */
export interface Endpoint extends EndpointFacts {
  readonly access: Access
  readonly request: TSchema
  readonly response: TSchema
  handle(context: Context | PrivateContext, input: unknown): unknown
}

export function defineEndpoint<const A extends Access, Request extends TSchema, Data extends TSchema>(
  definition: EndpointDefinition<A, Request, Data>,
): Endpoint {
  return definition
}

/** What is refused while there is too much to do: all that changes something and is not urgent. */
export function isNewWork({ method, urgent }: Endpoint): boolean {
  return method === 'POST' && urgent !== true
}
