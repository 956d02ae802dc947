/**
 * What a rule can name as its endpoint: one endpoint, or a group of them.
 *
 * One      as `POST /api/v3/trade/place-order`: over HTTP
 * Groups   v2, v3 and orders over sockets together; those that begin with `ws:` are of sockets alone
 * Source   lab.md §4.5
 */
import { type Endpoint, endpoints } from '../../api/api.ts'

/** How something comes to the venue, or goes from it: a request, an order over a socket, a message of a socket. */
export type Over = 'http' | 'socket' | 'message'

interface Group {
  readonly meaning: string
  readonly over: readonly Over[]
  /** Undefined: no endpoint, only messages. */
  readonly has?: (endpoint: Endpoint) => boolean
  /** Of messages: pushes of these channels only. */
  readonly scope?: 'public' | 'private'
}

const calls = ['http', 'socket'] as const
const posts = (pattern: RegExp) => (endpoint: Endpoint) => endpoint.method === 'POST' && pattern.test(endpoint.path)

const isPlace = posts(/\/(?:place-order|place-batch|batch-place-order|batch-orders)$/)
const isModify = posts(/\/(?:modify-order|batch-modify-order|(?:batch-)?cancel-replace-order)$/)
const isCancel = posts(
  /\/(?:cancel-order|cancel-batch|batch-cancel-orders?|cancel-all-orders|cancel-symbol-order|countdown-cancel-all)$/,
)
const isClose = posts(/\/(?:close-positions|click-backhand)$/)
const isTrigger = posts(/\/(?:(?:place|modify|cancel|batch-cancel)-(?:plan|strategy|tpsl)-order|place-pos-tpsl)$/)
const isOrder = (endpoint: Endpoint) =>
  [isPlace, isModify, isCancel, isClose, isTrigger].some((isOne) => isOne(endpoint))
const isBatch = posts(/\/(?:[a-z-]*batch[a-z-]*|batch-orders)$/)
const isRead = ({ method, access }: Endpoint) => method === 'GET' || (access !== 'public' && access.level === 'read')
const isMarket = ({ method, access }: Endpoint) => method === 'GET' && access === 'public'

const groups = {
  any: { meaning: 'every endpoint', over: calls, has: () => true },
  orders: { meaning: 'all that places, changes or cancels orders', over: calls, has: isOrder },
  place: { meaning: 'new orders, one or a batch', over: calls, has: isPlace },
  modify: { meaning: 'changes of orders', over: calls, has: isModify },
  cancel: { meaning: 'cancellations of orders', over: calls, has: isCancel },
  batch: { meaning: 'batches of orders', over: calls, has: isBatch },
  close: { meaning: 'positions closed or reversed at market', over: calls, has: isClose },
  trigger: { meaning: 'plan, strategy, take-profit and stop-loss orders', over: calls, has: isTrigger },
  write: { meaning: 'all that changes something', over: calls, has: (endpoint) => !isRead(endpoint) },
  read: { meaning: 'all that changes nothing', over: ['http'], has: isRead },
  market: { meaning: 'public market data', over: ['http'], has: isMarket },
  account: { meaning: 'reads of an account', over: ['http'], has: (one) => isRead(one) && one.access !== 'public' },
  'ws:orders': { meaning: 'orders over sockets', over: ['socket'], has: isOrder },
  'ws:any': { meaning: 'every message to a socket', over: ['message'] },
  'ws:public': { meaning: 'pushes of public channels', over: ['message'], scope: 'public' },
  'ws:private': { meaning: 'pushes of private channels', over: ['message'], scope: 'private' },
} as const satisfies Readonly<Record<string, Group>>

type GroupName = keyof typeof groups

/** What a rule's endpoint stands for. */
export interface EndpointChoice {
  readonly name: string
  readonly over: readonly Over[]
  readonly scope?: 'public' | 'private' | undefined
  has(endpoint: Endpoint): boolean
}

const byPlace = new Map(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]))

/** Undefined: there is no such endpoint, and no such group. */
export function endpointChoice(name: string): EndpointChoice | undefined {
  if (Object.hasOwn(groups, name)) {
    const group: Group = groups[name as GroupName]
    const has = members(name, group)
    return { name, over: group.over, scope: group.scope, has: (endpoint) => has.has(endpoint) }
  }
  const only = byPlace.get(name)
  return only && { name, over: ['http'], has: (endpoint) => endpoint === only }
}

const known = new Map<string, ReadonlySet<Endpoint>>()

function members(name: string, { has }: Group): ReadonlySet<Endpoint> {
  let found = known.get(name)
  if (found === undefined) known.set(name, (found = new Set(has === undefined ? [] : endpoints.filter(has))))
  return found
}

/** All that a rule can name. */
export function endpointNames(): readonly string[] {
  return [...Object.keys(groups), ...byPlace.keys()]
}

/** For `GET /_lab/faults/endpoints`. */
export function shownEndpoints() {
  const shown = Object.entries<Group>(groups).map(([name, group]) => ({
    name,
    meaning: group.meaning,
    over: group.over,
    endpoints: [...members(name, group)].map(({ method, path }) => `${method} ${path}`),
  }))
  return { groups: shown, endpoints: [...byPlace.keys()] }
}

/** Whether an endpoint takes several orders at a time. */
export function takesBatch(endpoint: Endpoint): boolean {
  return isBatch(endpoint)
}

/** Whether an endpoint sends commands. */
export function sendsCommands(endpoint: Endpoint): boolean {
  return !isRead(endpoint)
}
