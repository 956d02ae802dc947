/**
 * The trading terminal in a real browser: how soon something is seen, how large it is, and whether it stays quick while the
 * market sends 50 trades a second and more.
 *
 * Paint    of a page that is opened for the first time, by the browser's own clock; the median of several
 * Live     signed in, chart, book and tape in view; somebody trades 50 times a second. Once more with four markets side by side
 *          and three indicators in each, these trades among the four. Tasks of the page's main thread out of
 *          the browser's trace, after the page has settled: by the clock (`longTasks` held it up for more than 50 ms), and in
 *          processor time, which others on the machine do not stretch
 * Bundle   bytes of what is loaded, as sent (gzip): the page with all that it names, and what comes when it is wanted
 * Shared   venue, trader and browser with software drawing run on the same cores: a person's machine does better
 */
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../test/browser/browser.ts'
import { Terminal } from '../test/browser/page.ts'
import type { Person } from '../test/support/person.ts'
import { startVenue, type Venue } from '../test/support/venue.ts'
import { median, report, rounded } from './measure.ts'

const quick = process.argv.includes('--quick')
const opensCount = quick ? 3 : 9
const liveSeconds = quick ? 5 : 30
const tradesPerSecond = 50
const settleMs = 3_000

const countFrames = `
  globalThis.frames = 0
  const count = () => { frames++; requestAnimationFrame(count) }
  requestAnimationFrame(count)
`

await using cleanUp = new AsyncDisposableStack()
const venue = await startVenue({ simulator: true, rateLimits: false })
cleanUp.defer(() => venue.remove())
const browser = await launchBrowser()
cleanUp.defer(() => browser.close())

await measurePaint(browser, venue)
await measureLive(browser, venue, { case: 'live', symbols: ['BTCUSDT'], kept: {} })
await measureLive(browser, venue, {
  case: 'live, four markets, three indicators',
  symbols: ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT'],
  kept: { 'layout.panes': '4', indicators: 'MA:7,25,99 MACD:12,26,9 RSI:14' },
})
measureBundle()

async function measurePaint(opened: Browser, { url }: Venue): Promise<void> {
  const paints: number[] = []
  const markets: number[] = []
  for (let count = 0; count < opensCount; count++) {
    const terminal = await Terminal.open(opened, url, 'desktop')
    await terminal.page.getByTestId('last-price').filter({ hasText: /\d/ }).waitFor()
    markets.push(await terminal.page.evaluate<number>('performance.now()'))
    const paint = `performance.getEntriesByName('first-contentful-paint')[0].startTime`
    paints.push(await terminal.page.evaluate<number>(paint))
    await terminal.close()
  }
  const figures = { firstPaintMs: rounded(median(paints)), marketShownMs: rounded(median(markets)) }
  report({ bench: 'terminal', case: 'opened for the first time', count: opensCount, figures })
}

interface Live {
  readonly case: string
  /** Traded in turns. */
  readonly symbols: readonly string[]
  /** What the browser has kept of a person's choices. */
  readonly kept: Readonly<Record<string, string>>
}

