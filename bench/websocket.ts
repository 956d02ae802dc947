/**
 * Pushes to subscribers: `npm run bench -- websocket [--quick]`.
 *
 * Who      1,000 subscribers to the trades of one market, each a socket, in a process and on a core of their own
 * Steady   50 trades a second at fixed times, each a durable order over HTTP: what share of the pushes arrives, and how long after
 *          the reply to the order, on the clock that all processes share (less than nothing: before the reply)
 * Most     sixteen trades under way at any time, the next one when everybody has heard of one: messages a second, and the
 *          trades that they had, since trades of one batch share a message
 * Beside   processor time of the venue and of the subscribers, each as a share of its core: near 1 they measure themselves
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { MetricRead } from '../src/operator/metric-registry.ts'
import type { Person } from '../test/support/person.ts'
import { startVenue, type Venue } from '../test/support/venue.ts'
import { cpuSeconds, loadCore, pin, type Server, serverCore, serverOf, sharedNow } from './http/server.ts'
import { quantile, report, rounded } from './measure.ts'
import type { Subscribers, SubscribersReply, SubscribersRequest } from './websocket/subscribers.ts'

const quick = process.argv.includes('--quick')
const sockets = quick ? 100 : 1_000
const tradesPerSecond = 50
const [warmUpSeconds, seconds, mostSeconds] = quick ? [1, 3, 2] : [3, 20, 10]
const underWay = 16
const timedMax = (warmUpSeconds + seconds) * tradesPerSecond
const sizes = { sizeFirst: 0.000_02, sizeStep: 0.000_001, tradesMax: 60_000, timedMax }
const order = { symbol: 'BTCUSDT', orderType: 'limit' } as const
const path = '/api/v2/spot/trade/place-order'

await using cleanUp = new AsyncDisposableStack()
const venue = await startVenue({
  durability: 'sync',
  environment: {
    TIDEMARK_CONNECTIONS_PER_ADDRESS_MAX: String(sockets + 20),
    TIDEMARK_STREAM_CONNECTIONS_PER_ADDRESS_MAX: String(sockets + 10),
  },
})
cleanUp.defer(() => venue.remove())
const server = serverOf(venue)
pin(server.pid, serverCore)
const subscribers = fork(fileURLToPath(new URL('websocket/subscribers.ts', import.meta.url)), {
  serialization: 'advanced',
})
cleanUp.defer(() => end(subscribers))
pin(subscribers.pid, loadCore)
const subscribersEnded = once(subscribers, 'exit').then((): never => {
  throw new Error('the subscribers ended: one of them was disconnected')
})
subscribersEnded.catch(() => {})

const taker = await openMarket(venue)
const argument = { instType: 'SPOT', channel: 'trade', instId: 'BTCUSDT' }
await ask(
  {
    kind: 'open',
    subscribers: {
      url: `${server.url.replace('http', 'ws')}/v2/ws/public`,
      sockets,
      argument,
      ...sizes,
    } satisfies Subscribers,
  },
  'opened',
)

let traded = 0
let reached = 0
const waiting: { readonly trade: number; readonly resolve: () => void }[] = []
subscribers.on('message', (reply: SubscribersReply) => {
  if (reply.kind !== 'reached') return
  reached = reply.trades
  while ((waiting[0]?.trade ?? Infinity) < reached) waiting.shift()?.resolve()
})

await steady(warmUpSeconds)
await benchSteady()
await benchMost()

/** Answers when each trade's reply came. */
async function steady(forSeconds: number): Promise<number[]> {
  const replied: Promise<number>[] = []
  const startedMs = performance.now()
  for (let sent = 0; sent < forSeconds * tradesPerSecond; sent++) {
    await sleep(Math.max(0, startedMs + (sent * 1_000) / tradesPerSecond - performance.now()))
    replied.push(trade(traded++))
  }
  return Promise.all(replied)
}

