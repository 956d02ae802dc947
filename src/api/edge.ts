/**
 * The way of one request through the edge, from what was received to the envelope: limit, authenticate, read, handle, answer.
 *
 * Order     public: address limit, reading, handler · private: signature, account limit, mode and permission, reading,
 *           handler. Whatever is thrown on the way becomes an envelope (errors/); nothing else leaves
 * Limits    counted before work is done; a forged call counts against its address alone (design §4.38)
 * Commands  the request notes when its first command leaves: trouble after that is an unknown outcome (45001), not a
 *           definite failure (design §4.5)
 * Rebuilt   a request that comes while the engine is being rebuilt waits for it; one that was under way is answered 503
 *           (40015), or 45001 if its command had left
 * Gateway   at a copy of the venue a private request first waits until that is as new as what anybody was answered, its key
 *           included; a state-changing one is counted by the core too, for all copies together, and told from what others were sent
 * Source    design.md §1, §4.4; interface.md "Response envelope"
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Answer, Query, QueryKind } from '../engine/protocol/query.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import { type AddressFinder, type IncomingRequest, type LoadShedder, single } from '../http/http.ts'
import { type Core, type Trace, VenueOverloaded } from '../runtime/core.ts'
import { CatalogIndex } from './catalog-index.ts'
import { type Context, type Endpoint, isNewWork, type PrivateContext } from './endpoint.ts'
import { type Envelope, failure, successEnvelope } from './envelope.ts'
import {
  ApiError,
  type V3Dialect,
  inDialect,
  type Locale,
  localeOf,
  troubleError,
  type Version,
} from './errors/errors.ts'
import { dataOf } from './json-text.ts'
import { type Authentication, authorize, checkContentType } from './keys/authentication.ts'
import type { ApiKey, KeyIssuer } from './keys/keys.ts'
import { compileReader, parseBody, parseQuery, type Reader } from './parsing/input.ts'
import { checkReceiveWindow } from './parsing/receive-window.ts'
import type { Caller, Inside } from './around.ts'
import type { RandomSource } from './random-source.ts'
import type { Allowance, RateLimits } from './rate-limits.ts'

/** What a request says of itself besides its content. */
type RequestMeta = Pick<Context, 'ip' | 'locale' | 'dialect' | 'channelCode'>

/** Characters of a broker's code that count. */
const channelCodeMax = 64

/** An endpoint made ready to serve. */
export interface Route extends Pick<Endpoint, 'method' | 'path'> {
  readonly endpoint: Endpoint
  readonly version: Version
  readonly read: Reader
}

const prepared = new WeakMap<Endpoint, Route>()

/** The same for every venue of the process. Its reader is compiled when the first request comes. */
export function prepareRoute(endpoint: Endpoint): Route {
  const known = prepared.get(endpoint)
  if (known !== undefined) return known
  const { method, path } = endpoint
  const version = path.startsWith('/api/v3/') ? 'v3' : 'v2'
  let read: Reader | undefined
  const route: Route = {
    method,
    path,
    endpoint,
    version,
    read: (raw) => (read ??= compileReader(endpoint.request, version))(raw),
  }
  prepared.set(endpoint, route)
  return route
}

interface Answered extends Envelope {
  /** Of the command that it sent, the first of several. */
  readonly sequence?: number | undefined
}

export interface ServeParts extends Inside {
  readonly keys: KeyIssuer
  readonly authentication: Authentication
  readonly rateLimits: RateLimits
  readonly loadShedder: Pick<LoadShedder, 'takes'>
  readonly random: RandomSource
  readonly sharedProof?: Context['sharedProof']
  readonly clientAddress: AddressFinder
  /** Orders of a family and UTC day from which every answer to an order carries a warning; zero: none. */
  readonly dailyOrdersWarning: number
  readonly v3Dialect: V3Dialect
  /** Trouble behind an answer of 500 or 503, with the endpoint it came from. */
  readonly onTrouble: (trouble: unknown, endpoint: Endpoint, requestId: string | undefined) => void
}

export class Edge {
  readonly #parts: ServeParts
  #catalog: CatalogIndex | undefined

  constructor(parts: ServeParts) {
    this.#parts = parts
  }

