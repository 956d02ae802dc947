/**
 * The trading terminal in a real browser: how soon something is seen, how large it is, and whether it stays quick while the
 * market sends 50 trades a second and more.
 *
 * Paint    of a page that is opened for the first time, by the browser's own clock; the median of several
 * Live     signed in, chart, book and tape in view; somebody trades 50 times a second. Long tasks are the browser's own
 *          count of what held the page up for more than 50 ms, after the page has settled
 * Bundle   bytes of what is loaded, as sent (gzip)
 * Shared   venue, trader and browser with software drawing run on the same cores: a person's machine does better
 */
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
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
  await observe(page)
  pushes = 0
  const startedAt = Date.now()
  await page.waitForTimeout(liveSeconds * 1000)
  const seconds = (Date.now() - startedAt) / 1000
  const seen = await page.evaluate<Observed>('seen')
  const received = pushes
  await trading
  await terminal.close()
  const figures = {
    pushesPerSecond: rounded(received / seconds),
    framesPerSecond: rounded(seen.frames / seconds),
    longTasks: seen.tasks.length,
    longestTaskMs: rounded(Math.max(0, ...seen.tasks)),
  }
  report({ bench: 'terminal', case: `${tradesPerSecond} trades a second`, count: received, figures })
}

interface Observed {
  readonly tasks: readonly number[]
  readonly frames: number
}

async function observe(page: Page): Promise<void> {
  await page.evaluate(`
    globalThis.seen = { tasks: [], frames: 0 }
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.tasks.push(duration)
    }).observe({ type: 'longtask' })
    const count = () => { seen.frames++; requestAnimationFrame(count) }
    requestAnimationFrame(count)
  `)
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
    sent.push(trader.post('/api/v3/trade/place-order', { ...order, side }))
  }
  await Promise.all(sent)
}

function measureBundle(): void {
  const built = fileURLToPath(new URL('../dist/terminal', import.meta.url))
  const figures: Record<string, number> = {}
  for (const entry of readdirSync(built, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !['.html', '.js', '.css', '.svg'].includes(extname(entry.name))) continue
    const name = `${entry.name.split('-')[0]}${entry.name.includes('-') ? extname(entry.name) : ''}GzipBytes`
    figures[name] = gzipSync(readFileSync(`${entry.parentPath}/${entry.name}`), { level: 9 }).length
  }
  report({ bench: 'terminal', case: 'size', count: Object.keys(figures).length, figures })
}
