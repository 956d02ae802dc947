/**
 * What somebody's order takes while a crowd without a key asks for whatever needs none:
 * `npm run bench -- strangers [--quick] [--only=PATH] [--no-limits] [--os]` (without the disk).
 *
 * Crowd    64 connections, each from an address of its own, on every public path and on both ways into the venue: those that
 *          write 1 MB of requests and read nothing, and those that read as fast as they can (strangers/crowd.ts)
 * Order    at fixed times, over a connection of its own, timed from when it was due
 * Holds    p99 is at most three times what it is without a crowd, memory grows by at most 100 MB in each attack, open files
 *          by at most 500, and every order is taken; else it exits with 1
 * Venue    processor time that its thread of orders had while an order was under way: what others on the machine do is not in
 *          it. On a machine of its own an order waits for the disk and for that
 * Beside   how much the crowd read, and how many of its connections the venue closed
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endpoints } from '../src/api/api.ts'
import type { Person } from '../test/support/person.ts'
import { startVenue, type Venue } from '../test/support/venue.ts'
import { atDueTimes } from './due-times.ts'
import { loadCore, pin, serverCore, serverOf } from './http/server.ts'
import { collectGarbage, quantile, report, rounded } from './measure.ts'
import type { Crowd, CrowdSeen } from './strangers/crowd.ts'

const valueOf = (name: string) => process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)
const quick = process.argv.includes('--quick')
const only = valueOf('only')
const connections = 64
const bytes = 1_000_000
const ordersPerSecond = 100
const [quietSeconds, seconds] = quick ? [3, 1] : [10, 3]
const p99TimesMax = 3
const memoryMbMax = 100
const filesMax = 500
const placeOrder = '/api/v3/trade/place-order'

await using cleanUp = new AsyncDisposableStack()
const venue = await startVenue({
  durability: process.argv.includes('--os') ? 'os' : 'sync',
  rateLimits: !process.argv.includes('--no-limits'),
  environment: { TIDEMARK_ENDPOINT_LIMITS: `POST ${placeOrder}=1000000` },
})
cleanUp.defer(() => venue.remove())
const { pid, port, url } = serverOf(venue)
pin(pid, serverCore)
pin(process.pid, loadCore)
const crowd = fork(fileURLToPath(new URL('strangers/crowd.ts', import.meta.url)))
cleanUp.defer(() => end(crowd))
pin(crowd.pid, loadCore)

const [alice, bob] = await openMarket(venue)
await orders(2)
const quiet = await orders(quietSeconds)
const files = openFiles()
report({
  bench: 'strangers',
  case: 'nobody else',
  count: quiet.ms.length,
  figures: { ...spread(quiet), memoryMb: residentMb(), files },
})

const faults: string[] = []
for (const path of only === undefined ? await publicPaths() : [only]) {
  for (const [how, reads] of [
    ['unread', false],
    ['read', true],
  ] as const) {
    for (const [way, more] of [
      ['plain', ''],
      ['node:http', 'te: trailers\r\n'],
    ] as const) {
      await attack(`${path}, ${how}, ${way}`, { path, reads, more })
    }
  }
}
for (const fault of faults) process.stderr.write(`did not hold: ${fault}\n`)
process.exitCode = faults.length === 0 ? 0 : 1

async function attack(
  what: string,
  { path, reads, more }: { readonly path: string; readonly reads: boolean; readonly more: string },
): Promise<void> {
  const request = `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`
  const memoryMb = residentMb()
  const came = once(crowd, 'message')
  crowd.send({ port, connections, reads, request, bytes } satisfies Crowd)
  await came
  let memoryMbMost = 0
  let filesMost = 0
  const look = () => {
    memoryMbMost = Math.max(memoryMbMost, residentMb())
    filesMost = Math.max(filesMost, openFiles())
  }
  const looking = setInterval(look, 100)
  const took = await orders(seconds)
  clearInterval(looking)
  look()
  const left = once(crowd, 'message') as Promise<[CrowdSeen]>
  crowd.send('leave')
  const [seen] = await left
  await sleep(200)
  const figures = spread(took)
  const memoryGrowthMb = rounded(memoryMbMost - memoryMb)
  const filesGrowth = filesMost - files
  report({
    bench: 'strangers',
    case: what,
    count: took.ms.length,
    figures: {
      ...figures,
      p99Times: rounded(figures.p99Ms / spread(quiet).p99Ms),
      memoryMb: rounded(memoryMbMost),
      memoryGrowthMb,
      filesGrowth,
      readMb: rounded(seen.bytesRead / 1e6),
      closed: seen.closed,
      broken: took.broken,
    },
  })
  if (figures.p99Ms > p99TimesMax * spread(quiet).p99Ms) faults.push(`${what}: an order took ${figures.p99Ms} ms (p99)`)
  if (took.broken > 0) faults.push(`${what}: ${took.broken} orders had no answer`)
  if (memoryGrowthMb > memoryMbMax) faults.push(`${what}: memory grew by ${memoryGrowthMb} MB`)
  if (filesGrowth > filesMax) faults.push(`${what}: ${filesGrowth} more files were open`)
}

/** Orders that rest and are then met, in turns. */
async function orders(forSeconds: number): Promise<Taken> {
  collectGarbage()
  const venueMs: number[] = []
  let broken = 0
  const terms = {
    category: 'SPOT',
    symbol: 'BTCUSDT',
    orderType: 'limit',
    timeInForce: 'gtc',
    qty: '0.001',
    price: '60000',
  }
  const ms = await atDueTimes({ perSecond: ordersPerSecond, count: forSeconds * ordersPerSecond }, async (index) => {
    const [person, side] = index % 2 === 0 ? [alice, 'sell'] : [bob, 'buy']
    const before = threadMs()
    const answer = await person.post(placeOrder, { ...terms, side }).catch(() => undefined)
    if (answer === undefined) {
      broken += 1
      return
    }
    venueMs.push(threadMs() - before)
    if (answer.code !== '00000') throw new Error(`an order was refused: ${answer.text}`)
  })
  return { ms, venueMs, broken }
}

