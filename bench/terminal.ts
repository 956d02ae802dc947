/**
 * The trading terminal in a real browser: how soon something is seen, how large it is, and whether it stays quick while the
 * market sends 50 trades a second and more.
 *
 * Paint    of a page that is opened for the first time, by the browser's own clock; the median of several
 * Live     signed in, chart, book and tape in view; somebody trades 50 times a second. Tasks of the page's main thread out of
 *          the browser's trace, after the page has settled: by the clock (`longTasks` held it up for more than 50 ms), and in
 *          processor time, which others on the machine do not stretch
 * Bundle   bytes of what is loaded, as sent (gzip)
 * Shared   venue, trader and browser with software drawing run on the same cores: a person's machine does better
 */
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
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
await measureLive(browser, venue)
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

async function measureLive(opened: Browser, at: Venue): Promise<void> {
  const terminal = await Terminal.open(opened, at.url, 'desktop')
  const { page } = terminal
  let pushes = 0
  page.on('websocket', (socket) => socket.on('framereceived', () => pushes++))
  await page.reload()
  await terminal.signInAs('unified-main')
  const trader = await at.person('trader', { funds: { uta: { USDT: '10000000', BTC: '100' } } })
  const trading = tradeSteadily(trader, liveSeconds + settleMs / 1000 + 1)
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
  report({ bench: 'terminal', case: `${tradesPerSecond} trades a second`, count: received, figures })
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
async function tradeSteadily(trader: Person, seconds: number): Promise<void> {
  const sent: Promise<unknown>[] = []
  const startedAt = Date.now()
  for (let count = 0; count < seconds * tradesPerSecond; count++) {
    const wait = startedAt + (count * 1000) / tradesPerSecond - Date.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'market', qty: '0.001' }
    const side = count % 2 === 0 ? 'buy' : 'sell'
    // One that meets a connection that is just closing is missed by nobody.
    sent.push(trader.post('/api/v3/trade/place-order', { ...order, side }).catch(() => undefined))
  }
  await Promise.all(sent)
}

function measureBundle(): void {
  const builds = fileURLToPath(new URL('../dist/terminal', import.meta.url))
  const built = join(builds, readFileSync(join(builds, 'current'), 'utf8'))
  const figures: Record<string, number> = {}
  for (const entry of readdirSync(built, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !['.html', '.js', '.css', '.svg'].includes(extname(entry.name))) continue
    const name = `${entry.name.split('-')[0]}${entry.name.includes('-') ? extname(entry.name) : ''}GzipBytes`
    figures[name] = gzipSync(readFileSync(`${entry.parentPath}/${entry.name}`), { level: 9 }).length
  }
  report({ bench: 'terminal', case: 'size', count: Object.keys(figures).length, figures })
}
