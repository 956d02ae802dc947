/**
 * What interrupts a venue at half of what it can take: `npm run bench -- pauses [--minutes=N] [--quick]`.
 *
 * Load      minute by minute: the most that 64 connections which wait can do, until all of it stands in the history, then
 *           crossing E3 orders at half of that for a minute, at fixed times, each timed from when it was due, after five
 *           seconds of the same. So each half is of the machine as it is then, whose speed may change by two within ten
 *           minutes. Two minutes unless told otherwise. Nothing is pinned: a snapshot's twin has the other core, as it would
 * Happens   all the time: about four snapshots in the run, funding every 20 seconds, an index price every second, a new minute
 *           of candles, two days of history that are pruned, half a million fills each, and whatever the collector does
 * Control   after each minute the same orders at the same rate at a server that only checks, keeps and syncs them (bare-server.ts):
 *           what the machine and its disk let pass in that hour
 * Beside    a request is beside what happened while it was under way; what else made it slow is the machine. Where the
 *           system says what time its host took away, that is one of the things
 * Watches   this process, which gives way: its own collections would have both cores for 50 ms
 * Goal      p99.9 below 20 ms
 */
import { readdirSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { BareServer } from './http/bare.ts'
import { Generator } from './http/generator.ts'
import type { Pause } from './http/collector.ts'
import { House } from './http/house.ts'
import { crossingOrders, requestsOf } from './http/kinds.ts'
import type { Round, RoundMeasured } from './http/load.ts'
import type { Pace, PaceMeasured } from './http/paced.ts'
import { sharedNow } from './http/server.ts'
import { random, quantile, report, rounded } from './measure.ts'

const { values: options } = parseArgs({
  options: { minutes: { type: 'string', default: '2' }, quick: { type: 'boolean', default: false } },
})
const parts = options.quick ? 1 : Math.ceil(Number(options.minutes))
const partSeconds = options.quick ? 15 : (Number(options.minutes) * 60) / parts
const mostRounds = options.quick ? 2 : 6
const mostCount = options.quick ? 3_000 : 12_000
/** Of the server that only syncs, for each part. */
const controlSeconds = options.quick ? 5 : 20
const connections = 64
const snapshotsWanted = 4
const slowMs = 20
const snapshotLookMs = 50
/** Of a core, between two looks: less is a collector that tidies up. */
const snapshotBusyMs = 5
/** Looks without work that still belong to the same snapshot, which rests most of its time; and what is too short for one. */
const snapshotGapMs = 500
/** A venue prunes ten seconds after its start, which is in the first part. */
const warmUpSeconds = 5
const oldDays = ['20200101', '20200102']
const oldFills = options.quick ? 50_000 : 500_000
/** Pauses further apart are not of the same collection. */
const markingMsMax = 500
/** After the turn of a minute, in which its candles are closed. */
const candlesMs = 250

/** On the clock that all processes share. */
interface Span {
  readonly fromMs: number
  readonly toMs: number
}

type Occurrence =
  | 'snapshots'
  | 'pruning'
  | 'funding'
  | 'index prices'
  | 'new minutes'
  | 'pauses of the collector'
  | 'major collections'
  | 'stolen time'

await using cleanUp = new AsyncDisposableStack()
const house = cleanUp.use(await House.open(await snapshotsAsWanted()))
const paced = cleanUp.use(new Generator<Pace, PaceMeasured>('paced.ts'))
const load = cleanUp.use(new Generator<Round, RoundMeasured>('load.ts'))
const requests = requestsOf(crossingOrders, 4 * house.people.length)
const bare = cleanUp.use(await BareServer.start(join(house.venue.directory, 'bare')))
await most(house, load)
let perSecond = (await most(house, load)) / 2
await house.restartAfter((directory) => addOldDays(join(directory, 'history.sqlite')))

for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), constants.priority.PRIORITY_LOW)
let over = false
const beganMs = sharedNow()
const watched = Promise.all([spansOfTwins(), spanOfPruning(), settleFunding(), movePrices(), spansOfStolenTime()])
// A run that fails ends the venue under them; why it failed is what is to be reported.
watched.catch(() => {})
const rates: number[] = []
const dueMs: number[] = []
const tookMs: number[] = []
const controlMs: number[] = []
for (let part = 0; part < parts; part++) {
  if (part > 0) perSecond = (await most(house, load)) / 2
  await playHalf()
  await playControl()
}
over = true
const [snapshots, pruning, funding, prices, stolen] = await watched
const pauses = await house.pauses(beganMs, sharedNow())
const happened: Readonly<Record<Occurrence, readonly Span[]>> = {
  snapshots,
  pruning,
  funding,
  'index prices': prices,
  'new minutes': minutes(),
  'pauses of the collector': pauses.map(spanOf),
  'major collections': spansOfMajors(),
  'stolen time': stolen,
}
reportAll()