  /** The catalogue as it stands. */
  catalog(): CatalogIndex {
    const catalog = this.#parts.core.query({ kind: 'catalog' })
    if (this.#catalog?.catalog !== catalog) this.#catalog = new CatalogIndex(catalog)
    return this.#catalog
  }

  /** A call by somebody who has proved before who they are: limits, permissions, reading and handling are the same. */
  async call(
    route: Route,
    { key, ip, channelCode: code = '' }: Caller,
    raw: unknown,
    inside: Inside = this.#parts,
  ): Promise<unknown> {
    const { rateLimits, loadShedder } = this.#parts
    const { core } = inside
    const watched = new WatchedCore(core, undefined)
    try {
      if (isNewWork(route.endpoint) && !loadShedder.takes()) throw new VenueOverloaded('the processor is behind')
      if (core.rebuilt !== undefined) await core.rebuilt
      if (core.fresh !== undefined) await core.fresh()
      if (!rateLimits.countAddress(ip)) throw tooMany
      const channelCode = code.slice(0, channelCodeMax)
      const meta = { ip, locale: 'en-US', dialect: this.#dialectOf(route), channelCode } as const
      const context = this.#privateContext(route, insideWith(inside, watched), meta, key, {})
      if (rateLimits.shared !== undefined) await this.#countShared(route, context, {})
      return dataOf(await route.endpoint.handle(context, this.#read(route, raw)))
    } catch (thrown) {
      const error = troubleError(thrown, watched.submitted)
      this.#reportTrouble(error, thrown, route.endpoint)
      throw inDialect(error, this.#dialectOf(route))
    }
  }

  async serve(route: Route, request: IncomingRequest, inside: Inside = this.#parts): Promise<Answered> {
    const { core } = inside
    const locale = localeOf(single(request.headers['locale']))
    const headers: Record<string, string> = {}
    const warn = this.#parts.dailyOrdersWarning === 0 ? undefined : (reply: Reply) => this.#warn(reply, headers)
    const watched = request.method === 'GET' ? undefined : new WatchedCore(core, warn)
    try {
      if (core.rebuilt !== undefined) await core.rebuilt
      if (route.endpoint.access === 'public') core.assertHeard?.()
      else if (core.fresh !== undefined) await core.fresh()
      const context = this.#admit(
        route,
        request,
        watched === undefined ? inside : insideWith(inside, watched),
        locale,
        headers,
      )
      const { assertNew } = this.#parts.authentication
      if (assertNew !== undefined && route.endpoint.access !== 'public') await assertNew(request)
      if (this.#parts.rateLimits.shared !== undefined) await this.#countShared(route, context, headers)
      const input = this.#read(route, rawInput(route, request))
      const data = await route.endpoint.handle(context, input)
      return {
        httpStatus: 200,
        code: '00000',
        headers,
        body: successEnvelope(core.now(), data),
        sequence: watched?.sequence,
      }
    } catch (thrown) {
      const error = troubleError(thrown, watched?.submitted ?? false)
      this.#reportTrouble(error, thrown, route.endpoint, request.requestId)
      const said = inDialect(error, this.#dialectOf(route))
      return { ...failure(said, locale, core.now(), headers), sequence: watched?.sequence }
    }
  }

  #dialectOf({ version }: Route): V3Dialect {
    return version === 'v3' ? this.#parts.v3Dialect : 'interface'
  }

  /** Having too much to do is no trouble to be told each time: the metrics count it. */
  #reportTrouble(error: ApiError, thrown: unknown, endpoint: Endpoint, requestId?: string): void {
    if (error.httpStatus < 500 || thrown instanceof VenueOverloaded) return
    this.#parts.onTrouble(error.cause ?? thrown, endpoint, requestId)
  }

  #read(route: Route, raw: unknown): unknown {
    const input = route.read(raw)
    checkReceiveWindow(input as object, (moment) => this.#parts.authentication.isOver(moment))
    return input
  }

  /** An account that places very many orders in a day is told so with each (design §4.20). */
  #warn(reply: Reply, headers: Record<string, string>): void {
    const { dailyOrdersWarning: threshold } = this.#parts
    if (reply.kind !== 'placed' || reply.dailyOrders < threshold) return
    headers['x-daily-orders-warning'] = `${reply.dailyOrders} orders today, warned from ${threshold}`
  }

  /** Everything before the request's own content is looked at; throws what stops it. */
  #admit(
    route: Route,
    request: IncomingRequest,
    inside: Inside,
    locale: Locale,
    headers: Record<string, string>,
  ): Context | PrivateContext {
    const ip = this.#parts.clientAddress(request.socketAddress, single(request.headers['x-forwarded-for']))
    if (!this.#parts.rateLimits.countAddress(ip)) throw tooMany
    const channelCode = single(request.headers['x-channel-api-code'])?.slice(0, channelCodeMax) ?? ''
    const meta = { ip, locale, dialect: this.#dialectOf(route), channelCode }
    if (route.endpoint.access !== 'public') {
      return this.#privateContext(route, inside, meta, this.#authenticate(request, ip, inside.clockAhead), headers)
    }
    this.#count(route.endpoint, ip, false, headers)
    checkContentType(request)
    return this.#publicContext(inside, meta)
  }

  #publicContext({ core, history, market }: Inside, meta: RequestMeta): Context {
    const { keys, random, rateLimits, sharedProof } = this.#parts
    const { ordersPerSecond } = rateLimits
    const [catalog, now] = [this.catalog(), core.now()]
    return { core, history, market, keys, random, sharedProof, catalog, now, ordersPerSecond, ...meta }
  }

  /** The same with the account that a key speaks for, once it may. */
  #privateContext(
    { endpoint, version }: Route,
    { core, history, market }: Inside,
    meta: RequestMeta,
    key: ApiKey,
    headers: Record<string, string>,
  ): PrivateContext {
    const account = core.query({ kind: 'account', uid: key.uid })
    if (account === undefined) throw new ApiError('40013')
    this.#count(endpoint, key.uid, account.copyTrader !== undefined, headers)
    if (endpoint.access !== 'public') authorize(endpoint.access, version, { key, account, ip: meta.ip })
    const { keys, random, rateLimits, sharedProof } = this.#parts
    const { ordersPerSecond } = rateLimits
    const [catalog, now] = [this.catalog(), core.now()]
    return { core, history, market, keys, random, sharedProof, catalog, now, ordersPerSecond, ...meta, account, key }
  }

  #authenticate(request: IncomingRequest, ip: string, clockAhead: number | undefined) {
    try {
      return this.#parts.authentication.authenticate(request, clockAhead)
    } catch (error) {
      if (!this.#parts.rateLimits.countForged(ip)) throw tooMany
      throw error
    }
  }

  /** What changes state is counted for all copies of the venue together. */
  async #countShared({ endpoint }: Route, context: Context, headers: Record<string, string>): Promise<void> {
    if (endpoint.method !== 'POST' || !('key' in context)) return
    const { key, account } = context as PrivateContext
    const allowance = await this.#parts.rateLimits.shared!(endpoint, key.uid, account.copyTrader !== undefined)
    this.#hold(allowance, headers)
  }

  #count(endpoint: Endpoint, caller: number | string, copyTrader: boolean, headers: Record<string, string>): void {
    this.#hold(this.#parts.rateLimits.count(endpoint, caller, copyTrader), headers)
  }