interface Taken {
  readonly ms: Float64Array
  readonly venueMs: readonly number[]
  /** Orders without an answer: their connection ended. */
  readonly broken: number
}

/** Processor time of the venue's thread that takes orders; NaN where the system does not say. */
function threadMs(): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return Number.NaN
  }
}

async function openMarket(of: Venue): Promise<[Person, Person]> {
  const funds = { uta: { USDT: '100000000', BTC: '2000' } }
  return [await of.person('Alice', { funds }), await of.person('Bob', { funds })]
}

/** Each page, something that there is not, something that needs a key, and each public endpoint with what it asks for. */
async function publicPaths(): Promise<string[]> {
  const page = await (await fetch(`${url}/`)).text()
  const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  const query = 'category=USDT-FUTURES&productType=USDT-FUTURES&symbol=BTCUSDT&coin=USDT&granularity=1m&interval=1m'
  const open = endpoints.filter(({ access, method }) => access === 'public' && method === 'GET')
  return [
    '/',
    ...assets,
    '/docs',
    '/docs/static/swagger-ui-bundle.js',
    '/docs/json',
    '/api/openapi.json',
    '/health',
    '/metrics',
    '/terminal/demo-accounts',
    '/nothing',
    '/api/v3/account/assets',
    ...open.map(({ path }) => `${path}?${query}`),
  ]
}

function spread({ ms, venueMs }: Taken) {
  return {
    p50Ms: rounded(quantile(ms, 0.5)),
    p99Ms: rounded(quantile(ms, 0.99)),
    maxMs: rounded(quantile(ms, 1)),
    venueP50Ms: rounded(quantile(venueMs, 0.5)),
    venueP99Ms: rounded(quantile(venueMs, 0.99)),
  }
}

function residentMb(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}

function openFiles(): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
