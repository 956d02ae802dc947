/**
 * Recorded markets: rows a second from files to a tape, and from a tape into the book in virtual time.
 *
 * Day       synthetic: a book of 200 levels whose messages change some twenty each, and trades that meet its best level
 * Options   `--rows=N` (a million)
 * Time      of the wall, since nobody else is in the process; a busy machine shows
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import { readLabSettings } from '../src/lab/settings.ts'
import { openLab } from '../src/processes/laboratory.ts'
import { readConfiguration } from '../src/operator/config/configuration.ts'
import { importTape, type ImportReport } from '../src/tape/tape.ts'
import { shownMarket } from '../src/lab/tape/impact.ts'
import { report, rounded } from './measure.ts'

const rows = Number(process.argv.find((word) => word.startsWith('--rows='))?.slice(7) ?? 1_000_000)
const depth = 100
const perMessage = 20
/** Microseconds. */
const begin = 1_704_067_200_000_000
const everyUs = 100_000

const random = xoroshiro128plus(1)
const drawn = () => uniformFloat64(random)
const whole = (below: number) => Math.floor(drawn() * below)

const directory = mkdtempSync(join(tmpdir(), 'tidemark-bench-tape-'))
try {
  const [levels, trades] = day()
  const files = { levels: join(directory, 'levels.csv'), trades: join(directory, 'trades.csv') }
  writeFileSync(files.levels, levels)
  writeFileSync(files.trades, trades)
  const packed = join(directory, 'levels.csv.gz')
  writeFileSync(packed, gzipSync(levels, { level: 1 }))
  await importing('levels', [files.levels])
  await importing('levels, gzip', [packed])
  await importing('trades', [files.trades])
  const out = await importing('levels and trades', [files.levels, files.trades])
  await playing('levels and trades', out)
  await playing('levels', await importing('levels again', [files.levels]))
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** Two files: levels and trades. */
function day(): [string, string] {
  const levels = ['exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount']
  const trades = ['exchange,symbol,timestamp,local_timestamp,id,side,price,amount']
  const level = (at: number, isBid: boolean, distance: number, amount: string, isSnapshot = false) => {
    const price = ((600_000 + (isBid ? -distance : distance)) / 10).toFixed(1)
    levels.push(`x,BTCUSDT,${at},${at + 4_000},${isSnapshot},${isBid ? 'bid' : 'ask'},${price},${amount}`)
  }
  for (let distance = 1; distance <= depth; distance++) {
    for (const isBid of [true, false]) level(begin, isBid, distance, '1.5', true)
  }
  for (let row = 0, at = begin; row < rows; at += everyUs) {
    if (whole(4) === 0) {
      const isBuy = whole(2) === 0
      const price = (600_000 + (isBuy ? 1 : -1)) / 10
      trades.push(`x,BTCUSDT,${at},${at + 4_000},${row},${isBuy ? 'buy' : 'sell'},${price},${(1 + whole(500)) / 1_000}`)
    }
    for (let change = 0; change < perMessage; change++, row++) {
      const distance = 1 + Math.floor(depth * drawn() ** 2)
      // The best levels stay, so that trades have something to meet.
      const isGone = distance > 2 && whole(8) === 0
      level(at, whole(2) === 0, distance, isGone ? '0' : ((1 + whole(20_000)) / 1_000).toString())
    }
  }
  return [`${levels.join('\n')}\n`, `${trades.join('\n')}\n`]
}

async function importing(name: string, paths: readonly string[]): Promise<string> {
  const out = join(directory, `${name.replaceAll(/\W/g, '-')}.tmk`)
  const startedMs = performance.now()
  const { lines, bytes, rows: count }: ImportReport = await importTape({ files: paths, out, symbol: 'BTCUSDT' })
  const seconds = (performance.now() - startedMs) / 1_000
  const read = paths.reduce((sum, path) => sum + statSync(path).size, 0)
  report({
    bench: 'tape',
    case: `import ${name}`,
    count: lines,
    figures: {
      rowsPerSecond: rounded(lines / seconds),
      megabytesPerSecond: rounded(read / seconds / 1e6),
      rowBytes: rounded(bytes / count),
    },
  })
  return out
}

async function playing(name: string, market: string): Promise<void> {
  const options = { port: '0', simulator: 'off', logLevel: 'silent', noRateLimits: 'true' }
  const { configuration } = readConfiguration({ options, strangers: [], environment: {}, configFile: undefined })
  const lab = await openLab(configuration, readLabSettings({ deterministic: 'true', market }, {}, true))
  const { venue } = lab.find('main')
  const { played, to, at } = shownMarket(venue)!
  const sequence = venue.parts.runtime.sequence
  const startedMs = performance.now()
  await venue.inTurn(() => venue.advance(to - at))
  const seconds = (performance.now() - startedMs) / 1_000
  const count = (shownMarket(venue)?.played ?? 0) - played
  report({
    bench: 'tape',
    case: `play ${name}`,
    count,
    figures: {
      rowsPerSecond: rounded(count / seconds),
      commandsPerSecond: rounded((venue.parts.runtime.sequence - sequence) / seconds),
      timesRealTime: rounded((to - at) / 1_000 / seconds),
      residentMegabytes: rounded(process.memoryUsage().rss / 1e6),
    },
  })
  await lab.close()
}
