/**
 * Signed orders over HTTP, durable, against the least that a Node server can do with such a request.
 *
 * Servers   a venue from the command line (`--durability sync --no-rate-limits --simulator off`, its history thread and
 *           all) and bare-server.ts, both pinned to core 0; only one is under load at a time
 * Load      64 connections, one request in flight on each, from a process pinned to core 1; requests are signed before
 *           the clock runs
 * Rounds    bare, resting, bare, crossing and so on in turns, since the machine's mood changes; medians, and the median
 *           of each venue round's ratio to the bare round before it (`shareOfBare`), also by the processor time that the
 *           servers used (`cpuShareOfBare`): on a machine that others use too, that one is the truer
 * Between   what a round left resting is cancelled, and history catches up, before the next one begins
 * Orders    E3 resting: 128 accounts, far from the market · E3 crossing: two accounts trade with each other, every
 *           second order a match · E2: the same in batches of 20, orders counted
 * Options   --quick: one short round
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Person } from '../test/support/person.ts'
import { startVenue, type Venue } from '../test/support/venue.ts'
import type { Round, RoundMeasured } from './http/load.ts'
import { median, quantile, report, rounded } from './measure.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 1 : 3
const connections = 64
const peopleCount = 128
const orders = quick ? 4_000 : 12_000
const warmUpOrders = quick ? 4_000 : 8_000
const batches = quick ? 400 : 1_200
const batchOrders = 20
const pinned = availableParallelism() > 1 && hasTaskset()
const serverCore = '0'
const loadCore = '1'

/** One value per round. */
interface Samples {
  readonly perSecond: number[]
  readonly p50Ms: number[]
  readonly p99Ms: number[]
  /** Processor time of the server per request or order, all its threads. */
  readonly cpuUs: number[]
  /** Rate of the venue, over that of the bare server just before. */
  readonly share: number[]
  /** The same by processor time, which others on the machine do not change. */
  readonly cpuShare: number[]
  readonly lagMs: number[]
}

interface Order {
  readonly person: number
  readonly side: 'buy' | 'sell'
  readonly price: number
}

/** Everything to run a round of one kind. */
interface Kind {
  readonly name: string
  readonly path: string
  /** Orders in one request. */
  readonly per: number
  draw(round: number): Round['requests']
}

const e3 = '/api/v2/mix/order/place-order'
const e2 = '/api/v3/trade/place-batch'

/** Far below the market, each at a price of its own neighbourhood. */
function restingOrder(index: number): Order {
  return { person: index % peopleCount, side: 'buy', price: 50_000 - (index % 997) / 10 }
}

/** Two people in turns; the next round turns them round, so that positions stay small. */
function crossingOrder(index: number, round: number): Order {
  return { person: index % 2, side: (index + round) % 2 === 0 ? 'buy' : 'sell', price: 60_000 }
}

function e3Body({ side, price }: Order): string {
  return JSON.stringify({
    symbol: 'BTCUSDT',
    productType: 'USDT-FUTURES',
    marginMode: 'crossed',
    marginCoin: 'USDT',
    size: '0.001',
    price: price.toFixed(1),
    side,
    orderType: 'limit',
    force: 'gtc',
  })
}

function e2Body(order: Order, first: number): string {
  const entries = Array.from({ length: batchOrders }, (_, index) => ({
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    qty: '0.001',
    price: (order.side === 'buy' && order.price < 60_000 ? order.price - index / 10 : order.price).toFixed(1),
    side: order.side,
    orderType: 'limit',
    timeInForce: 'gtc',
    clientOid: `b${first}-${index}`,
  }))
  return JSON.stringify(entries)
}

let batchesDrawn = 0

function singles(count: number, order: (index: number) => Order): Round['requests'] {
  return Array.from({ length: count }, (_, index) => ({ key: order(index).person, body: e3Body(order(index)) }))
}

