/**
 * A classic account at the terminal: over v2, with a wallet for each kind of trading. What a person does with it, at the
 * width of a desk and of a phone, on a lively demo venue with its rate limits.
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

/** What a classic account is known by: it is refused the settings of unified ones. */
function isProbe(fault: string): boolean {
  return fault.includes('400') && (fault.includes('/api/v3/account/settings') || fault.includes('Failed to load'))
}

/** Two closes within a second: the second is refused, and sent once more when its time has come. */
function isTooSoon(fault: string): boolean {
  return fault.includes('429') && (fault.includes('/order/close-positions') || fault.includes('Failed to load'))
}

function notProbe({ faults }: Terminal): string[] {
  return faults.filter((fault) => !isProbe(fault))
}

describe.each<[Size, string, 'dark' | 'light']>([
  ['desktop', 'classic-main', 'dark'],
  ['phone', 'classic-sub', 'light'],
])('%s', (size, role, theme) => {
  let terminal: Terminal

  beforeAll(async () => {
    terminal = await Terminal.open(browser, venue.url, size, theme)
    await terminal.signInAs(role)
  })

  afterAll(async () => {
    await terminal?.close()
  })

  test('a futures order rests, is marked in the book, is edited and canceled', async () => {
    const { page } = terminal
    await terminal.show('book')
    const price = await terminal.number(page.locator('.bids .level:not(.void) .price').nth(2))
    await terminal.order({ side: 'Buy', type: 'Limit', price: String(price), quantity: '0.05' })
    await terminal.show('book')
    await page.locator('.bids .level.own').waitFor()
    await terminal.showTab('orders')
    const row = page.getByRole('row', { name: /BTCUSDT/ })
    await row.getByText('0.0000 / 0.0500').waitFor()
    await row.locator('[data-action="edit"]').click()
    await terminal.field('editPrice').fill('41000')
    await terminal.field('editQuantity').fill('0.04')
    await page.getByTestId('save-order').click()
    await row.getByText('41,000').waitFor()
    await row.getByText('0.0000 / 0.0400').waitFor()
    await terminal.shot('classic-orders')
    await row.locator('[data-action="cancel"]').click()
    await page.getByText('No open orders.').waitFor()
  })

  test('a market order makes a position whose profit moves; it gets a take-profit and is closed', async () => {
    const { page } = terminal
    await terminal.show('trade')
    await terminal.choose('Order type', 'Market')
    await terminal.choose('Side', 'Buy')
    await terminal.field('quantity').fill('0.3')
    const preview = page.getByTestId('liquidation-preview').first()
    await expect.poll(() => preview.textContent()).not.toBe('–')
    const said = (await preview.textContent()) ?? ''
    await terminal.shot('classic-ticket')
    await page.getByTestId('send').click()
    await terminal.showTab('positions')
    const pnl = page.getByTestId('position-pnl')
    await pnl.waitFor()
    const before = await pnl.textContent()
    await expect.poll(() => pnl.textContent(), { timeout: 10_000 }).not.toBe(before)
    // A wallet so large that nothing liquidates it says so beforehand.
    const row = page.getByRole('row', { name: /BTCUSDT/ })
    const shown = (await row.locator('td[data-title="Liquidation"]').textContent()) ?? ''
    if (said === 'none') expect(shown).toBe('none')
    else expect(Math.abs(numberOf(shown) / numberOf(said) - 1)).toBeLessThan(0.002)
    await row.locator('[data-action="tpsl"]').click()
    await page.getByRole('textbox', { name: 'Take profit' }).fill('90000')
    await page.getByRole('textbox', { name: 'Stop loss' }).fill('30000')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await page.getByText('take-profit and stop-loss set').waitFor()
    await terminal.showTab('orders')
    await page.getByText('Take profit, stop loss').nth(1).waitFor()
    await terminal.showTab('positions')
    await terminal.shot('classic-position')
    await terminal.show('chart')
    await page.locator('.candles canvas').first().waitFor()
    await terminal.shot('classic-chart')
    await terminal.showTab('positions')
    await page.locator('[data-action="close"]').click()
    await page.getByTestId('close-position').click()
    await page.getByText('No open positions.').waitFor()
    await terminal.showTab('closed')
    await page
      .getByRole('row', { name: /BTCUSDT/ })
      .first()
      .waitFor()
    await terminal.showTab('fills')
    await page
      .getByRole('row', { name: /BTCUSDT/ })
      .nth(1)
      .waitFor()
  })

  test('money is transferred between wallets', async () => {
    const { page } = terminal
    await terminal.showTab('wallets')
    const spot = balanceOf(terminal, 'Spot (funding) wallet', 'USDT')
    await spot.waitFor()
    const before = await terminal.number(spot)
    await page.getByRole('button', { name: 'Transfer' }).click()
    await terminal.field('amount').fill('250.5')
    await page.getByRole('button', { name: /at most/ }).waitFor()
    await terminal.shot('classic-transfer')
    await page.getByTestId('transfer').click()
    await page.getByText('USDT transferred').waitFor()
    await expect.poll(() => terminal.number(spot), { timeout: 5_000 }).toBe(before - 250.5)
    await terminal.shot('classic-wallets')
  })

  test('all orders are cancelled at once, triggers with them', async () => {
    const { page } = terminal
    await terminal.order({ side: 'Buy', type: 'Limit', price: '41000', quantity: '0.01' })
    await terminal.show('trade')
    await terminal.choose('Order type', 'Trigger')
    await terminal.field('triggerPrice').fill('90000')
    await terminal.field('quantity').fill('0.01')
    await page.getByTestId('send').click()
    await terminal.showTab('orders')
    await page.locator('[data-action="cancel"]').nth(1).waitFor()
    await page.getByRole('button', { name: 'Cancel all', exact: true }).click()
    await page.getByTestId('cancel-all').click()
    await page.getByText('No open orders.').waitFor()
  })

  test('nothing is wider than the page, everything has a name, and the page had no fault of its own', async () => {
    const { page } = terminal
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(await terminal.nameless()).toEqual([])
    expect(notProbe(terminal)).toEqual([])
  })
})

