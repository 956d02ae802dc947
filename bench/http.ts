/**
 * Signed requests over HTTP, orders durable, against the least that a Node server can do with such a request:
 * `npm run bench -- http [--quick]`.
 *
 * Servers   a venue from the command line (`--durability sync --no-rate-limits --simulator off`, its history thread and
 *           all) and bare-server.ts, both pinned to core 0; only one is under load at a time
 * Rounds    64 connections, one request in flight on each, from a process pinned to core 1, requests signed before the clock
 *           runs: bare, one kind, bare, the next kind and so on in turns, since the machine's mood changes. Medians, and the
 *           median of each round's ratio to the bare round before it (`shareOfBare`), also by the processor time that the
 *           servers used (`cpuShareOfBare`): on a machine that others use too, that one is the truer. Batches are compared
 *           with the same batches at the bare server, everything else with its single orders
 * Between   what a round left resting is cancelled, and history catches up, before the next one begins
 * Paced     crossing orders at a quarter, a half and three quarters of the most that the rounds did, at fixed times whether or
 *           not answers keep up, each timed from when it was due; the collector's pauses in the venue meanwhile
 * Kinds     http/kinds.ts
 * Options   --quick: one short round; --only=E1,mixed: kinds with that in their names, and no open loop
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BareServer } from './http/bare.ts'
import { Generator } from './http/generator.ts'
import { House } from './http/house.ts'
import {
  batchOrders,
  bills,
  crossingBatches,
  crossingOrders,
  endedOrders,
  mixed,
  ownFills,
  ownFillsV2,
  peopleCount,
  positions,
  publicFills,
  type Requests,
  requestsOf,
  restingBatches,
  restingOrders,
} from './http/kinds.ts'
import type { Round, RoundMeasured } from './http/load.ts'
import type { Pace, PaceMeasured } from './http/paced.ts'
import { cpuSeconds, loadCore, pin, pinned, serverCore, sharedNow } from './http/server.ts'
import { median, quantile, report, rounded } from './measure.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 1 : 3
const connections = 64
const paces = [0.25, 0.5, 0.75]
const paceSeconds = quick ? 3 : 20

/** Everything to run a round of one kind. */
interface Kind {
  readonly name: string
  readonly requests: Requests
  readonly count: number
  /** Orders in one request. */
  readonly per: number
  /** Orders that trade before it, so that no row of a page has been shown before. */
  readonly tradesBefore?: number
}

const few = quick ? 0.25 : 1
const allKinds: readonly Kind[] = [
  { name: 'E3 resting', requests: restingOrders, count: 12_000 * few, per: 1 },
  { name: 'E3 crossing', requests: crossingOrders, count: 12_000 * few, per: 1 },
  { name: 'E2 resting', requests: restingBatches, count: 1_200 * few, per: batchOrders },
  { name: 'E2 crossing', requests: crossingBatches, count: 1_200 * few, per: batchOrders },
  { name: 'E5 position', requests: positions, count: 12_000 * few, per: 1 },
  { name: 'E1 100 fills', requests: ownFills, count: 3_600, per: 1 },
  // Everybody asks once, for a hundred fills that came since.
  { name: 'E1 100 new fills', requests: ownFills, count: peopleCount, per: 1, tradesBefore: 100 * peopleCount },
  { name: 'E13 100 ended orders', requests: endedOrders, count: 3_600, per: 1 },
  { name: 'v2 100 fills', requests: ownFillsV2, count: 3_600, per: 1 },
  { name: '100 bills', requests: bills, count: 3_600, per: 1 },
  { name: 'E8 100 public fills', requests: publicFills, count: 6_000 * few, per: 1 },
  { name: 'mixed', requests: mixed, count: 12_000 * few, per: 1 },
]

const only = process.argv
  .find((word) => word.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',')
const kinds = allKinds.filter(({ name }) => only?.some((part) => name.includes(part)) ?? true)
if (kinds.length === 0) {
  process.stderr.write(
    `--only: no kind has that in its name; there are ${allKinds.map(({ name }) => name).join(', ')}\n`,
  )
  process.exit(2)
}

const bareOrders: Kind = { name: 'bare node:http', requests: restingOrders, count: 12_000 * few, per: 1 }
const bareBatches: Kind = {
  name: 'bare, batches of 20',
  requests: restingBatches,
  count: 1_200 * few,
  per: batchOrders,
}

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
  /** The collector's longest pause of a round in the venue. */
  readonly gcMaxMs: number[]
}

await using cleanUp = new AsyncDisposableStack()
const house = cleanUp.use(await House.open())
pin(house.server.pid, serverCore)
const bare = cleanUp.use(await BareServer.start())
pin(bare.pid, serverCore)
const load = cleanUp.use(new Generator<Round, RoundMeasured>('load.ts', loadCore))
const measured = new Map<string, Samples>()

