/**
 * What the terminal tells of what nobody asked for: liquidations and triggered orders, by their names in every place, with
 * how they go. Prices are the test's own, on a manual clock.
 */
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { startVenue, type Venue } from '../support/venue.ts'
import { launchBrowser } from './browser.ts'
import { type Size, Terminal } from './page.ts'

let venue: Venue
let browser: Browser
let maker: Person

beforeAll(async () => {
  venue = await startVenue({ clock: 'manual' })
  browser = await launchBrowser()
  maker = await venue.person('maker', { mode: 'classic', funds: { usdt_futures: { USDT: '5000000' } } })
})

afterAll(async () => {
  await browser?.close()
  await venue?.remove()
})

const contract = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT', marginMode: 'crossed' }

async function offer(side: 'buy' | 'sell', price: string, size = '0.5'): Promise<void> {
  const body = { ...contract, side, size, price, orderType: 'limit', force: 'gtc' }
  expect((await maker.post('/api/v2/mix/order/place-order', body)).code).toBe('00000')
}

/** An isolated long of 0.5 from 60,000. */
const openLong = {
  classic: (who: Person) =>
    who.post('/api/v2/mix/order/place-order', {
      ...contract,
      marginMode: 'isolated',
      side: 'buy',
      size: '0.5',
      price: '60000',
      orderType: 'limit',
      force: 'gtc',
    }),
  unified: (who: Person) =>
    who.post('/api/v3/trade/place-order', {
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      marginMode: 'isolated',
      side: 'buy',
      qty: '0.5',
      price: '60000',
      orderType: 'limit',
    }),
} as const

describe.each<['classic' | 'unified', Size, 'dark' | 'light']>([
  ['classic', 'wide', 'dark'],
  ['unified', 'desktop', 'light'],
  ['unified', 'phone', 'dark'],
])('a liquidation of a %s account, %s', (mode, size, theme) => {
  let terminal: Terminal

  beforeAll(async () => {
    await venue.setIndexPrices({ BTC: '60000' })
    await venue.advance(2_000)
    const wallet = mode === 'classic' ? 'usdt_futures' : 'uta'
    const trader = await venue.person('trader', { mode, funds: { [wallet]: { USDT: '2000' } } })
    await offer('sell', '60000')
    terminal = await Terminal.open(browser, venue.url, size, theme)
    await terminal.signInWith(trader.key)
    expect((await openLong[mode](trader)).code).toBe('00000')
    await terminal.showTab('positions')
    await terminal.page.getByRole('row', { name: /BTCUSDT/ }).waitFor()
    await offer('buy', '57100')
    await venue.setIndexPrices({ BTC: '55000' })
    await venue.advance(2_000)
  })

  afterAll(async () => {
    await terminal?.close()
  })

  test('the notice says what it was, not that something was sold, and leads to how it goes', async () => {
    const { page } = terminal
    const notice = page.locator('.notice.bad').filter({ hasText: 'BTCUSDT liquidated' })
    await notice.getByText(/Sold 0\.5 BTC at/).waitFor()
    expect(await page.locator('.notice.good').filter({ hasText: 'Sold' }).count()).toBe(0)
    await terminal.shot(`told-${mode}-notice`)
    await notice.getByRole('button', { name: 'Liquidation' }).click()
    await page.getByRole('dialog').getByRole('heading', { name: 'How a liquidation goes' }).waitFor()
    await terminal.shot(`told-${mode}-explained`)
    await page.keyboard.press('Escape')
  })

  test.each([
    ['history', 'Order history'],
    ['fills', 'Fills'],
    ['closed', 'Closed positions'],
  ])('%s names it', async (tab, caption) => {
    const { page } = terminal
    await terminal.showTab(tab)
    await page
      .getByRole('table', { name: caption })
      .getByRole('row', { name: /BTCUSDT/ })
      .getByRole('button', { name: 'Liquidation' })
      .first()
      .waitFor()
    await terminal.shot(`told-${mode}-${tab}`)
  })

  test('bills name it, with the balance after it, and all of them can be saved', async () => {
    const { page } = terminal
    await terminal.showTab('bills')
    const bills = page.getByRole('table', { name: 'Bills' })
    await bills
      .getByRole('row', { name: /Opened a position|Bought/ })
      .first()
      .waitFor()
    await bills.getByRole('button', { name: 'Liquidation' }).first().waitFor()
    await terminal.shot(`told-${mode}-bills`)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save all as CSV' }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^bills-\d+\.csv$/)
    const [head, ...lines] = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    expect(head.split(',').toSorted()).toEqual([
      'amount',
      'at',
      'balance',
      'change',
      'coin',
      'fee',
      'id',
      'symbol',
      'type',
    ])
    expect(lines.length).toBe(await bills.locator('tbody tr').count())
  })

  test('the chart marks it', async () => {
    await terminal.show('chart')
    await terminal.page.getByRole('img', { name: /; Liquidation of 0\.5 at / }).waitFor()
    await terminal.shot(`told-${mode}-chart`)
  })

  test('the page had no fault of its own, and everything has a name', async () => {
    expect(await terminal.nameless()).toEqual([])
    // A classic account is asked first whether it is a unified one.
    expect(terminal.faults.filter((fault) => mode === 'unified' || !/400/.test(fault))).toEqual([])
  })
})
