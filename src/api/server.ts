/**
 * The table of endpoints behind the listener (http/), and the pages beside it: each is a route, what there is no time for is
 * refused, and what never reaches an endpoint gets an envelope, never a stack.
 *
 * Waits      whoever has no key of this venue: public endpoints, pages, unknown paths and made-up keys come after all others
 * Counted    all of it against the address. /health too, but it is refused only beyond its own bound, so that whoever asks
 *            whether the venue is well is not told no for what else comes from there
 * Unknown    path 404 (`40404`, and why if clients know it), path of the first version 30032, method 405 (`40404`)
 * Wrong      a target that is no UTF-8 or a body that is too large (413) `40017`, a content type that is none `40007`, all else
 *            that is no request `40409` with the status that says how
 * Too much   what would be new work is answered 503 (40015) while the processor is behind (http/load-shedder.ts)
 * Source     design.md §4.4, §4.38
 */
import type { FastifyInstance } from 'fastify'
import {
  createListener,
  type FaultyRequest,
  type HttpFault,
  type HttpRoute,
  type IncomingHead,
  type IncomingRequest,
  type AddressBound,
  type AddressFinder,
  type LoadShedder,
  type Outgoing,
  type Page,
  pathOf,
  type RequestIds,
  single,
  type Tls,
} from '../http/http.ts'
import type { Around, AskedBeside, Inside } from './around.ts'
import { type Edge, prepareRoute, type Route } from './edge.ts'
import { type Endpoint, isNewWork } from './endpoint.ts'
import { failure } from './envelope.ts'
import { ApiError, localeOf } from './errors/errors.ts'
import type { KeyStore } from './keys/keys.ts'
import { notOfferedAt } from './not-offered.ts'
import type { RateLimits } from './rate-limits.ts'

export interface Answered {
  /** Undefined when no endpoint was reached. */
  readonly endpoint: Endpoint | undefined
  readonly httpStatus: number
  readonly code: string
  readonly durationMs: number
  /** What the client named its request, or we did; the answer repeats it. Undefined for what was refused unread. */
  readonly requestId?: string
  /** Of the command that it sent, in the journal. */
  readonly sequence?: number | undefined
}

export interface ServerParts {
  readonly endpoints: readonly Endpoint[]
  readonly pages: readonly Page[]
  readonly edge: Edge
  /** Absent: nothing stands around requests. */
  readonly around: Around | undefined
  readonly inside: Inside
  readonly keys: KeyStore
  readonly rateLimits: RateLimits
  readonly clientAddress: AddressFinder
  readonly loadShedder: Pick<LoadShedder, 'takes'>
  readonly now: () => number
  readonly requestIds: RequestIds
  /** What the `Date` of an answer says, Unix milliseconds. */
  readonly dateNow: () => number
  readonly markLine: string
  readonly onTrouble: (trouble: unknown, endpoint: Endpoint | undefined, requestId: string | undefined) => void
  readonly onAnswered: ((answered: Answered) => void) | undefined
  readonly upgrades: (path: string) => boolean
  readonly connectionsMax: number | undefined
  readonly tls: Tls | undefined
  readonly addressBound: AddressBound | undefined
}

interface PageRoute extends HttpRoute {
  readonly page: Page
}

const tooMany = new ApiError('429', [], 429)

/** Requests of one address a second for what there is not. */
const unknownPerSecondMax = 100

export interface ApiServer {
  readonly app: FastifyInstance
  /** One request, as the listener hands it in. */
  readonly serve: (request: IncomingRequest) => Promise<Outgoing>
  /** The same of one that reached no endpoint. */
  readonly serveBeside: (asked: AskedBeside) => Promise<Outgoing>
}

export function createServer(parts: ServerParts): ApiServer {
  const {
    endpoints,
    pages,
    edge,
    around,
    inside,
    onTrouble,
    onAnswered,
    upgrades,
    connectionsMax,
    requestIds,
    dateNow,
    markLine,
    tls,
    addressBound,
  } = parts
  const routes = [...endpoints.map(prepareRoute), ...pages.map(pageRoute)]
  const answer = async (route: Route | PageRoute, request: IncomingRequest): Promise<Outgoing> => {
    if ('page' in route) {
      if (around?.isActive === true) around.beside({ kind: 'page', named: route.path, request })
      return answerPage(route.page, request, parts)
    }
    const { endpoint } = route
    const serve = async (within?: Inside): Promise<Outgoing> => {
      const startedAt = performance.now()
      const answered = await edge.serve(route, request, within)
      const durationMs = performance.now() - startedAt
      const { httpStatus, code, sequence } = answered
      onAnswered?.({ endpoint, httpStatus, code, sequence, durationMs, requestId: request.requestId })
      return answered
    }
    if (around === undefined || !(around.isActive || around.isAsked(request))) return serve()
    return around.request({ endpoint, request }, inside, serve)
  }
  const app = createListener<Route | PageRoute>({
    routes,
    refuse: refuserOf(parts),
    mayWait: waiterOf(parts),
    answer,
    answerFault: (fault, request) => answerFault(fault, request, parts),
    onTrouble: (trouble, route, requestId) => {
      onTrouble(trouble, route && 'endpoint' in route ? route.endpoint : undefined, requestId)
    },
    upgrades,
    connectionsMax,
    tls,
    requestIds,
    dateNow,
    markLine,
    addressBound,
  })
  return {
    app,
    async serve(request) {
      const path = pathOf(request.target)
      const route = routes.find((one) => one.method === request.method && one.path === path)
      if (route === undefined) throw new Error(`there is no endpoint ${request.method} ${path}`)
      return answer(route, request)
    },
    async serveBeside({ kind, named, request }) {
      const page = pages.find(({ path }) => path === named)
      if (kind === 'page' && page !== undefined) {
        return answerPage(page, { method: 'GET', target: named, ...request }, parts)
      }
      return answerFault(
        kind === 'method-not-allowed' ? { kind, method: named } : { kind: 'path-unknown', path: named },
        request,
        parts,
      )
    },
  }
}