/** Orders of the whole run, roughly, for as many snapshots. */
async function snapshotsAsWanted(): Promise<Readonly<Record<string, string>>> {
  await using fresh = await House.open(snapshotsEvery(0))
  await using trial = new Generator<Round, RoundMeasured>('load.ts')
  await most(fresh, trial)
  const half = (await most(fresh, trial)) / 2
  const orders = parts * (mostRounds * mostCount + half * (warmUpSeconds + partSeconds))
  return snapshotsEvery(orders / snapshotsWanted)
}

/** Orders a second over connections that wait for their answers, and then for the history. */
async function most(of: House, by: typeof load): Promise<number> {
  const orders = requestsOf(crossingOrders, mostCount)
  let tookSeconds = 0
  for (let round = 0; round < mostRounds; round++) {
    const { seconds, failed, firstFailure } = await by.ask({
      port: of.server.port,
      connections,
      keys: of.keys,
      requests: orders,
    })
    if (failed > 0) throw new Error(`${failed} requests were refused, first:\n${firstFailure}`)
    tookSeconds += seconds
  }
  const answeredMs = performance.now()
  await of.historyStands()
  return (mostRounds * mostCount) / (tookSeconds + (performance.now() - answeredMs) / 1_000)
}

/** A part of the run at `perSecond`. */
async function playHalf(): Promise<void> {
  const pace = { port: house.server.port, connections, keys: house.keys, requests, perSecond }
  const measured = await paced.ask({ ...pace, warmUpSeconds, seconds: partSeconds })
  const { startedMs, failed, firstFailure } = measured
  if (failed > 0) throw new Error(`${failed} requests were refused, first:\n${firstFailure}`)
  rates.push(perSecond)
  const [nth, figures] = [rates.length, delays(measured.tookMs)]
  report({
    bench: 'pauses',
    case: `part ${nth}: E3 at ${rounded(perSecond)}/s`,
    count: measured.tookMs.length,
    figures,
  })
  for (const [index, took] of measured.tookMs.entries()) {
    dueMs.push(startedMs + (index * 1_000) / perSecond)
    tookMs.push(took)
  }
}

/** The part's rate, of the server that only syncs. */
async function playControl(): Promise<void> {
  const { port, keys } = bare
  const pace = { port, keys, connections, requests: bare.asked(requests), perSecond }
  const measured = await paced.ask({ ...pace, warmUpSeconds: 1, seconds: controlSeconds })
  if (measured.failed > 0) throw new Error(`${measured.failed} requests were refused, first:\n${measured.firstFailure}`)
  for (const took of measured.tookMs) controlMs.push(took)
  report({
    bench: 'pauses',
    case: `part ${rates.length}: a server that only syncs, at ${rounded(perSecond)}/s`,
    count: measured.tookMs.length,
    figures: delays(measured.tookMs),
  })
}

function snapshotsEvery(commands: number): Readonly<Record<string, string>> {
  return { TIDEMARK_SNAPSHOT_EVERY: String(Math.round(commands)) }
}