// The compilers of both servers have their rounds first.
await benchBare(bareOrders, 8_000)
await benchBare(bareBatches)
// Pages have rows.
if (only !== undefined) await trade(100 * peopleCount)
for (const kind of kinds) await benchVenue(kind)
measured.clear()
for (let round = 0; round < rounds; round++) {
  for (const kind of kinds) {
    const least = await benchBare(kind.per === 1 ? bareOrders : bareBatches)
    const rate = await benchVenue(kind)
    of(kind.name).share.push(rate.perSecond / least.perSecond)
    of(kind.name).cpuShare.push(least.cpuUs / rate.cpuUs)
  }
}
const syncMs = measureSync(house.venue.directory)
for (const [name, samples] of measured) {
  const { count, per } = [...kinds, bareOrders, bareBatches].find((kind) => kind.name === name) as Kind
  report({
    bench: 'http',
    case: name,
    count: samples.perSecond.length * count * per,
    figures: {
      [per > 1 ? 'ordersPerSecond' : 'requestsPerSecond']: rounded(median(samples.perSecond)),
      p50Ms: rounded(median(samples.p50Ms)),
      p99Ms: rounded(median(samples.p99Ms)),
      cpuUs: rounded(median(samples.cpuUs)),
      ...(samples.share.length > 0 ? { shareOfBare: rounded(median(samples.share)) } : {}),
      ...(samples.cpuShare.length > 0 ? { cpuShareOfBare: rounded(median(samples.cpuShare)) } : {}),
      ...(samples.lagMs.length > 0 ? { historyCatchUpMs: rounded(median(samples.lagMs)) } : {}),
      ...(samples.gcMaxMs.length > 0 ? { gcMaxMs: rounded(Math.max(...samples.gcMaxMs)) } : {}),
    },
  })
}
report({
  bench: 'http',
  case: 'the disk: 4 kB written and synced',
  count: syncMs.length,
  figures: { p50Ms: rounded(median(syncMs)), p99Ms: rounded(quantile(syncMs, 0.99)), pinned: pinned ? 1 : 0 },
})
if (only === undefined) await benchPaces()

function of(name: string): Samples {
  const none: Samples = {
    perSecond: [],
    p50Ms: [],
    p99Ms: [],
    cpuUs: [],
    share: [],
    cpuShare: [],
    lagMs: [],
    gcMaxMs: [],
  }
  const found = measured.get(name) ?? none
  measured.set(name, found)
  return found
}

async function benchBare({ name, requests, count: usual, per }: Kind, count = usual): Promise<Rate> {
  const { port, keys, pid } = bare
  return play(name, count * per, pid, { port, keys, connections, requests: bare.asked(requestsOf(requests, count)) })
}

async function benchVenue({ name, requests, count, per, tradesBefore = 0 }: Kind): Promise<Rate> {
  const { port, pid } = house.server
  if (tradesBefore > 0) await trade(tradesBefore)
  const round = { port, connections, keys: house.keys, requests: requestsOf(requests, count) }
  const fromMs = sharedNow()
  const rate = await play(name, count * per, pid, round)
  const toMs = sharedNow()
  const startMs = performance.now()
  await house.historyStands()
  of(name).lagMs.push(performance.now() - startMs)
  of(name).gcMaxMs.push(Math.max(0, ...(await house.pauses(fromMs, toMs)).map(({ ms }) => ms)))
  await house.clear()
  return rate
}

async function trade(orders: number): Promise<void> {
  const { port } = house.server
  const round = { port, connections, keys: house.keys, requests: requestsOf(crossingOrders, orders) }
  const { failed, firstFailure } = await load.ask(round)
  if (failed > 0) throw new Error(`${failed} orders were refused, first:\n${firstFailure}`)
  await house.historyStands()
  // What it wrote is committed a little later.
  await sleep(1_000)
}

interface Rate {
  readonly perSecond: number
  readonly cpuUs: number
}

async function play(name: string, count: number, pid: number, round: Round): Promise<Rate> {
  const before = cpuSeconds(pid)
  const { seconds, p50Ms, p99Ms, failed, firstFailure } = await load.ask(round)
  if (failed > 0) throw new Error(`${name}: ${failed} requests were refused, first:\n${firstFailure}`)
  const rate = { perSecond: count / seconds, cpuUs: ((cpuSeconds(pid) - before) * 1e6) / count }
  of(name).perSecond.push(rate.perSecond)
  of(name).cpuUs.push(rate.cpuUs)
  of(name).p50Ms.push(p50Ms)
  of(name).p99Ms.push(p99Ms)
  return rate
}

async function benchPaces(): Promise<void> {
  const most = median(of('E3 crossing').perSecond)
  await using paced = new Generator<Pace, PaceMeasured>('paced.ts', loadCore)
  for (const share of paces) await benchPace(paced, share, most)
}

async function benchPace(paced: Generator<Pace, PaceMeasured>, share: number, most: number): Promise<void> {
  const { port } = house.server
  const perSecond = share * most
  const requests = requestsOf(crossingOrders, 4 * house.people.length)
  const pace = { port, connections, keys: house.keys, requests, perSecond, warmUpSeconds: 2, seconds: paceSeconds }
  const { startedMs, tookMs, failed, firstFailure } = await paced.ask(pace)
  if (failed > 0) throw new Error(`${failed} requests were refused, first:\n${firstFailure}`)
  const pauses = (await house.pauses(startedMs, startedMs + paceSeconds * 1_000)).map(({ ms }) => ms)
  const shares = { p50Ms: 0.5, p90Ms: 0.9, p99Ms: 0.99, p999Ms: 0.999, maxMs: 1 }
  report({
    bench: 'http',
    case: `E3 crossing, open loop at ${share} of the most`,
    count: tookMs.length,
    figures: {
      requestsPerSecond: rounded(perSecond),
      ...Object.fromEntries(Object.entries(shares).map(([name, at]) => [name, rounded(quantile(tookMs, at))])),
      gcPauses: pauses.length,
      gcMaxMs: rounded(Math.max(0, ...pauses)),
      gcShare: rounded(pauses.reduce((sum, ms) => sum + ms, 0) / (paceSeconds * 1_000)),
    },
  })
  await house.clear()
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