function pageRoute(page: Page): PageRoute {
  return { method: 'GET', path: page.path, hasHead: true, needsWholeHead: page.needsWholeHead, page }
}

/** Whether a request comes from somebody without a key of this venue, as far as its head says. */
function waiterOf({ endpoints, keys }: ServerParts) {
  const closed = endpoints.filter(({ access }) => access !== 'public')
  const paths = {
    GET: new Set(closed.filter(({ method }) => method === 'GET').map(({ path }): string => path)),
    POST: new Set(closed.filter(({ method }) => method === 'POST').map(({ path }): string => path)),
  }
  return ({ method, target, headers }: IncomingHead, route?: Route | PageRoute): boolean => {
    const isPrivate =
      route === undefined
        ? (paths[method as keyof typeof paths]?.has(pathOf(target)) ?? false)
        : 'endpoint' in route && route.endpoint.access !== 'public'
    if (!isPrivate) return true
    const key = keys.find(single(headers['access-key']) ?? '')
    return key === undefined || key.revokedAt !== undefined
  }
}

/** Every page counts; one that is always there for whoever watches the venue is refused for nothing else. */
async function answerPage(page: Page, request: IncomingHead & FaultyRequest, parts: ServerParts): Promise<Outgoing> {
  const { headers, socketAddress, requestId } = request
  const ip = parts.clientAddress(socketAddress, single(headers['x-forwarded-for']))
  const isKept = parts.rateLimits.countAddress(ip) || page.isAlwaysThere === true
  if (isKept && parts.rateLimits.countPage(page.path, ip, page.perSecondMax)) return page.answer(request)
  return refuseTooMany({ headers, requestId }, parts)
}

function refuseTooMany(
  { headers, requestId }: Pick<IncomingRequest, 'headers' | 'requestId'>,
  { now, onAnswered }: ServerParts,
): Outgoing {
  const answer = failure(tooMany, localeOf(single(headers['locale'])), now())
  onAnswered?.({ endpoint: undefined, ...answer, durationMs: 0, requestId })
  return answer
}

/** The answer to what the venue has no time for; undefined: it has. */
function refuserOf({ endpoints, loadShedder, now, onAnswered }: ServerParts) {
  const newWork = new Map(endpoints.filter(isNewWork).map((endpoint) => [`${endpoint.path}`, endpoint]))
  const overloaded = new ApiError('40015', [], 503)
  return ({ method, target, headers }: IncomingHead): Outgoing | undefined => {
    const endpoint = method === 'POST' ? newWork.get(pathOf(target)) : undefined
    if (endpoint === undefined || loadShedder.takes()) return undefined
    const answer = failure(overloaded, localeOf(single(headers['locale'])), now())
    onAnswered?.({ endpoint, ...answer, durationMs: 0 })
    return answer
  }
}

function answerFault(fault: HttpFault, request: FaultyRequest | undefined, parts: ServerParts): Outgoing {
  const { now, onAnswered, rateLimits, clientAddress } = parts
  const isUnknown = fault.kind === 'path-unknown' || fault.kind === 'method-not-allowed'
  if (request !== undefined && isUnknown) {
    if (parts.around?.isActive === true) {
      parts.around.beside({ kind: fault.kind, named: 'path' in fault ? fault.path : fault.method, request })
    }
    const ip = clientAddress(request.socketAddress, single(request.headers['x-forwarded-for']))
    const isTaken = rateLimits.countAddress(ip) && rateLimits.countPage(fault.kind, ip, unknownPerSecondMax)
    if (!isTaken) return refuseTooMany(request, parts)
  }
  const answer = failure(faultError(fault), localeOf(single(request?.headers['locale'])), now())
  if (request !== undefined && isUnknown) {
    onAnswered?.({ endpoint: undefined, ...answer, durationMs: 0, requestId: request.requestId })
  }
  return answer
}

/** What the sentence of an unknown path goes on with. */
function notOffered(path: string): readonly string[] {
  const why = notOfferedAt(path)
  return why === undefined ? [] : [`- ${why}`]
}

function faultError(fault: HttpFault): ApiError {
  switch (fault.kind) {
    case 'path-unknown':
      return /^\/api\/(?:v1|(?:spot|mix|margin|user|broker|p2p)\/v1)\//.test(fault.path)
        ? new ApiError('30032', [], 404)
        : new ApiError('40404', notOffered(fault.path), 404)
    case 'method-not-allowed':
      return new ApiError('40404', [`for ${fault.method}`], 405)
    case 'target-misencoded':
      return new ApiError('40017', ['the URL should be percent-encoded UTF-8'])
    case 'body-too-large':
      return new ApiError('40017', [`body should have at most ${fault.bytesMax} bytes`], 413)
    case 'media-type-wrong':
      return new ApiError('40007')
    case 'not-encrypted':
      return new ApiError('40017', ['the URL should begin with https'])
    case 'broken':
      return new ApiError('40409', [], fault.httpStatus)
    case 'unexpected':
      return new ApiError('40015', [], 500, { cause: fault.cause })
  }
}