  #hold({ allowed, remaining }: Allowance, headers: Record<string, string>): void {
    if (Number.isFinite(remaining)) headers['x-mbx-used-remain-limit'] = String(remaining)
    if (!allowed) throw tooMany
  }
}

/** One for all: where it was made says nothing, and to note that takes longer than all else of a refusal. */
const tooMany = new ApiError('429', [], 429)

function insideWith({ history, market, clockAhead }: Inside, core: Core): Inside {
  return { core, history, market, clockAhead }
}

function rawInput({ endpoint, version }: Route, { target, body }: IncomingRequest): unknown {
  if (endpoint.method === 'POST') return parseBody(body, version)
  const mark = target.indexOf('?')
  return parseQuery(mark < 0 ? '' : target.slice(mark + 1), version)
}

/** The core, whether a command has left through it, its place in the journal, and (for whoever listens) what came back. */
class WatchedCore implements Core, Trace {
  readonly #core: Core
  readonly #onReply: ((reply: Reply) => void) | undefined
  submitted = false
  sequence: number | undefined

  constructor(core: Core, onReply: ((reply: Reply) => void) | undefined) {
    this.#core = core
    this.#onReply = onReply
  }

  submit(command: Command): Promise<Reply> {
    this.submitted = true
    const replied = this.#core.submit(command, this)
    return this.#onReply === undefined ? replied : this.#heard(replied, this.#onReply)
  }

  async submitAll(commands: readonly Command[]): Promise<readonly Reply[]> {
    this.submitted ||= commands.length > 0
    const replies = await this.#core.submitAll(commands, this)
    if (this.#onReply !== undefined) replies.forEach(this.#onReply)
    return replies
  }

  async #heard(replied: Promise<Reply>, hear: (reply: Reply) => void): Promise<Reply> {
    const reply = await replied
    hear(reply)
    return reply
  }

  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    return this.#core.query(query)
  }

  now(): number {
    return this.#core.now()
  }
}
