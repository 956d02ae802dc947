/**
 * How fast the history takes rows and answers pages: `npm run bench -- history [--rows=N] [--accounts=N] [--quick]`.
 *
 * Mix      every match is a trade, two fills of random accounts and two ended orders, over ten instruments
 * Figures  rows a second from the first record to the last commit, the main thread's share of that in nanoseconds a row,
 *          and milliseconds of pages of an account's newest 100 at the end
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openHistory } from '../src/history/history.ts'
import { matchOf, rowsPerMatch } from './matches.ts'
import { chance, report } from './measure.ts'

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    accounts: { type: 'string', default: '100000' },
    quick: { type: 'boolean', default: false },
  },
})
const rows = options.quick ? 100_000 : Number(options.rows)
const accounts = Number(options.accounts)
/** Records ahead of the disk by at most so much, as the venue does. */
const pendingMax = 20_000

const start = Date.UTC(2026, 0, 1)
const pages = 200

const random = chance(1)

function below(bound: number): number {
  return Math.floor(random() * bound)
}

function percentile(sorted: readonly number[], share: number): number {
  return Number(sorted[Math.floor((sorted.length - 1) * share)].toFixed(3))
}

/** Of all files, the write-ahead log included. */
async function bytesIn(place: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(place, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  }
  return bytes
}

const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
try {
  const file = join(directory, 'history.sqlite')
  const history = await openHistory(file)
  const matches = Math.ceil(rows / rowsPerMatch)
  let recording = 0
  let lastTenth = 0
  const began = performance.now()
  for (let n = 1; n <= matches; n++) {
    const parties = { maker: 1_000_000 + below(accounts), taker: 1_000_000 + below(accounts) }
    const events = matchOf({ id: n, at: start + n, instrument: below(10), ...parties }, random)
    const before = performance.now()
    history.record(n, start + n, events)
    recording += performance.now() - before
    if (history.pendingEvents > pendingMax) await history.flush()
    if (n === Math.floor(matches * 0.9)) {
      await history.flush()
      lastTenth = performance.now()
    }
  }
  await history.flushDurably()
  const ended = performance.now()

  const reads: number[] = []
  for (let n = 0; n < pages; n++) {
    const uid = 1_000_000 + below(accounts)
    const asked = performance.now()
    if (n % 2 === 0) await history.fills({ uid, limit: 100 })
    else await history.orders({ uid, limit: 100, from: start, to: start + matches })
    reads.push(performance.now() - asked)
  }
  reads.sort((a, b) => a - b)

  const written = matches * rowsPerMatch
  const size = await bytesIn(directory)
  report({
    bench: 'history',
    case: `${accounts} accounts`,
    count: written,
    figures: {
      rowsPerSecond: Math.round((written / (ended - began)) * 1_000),
      rowsPerSecondLastTenth: Math.round((written / 10 / (ended - lastTenth)) * 1_000),
      recordNsPerRow: Math.round((recording / written) * 1e6),
      pageMsP50: percentile(reads, 0.5),
      pageMsP99: percentile(reads, 0.99),
      bytesPerRow: Math.round(size / written),
    },
  })
  await history.close()
} finally {
  await rm(directory, { recursive: true })
}
