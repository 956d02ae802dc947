/** The ticket: sizes in either coin, kept sizes, take-profit by what it wins, scaled orders with one call. */
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
  test('an order is written as a person thinks of it', async () => {
    const terminal = await Terminal.open(browser, venue.url, size, theme)
    const { page } = terminal
    await page.locator('.bids .level:not(.void)').nth(2).waitFor({ state: 'attached' })
    await terminal.signInAs(role)
    await terminal.show('trade')
    await terminal.choose('Order type', 'Limit')
    await terminal.field('price').fill('50000')
    await terminal.field('value').fill('5000')
    expect(await terminal.field('quantity').inputValue()).toBe('0.1')
    await page.getByTestId('keep-size').click()
    await terminal.field('quantity').fill('0.02')
    await page.locator('[data-size="0.1"]').click()
    expect(await terminal.field('value').inputValue()).toBe('5000')
    await page.getByLabel('Take profit, stop loss').check()
    const takeProfit = page.getByRole('group', { name: 'Take profit', exact: true })
    await takeProfit.getByLabel('Profit', { exact: true }).fill('100')
    expect(await takeProfit.getByLabel('Price', { exact: true }).inputValue()).toBe('51000')
    expect(await takeProfit.getByLabel('Away').inputValue()).toBe('2')
    const stopLoss = page.getByRole('group', { name: 'Stop loss', exact: true })
    await stopLoss.getByLabel('Away').fill('1')
    expect(await stopLoss.getByLabel('Price', { exact: true }).inputValue()).toBe('49500')
    await page.getByTestId('at-stop-loss').getByText('Loses 50.00').waitFor()
    await terminal.shot('ticket-tpsl')
    await page.getByLabel('Take profit, stop loss').uncheck()

    await page.getByTestId('scaled').click()
    await terminal.field('scaledTo').fill('49000')
    await terminal.field('scaledCount').fill('3')
    await terminal.choose('Shares', 'More towards the last')
    const sent = page.getByRole('list', { name: 'What is sent' }).getByRole('listitem')
    expect(await sent.allTextContents()).toEqual(['0.0166 BTC50,000.0', '0.0333 BTC49,500.0', '0.0501 BTC49,000.0'])
    for (const colours of ['dark', 'light'] as const) {
      await page.evaluate(`document.documentElement.dataset.theme = '${colours}'`)
      await terminal.shot(`scaled-${colours}`)
    }
    expect(await terminal.nameless()).toEqual([])
    await page.getByTestId('send-scaled').click()
    await page.getByText('3 of 3 orders placed').waitFor()
    await terminal.showTab('orders')
    await expect.poll(() => page.locator('[data-action="cancel"]').count()).toBe(3)
    await terminal.close()
  })

  test('a position tells what closing a part makes, its take-profit, and gives a picture', async () => {
    const terminal = await Terminal.open(browser, venue.url, size, theme)
    const { page } = terminal
    await page.locator('.bids .level:not(.void)').nth(2).waitFor({ state: 'attached' })
    await terminal.signInAs(role)
    await terminal.order({ side: 'Buy', type: 'Market', quantity: '0.02' })
    await terminal.showTab('positions')
    await page.locator('[data-action="tpsl"]').click()
    await page.getByLabel('Take profit', { exact: true }).fill('90000')
    const said = (await page.getByRole('dialog').textContent()) ?? ''
    const number = (pattern: RegExp) => Number(pattern.exec(said)?.[1].replaceAll(',', ''))
    const entry = number(/Entry ([\d,]+(?:\.\d+)?)/)
    expect(number(/Wins ([\d,]+(?:\.\d+)?)\sUSDT before fees/)).toBeCloseTo(0.02 * (90_000 - entry), 1)
    await page.getByLabel('Stop loss', { exact: true }).fill('1')
    expect(await page.getByTestId('position-stop-loss').textContent()).toMatch(/^Loses [\d,.]+\sUSDT before fees$/)
    await page.getByLabel('Stop loss', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await page.getByRole('cell', { name: /90,000/ }).waitFor()
    await page.locator('[data-action="tpsl"]').click()
    await page.getByLabel('Stop loss', { exact: true }).fill('1')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    const both = page.locator('td[data-title="TP, SL"]')
    await expect.poll(() => both.textContent()).toMatch(/^90,000\.0 1\.0$/)
    await page.locator('[data-action="tpsl"]').click()
    await page.getByText('What you empty is taken away.').waitFor()
    await page.getByLabel('Take profit', { exact: true }).fill('')
    await terminal.shot(`position-tpsl-emptied-${theme}`)
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await expect.poll(() => both.textContent()).toMatch(/^– 1\.0$/)
    await page.locator('[data-action="tpsl"]').click()
    await page.getByLabel('Stop loss', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await expect.poll(() => both.textContent()).toMatch(/^– –$/)
    await page.locator('[data-action="close"]').click()
    await page.getByRole('dialog').getByRole('button', { name: '50%' }).click()
    expect(await page.getByTestId('close-profit').textContent()).toMatch(
      /At the mark it makes [+-]?[\d.]+\sUSDT before/,
    )
    await page.keyboard.press('Escape')
    await terminal.shot('position-tpsl')
    await page.locator('[data-action="share"]').click()
    await page.getByRole('img', { name: /^Long BTCUSDT \d+x: [+-]?[\d.]+%, entry [\d,.]+, mark [\d,.]+$/ }).waitFor()
    await terminal.shot(`picture-${theme}`)
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByTestId('save-picture').click()])
    expect(saved.suggestedFilename()).toBe('btcusdt-long.png')
    expect(await terminal.nameless()).toEqual([])
    await terminal.close()
  })

  test('a price alert is told once', async () => {
    const terminal = await Terminal.open(browser, venue.url, size, theme)
    const { page } = terminal
    await page.locator('.bids .level:not(.void)').nth(2).waitFor({ state: 'attached' })
    await page.getByTestId('alerts').click()
    const waiting = page.getByRole('list', { name: 'Alerts that wait' }).getByRole('listitem')
    await terminal.field('alertPrice').fill('1000')
    await page.keyboard.press('Enter')
    await waiting.getByText('BTCUSDT below 1,000').waitFor()
    await terminal.shot(`alerts-${theme}`)
    // At the last price it comes at once, unless the market has just moved on.
    const told = page.getByText(/^BTCUSDT is (above|below) /).first()
    await expect
      .poll(async () => {
        await terminal.field('alertPrice').fill(String(await terminal.number(page.getByTestId('last-price'))))
        await page.keyboard.press('Enter')
        return told.isVisible()
      })
      .toBe(true)
    await page.reload()
    await page.getByTestId('alerts').click()
    await waiting.getByText('BTCUSDT below 1,000').waitFor()
    expect(terminal.faults).toEqual([])
    await terminal.close()
  })
})