test('with a key: one that reads sends nothing; what a main account sends to its sub-account is there', async () => {
  const main = await venue.person('main', { mode: 'classic', funds: { spot: { USDT: '1000' } } })
  const sub = await venue.person('sub', { mode: 'classic', parent: main })
  const terminal = await Terminal.open(browser, venue.url, 'desktop')
  const { page } = terminal
  await terminal.signInWith(await venue.makeKey(main.uid, ['read']))
  await page.getByText('This key may only read').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await terminal.signInWith(main.key)
  await page.keyboard.press('w')
  const place = `${sub.uid}: Cross margin wallet`
  await page.locator('select[name="to"] option', { hasText: place }).waitFor({ state: 'attached' })
  await terminal.field('to').selectOption({ label: place })
  await terminal.field('amount').fill('12.5')
  await page.getByTestId('transfer').click()
  await page.getByText('USDT transferred').waitFor()
  const { envelope } = await sub.get('/api/v2/margin/crossed/account/assets')
  expect(envelope).toMatchObject({ data: [{ coin: 'USDT', available: '12.5' }] })
  // Who signs in twice within a second is asked once more who he is: the venue tells it once a second.
  expect(notProbe(terminal).filter((fault) => !fault.includes('429'))).toEqual([])
  await terminal.close()
})

