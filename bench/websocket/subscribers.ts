/**
 * Subscribers that watch the trades of one market, in a process of their own: when did each hear of each?
 *
 * Known     a trade by its size, which whoever makes the trades counts up by one step each time
 * Cheap     what all are sent is the same bytes: a push is parsed once, and compared by whoever gets it next
 * Messages  SubscribersRequest from its parent, SubscribersReply to it
 */
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { sharedNow } from '../http/server.ts'

/** What is subscribed to, and the sizes by which its trades are known: `sizeFirst + n × sizeStep`. */
export interface Subscribers {
  readonly url: string
  readonly sockets: number
  readonly argument: Readonly<Record<string, string>>
  readonly sizeFirst: number
  readonly sizeStep: number
  readonly tradesMax: number
  /** Of so many it is noted when each socket heard of them. */
  readonly timedMax: number
}

export type SubscribersRequest =
  | { readonly kind: 'open'; readonly subscribers: Subscribers }
  /** The trades from `from` on, each with when its reply came: how long after that did it reach everybody? */
  | { readonly kind: 'report'; readonly from: number; readonly repliedMs: readonly number[] }

export type SubscribersReply =
  | { readonly kind: 'opened' }
  /** Everybody has heard of this many of the trades. */
  | { readonly kind: 'reached'; readonly trades: number }
  | { readonly kind: 'delays'; readonly delivered: number; readonly sortedMs: Float64Array }

const openAtOnce = 50

let subscribers: Subscribers
/** When it was heard, by trade and socket; 0: not yet. */
let heardMs: Float64Array
/** By trade: who has heard of it. */
let hearers: Int32Array
let reached = 0

process.on('message', (request: SubscribersRequest) => void answer(request))
process.on('disconnect', () => process.exit(0))

async function answer(request: SubscribersRequest): Promise<void> {
  if (request.kind === 'open') {
    subscribers = request.subscribers
    heardMs = new Float64Array(subscribers.timedMax * subscribers.sockets)
    hearers = new Int32Array(subscribers.tradesMax)
    for (let first = 0; first < subscribers.sockets; first += openAtOnce) {
      const some = Math.min(openAtOnce, subscribers.sockets - first)
      await Promise.all(Array.from({ length: some }, (_, index) => open(first + index)))
    }
    send({ kind: 'opened' })
  } else send(delays(request.from, request.repliedMs))
}

/** Resolves when it has the snapshot of its channel. */
async function open(index: number): Promise<void> {
  const socket = new WebSocket(subscribers.url, { perMessageDeflate: false })
  await once(socket, 'open')
  const { promise, resolve } = Promise.withResolvers<void>()
  // Subscribers who have lost one of them have nothing to report.
  socket.once('close', () => process.exit(1))
  socket.on('message', (data: Buffer) => {
    const push = parsed(data)
    if (push.action === 'snapshot') resolve()
    if (push.action !== 'update') return
    const now = sharedNow()
    for (const trade of push.trades) hear(trade, index, now)
  })
  socket.send(JSON.stringify({ op: 'subscribe', args: [subscribers.argument] }))
  await promise
}

function hear(trade: number, index: number, now: number): void {
  if (trade < subscribers.timedMax) heardMs[trade * subscribers.sockets + index] = now
  hearers[trade] += 1
  if (hearers[trade] < subscribers.sockets || trade !== reached) return
  while (hearers[reached] === subscribers.sockets) reached += 1
  send({ kind: 'reached', trades: reached })
}

interface Push {
  readonly action: string | undefined
  readonly trades: readonly number[]
}

let last: Buffer = Buffer.alloc(0)
let lastPush: Push = { action: undefined, trades: [] }

function parsed(data: Buffer): Push {
  if (data.equals(last)) return lastPush
  const { action, data: rows = [] } = JSON.parse(data.toString('utf8')) as {
    readonly action?: string
    readonly data?: readonly { readonly size: string }[]
  }
  const trades = rows.map(({ size }) => Math.round((Number(size) - subscribers.sizeFirst) / subscribers.sizeStep))
  last = Buffer.from(data)
  lastPush = { action, trades }
  return lastPush
}

function delays(from: number, repliedMs: readonly number[]): SubscribersReply {
  const found = repliedMs.flatMap((replied, index) => {
    const start = (from + index) * subscribers.sockets
    return [...heardMs.subarray(start, start + subscribers.sockets)].filter((ms) => ms > 0).map((ms) => ms - replied)
  })
  return { kind: 'delays', delivered: found.length, sortedMs: Float64Array.from(found).sort() }
}

function send(reply: SubscribersReply): void {
  process.send?.(reply)
}