/** Batches of all people in turn; crossing, each buys or sells against a neighbour. */
function batched(order: (index: number) => Order): Round['requests'] {
  return Array.from({ length: batches }, (_, index) => {
    return { key: index % peopleCount, body: e2Body(order(index), batchesDrawn++) }
  })
}

const kinds: readonly Kind[] = [
  { name: 'E3 resting', path: e3, per: 1, draw: () => singles(orders, restingOrder) },
  { name: 'E3 crossing', path: e3, per: 1, draw: (round) => singles(orders, (index) => crossingOrder(index, round)) },
  { name: 'E2 resting', path: e2, per: batchOrders, draw: () => batched(restingOrder) },
  {
    name: 'E2 crossing',
    path: e2,
    per: batchOrders,
    draw: (round) => batched((index) => crossingOrder(index, round)),
  },
]

const bareKey = { apiKey: 'bench', secret: 'of the bare server', passphrase: 'bench' }

await using cleanUp = new AsyncDisposableStack()
const venue = await startVenue({ durability: 'sync', rateLimits: false, simulator: false })
cleanUp.defer(() => venue.remove())
const bare = await startBareServer()
cleanUp.defer(() => end(bare.child))
const load = startLoad()
cleanUp.defer(() => end(load))
const loadEnded = once(load, 'exit').then((): never => {
  throw new Error('the load generator ended')
})
loadEnded.catch(() => {})
const venueServer = JSON.parse(readFileSync(join(venue.directory, 'server.json'), 'utf8')) as {
  url: string
  pid: number
}
const venuePort = Number(new URL(venueServer.url).port)
if (pinned) {
  for (const pid of [venueServer.pid, bare.child.pid]) pin(pid, serverCore)
  pin(load.pid, loadCore)
}

const people = await openPeople(venue)
const measured = new Map<string, Samples>()

await benchBare(warmUpOrders)
for (const kind of kinds) await benchVenue(kind, -1)
measured.clear()
for (let round = 0; round < rounds; round++) {
  for (const kind of kinds) {
    const least = kind.per === 1 ? await benchBare(orders) : undefined
    const rate = await benchVenue(kind, round)
    if (least === undefined) continue
    of(kind.name).share.push(rate.perSecond / least.perSecond)
    of(kind.name).cpuShare.push(least.cpuUs / rate.cpuUs)
  }
}
const syncMs = measureSync(venue.directory)
for (const [name, samples] of measured) {
  const per = kinds.find((kind) => kind.name === name)?.per ?? 1
  report({
    bench: 'http',
    case: name,
    count: rounds * (per === 1 ? orders : batches * per),
    figures: {
      [per === 1 ? 'requestsPerSecond' : 'ordersPerSecond']: rounded(median(samples.perSecond)),
      p50Ms: rounded(median(samples.p50Ms)),
      p99Ms: rounded(median(samples.p99Ms)),
      cpuUs: rounded(median(samples.cpuUs)),
      ...(samples.share.length > 0 ? { shareOfBare: rounded(median(samples.share)) } : {}),
      ...(samples.cpuShare.length > 0 ? { cpuShareOfBare: rounded(median(samples.cpuShare)) } : {}),
      ...(samples.lagMs.length > 0 ? { historyCatchUpMs: rounded(median(samples.lagMs)) } : {}),
    },
  })
}
report({
  bench: 'http',
  case: 'the disk: 4 kB written and synced',
  count: syncMs.length,
  figures: { p50Ms: rounded(median(syncMs)), p99Ms: rounded(quantile(syncMs, 0.99)), pinned: pinned ? 1 : 0 },
})

function of(name: string): Samples {
  const none: Samples = { perSecond: [], p50Ms: [], p99Ms: [], cpuUs: [], share: [], cpuShare: [], lagMs: [] }
  const found = measured.get(name) ?? none
  measured.set(name, found)
  return found
}

