/**
 * What a person does at the terminal, in a real browser on a lively demo venue with its rate limits: at the width of a desk
 * and of a phone.
 */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startVenue, type Venue } from '../support/venue.ts'
import { launchBrowser } from './browser.ts'
import { type Size, Terminal } from './page.ts'

let venue: Venue
let browser: Browser

beforeAll(async () => {
  venue = await startVenue({ simulator: true, rateLimits: true })
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await venue?.remove()
})

describe.each<[Size, string, 'dark' | 'light']>([
  ['desktop', 'unified-main', 'dark'],
  ['phone', 'unified-peer', 'light'],
])('%s', (size, role, theme) => {
  let terminal: Terminal

  beforeAll(async () => {
    terminal = await Terminal.open(browser, venue.url, size, theme)
  })

  afterAll(async () => {
    await terminal?.close()
  })

  test('the market is there without signing in', async () => {
    const { page } = terminal
    await page.getByTestId('last-price').filter({ hasText: /\d/ }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    // That is for venues of a laboratory alone.
    expect(await page.getByTestId('lab-toggle').count()).toBe(0)
    await terminal.shot('market')
    await terminal.show('book')
    await page.locator('.bids .level:not(.void)').nth(3).waitFor()
    await page.locator('.asks .level:not(.void)').nth(3).waitFor()
    await terminal.shot('book')
  })

  test('signs in as a demo account with one click', async () => {
    await terminal.signInAs(role)
    expect(await terminal.page.getByTestId('account').textContent()).toContain(role)
    await terminal.page.locator('.positions, .empty, .rows').first().waitFor({ state: 'attached' })
  })

  test('says what an order takes before it is sent', async () => {
    const { page } = terminal
    await terminal.show('trade')
    await terminal.choose('Order type', 'Limit')
    await terminal.field('price').fill('50000')
    await terminal.field('quantity').fill('0.1')
    const preview = page.getByTestId('preview').first()
    await preview.getByText('5,000.00').waitFor()
    // 5,000 at 20x and a taker's fee of 0.06 %
    expect(await preview.textContent()).toContain('253.00')
    await terminal.shot('ticket')
    await terminal.field('quantity').fill('0.00001')
    await page.getByText('At least 0.0001 BTC').first().waitFor()
    expect(await page.getByTestId('send').isDisabled()).toBe(true)
    await terminal.field('quantity').fill('')
  })

  test('an order rests, and is marked in the book', async () => {
    const { page } = terminal
    await terminal.show('book')
    const price = await terminal.number(page.locator('.bids .level:not(.void) .price').nth(2))
    await terminal.order({ side: 'Buy', type: 'Limit', price: String(price), quantity: '0.05' })
    await terminal.show('book')
    await page.locator('.bids .level.own').waitFor()
    await terminal.shot('own-order')
    await terminal.showTab('orders')
    await page
      .getByRole('row', { name: /BTCUSDT/ })
      .getByText('0.0000 / 0.0500')
      .waitFor()
    await terminal.shot('orders')
    await terminal.show('chart')
    await page.getByRole('img', { name: /BTCUSDT candles of 1m, .*; Buy 0\.05 at / }).waitFor()
    await terminal.shot('orders-chart')
    await terminal.show('account')
    await page.locator('[data-action="cancel"]').first().click()
    await page.getByText('No open orders.').waitFor()
  })

  test('an order inside the spread is filled by the market, and a position is there', async () => {
    const position = terminal.page.getByTestId('position-pnl')
    // The market may leave an order behind: then another one goes after it.
    for (let tries = 1; !(await position.isVisible()); tries++) {
      await terminal.show('book')
      const ask = await terminal.number(terminal.page.locator('.asks .level:not(.void) .price').last())
      await terminal.order({ side: 'Buy', type: 'Limit', price: (ask - 0.1).toFixed(1), quantity: '0.002' })
      await terminal.showTab('positions')
      await position.waitFor({ timeout: 15_000 }).catch((missed: unknown) => {
        if (tries === 4) throw missed
      })
    }
  })

  test('a market order adds to it; its profit moves with the mark', async () => {
    const { page } = terminal
    await terminal.order({ side: 'Buy', type: 'Market', quantity: '0.3' })
    await terminal.showTab('positions')
    const pnl = page.getByTestId('position-pnl')
    await pnl.waitFor()
    const before = await pnl.textContent()
    await expect.poll(() => pnl.textContent(), { timeout: 10_000 }).not.toBe(before)
    expect(await terminal.cutCells()).toEqual([])
    await terminal.shot('position')
    await terminal.show('chart')
    await page.locator('.candles canvas').first().waitFor()
    await terminal.shot('position-chart')
  })

  test('the position is closed', async () => {
    const { page } = terminal
    await terminal.showTab('orders')
    await cancelEverything(terminal)
    await terminal.showTab('positions')
    await page.locator('[data-action="close"]').click()
    await terminal.shot('close')
    await page.getByTestId('close-position').click()
    await page.getByText('No open positions.').waitFor()
    await terminal.showTab('closed')
    await page
      .getByRole('row', { name: /BTCUSDT/ })
      .first()
      .waitFor()
    await terminal.shot('closed')
  })

  test('money is transferred between wallets', async () => {
    const { page } = terminal
    await terminal.showTab('wallets')
    const spot = page
      .getByRole('table', { name: 'Spot (funding) wallet' })
      .getByRole('row', { name: /USDT/ })
      .locator('td')
      .first()
    await spot.waitFor()
    const before = await terminal.number(spot)
    await page.getByRole('button', { name: 'Transfer' }).click()
    await terminal.field('amount').fill('250.5')
    await terminal.shot('transfer')
    await page.getByTestId('transfer').click()
    await page.getByText('USDT transferred').waitFor()
    await expect.poll(() => terminal.number(spot)).toBe(before - 250.5)
    await terminal.shot('wallets')
  })

  test('an order that has just been placed shows its take-profit and stop-loss', async () => {
    const { page } = terminal
    await terminal.show('trade')
    await terminal.choose('Order type', 'Limit')
    await page.getByLabel('Take profit, stop loss').check()
    // Both came into view with the press, above what stands at the foot.
    const stopLoss = await page.getByRole('group', { name: 'Stop loss' }).first().boundingBox()
    const foot = await page.locator('.ticket-foot').boundingBox()
    expect((stopLoss?.y ?? 0) + (stopLoss?.height ?? 0)).toBeLessThanOrEqual((foot?.y ?? 0) + 1)
    await page.getByRole('group', { name: 'Take profit' }).getByLabel('Price', { exact: true }).fill('41,000')
    await page.getByRole('group', { name: 'Stop loss' }).getByLabel('Price', { exact: true }).fill('39000')
    await terminal.order({ side: 'Buy', type: 'Limit', price: '40000.', quantity: '.01' })
    await terminal.showTab('orders')
    await page
      .getByRole('row', { name: /BTCUSDT/ })
      .getByText('41,000.0 / 39,000.0')
      .waitFor()
    await cancelEverything(terminal)
  })

  test('all orders are cancelled at once', async () => {
    const { page } = terminal
    for (const price of ['41000', '42000']) {
      await terminal.order({ side: 'Buy', type: 'Limit', price, quantity: '0.01' })
    }
    await terminal.showTab('orders')
    await page.locator('[data-action="cancel"]').nth(1).waitFor()
    await page.getByRole('button', { name: 'Cancel all', exact: true }).click()
    await terminal.shot('cancel-all')
    await page.getByTestId('cancel-all').click()
    await page.getByText('No open orders.').waitFor()
  })

  test('positions in coins of four and of eight decimals: no number lies under a button', async () => {
    const { page } = terminal
    const person = venue.as(role)
    for (const [category, symbol, qty, marginMode] of [
      ['USDT-FUTURES', 'BTCUSDT', '0.3'],
      ['USDT-FUTURES', 'DOGEUSDT', '3000'],
      ['USDT-FUTURES', 'ETHUSDT', '0.2', 'isolated'],
      ['COIN-FUTURES', 'BTCUSD', '10'],
    ]) {
      const order = { category, symbol, qty, marginMode, side: 'buy', orderType: 'market' }
      await person.post('/api/v3/trade/place-order', order)
    }
    await terminal.showTab('positions')
    await page.locator('[data-action="close"]').nth(3).waitFor()
    expect(await terminal.cutCells()).toEqual([])
    // Five buttons of an isolated position, in two rows at the most.
    const tops = await page
      .getByRole('row', { name: /ETHUSDT/ })
      .locator('.actions button')
      .evaluateAll((buttons) => buttons.map((button) => Math.round(button.getBoundingClientRect().top)))
    expect(tops).toHaveLength(5)
    expect(new Set(tops).size).toBeLessThanOrEqual(2)
    await terminal.shot('positions-of-coins')
  })

  test('no cell is cut, in any list', async () => {
    for (const tab of ['history', 'fills', 'closed', 'bills', 'wallets']) {
      await terminal.showTab(tab)
      await terminal.page.locator('.account .rows tbody tr').first().waitFor()
      expect(await terminal.cutCells(), tab).toEqual([])
    }
  })

  test('each of the settings says what it is', async () => {
    const { page } = terminal
    await page.keyboard.press(',')
    for (const name of ['Language', 'Colours', 'Times']) {
      await page.getByRole('dialog').locator('.setting > span').getByText(name, { exact: true }).waitFor()
      await page.getByRole('group', { name, exact: true }).waitFor()
    }
    await page.keyboard.press('Escape')
  })

  test('nothing is wider than the page, the head has one line, and everything has a name', async () => {
    const { page } = terminal
    const lines = await page.evaluate<
      number[]
    >(`[...document.querySelectorAll('.brand, .pages, .top-end')].map((part) => {
      const { top, bottom } = part.getBoundingClientRect()
      return Math.round((top + bottom) / 2)
    })`)
    expect(Math.max(...lines) - Math.min(...lines), String(lines)).toBeLessThan(8)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(await terminal.nameless()).toEqual([])
  })

  test('the page had no fault of its own', () => {
    expect(terminal.faults).toEqual([])
  })
})

/** If anything is open. */
async function cancelEverything({ page }: Terminal): Promise<void> {
  const all = page.getByRole('button', { name: 'Cancel all', exact: true })
  if (!(await all.isVisible())) return
  await all.click()
  await page.getByTestId('cancel-all').click()
  await page.getByText('No open orders.').waitFor()
}