describe('every field', () => {
  let terminal: Terminal

  beforeAll(async () => {
    terminal = await Terminal.open(browser, venue.url, 'desktop', 'light')
    await terminal.signInAs('classic-main')
  })

  afterAll(async () => {
    await terminal?.close()
  })

  test('spot: an amount is spent at market; a limit order brings its take-profit and stop-loss along', async () => {
    const { page } = terminal
    await terminal.goTo('eth spot', 'ETHUSDT')
    await terminal.order({ side: 'Buy', type: 'Market', quantity: '300' })
    await terminal.showTab('history')
    await page
      .getByRole('row', { name: /ETHUSDT/ })
      .getByText('filled')
      .waitFor()
    await page.getByText('Take profit, stop loss', { exact: true }).click()
    await tpslField(terminal, 'Take profit').fill('2500')
    await tpslField(terminal, 'Stop loss').fill('1500')
    await terminal.order({ side: 'Buy', type: 'Limit', price: '2000', quantity: '0.1' })
    await terminal.showTab('orders')
    const row = page.getByRole('row', { name: /ETHUSDT/ })
    await row.getByText('2,500.00 / 1,500.00').waitFor()
    await row.locator('[data-action="edit"]').click()
    await terminal.field('editPrice').fill('2100')
    await page.getByTestId('save-order').click()
    await row.getByText('2,100').waitFor()
    await row.getByText('2,500.00 / 1,500.00').waitFor()
    await terminal.shot('classic-spot')
    await row.locator('[data-action="cancel"]').click()
    await page.getByText('No open orders.').waitFor()
  })

  test('cross margin: an order borrows, and the debt is repaid with the coin itself', async () => {
    const { page } = terminal
    await terminal.goTo('xrp margin', 'XRPUSDT')
    await page.getByRole('group', { name: 'Order type' }).waitFor()
    expect(await page.getByRole('radio', { name: 'Trigger', exact: true }).count()).toBe(0)
    await terminal.choose('Order type', 'Limit')
    await terminal.choose('Side', 'Sell')
    await terminal.field('price').fill('0.6')
    await terminal.field('quantity').fill('3000000')
    await expect.poll(() => page.getByTestId('liquidation-preview').first().textContent()).toMatch(/^0\.[6-9]/)
    await terminal.shot('classic-margin')
    await terminal.order({ side: 'Sell', type: 'Market', quantity: '50' })
    await terminal.showTab('wallets')
    const debt = page
      .getByRole('table', { name: 'Cross margin wallet' })
      .getByRole('row', { name: /XRP/ })
      .locator('td[data-title="Debt"]')
    await debt.getByText(/^50/).waitFor()
    // More than is owed, so that the fee and the first hour's interest are paid for as well.
    await terminal.order({ side: 'Buy', type: 'Market', quantity: '200' })
    await expect.poll(() => debt.textContent(), { timeout: 5_000 }).toBe('0.00000000')
    await page.getByRole('button', { name: 'Borrow, repay' }).click()
    await terminal.field('borrowCoin').selectOption('USDT')
    await terminal.field('borrowAmount').fill('100')
    await page.getByRole('button', { name: 'Borrow', exact: true }).click()
    await page.getByText('USDT borrowed').waitFor()
    await terminal.field('repayCoin').waitFor()
    await terminal.shot('classic-loans')
    await page.getByTestId('repay').click()
    await page.getByText('Nothing is owed.').waitFor()
    await page.keyboard.press('Escape')
  })

  test('coin futures: contracts, ordered in steps of their coin', async () => {
    const { page } = terminal
    await terminal.goTo('btc coin', 'BTCUSD')
    await terminal.order({ side: 'Sell', type: 'Limit', price: '65000.5', quantity: '12345' })
    await terminal.showTab('orders')
    const row = page.getByRole('row', { name: /BTCUSD/ })
    // 0.1899 BTC of 0.0001 each, at 65,000.5
    await page.getByText('steps of 0.0001 BTC').waitFor()
    await row.getByText('0 / 12,343').waitFor()
    await row.locator('[data-action="cancel"]').click()
    await page.getByText('No open orders.').waitFor()
    await page.getByTestId('leverage').click()
    await terminal.choose('Margin mode', 'Isolated')
    await terminal.field('leverage').fill('10')
    await page.keyboard.press('Enter')
    await page.getByTestId('leverage').getByText('Isolated · 10x').waitFor()
    await terminal.show('trade')
    await terminal.choose('Order type', 'Market')
    await terminal.choose('Side', 'Buy')
    await terminal.field('quantity').fill('5000')
    await page.getByRole('button', { name: 'Buy 5,000 USD of BTC' }).waitFor()
    await terminal.order({ side: 'Buy', type: 'Market', quantity: '5000' })
    await terminal.showTab('positions')
    const position = page.getByRole('row', { name: /BTCUSD/ })
    // Sent as base coin at the mark of the moment.
    const size = position.locator('td[data-title="Size"]')
    await size.waitFor()
    const sizeNow = async () => numberOf(((await size.textContent()) ?? '').replace(/\sUSD/, ''))
    expect(Math.abs((await sizeNow()) - 5000)).toBeLessThanOrEqual(50)
    await position.locator('[data-action="margin"]').click()
    await terminal.field('margin').fill('0.01')
    await page.keyboard.press('Enter')
    await page.getByText(/added to the margin/).waitFor()
    await position.locator('[data-action="reverse"]').click()
    await page.getByTestId('reverse-position').click()
    await position.getByText('Short').waitFor()
    const contracts = await sizeNow()
    await terminal.shot('classic-coin-futures')
    await venue.operator('funding/settle', { productType: 'COIN-FUTURES', symbol: 'BTCUSD' })
    await terminal.showTab('funding')
    await page
      .getByRole('table', { name: 'Funding payments' })
      .getByRole('row', { name: /BTCUSD/ })
      .waitFor()
    await terminal.showTab('positions')
    await position.locator('[data-action="close"]').click()
    await terminal.field('closeQuantity').fill('1000')
    await page.getByTestId('close-position').click()
    await expect.poll(() => sizeNow(), { timeout: 5_000 }).toBeLessThan(contracts)
    expect(Math.abs((await sizeNow()) - (contracts - 1000))).toBeLessThanOrEqual(20)
    await position.locator('[data-action="close"]').click()
    await page.getByTestId('close-position').click()
    await page.getByText('No open positions.').waitFor()
  })

  test('hedge mode of one line: long and short at once, each closed by itself', async () => {
    const { page } = terminal
    await page.keyboard.press(',')
    await terminal.choose('Position mode of USDC futures', 'Hedge')
    await page.getByText('Hedge mode', { exact: true }).waitFor()
    await terminal.shot('classic-settings')
    await page.keyboard.press('Escape')
    await terminal.goTo('btc usdc', 'BTCPERP')
    for (const side of ['Buy, open long', 'Sell, open short'] as const) {
      await terminal.order({ side, type: 'Market', quantity: '0.01' })
    }
    await terminal.showTab('positions')
    await page.locator('[data-action="close"]').nth(1).waitFor()
    expect(await terminal.scaleInHedge('0.01')).toEqual(
      ['Buy long', 'Buy short', 'Sell long', 'Sell short'].flatMap((name) => [name, name]),
    )
    await terminal.showTab('positions')
    await terminal.choose('Order type', 'Market')
    await terminal.choose('Open or close', 'Close')
    await terminal.choose('Side', 'Sell, close long')
    await page.getByRole('button', { name: '100%' }).first().click()
    await page.getByTestId('send').click()
    await expect.poll(() => page.locator('[data-action="close"]').count(), { timeout: 5_000 }).toBe(1)
    await page.locator('[data-action="close"]').click()
    await page.getByTestId('close-position').click()
    await page.getByText('No open positions.').waitFor()
  })

  test('one position is closed right after another, though the venue takes one such call a second', async () => {
    const { page } = terminal
    await terminal.choose('Open or close', 'Open')
    for (const side of ['Buy, open long', 'Sell, open short'] as const) {
      await terminal.order({ side, type: 'Market', quantity: '0.01' })
    }
    const close = page.locator('[data-action="close"]')
    await close.nth(1).waitFor()
    for (const left of [1, 0]) {
      await close.first().click()
      await page.getByTestId('close-position').click()
      await expect.poll(() => close.count(), { timeout: 5_000 }).toBe(left)
    }
  })

  test('the page had no fault of its own', () => {
    expect(notProbe(terminal).filter((fault) => !isTooSoon(fault))).toEqual([])
  })
})

function numberOf(text: string): number {
  return Number(text.replaceAll(',', ''))
}

function balanceOf({ page }: Terminal, wallet: string, coin: string) {
  return page
    .getByRole('table', { name: wallet })
    .getByRole('row', { name: new RegExp(coin) })
    .locator('td[data-title="Balance"]')
}

function tpslField({ page }: Terminal, name: string) {
  return page.getByRole('group', { name, exact: true }).getByRole('textbox', { name: 'Price' })
}
