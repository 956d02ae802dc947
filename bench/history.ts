/**
 * How fast the history takes rows and answers pages: `npm run bench -- history [--rows=N] [--accounts=N] [--quick]`.
 *
 * Mix      every match is a trade, two fills of random accounts and two ended orders, over ten instruments; all of them over
 *          ten days
 * Filling  ten million rows as fast as they are taken, records ahead of the disk by as much as a venue lets them be
 * Steady   then 100,000 rows a second at fixed times: how long a row waits for its commit (`lag`), and pages meanwhile
 * Pages    an account's newest 100, of fills and of ended orders in turns
 * Pruning  the first of the ten days goes: how long, and pages meanwhile
 * Disk     about 2 GB in the system's directory for temporary files, removed at the end
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type History, openHistory } from '../src/history/history.ts'
import { matchOf, rowsPerMatch } from './matches.ts'
import { quantile, random, report, rounded } from './measure.ts'

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    accounts: { type: 'string', default: '100000' },
    quick: { type: 'boolean', default: false },
  },
})
const rows = options.quick ? 100_000 : Number(options.rows)
const accounts = Number(options.accounts)
const steadyRowsPerSecond = 100_000
const steadySeconds = options.quick ? 1 : 10
const pendingMax = 20_000
const pages = 200

const dayMs = 86_400_000
const start = Date.UTC(2026, 0, 1)
const matches = Math.ceil(rows / rowsPerMatch)
const msPerMatch = (10 * dayMs) / matches
const draw = random(1)
const below = (bound: number) => Math.floor(draw() * bound)
const someone = () => 1_000_000 + below(accounts)

/** Records what one match emitted. */
function record(history: History, id: number): void {
  const at = start + Math.floor(id * msPerMatch)
  history.record(id, at, matchOf({ id, at, instrument: below(10), maker: someone(), taker: someone() }, draw))
}

const directory = await mkdtemp(join(tmpdir(), 'tidemark-history-'))
try {
  const history = await openHistory(join(directory, 'history.sqlite'))
  await fill(history)
  await readAlone(history)
  await steady(history)
  await prune(history)
  await history.close()
} finally {
  await rm(directory, { recursive: true })
}

async function fill(history: History): Promise<void> {
  let lastTenth = 0
  const began = performance.now()
  const cpuBefore = process.cpuUsage()
  for (let id = 1; id <= matches; id++) {
    record(history, id)
    if (history.pendingEvents > pendingMax) await history.flush()
    if (id === Math.floor(matches * 0.9)) {
      await history.flush()
      lastTenth = performance.now()
    }
  }
  await history.flushDurably()
  const ended = performance.now()
  const { user, system } = process.cpuUsage(cpuBefore)
  const written = matches * rowsPerMatch
  reportCase('filling', written, {
    rowsPerSecond: (written / (ended - began)) * 1_000,
    rowsPerSecondLastTenth: (written / 10 / (ended - lastTenth)) * 1_000,
    cpuUsPerRow: (user + system) / written,
    bytesPerRow: (await bytesIn(directory)) / written,
  })
}

async function readAlone(history: History): Promise<void> {
  const took: number[] = []
  for (let page = 0; page < pages; page++) took.push(await timedPage(history, page))
  reportCase('pages', pages, pageFigures(took))
}

async function steady(history: History): Promise<void> {
  const perMs = steadyRowsPerSecond / rowsPerMatch / 1_000
  const recordedMs: number[] = []
  const lags: number[] = []
  const reading = pagesUntil(history)
  const began = performance.now()
  for (let over = false; !over; await sleep(1)) {
    const nowMs = performance.now()
    over = nowMs - began >= steadySeconds * 1_000
    const due = Math.floor(Math.min(nowMs - began, steadySeconds * 1_000) * perMs)
    while (recordedMs.length < due) {
      recordedMs.push(performance.now())
      record(history, matches + recordedMs.length)
    }
    const oldest = recordedMs[history.health().committedSequence - matches]
    lags.push(oldest === undefined ? 0 : performance.now() - oldest)
  }
  const tookMs = performance.now() - began
  const took = await reading.stop()
  reportCase(`steady ${steadyRowsPerSecond} rows/s`, recordedMs.length * rowsPerMatch, {
    rowsPerSecond: (recordedMs.length * rowsPerMatch * 1_000) / tookMs,
    lagP50Ms: quantile(lags, 0.5),
    lagP99Ms: quantile(lags, 0.99),
    lagMaxMs: quantile(lags, 1),
    ...pageFigures(took),
  })
  await history.flush()
}

async function prune(history: History): Promise<void> {
  const reading = pagesUntil(history)
  const began = performance.now()
  await history.prune(start + dayMs)
  const tookMs = performance.now() - began
  const gone = (matches * rowsPerMatch) / 10
  reportCase('pruning a day', gone, {
    seconds: tookMs / 1_000,
    rowsPerSecond: (gone / tookMs) * 1_000,
    ...pageFigures(await reading.stop()),
  })
}

async function timedPage(history: History, page: number): Promise<number> {
  const uid = someone()
  const asked = performance.now()
  if (page % 2 === 0) await history.fills({ uid, limit: 100 })
  else await history.orders({ uid, limit: 100, from: start, to: start + 20 * dayMs })
  return performance.now() - asked
}

/** Reads a page every 20 ms, one after another, until it is stopped. */
function pagesUntil(history: History): { stop(): Promise<number[]> } {
  let stopped = false
  const read = async () => {
    const took: number[] = []
    while (!stopped || took.length === 0) {
      took.push(await timedPage(history, took.length))
      await sleep(20)
    }
    return took
  }
  const reading = read()
  return {
    stop: () => {
      stopped = true
      return reading
    },
  }
}

function pageFigures(took: readonly number[]): Record<string, number> {
  return { pageP50Ms: quantile(took, 0.5), pageP99Ms: quantile(took, 0.99), pageMaxMs: quantile(took, 1) }
}

/** Of all files, the write-ahead log included. */
async function bytesIn(place: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(place, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  }
  return bytes
}

function reportCase(what: string, count: number, figures: Readonly<Record<string, number>>): void {
  const figuresShown = Object.entries(figures).map(([name, value]) => [name, rounded(value)])
  const name = `${what}, ${matches * rowsPerMatch} rows, ${accounts} accounts`
  report({ bench: 'history', case: name, count, figures: Object.fromEntries(figuresShown) as Record<string, number> })
}