async function measureLive(opened: Browser, at: Venue, live: Live): Promise<void> {
  const terminal = await Terminal.open(opened, at.url, 'desktop')
  const { page } = terminal
  let pushes = 0
  page.on('websocket', (socket) => socket.on('framereceived', () => pushes++))
  for (const [name, value] of Object.entries(live.kept))
    await page.evaluate(`localStorage.setItem('tidemark.${name}', ${JSON.stringify(JSON.stringify(value))})`)
  await page.reload()
  await terminal.signInAs('unified-main')
  const trader = await at.person('trader', { funds: { uta: { USDT: '10000000', BTC: '100' } } })
  const trading = tradeSteadily(trader, live.symbols, liveSeconds + settleMs / 1000 + 1)
  await page.waitForTimeout(settleMs)
  await page.evaluate(countFrames)
  await opened.startTracing(page, { categories: ['__metadata', 'toplevel', 'disabled-by-default-devtools.timeline'] })
  pushes = 0
  const startedAt = Date.now()
  await page.waitForTimeout(liveSeconds * 1000)
  const seconds = (Date.now() - startedAt) / 1000
  const frames = await page.evaluate<number>('frames')
  const received = pushes
  const tasks = tasksOf(JSON.parse((await opened.stopTracing()).toString()) as Trace)
  await trading
  await terminal.close()
  const figures = {
    pushesPerSecond: rounded(received / seconds),
    framesPerSecond: rounded(frames / seconds),
    longTasks: tasks.filter(({ clockMs }) => clockMs > 50).length,
    longestTaskMs: rounded(Math.max(...tasks.map(({ clockMs }) => clockMs))),
    longestTaskCpuMs: rounded(Math.max(...tasks.map(({ cpuMs }) => cpuMs))),
    cpuShare: rounded(tasks.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000 / seconds),
  }
  report({ bench: 'terminal', case: `${live.case}, ${tradesPerSecond} trades a second`, count: received, figures })
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Microseconds by the clock, and of the processor. */
  readonly dur?: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}
interface Trace {
  readonly traceEvents: readonly TraceEvent[]
}

/** Of the main threads of pages: there is one page. */
function tasksOf({ traceEvents }: Trace): { readonly clockMs: number; readonly cpuMs: number }[] {
  const isMain = ({ name, args }: TraceEvent) => name === 'thread_name' && args?.name === 'CrRendererMain'
  const mains = new Set(traceEvents.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`))
  return traceEvents
    .filter(({ name, pid, tid, dur }) => name.endsWith('RunTask') && dur !== undefined && mains.has(`${pid} ${tid}`))
    .map(({ dur = 0, tdur = 0 }) => ({ clockMs: dur / 1000, cpuMs: tdur / 1000 }))
}

/** Buys and sells in turns, by the clock, without waiting for answers. */
async function tradeSteadily(trader: Person, symbols: readonly string[], seconds: number): Promise<void> {
  const sent: Promise<unknown>[] = []
  const startedAt = Date.now()
  for (let count = 0; count < seconds * tradesPerSecond; count++) {
    const wait = startedAt + (count * 1000) / tradesPerSecond - Date.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const symbol = symbols[count % symbols.length]
    const order = { category: 'USDT-FUTURES', symbol, orderType: 'market', qty: symbol === 'BTCUSDT' ? '0.001' : '5' }
    const side = Math.floor(count / symbols.length) % 2 === 0 ? 'buy' : 'sell'
    // One that meets a connection that is just closing is missed by nobody.
    sent.push(trader.post('/api/v3/trade/place-order', { ...order, side }).catch(() => undefined))
  }
  await Promise.all(sent)
}

function measureBundle(): void {
  const builds = fileURLToPath(new URL('../dist/terminal', import.meta.url))
  const built = join(builds, readFileSync(join(builds, 'current'), 'utf8'))
  const sent = new Map<string, Buffer>()
  for (const entry of readdirSync(built, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const bytes = readFileSync(file)
    const isPacked = extname(file) === '.gz'
    sent.set(relative(built, isPacked ? file.slice(0, -3) : file), isPacked ? bytes : gzipSync(bytes, { level: 9 }))
  }
  const sizeOf = (isMeant: (name: string) => boolean) =>
    [...sent].reduce((sum, [name, { length }]) => sum + (isMeant(name) ? length : 0), 0)
  const page = gunzipSync(sent.get('index.html') ?? '').toString()
  const later = (name: string) => sizeOf((file) => new RegExp(`^assets/${name}-[^.]+\\.js$`).test(file))
  const figures = {
    pageGzipBytes: sizeOf((name) => name === 'index.html' || page.includes(`/${name}"`)),
    chartGzipBytes: later('chart'),
    chineseGzipBytes: later('zh'),
    unifiedGzipBytes: later('unified-account'),
    classicGzipBytes: later('classic-account'),
    performanceGzipBytes: later('performance'),
  }
  report({ bench: 'terminal', case: 'size', count: sent.size, figures })
}
