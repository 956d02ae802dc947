/**
 * The table of endpoints behind the listener (http/): each is a route, what there is no time for is refused, and what never
 * reaches an endpoint gets an envelope, never a stack.
 *
 * Unknown    path 404 (`40404`), path of the first version 30032, method 405 (`40405`)
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
  type IncomingHead,
  type IncomingRequest,
  type LoadShedder,
  type Outgoing,
  pathOf,
  type RequestIds,
  single,
  type Tls,
} from '../http/http.ts'
import { type Edge, prepareRoute, type Route } from './edge.ts'
import { type Endpoint, isNewWork } from './endpoint.ts'
import { failure } from './envelope.ts'
import { ApiError, localeOf } from './errors/errors.ts'

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
  readonly edge: Edge
  readonly loadShedder: Pick<LoadShedder, 'takes'>
  readonly now: () => number
  readonly requestIds: RequestIds
  /** What the `Date` of an answer says, Unix milliseconds. */
  readonly dateNow: () => number
  readonly onTrouble: (trouble: unknown, endpoint: Endpoint | undefined, requestId: string | undefined) => void
  readonly onAnswered: ((answered: Answered) => void) | undefined
  readonly upgrades: (path: string) => boolean
  readonly connectionsMax: number | undefined
  readonly tls: Tls | undefined
}

export function createServer(parts: ServerParts): FastifyInstance {
  const { endpoints, edge, onTrouble, onAnswered, upgrades, connectionsMax, requestIds, dateNow, tls } = parts
  return createListener({
    routes: endpoints.map(prepareRoute),
    refuse: refuserOf(parts),
    answer: async (route: Route, request: IncomingRequest): Promise<Outgoing> => {
      const startedAt = performance.now()
      const answered = await edge.serve(route, request)
      const durationMs = performance.now() - startedAt
      const { httpStatus, code, sequence } = answered
      onAnswered?.({ endpoint: route.endpoint, httpStatus, code, sequence, durationMs, requestId: request.requestId })
      return answered
    },
    answerFault: (fault, request) => answerFault(fault, request, parts),
    onTrouble: (trouble, route, requestId) => onTrouble(trouble, route?.endpoint, requestId),
    upgrades,
    connectionsMax,
    tls,
    requestIds,
    dateNow,
  })
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

function answerFault(fault: HttpFault, request: FaultyRequest | undefined, { now, onAnswered }: ServerParts): Outgoing {
  const answer = failure(faultError(fault), localeOf(single(request?.headers['locale'])), now())
  const isUnknown = fault.kind === 'path-unknown' || fault.kind === 'method-not-allowed'
  if (request !== undefined && isUnknown) {
    onAnswered?.({ endpoint: undefined, ...answer, durationMs: 0, requestId: request.requestId })
  }
  return answer
}

function faultError(fault: HttpFault): ApiError {
  switch (fault.kind) {
    case 'path-unknown':
      return /^\/api\/(?:v1|(?:spot|mix|margin|user|broker)\/v1)\//.test(fault.path)
        ? new ApiError('30032', [], 404)
        : new ApiError('40404', [], 404)
    case 'method-not-allowed':
      return new ApiError('40405', [fault.method], 405)
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