async function benchBare(count: number): Promise<Rate> {
  const requests = singles(count, restingOrder).map((one) => ({ ...one, key: 0 }))
  const cpuBefore = cpuMs(bare.child.pid)
  const found = await play({ port: bare.port, connections, path: e3, keys: [bareKey], requests })
  return note('bare node:http', count, found, cpuMs(bare.child.pid) - cpuBefore)
}

async function benchVenue(kind: Kind, round: number): Promise<Rate> {
  const keys = people.map((person) => person.key)
  const requests = kind.draw(round)
  const cpuBefore = cpuMs(venueServer.pid)
  const found = await play({ port: venuePort, connections, path: kind.path, keys, requests })
  const startMs = performance.now()
  await historyStands(people[0])
  of(kind.name).lagMs.push(performance.now() - startMs)
  const rate = note(kind.name, requests.length * kind.per, found, cpuMs(venueServer.pid) - cpuBefore)
  if (kind.name.endsWith('resting')) await Promise.all(people.map(cancelAll))
  await historyStands(people[0])
  return rate
}

interface Rate {
  readonly perSecond: number
  readonly cpuUs: number
}

function note(name: string, count: number, { seconds, p50Ms, p99Ms }: RoundMeasured, spentMs: number): Rate {
  const rate = { perSecond: count / seconds, cpuUs: (spentMs * 1_000) / count }
  of(name).perSecond.push(rate.perSecond)
  of(name).cpuUs.push(rate.cpuUs)
  of(name).p50Ms.push(p50Ms)
  of(name).p99Ms.push(p99Ms)
  return rate
}

async function play(round: Round): Promise<RoundMeasured> {
  const answered = once(load, 'message') as Promise<[RoundMeasured]>
  load.send(round)
  const [found] = await Promise.race([answered, loadEnded])
  if (found.failed > 0) throw new Error(`${found.failed} requests were refused, first:\n${found.firstFailure}`)
  return found
}

/** A read of history answers when history has everything that was acknowledged before it. */
async function historyStands(person: Person): Promise<void> {
  const answer = await person.get('/api/v2/mix/order/orders-history', { productType: 'USDT-FUTURES', limit: 1 })
  if (answer.code !== '00000') throw new Error(answer.text)
}

async function cancelAll(person: Person): Promise<void> {
  await person.post('/api/v2/mix/order/cancel-all-orders', { productType: 'USDT-FUTURES' })
}

async function openPeople(of_: Venue): Promise<Person[]> {
  const opened: Person[] = []
  for (let index = 0; index < peopleCount; index++) {
    opened.push(await of_.person(`person ${index}`, { mode: 'unified', funds: { uta: { USDT: '1000000' } } }))
  }
  return opened
}

async function startBareServer(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = spawn(process.execPath, [part('bare-server.ts')], {
    env: { ...process.env, BENCH_SECRET: bareKey.secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, port: Number(new URL(line.replace('ready ', '')).port) }
}

function startLoad(): ChildProcess {
  return spawn(process.execPath, [part('load.ts')], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
}

function part(name: string): string {
  return fileURLToPath(new URL(`http/${name}`, import.meta.url))
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** All threads of a process onto one core. */
function pin(pid: number | undefined, core: string): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', core, String(pid)], { stdio: 'ignore' })
}

/** Processor time that a process has used, all threads; NaN where the system does not tell. */
function cpuMs(pid: number | undefined): number {
  try {
    const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const fields = rest.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Number.NaN
  }
}

/** What one durable write costs here, in the same directory and with nothing else going on. */
function measureSync(directory: string): number[] {
  const file = openSync(join(directory, 'sync-bench'), 'w')
  const block = Buffer.alloc(4_096, 1)
  const times = Array.from({ length: 100 }, () => {
    const startMs = performance.now()
    writeSync(file, block)
    fdatasyncSync(file)
    return performance.now() - startMs
  })
  closeSync(file)
  return times
}