async function benchSteady(): Promise<void> {
  const from = traded
  const used = usage(server)
  const repliedMs = await steady(seconds)
  const cores = used()
  await sleep(1_000)
  const { delivered, sortedMs } = await ask({ kind: 'report', from, repliedMs }, 'delays')
  report({
    bench: 'websocket',
    case: `${sockets} subscribers, ${tradesPerSecond} trades/s`,
    count: delivered,
    figures: {
      deliveredShare: delivered / (repliedMs.length * sockets),
      p50Ms: rounded(quantile(sortedMs, 0.5)),
      p99Ms: rounded(quantile(sortedMs, 0.99)),
      p999Ms: rounded(quantile(sortedMs, 0.999)),
      maxMs: rounded(quantile(sortedMs, 1)),
      ...cores,
    },
  })
}

async function benchMost(): Promise<void> {
  const from = reached
  const messagesBefore = await messagesSent()
  const used = usage(server)
  const startedMs = performance.now()
  const isOver = () => performance.now() - startedMs > mostSeconds * 1_000 || traded === sizes.tradesMax
  const drive = async () => {
    while (!isOver()) {
      const number = traded++
      const heard = new Promise<void>((resolve) => waiting.push({ trade: number, resolve }))
      await trade(number)
      await heard
    }
  }
  await Promise.race([Promise.all(Array.from({ length: underWay }, drive)), subscribersEnded])
  const took = (performance.now() - startedMs) / 1_000
  const messages = (await messagesSent()) - messagesBefore
  report({
    bench: 'websocket',
    case: `${sockets} subscribers, as fast as they hear`,
    count: messages,
    figures: {
      messagesPerSecond: rounded(messages / took),
      tradesToldPerSecond: rounded(((reached - from) * sockets) / took),
      ...used(),
    },
  })
}

async function messagesSent(): Promise<number> {
  const metrics = await venue.operator<readonly MetricRead[]>('metrics')
  return metrics.find(({ name }) => name === 'tidemark_stream_messages_sent_total')?.values[0]?.value ?? Number.NaN
}

/** Buys and sells in turns, so that nobody runs out of anything; answers when the reply came. */
async function trade(number: number): Promise<number> {
  const size = (sizes.sizeFirst + number * sizes.sizeStep).toFixed(6)
  const terms = number % 2 === 0 ? { side: 'buy', price: '60000' } : { side: 'sell', price: '59999' }
  const answer = await taker.post(path, { ...order, ...terms, force: 'ioc', size })
  const now = sharedNow()
  if (answer.code !== '00000') throw new Error(answer.text)
  return now
}

/** Someone with a large order on either side; answers who trades with them. */
async function openMarket(of: Venue): Promise<Person> {
  const funds = { uta: { USDT: '100000000', BTC: '2000' } }
  const maker = await of.person('maker', { funds })
  for (const terms of [
    { side: 'sell', price: '60000' },
    { side: 'buy', price: '59999' },
  ]) {
    const answer = await maker.post(path, { ...order, ...terms, force: 'gtc', size: '1000' })
    if (answer.code !== '00000') throw new Error(answer.text)
  }
  return of.person('taker', { funds })
}

/** From now on: shares of a core that the venue and the subscribers use. */
function usage({ pid }: Server): () => { readonly serverCores: number; readonly subscriberCores: number } {
  const before = { at: performance.now(), server: cpuSeconds(pid), subscribers: cpuSeconds(subscribers.pid) }
  return () => {
    const took = (performance.now() - before.at) / 1_000
    return {
      serverCores: rounded((cpuSeconds(pid) - before.server) / took),
      subscriberCores: rounded((cpuSeconds(subscribers.pid) - before.subscribers) / took),
    }
  }
}

function ask<Kind extends SubscribersReply['kind']>(
  request: SubscribersRequest,
  kind: Kind,
): Promise<Extract<SubscribersReply, { readonly kind: Kind }>> {
  const { promise, resolve } = Promise.withResolvers<Extract<SubscribersReply, { readonly kind: Kind }>>()
  const hear = (reply: SubscribersReply) => {
    if (reply.kind !== kind) return
    subscribers.off('message', hear)
    resolve(reply as Extract<SubscribersReply, { readonly kind: Kind }>)
  }
  subscribers.on('message', hear)
  subscribers.send(request)
  return Promise.race([promise, subscribersEnded])
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
