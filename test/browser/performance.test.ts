/**
 * How the account has done, as a person looks it up: equity, profit by day and by contract, at three widths, dark and light.
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

describe.each<[Size, 'dark' | 'light', string]>([
  ['wide', 'dark', 'unified-main'],
  ['desktop', 'light', 'classic-main'],
  ['phone', 'dark', 'unified-peer'],
])('%s, %s, %s', (size, theme, role) => {
  test('after a round trip its loss, its fees and its contract are told', async () => {
    const terminal = await Terminal.open(browser, venue.url, size, theme)
    const { page } = terminal
    await page.locator('.bids .level:not(.void)').nth(2).waitFor({ state: 'attached' })
    await terminal.signInAs(role)
    await terminal.order({ side: 'Buy', type: 'Market', quantity: '0.2' })
    await terminal.showTab('positions')
    await page.locator('[data-action="close"]').click()
    await page.getByTestId('close-position').click()
    await page.getByText('No open positions.').waitFor()
    await page.locator('[data-page="performance"]').click()
    const figures = page.getByTestId('performance-figures')
    await figures.getByText(/of 1 \(/).waitFor()
    const told = (await figures.textContent()) ?? ''
    // About 12,000 USDT bought and sold at a taker's fee of 0.06 %.
    expect(Number(/Fees-([\d.]+)/.exec(told)?.[1])).toBeGreaterThan(10)
    // Ten millions that are paid in are moved, and no profit of theirs.
    const figure = async (name: string) => {
      const found = new RegExp(`${name}([+-]?[\\d,.]+)`).exec((await figures.textContent()) ?? '')?.[1]
      return Number(found?.replaceAll(',', ''))
    }
    const before = await figure('Moved in or out')
    const { uid } = venue.as(role)
    await venue.operator('deposits', { uid, wallet: 'spot', coin: 'USDT', amount: '10000000' })
    await terminal.choose('Period', '30 days')
    const since = () => figure('Moved in or out').then((moved) => Math.round(moved - before))
    await expect.poll(since, { timeout: 30_000 }).toBe(10_000_000)
    expect(Math.abs(await figure('Profit'))).toBeLessThan(1_000_000)
    await page
      .getByRole('table', { name: 'Profit by contract' })
      .getByRole('row', { name: /BTCUSDT/ })
      .waitFor()
    // By keyboard: the point before the last.
    const chart = page.getByRole('slider', { name: /^Equity from/ })
    const last = await chart.getAttribute('aria-valuenow')
    await chart.press('ArrowLeft')
    expect(await chart.getAttribute('aria-valuenow')).toBe(String(Number(last) - 1))
    // The same point of the falls beside it, whose lowest is the figure above.
    const falls = page.getByRole('slider', { name: /^Profit below its highest/ })
    expect(await falls.getAttribute('aria-valuenow')).toBe(String(Number(last) - 1))
    const lowest = async () =>
      /at the lowest -?([\d,.]+)\sUSDT/.exec((await falls.getAttribute('aria-label')) ?? '')?.[1]
    const largest = async () => /Largest fall([\d,.]+)\sUSDT/.exec((await figures.textContent()) ?? '')?.[1]
    const isOne = async () => {
      const [here, there] = [await lowest(), await largest()]
      return here !== undefined && here === there
    }
    await expect.poll(isOne, { timeout: 30_000 }).toBe(true)
    await terminal.choose('Period', '1 day')
    await figures.getByText(/of 1 \(/).waitFor()
    for (const colours of ['dark', 'light'] as const) {
      if ((await page.locator('html').getAttribute('data-theme')) !== colours) await page.keyboard.press('t')
      await terminal.shot(`performance-${colours}`)
    }
    // A classic account is told apart by this one refusal.
    if (role !== 'classic-main') expect(terminal.faults).toEqual([])
    expect(await terminal.nameless()).toEqual([])
    await terminal.close()
  })
})