/** The venue's child process is its twin, one thread of which makes the snapshots and else does nothing. */
async function spansOfTwins(): Promise<Span[]> {
  const { pid } = house.server
  const spans: Span[] = []
  let busyMs = 0
  for (; !over; await sleep(snapshotLookMs)) {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    const nowMs = sharedNow()
    const before = busyMs
    busyMs = children.filter((child) => child !== '').reduce((sum, child) => sum + snapshotMs(child), 0)
    if (busyMs - before < snapshotBusyMs) continue
    const last = spans.at(-1)
    if (last !== undefined && nowMs - last.toMs < snapshotGapMs) spans[spans.length - 1] = { ...last, toMs: nowMs }
    else spans.push({ fromMs: nowMs - snapshotLookMs, toMs: nowMs })
  }
  return spans.filter(({ fromMs, toMs }) => toMs - fromMs > snapshotGapMs)
}

/** Processor time of the threads of a process that make snapshots. */
function snapshotMs(pid: string): number {
  const tasks = `/proc/${pid}/task`
  try {
    const threads = readdirSync(tasks).filter(
      (thread) => readFileSync(`${tasks}/${thread}/comm`, 'utf8').trim() === 'snapshot',
    )
    return threads.reduce((sum, thread) => {
      return sum + Number(readFileSync(`${tasks}/${thread}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6
    }, 0)
  } catch {
    return 0 // it ended while we looked
  }
}

/** Fills of days that are long over, of random accounts, in tables as the venue makes them. */
function addOldDays(file: string): void {
  using database = new DatabaseSync(file)
  const made = database.prepare(`select sql from sqlite_schema where tbl_name = 'fills' and sql is not null`).all()
  const [columns] = database.prepare(`select group_concat(name) names from pragma_table_info('fills')`).all()
  const names = String(columns['names'])
  const values = names.replace('exec_id', 'n').replace(/\buid\b/, 'abs(random()) % 100000')
  for (const day of oldDays) {
    for (const { sql } of made)
      database.exec(String(sql).replaceAll(/\bfills\b|(?<=")fills_/g, (name) => nameOn(day, name)))
    database.exec(`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${oldFills})
      insert into fills_${day} (${names}) select ${values} from numbers cross join (select * from fills limit 1)`)
  }
}

function nameOn(day: string, name: string): string {
  return name === 'fills' ? `fills_${day}` : `day_${day}_${name}`
}

/** From the first of the old days that goes to the last. */
async function spanOfPruning(): Promise<Span[]> {
  using database = new DatabaseSync(join(house.venue.directory, 'history.sqlite'), { readOnly: true })
  const left = database.prepare(`select count(*) tables from sqlite_schema where name glob 'fills_2020*'`)
  let before = sharedNow()
  let first: number | undefined
  for (; !over; await sleep(20)) {
    const tables = Number(left.get()?.['tables'])
    if (tables === 0) return [{ fromMs: first ?? before, toMs: sharedNow() }]
    if (tables < oldDays.length) first ??= before
    before = sharedNow()
  }
  throw new Error('the old days were not pruned')
}

function spanOf({ atMs, ms }: Pause): Span {
  return { fromMs: atMs, toMs: atMs + ms }
}

/** From when marking begins, which other threads do, to the pause that ends it. */
function spansOfMajors(): Span[] {
  const spans: Span[] = []
  for (const { fromMs, toMs } of pauses.filter(({ isMajor }) => isMajor).map(spanOf)) {
    const last = spans[spans.length - 1]
    if (last !== undefined && fromMs - last.toMs < markingMsMax) spans[spans.length - 1] = { fromMs: last.fromMs, toMs }
    else spans.push({ fromMs, toMs })
  }
  return spans
}

/** Between two looks of which the second saw more of it: hundredths of a second, of all cores. */
async function spansOfStolenTime(): Promise<Span[]> {
  const spans: Span[] = []
  let fromMs = sharedNow()
  for (let before = stolenTicks(); !over; await sleep(20)) {
    const [now, toMs] = [stolenTicks(), sharedNow()]
    if (now > before) spans.push({ fromMs, toMs })
    before = now
    fromMs = toMs
  }
  return spans
}

function stolenTicks(): number {
  return Number(readFileSync('/proc/stat', 'utf8').split('\n', 1)[0].split(/ +/)[8])
}

function settleFunding(): Promise<Span[]> {
  const body = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' }
  return repeatedly(options.quick ? 5_000 : 20_000, () => house.venue.operator('funding/settle', body))
}

function movePrices(): Promise<Span[]> {
  const draw = random(1)
  return repeatedly(1_000, () => house.venue.setIndexPrices({ BTC: (60_000 + draw() * 6).toFixed(2) }))
}

async function repeatedly(everyMs: number, act: () => Promise<unknown>): Promise<Span[]> {
  const spans: Span[] = []
  for (let waitedMs = 0; !over; waitedMs += 50) {
    await sleep(50)
    if (waitedMs % everyMs !== 0) continue
    const fromMs = sharedNow()
    await act()
    spans.push({ fromMs, toMs: sharedNow() })
  }
  return spans
}

function minutes(): Span[] {
  const first = Math.ceil(beganMs / 60_000)
  const turns = Math.max(0, Math.ceil(sharedNow() / 60_000) - first)
  return Array.from({ length: turns }, (_, index) => {
    const fromMs = (first + index) * 60_000
    return { fromMs, toMs: fromMs + candlesMs }
  })
}

function reportAll(): void {
  const paces = [...new Set([Math.min(...rates), Math.max(...rates)].map(rounded))].join(' to ')
  const what = `E3 at ${paces}/s`
  const all = Float64Array.from(tookMs)
  report({ bench: 'pauses', case: `${what}, ${parts * partSeconds} s`, count: all.length, figures: delays(all) })
  const control = Float64Array.from(controlMs)
  const slowControl = control.filter((took) => took > slowMs).length / control.length
  report({
    bench: 'pauses',
    case: `a server that only syncs, at ${paces}/s`,
    count: control.length,
    figures: { ...delays(control), slowShare: rounded(slowControl) },
  })
  const beside = new Map(
    Object.entries(happened).map(([name, spans]) => [name, new Set(requestsBeside(spans))] as const),
  )
  for (const [name, indices] of beside) {
    const spans = happened[name as Occurrence]
    if (indices.size === 0) continue
    const took = Float64Array.from(indices, (index) => tookMs[index])
    const longestMs = rounded(Math.max(...spans.map(({ fromMs, toMs }) => toMs - fromMs)))
    const figures = { times: spans.length, longestMs, ...delays(took) }
    report({ bench: 'pauses', case: `${what}, beside ${name}`, count: took.length, figures })
  }
  const slow = [...tookMs.keys()].filter((index) => tookMs[index] > slowMs)
  const among = [...beside].map(([name, indices]) => {
    return [`beside ${name}`, slow.filter((index) => indices.has(index)).length] as const
  })
  const besideNothing = slow.filter((index) => [...beside.values()].every((indices) => !indices.has(index))).length
  report({
    bench: 'pauses',
    case: `${what}, slower than ${slowMs} ms`,
    count: slow.length,
    figures: { share: rounded(slow.length / tookMs.length), ...Object.fromEntries(among), besideNothing },
  })
}

function delays(took: Float64Array): Record<string, number> {
  const shares = { p50Ms: 0.5, p90Ms: 0.9, p99Ms: 0.99, p999Ms: 0.999, maxMs: 1 }
  return Object.fromEntries(Object.entries(shares).map(([name, share]) => [name, rounded(quantile(took, share))]))
}

/** Which were under way in one of the spans; these do not overlap, and follow one another. */
function requestsBeside(spans: readonly Span[]): number[] {
  const found: number[] = []
  let next = 0
  for (const [index, due] of dueMs.entries()) {
    while (next < spans.length && spans[next].toMs < due) next++
    if (next < spans.length && spans[next].fromMs <= due + tookMs[index]) found.push(index)
  }
  return found
}
