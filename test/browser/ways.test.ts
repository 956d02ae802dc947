/**
 * Further ways through the terminal, at the width of a desk: by keyboard alone, with a key, in every category, with every
 * kind of order, in hedge mode, over a broken connection.
 */
import type { Browser, Request, WebSocketRoute } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startVenue, type Venue } from '../support/venue.ts'
import { launchBrowser } from './browser.ts'
import { Terminal } from './page.ts'

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

describe('signing in with a key', () => {
  let terminal: Terminal

  beforeAll(async () => {
    terminal = await Terminal.open(browser, venue.url, 'desktop')
  })
  afterAll(async () => {
    await terminal?.close()
  })

  async function fillIn(key: { apiKey: string; secret: string; passphrase: string }): Promise<void> {
    for (const name of ['apiKey', 'secret', 'passphrase'] as const) await terminal.field(name).fill(key[name])
    await terminal.page.keyboard.press('Enter')
  }

  test('a wrong secret is refused with what to do, and the code beside it', async () => {
    const { page } = terminal
    await page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
    await fillIn({ ...venue.as('read-only').key, secret: 'wrong' })
    await page.getByRole('alert').getByText('The secret does not fit the API key. Enter both again.').waitFor()
    await page.getByRole('alert').getByText('40009', { exact: true }).waitFor()
    await terminal.shot('sign-in')
  })

  test('a key that only reads signs in and cannot send', async () => {
    const { page } = terminal
    await fillIn(venue.as('read-only').key)
    await page.getByTestId('account').waitFor()
    await page.getByText('This key may only read').waitFor()
  })

  test('the key is kept in this tab alone, outlives a reload, and ends with signing out', async () => {
    const { page } = terminal
    const { secret } = venue.as('read-only').key
    const kept = async (): Promise<string> => page.evaluate<string>('JSON.stringify({ ...sessionStorage })')
    expect(await kept()).toContain(secret)
    expect(await page.evaluate<string>('JSON.stringify({ ...localStorage }) + document.cookie')).not.toContain(secret)
    await page.reload()
    await page.getByTestId('account').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in', exact: true }).first().waitFor()
    expect(await kept()).not.toContain(secret)
  })
})

test('panels are made larger by dragging and by keys, kept over a reload, and as they were at first again', async () => {
  const terminal = await Terminal.open(browser, venue.url, 'desktop')
  const patience = { timeout: 10_000 }
  const { page } = terminal
  const size = async (panel: string) => {
    const found = await page.locator(`.rooms > .${panel}`).boundingBox()
    return found === null ? undefined : { width: Math.round(found.width), height: Math.round(found.height) }
  }
  const first = { market: await size('market'), ticket: await size('ticket'), account: await size('account') }
  expect(first.market?.width).toBe(264)
  const book = page.getByRole('separator', { name: 'Width of the book' })
  const { x, y, height } = (await book.boundingBox())!
  await page.mouse.move(x + 3, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(x - 77, y + height / 2, { steps: 4 })
  await page.mouse.up()
  await expect.poll(async () => (await size('market'))?.width, patience).toBe(344)
  const account = page.getByRole('separator', { name: 'Height of the account’s panel' })
  await account.focus()
  for (let press = 0; press < 3; press++) await page.keyboard.press('ArrowUp')
  await expect.poll(async () => (await size('account'))?.height, patience).toBe(first.account!.height + 48)
  await terminal.shot('layout')
  await page.reload()
  await expect.poll(async () => (await size('market'))?.width, patience).toBe(344)
  await expect.poll(async () => (await size('account'))?.height, patience).toBe(first.account!.height + 48)
  await account.focus()
  await page.keyboard.press('Delete')
  await book.dblclick()
  await expect.poll(() => size('market'), patience).toEqual(first.market)
  await expect.poll(() => size('account'), patience).toEqual(first.account)
  expect(await size('ticket')).toEqual(first.ticket)
  // No narrower than its columns need.
  await page.getByRole('separator', { name: 'Width of the ticket' }).focus()
  for (let press = 0; press < 5; press++) await page.keyboard.press('ArrowRight')
  await expect.poll(async () => (await size('ticket'))?.width, patience).toBe(260)
  expect(terminal.faults).toEqual([])
  await terminal.close()
})

test('two accounts of a tab: one is in view, and neither is signed out for the other', async () => {
  const terminal = await Terminal.open(browser, venue.url, 'desktop')
  const { page } = terminal
  const isInView = (role: string) => page.getByTestId('account').getByText(role, { exact: true }).waitFor()
  await terminal.signInAs('unified-peer')
  await page.getByTestId('account').click()
  await page.getByRole('button', { name: 'Sign in to another account' }).click()
  await page.locator('[data-role="classic-sub"]').click()
  await isInView('classic-sub')
  await page.getByTestId('account').click()
  await terminal.shot('accounts')
  await page.getByRole('button', { name: 'Go over to unified-peer' }).click()
  await isInView('unified-peer')
  await page.reload()
  await isInView('unified-peer')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await isInView('classic-sub')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().waitFor()
  expect(await page.evaluate<string>('JSON.stringify({ ...sessionStorage })')).toBe('{}')
  // Whether an account is classic is asked of the venue, which refuses it then. Two at once ask more than it likes.
  expect(terminal.faults.filter((fault) => !/\b(400|429)\b/.test(fault))).toEqual([])
  await terminal.close()
})

describe('trading', () => {
  let terminal: Terminal

  beforeAll(async () => {
    terminal = await Terminal.open(browser, venue.url, 'desktop', 'light')
    await terminal.signInAs('unified-main')
  })
  afterAll(async () => {
    await terminal?.close()
  })

  test('keys alone: choose an instrument, write an order, send it, cancel it', async () => {
    const { page } = terminal
    await terminal.goTo('btc coin', 'BTCUSD')
    await terminal.shot('coin-futures')
    await page.keyboard.press('l')
    await page.keyboard.press('b')
    await page.locator('.ticket input[name="price"]:focus').waitFor()
    await page.keyboard.type('50000')
    await page.keyboard.press('Tab')
    await terminal.field('quantity').focus()
    await page.keyboard.type('100')
    await page.keyboard.press('Alt+Enter')
    await page.keyboard.press('Escape')
    await page.keyboard.press('2')
    await page
      .getByRole('row', { name: /BTCUSD/ })
      .getByText('0 / 100')
      .waitFor()
    await page.keyboard.press('x')
    await page.getByTestId('cancel-all').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('No open orders.').waitFor()
  })

  test('an order is edited where it rests', async () => {
    const { page } = terminal
    await terminal.goTo('eth usdc', 'ETHPERP')
    await terminal.order({ side: 'Sell', type: 'Limit', price: '3500', quantity: '0.5' })
    await terminal.showTab('orders')
    await page.locator('[data-action="edit"]').click()
    await terminal.field('editPrice').fill('3400')
    await terminal.field('editQuantity').fill('0.4')
    await page.getByTestId('save-order').click()
    const row = page.getByRole('row', { name: /ETHPERP/ })
    await row.getByText('3,400').waitFor()
    await row.getByText('0.00 / 0.40').waitFor()
    await row.locator('[data-action="cancel"]').click()
    await page.getByText('No open orders.').waitFor()
  })

  test('isolated: the liquidation price is the one that was said before; take-profit and stop-loss come along', async () => {
    const { page } = terminal
    await terminal.goTo('eth usdt futures', 'ETHUSDT')
    await page.getByTestId('leverage').click()
    await terminal.choose('Margin mode', 'Isolated')
    await terminal.field('leverage').fill('10')
    await page.keyboard.press('Enter')
    await page.getByTestId('leverage').getByText('Isolated · 10x').waitFor()
    await terminal.choose('Order type', 'Market')
    await terminal.choose('Side', 'Buy')
    await page.getByText('Take profit, stop loss', { exact: true }).click()
    await page
      .getByRole('group', { name: 'Take profit', exact: true })
      .getByRole('textbox', { name: 'Price' })
      .fill('3300')
    await page
      .getByRole('group', { name: 'Stop loss', exact: true })
      .getByRole('textbox', { name: 'Price' })
      .fill('2800')
    await terminal.field('quantity').fill('1')
    await terminal.shot('isolated')
    // What it takes is in view above the button, not behind it.
    const cost = await page.getByTestId('liquidation-preview').first().boundingBox()
    const button = await page.getByTestId('send').boundingBox()
    expect((cost?.y ?? 0) + (cost?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0)
    const said = await terminal.number(page.getByTestId('liquidation-preview').first())
    await page.getByTestId('send').click()
    await terminal.showTab('positions')
    const row = page.getByRole('row', { name: /ETHUSDT/ })
    await row.waitFor()
    const shown = await terminal.number(row.locator('td[data-title="Liquidation"]'))
    // The fill may be a little better than the worst level that the preview reckons with.
    expect(Math.abs(shown / said - 1)).toBeLessThan(0.002)
    await terminal.showTab('orders')
    await page.getByText('3,300.00 / 2,800.00').waitFor()
    await page
      .getByRole('img', { name: /; Take profit at 3,300; Stop loss at 2,800; Long 1 at .*; Liquidation at / })
      .waitFor()
    await terminal.shot('take-profit')
  })

  test('margin is added, and the position is reversed', async () => {
    const { page } = terminal
    await terminal.showTab('positions')
    const liquidation = page.getByRole('row', { name: /ETHUSDT/ }).locator('td[data-title="Liquidation"]')
    const then = page.getByTestId('liquidation-then')
    const before = await liquidation.textContent()
    await page.locator('[data-action="margin"]').click()
    await expect.poll(() => then.textContent()).toBe(before)
    await terminal.field('margin').fill('50')
    await expect.poll(() => then.textContent()).not.toBe(before)
    const said = await then.textContent()
    await terminal.shot('margin')
    await page.keyboard.press('Enter')
    await page.getByText(/added to the margin/).waitFor()
    await expect.poll(() => liquidation.textContent()).toBe(said)
    await page.locator('[data-action="margin"]').click()
    await terminal.choose('Add or take', 'Take back')
    await terminal.field('margin').fill('51')
    await page.getByText(/^More than there is: at most [\d.]+$/).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('[data-action="reverse"]').click()
    await page
      .getByTestId('reverse-profit')
      .getByText(/^At the mark it makes [+-]?[\d.]+\sUSDT before fees\.$/)
      .waitFor()
    await page.getByTestId('reverse-position').click()
    await page
      .getByRole('row', { name: /ETHUSDT/ })
      .getByText('Short')
      .waitFor()
    await page.locator('[data-action="close"]').click()
    await page.getByTestId('close-position').click()
    await page.getByText('No open positions.').waitFor()
  })

  test('a trigger order waits for its price', async () => {
    const { page } = terminal
    await terminal.choose('Order type', 'Trigger')
    await terminal.field('triggerPrice').fill('3600')
    await terminal.field('quantity').fill('0.5')
    await page.getByTestId('send').click()
    await terminal.showTab('orders')
    await page
      .getByRole('row', { name: /ETHUSDT/ })
      .getByText('3,600.00 (last)')
      .waitFor()
    await page.locator('[data-action="cancel"]').click()
    await page.getByText('No open orders.').waitFor()
  })

  test('spot: an amount is spent at market, and the coins are there', async () => {
    const { page } = terminal
    await terminal.goTo('sol spot', 'SOLUSDT')
    await terminal.order({ side: 'Buy', type: 'Market', quantity: '300' })
    await terminal.showTab('wallets')
    await page.getByRole('table', { name: 'Unified wallet' }).getByRole('row', { name: /SOL/ }).waitFor()
  })

  test('margin: a sale borrows, and the debt is repaid', async () => {
    const { page } = terminal
    await terminal.goTo('xrp margin', 'XRPUSDT')
    await terminal.order({ side: 'Sell', type: 'Market', quantity: '50' })
    await terminal.showTab('wallets')
    await page.getByRole('button', { name: 'Borrow, repay' }).click()
    await terminal.field('repayCoin').waitFor()
    await terminal.shot('loans')
    await terminal.field('repayWith').selectOption('USDT')
    await page.getByTestId('repay').click()
    await page.getByText('Nothing is owed.').waitFor()
    await page.keyboard.press('Escape')
  })

  test('post only, immediate or cancel, fill or kill: what is not taken is canceled, and why is said', async () => {
    const { page } = terminal
    await terminal.goTo('eth usdt futures', 'ETHUSDT')
    await terminal.choose('Order type', 'Limit')
    await terminal.choose('Side', 'Buy')
    for (const [force, price, quantity, told] of [
      ['post_only', '3200', '0.1', 'it would have taken liquidity'],
      ['ioc', '2500', '0.1', 'nothing to trade with at its price'],
      ['fok', '2500', '0.1', 'nothing to trade with at its price'],
    ] as const) {
      await terminal.field('timeInForce').selectOption(force)
      await terminal.field('price').fill(price)
      await terminal.field('quantity').fill(quantity)
      await page.getByTestId('send').click()
      const notice = page.locator('.notice').filter({ hasText: told })
      await notice.last().waitFor()
      // The answer of the order is there by then, and says nothing else of it.
      await expect.poll(() => terminal.field('quantity').inputValue()).toBe('')
      expect(await page.locator('.notice').filter({ hasText: 'placed' }).count()).toBe(0)
      await notice.last().getByRole('button', { name: 'Dismiss' }).click()
    }
    await terminal.field('timeInForce').selectOption('gtc')
    await terminal.showTab('orders')
    await page.getByText('No open orders.').waitFor()
  })

  test('reduce only: no more than the position', async () => {
    const { page } = terminal
    await terminal.order({ side: 'Buy', type: 'Market', quantity: '0.2' })
    await terminal.showTab('positions')
    await page.getByTestId('position-pnl').waitFor()
    await page.getByText('Reduce only', { exact: true }).click()
    await terminal.order({ side: 'Sell', type: 'Market', quantity: '0.5' })
    await page.getByText('No open positions.').waitFor()
    await page.getByText('Reduce only', { exact: true }).click()
  })

  test('funding that was settled is told, with the rate', async () => {
    const { page } = terminal
    await terminal.order({ side: 'Buy', type: 'Market', quantity: '1' })
    await terminal.showTab('positions')
    await page.getByTestId('position-pnl').waitFor()
    await venue.operator('funding/settle', { productType: 'USDT-FUTURES', symbol: 'ETHUSDT' })
    await terminal.showTab('funding')
    await page
      .getByRole('table', { name: 'Funding payments' })
      .getByRole('row', { name: /ETHUSDT/ })
      .waitFor()
    await page.getByRole('table', { name: 'Funding rates of ETHUSDT' }).locator('tbody tr').first().waitFor()
    await terminal.shot('funding')
    await terminal.showTab('positions')
    await page.locator('[data-action="close"]').click()
    await page.getByTestId('close-position').click()
    await page.getByText('No open positions.').waitFor()
  })

  test('a person who wants to be asked once more is asked', async () => {
    const { page } = terminal
    await page.keyboard.press(',')
    await page.getByText('Ask once more before an order is sent').click()
    await page.keyboard.press('Escape')
    await terminal.choose('Order type', 'Limit')
    await terminal.choose('Side', 'Buy')
    await terminal.field('price').fill('2500')
    await terminal.field('quantity').fill('0.1')
    await page.getByTestId('send').click()
    const asked = page.getByRole('dialog', { name: 'Buy 0.1 ETHUSDT?' })
    await asked.getByText('2500').waitFor()
    await asked.getByRole('button', { name: 'Buy', exact: true }).click()
    await terminal.showTab('orders')
    await page.locator('[data-action="cancel"]').click()
    await page.getByText('No open orders.').waitFor()
    await page.keyboard.press(',')
    await page.getByText('Ask once more before an order is sent').click()
    await page.keyboard.press('Escape')
  })

  test('the most is less than the money opens: the leverage is named as the reason', async () => {
    const { page } = terminal
    await terminal.goTo('btc usdt futures', 'BTCUSDT')
    await page.getByTestId('leverage').click()
    await terminal.field('leverage').fill('125')
    await page.keyboard.press('Enter')
    await page.getByTestId('leverage').getByText('125x').waitFor()
    const tiers = (await venue.get('/api/v3/market/position-tier', { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }))
      .data as { leverage: string; maxTierValue: string }[]
    const cap = tiers.findLast(({ leverage }) => Number(leverage) >= 125)?.maxTierValue ?? ''
    const said = `At 125x a position goes up to ${Number(cap).toLocaleString('en')} USDT. A lower leverage allows more.`
    await page.getByTestId('capped').getByText(said).waitFor()
    await terminal.shot('capped')
    await page.getByTestId('leverage').click()
    await terminal.field('leverage').fill('1')
    await page.keyboard.press('Enter')
    await page.getByTestId('leverage').getByText('1x').waitFor()
    await expect.poll(() => page.getByTestId('capped').count()).toBe(0)
  })

  test('numbers of a column have the decimals of their instruments, and stand at one decimal point', async () => {
    const { page } = terminal
    for (const [words, symbol, price] of [
      ['btc usdt futures', 'BTCUSDT', '50000'],
      ['eth usdt futures', 'ETHUSDT', '2500.5'],
      ['btc coin', 'BTCUSD', '50000'],
    ] as const) {
      await terminal.goTo(words, symbol)
      await terminal.order({ side: 'Buy', type: 'Limit', price, quantity: symbol === 'BTCUSD' ? '100' : '0.1' })
    }
    await terminal.showTab('orders')
    const prices = page.getByRole('table', { name: 'Open orders' }).locator('td[data-title="Price"]')
    await expect.poll(() => prices.count()).toBe(3)
    expect((await prices.allTextContents()).sort()).toEqual(['2,500.50', '50,000.0', '50,000.0'])
    const points = await page.evaluate<number[]>(pointsOf('Price'))
    expect(points).toHaveLength(3)
    expect(new Set(points).size).toBe(1)
    expect(new Set(await page.evaluate<number[]>(pointsOf('Filled / quantity'))).size).toBe(1)
    await terminal.shot('columns')
    await page.keyboard.press('x')
    await page.getByTestId('cancel-all').click()
    await page.getByText('No open orders.').waitFor()
  })

  test('order history names when an order was placed, which it is sorted by, and when it ended', async () => {
    const { page } = terminal
    await terminal.goTo('eth usdt futures', 'ETHUSDT')
    await terminal.order({ side: 'Buy', type: 'Limit', price: '2500', quantity: '0.1' })
    await terminal.showTab('orders')
    await page
      .getByRole('row', { name: /ETHUSDT/ })
      .locator('[data-action="cancel"]')
      .click()
    await page.getByText('No open orders.').waitFor()
    await terminal.showTab('history')
    const history = page.getByRole('table', { name: 'Order history' })
    await history.getByText('canceled').first().waitFor()
    const cells = await history.locator('td[data-title="Placed, ended"]').allTextContents()
    const times = cells.map((cell) => (cell.match(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g) ?? []).map((at) => Date.parse(at)))
    const placed = times.map(([at]) => at ?? 0)
    expect(placed).toEqual(placed.toSorted((a, b) => b - a))
    for (const [at = 0, ended = 0] of times) expect(ended).toBeGreaterThanOrEqual(at)
    await terminal.shot('history')
  })

  test('a history is narrowed to a symbol and to days, and shows all again', async () => {
    const { page } = terminal
    const rows = page.getByRole('table', { name: 'Order history' }).locator('tbody tr')
    const symbol = terminal.field('history-symbol')
    await symbol.fill('eth')
    await expect.poll(() => rows.count()).toBeGreaterThan(0)
    await expect
      .poll(async () => (await rows.locator('td, th').filter({ hasText: 'BTCUSDT' }).count()) === 0)
      .toBe(true)
    await symbol.fill('no-such')
    await page.getByText('Nothing that you asked for.').waitFor()
    await symbol.fill('')
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    await terminal.field('history-to').fill(day)
    await expect.poll(() => rows.filter({ hasText: 'canceled' }).count()).toBe(0)
    await terminal.field('history-to').fill('')
    await terminal.field('history-from').fill(day)
    await rows.getByText('canceled').first().waitFor()
    await terminal.shot('history-filter')
    await page.getByRole('button', { name: 'Show all' }).click()
    expect(await terminal.field('history-from').inputValue()).toBe('')
    await rows.getByText('canceled').first().waitFor()
  })

  test('a refusal says what it means and what to do, its code small beside it', async () => {
    const { page } = terminal
    await terminal.goTo('eth usdt futures', 'ETHUSDT')
    await terminal.choose('Order type', 'Limit')
    await terminal.choose('Side', 'Buy')
    await terminal.field('price').fill('9000')
    await terminal.field('quantity').fill('0.1')
    await page.getByTestId('send').click()
    const notice = page.locator('.notice.bad').filter({ hasText: 'not placed' })
    await notice.getByText('The price is above what the venue takes now. Take a lower price.').waitFor()
    expect(await notice.locator('.code').textContent()).toBe('40815')
    await terminal.shot('refused')
    await notice.getByRole('button', { name: 'Dismiss' }).click()
    await terminal.field('quantity').fill('')
    // The one that was asked for.
    terminal.faults.splice(0, terminal.faults.length, ...terminal.faults.filter((fault) => !/\b400\b/.test(fault)))
  })

  test('nonsense in a field asks the venue nothing, and more than there is stays in the dialog', async () => {
    const { page } = terminal
    await terminal.field('price').fill('abc')
    await page.getByText('A price is a number above zero').first().waitFor()
    const asked: string[] = []
    const note = (request: Request) => {
      if (request.method() === 'POST') asked.push(request.url())
    }
    page.on('request', note)
    await terminal.field('price').fill('abcd')
    await terminal.field('quantity').fill('1e5')
    await page.getByText('A quantity is a number above zero').first().waitFor()
    expect(await page.getByTestId('send').isDisabled()).toBe(true)
    await terminal.showTab('wallets')
    await page.getByRole('button', { name: 'Transfer' }).click()
    await page.getByRole('button', { name: /at most/ }).waitFor()
    await terminal.field('amount').fill('99999999999')
    await page.getByText(/More than there is: at most/).waitFor()
    expect(await page.getByTestId('transfer').isDisabled()).toBe(true)
    await terminal.shot('beyond')
    await page.keyboard.press('Escape')
    expect(asked).toEqual([])
    page.off('request', note)
    await terminal.field('price').fill('')
    await terminal.field('quantity').fill('')
  })

  test('depth, tape and colours by their keys', async () => {
    const { page } = terminal
    await page.keyboard.press('Escape')
    await page.keyboard.press('d')
    await page.getByRole('img', { name: /^Depth chart: .* bid down to .* offered up to / }).waitFor()
    await expect.poll(() => page.evaluate<boolean>(isPainted)).toBe(true)
    await terminal.shot('depth')
    await page.keyboard.press('t')
    await page.locator('html[data-theme="dark"]').waitFor()
    await terminal.choose('Order book or trades', 'Trades')
    await page.locator('.tape .level').nth(2).waitFor()
    await terminal.shot('tape')
    await terminal.choose('Order book or trades', 'Order book')
    await page.keyboard.press('t')
    await page.keyboard.press('d')
  })

  test('money goes to a sub-account', async () => {
    const { page } = terminal
    await page.keyboard.press('w')
    await page
      .locator('select[name="to"] option', { hasText: 'unified-sub: Unified wallet' })
      .waitFor({ state: 'attached' })
    await terminal.field('to').selectOption({ label: 'unified-sub: Unified wallet' })
    await terminal.field('amount').fill('10')
    await page.getByTestId('transfer').click()
    await page.getByText('USDT transferred').waitFor()
  })

  test('hedge mode: long and short at once, each closed by itself', async () => {
    const { page } = terminal
    await page.keyboard.press(',')
    await terminal.choose('Position mode', 'Hedge')
    await page.getByText('Hedge mode', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await terminal.goTo('btc usdt futures', 'BTCUSDT')
    for (const side of ['Buy, open long', 'Sell, open short'] as const) {
      await terminal.order({ side, type: 'Market', quantity: '0.01' })
    }
    await terminal.showTab('positions')
    await page.locator('[data-action="close"]').nth(1).waitFor()
    await terminal.shot('hedge')
    expect(await terminal.scaleInHedge('0.01')).toEqual(
      ['Buy long', 'Buy short', 'Sell long', 'Sell short'].flatMap((name) => [name, name]),
    )
    await terminal.showTab('positions')
    await terminal.choose('Order type', 'Market')
    await terminal.choose('Open or close', 'Close')
    await terminal.choose('Side', 'Sell, close long')
    await page.getByRole('button', { name: '100%' }).first().click()
    await page.getByTestId('send').click()
    await expect.poll(() => page.locator('[data-action="close"]').count()).toBe(1)
    await page.locator('[data-action="close"]').click()
    await page.getByTestId('close-position').click()
    await page.getByText('No open positions.').waitFor()
  })

  test('hedge mode: the leverage of isolated margin is the one that was set, before the first order too', async () => {
    const { page } = terminal
    await page.getByTestId('leverage').click()
    await terminal.choose('Margin mode', 'Isolated')
    await terminal.field('leverage').fill('25')
    await page.keyboard.press('Enter')
    await page.getByTestId('leverage').getByText('Isolated · 25x').waitFor()
    await terminal.choose('Open or close', 'Open')
    await terminal.order({ side: 'Buy, open long', type: 'Market', quantity: '0.01' })
    await terminal.showTab('positions')
    await page
      .getByRole('row', { name: /BTCUSDT/ })
      .getByText('Isolated 25x')
      .waitFor()
    await page.locator('[data-action="close"]').click()
    await page.getByTestId('close-position').click()
    await page.getByText('No open positions.').waitFor()
  })

  test('the page had no fault of its own', () => {
    expect(terminal.faults).toEqual([])
  })
})

/** Where the last number of each cell of a column has its decimal point, or would have it; whole pixels from the left. */
const pointsOf = (title: string) => `(() =>
  [...document.querySelectorAll('td[data-title="${title}"]')].map((cell) => {
    const text = [...cell.querySelectorAll('[data-lacks]')].at(-1).firstChild
    const point = text.data.indexOf('.')
    const range = document.createRange()
    range.setStart(text, 0)
    range.setEnd(text, point === -1 ? text.data.length : point)
    return Math.round(range.getBoundingClientRect().right)
  }))()`

const isPainted = `(() => {
  const canvas = document.querySelector('.depth canvas')
  return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0)
})()`

describe.each<[string, 'wide' | 'phone', 'dark' | 'light']>([
  ['unified-peer', 'wide', 'dark'],
  ['classic-main', 'phone', 'light'],
])('a trailing order of %s', (role, size, theme) => {
  test('its activation price, callback and quantity can be changed', async () => {
    const terminal = await Terminal.open(browser, venue.url, size, theme)
    const { page } = terminal
    await terminal.signInAs(role)
    await terminal.goTo('btc usdt futures', 'BTCUSDT')
    await terminal.show('trade')
    await terminal.choose('Order type', 'Trigger')
    await terminal.choose('Side', 'Sell')
    await terminal.field('triggered').selectOption('trailing')
    await terminal.field('triggerPrice').fill('70000')
    await terminal.field('callback').fill('1.5')
    await terminal.field('quantity').fill('0.02')
    await page.getByTestId('send').click()
    await expect.poll(() => terminal.field('quantity').inputValue()).toBe('')
    await terminal.showTab('orders')
    const row = page.getByRole('table', { name: 'Trigger orders' }).getByRole('row', { name: /BTCUSDT/ })
    await row.getByText('Trailing 1.5 %').waitFor()
    await row.locator('[data-action="edit"]').click()
    await terminal.field('editCallback').fill('11')
    expect(await page.getByTestId('save-trigger').isDisabled()).toBe(true)
    await terminal.field('editCallback').fill('2.25')
    await terminal.field('editTriggerPrice').fill('71000')
    await terminal.field('editTriggerQuantity').fill('0.03')
    await terminal.shot('edit-trailing')
    await page.getByTestId('save-trigger').click()
    await row.getByText('Trailing 2.25 %').waitFor()
    await row.getByText('from 71,000.0 (last)').waitFor()
    await row.getByText('0.0300', { exact: true }).waitFor()
    await row.locator('[data-action="cancel"]').click()
    await page.getByText('No open orders.').waitFor()
    expect(terminal.faults.filter((fault) => role === 'unified-peer' || !/\b(400|429)\b/.test(fault))).toEqual([])
    await terminal.close()
  })
})

describe.each<['wide' | 'phone', 'dark' | 'light']>([
  ['wide', 'light'],
  ['phone', 'dark'],
])('a venue that is gone, %s', (size, theme) => {
  test('is told as gone: prices are dimmed, orders are held back until it is there again', async () => {
    const terminal = await Terminal.open(browser, 'about:blank', size, theme)
    const { page } = terminal
    const open = new Set<WebSocketRoute>()
    let gone = false
    await page.routeWebSocket(/\/ws\/(public|private)$/, (socket) => {
      if (gone) return void socket.close({ code: 1001 })
      open.add(socket)
      socket.connectToServer()
    })
    await page.goto(venue.url)
    await terminal.signInAs('unified-peer')
    await page.locator('.page[data-market="live"]').waitFor()
    await terminal.show('trade')
    await terminal.choose('Order type', 'Market')
    await terminal.field('quantity').fill('0.1')
    await page.getByRole('button', { name: 'Buy 0.1 BTC' }).waitFor()
    await terminal.order({ side: 'Buy', type: 'Market', quantity: '0.1' })
    await terminal.order({ side: 'Buy', type: 'Limit', price: '40000', quantity: '0.01' })
    await terminal.show('trade')
    await terminal.choose('Order type', 'Market')
    await terminal.field('quantity').fill('0.1')
    const action = (name: string) => page.locator(`[data-action="${name}"]`).first()
    await terminal.showTab('positions')
    await action('close').waitFor()
    gone = true
    for (const socket of open) void socket.close({ code: 1001 })
    await page
      .getByRole('alert')
      .getByText(/The venue is gone since .* Prices are old/)
      .waitFor()
    await expect.poll(() => page.getByTestId('send').textContent()).toBe('Held back: the venue is gone')
    expect(await page.getByTestId('send').isDisabled()).toBe(true)
    const opacity = "Number(getComputedStyle(document.querySelector('.ticker .last')).opacity)"
    await expect.poll(() => page.evaluate<number>(opacity)).toBeLessThan(0.6)
    await terminal.shot('gone')
    for (const held of ['close', 'reverse']) await expect.poll(() => action(held).isDisabled()).toBe(true)
    await terminal.showTab('orders')
    await expect.poll(() => action('edit').isDisabled()).toBe(true)
    // Taking an order back is never held back.
    expect(await action('cancel').isDisabled()).toBe(false)
    await terminal.show('trade')
    gone = false
    await page.getByRole('button', { name: 'Buy 0.1 BTC' }).waitFor()
    await expect.poll(() => page.evaluate(opacity)).toBe(1)
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    expect(terminal.faults).toEqual([])
    await terminal.close()
  })
})

describe.each<[string, 'wide' | 'phone', 'dark' | 'light']>([
  ['unified-peer', 'wide', 'light'],
  ['classic-sub', 'phone', 'dark'],
])('what a trader keeps at hand, %s', (role, size, theme) => {
  let terminal: Terminal

  beforeAll(async () => {
    terminal = await Terminal.open(browser, venue.url, size, theme)
    await terminal.signInAs(role)
  })
  afterAll(async () => {
    await terminal?.close()
  })

  test('a favourite comes first in the list, has a filter of its own, and is kept', async () => {
    const { page } = terminal
    await terminal.goTo('xrp usdt futures', 'XRPUSDT')
    await page.getByTestId('favourite').click()
    await page.locator('[data-testid="favourite"][aria-pressed="true"]').waitFor()
    await page.reload()
    await page.getByTestId('account').waitFor()
    await page.locator('[data-testid="favourite"][aria-pressed="true"]').waitFor()
    await page.locator('.pick').click()
    const options = page.getByRole('dialog').getByRole('option')
    const first = options.first()
    await first.getByText('XRPUSDT').waitFor()
    expect(await first.getAttribute('data-key')).toBe('USDT-FUTURES/XRPUSDT')
    const endsOf = (row: string) =>
      page
        .locator(`${row} > :visible`)
        .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().right)))
    expect(await endsOf('.instruments-head')).toEqual(await endsOf('[data-key="USDT-FUTURES/XRPUSDT"]'))
    await terminal.choose('Category', '★ Favourites')
    await expect.poll(() => options.count()).toBe(1)
    await terminal.shot('favourites')
    await page.keyboard.press('Escape')
    expect(await terminal.nameless()).toEqual([])
  })

  test('the size is pulled to a share of the most, and follows what is typed', async () => {
    const { page } = terminal
    await terminal.goTo('eth usdt futures', 'ETHUSDT')
    await terminal.show('trade')
    await terminal.choose('Order type', 'Limit')
    await terminal.field('price').fill('3000')
    const share = terminal.field('share')
    await expect.poll(() => share.isEnabled()).toBe(true)
    // The most at this price is asked of the venue: until it is there, the half is one of an earlier most.
    let half = 0
    const isSettled = async () => {
      const before = half
      await share.fill('50')
      half = Number(await terminal.field('quantity').inputValue())
      return half > 0 && half === before
    }
    await expect.poll(isSettled, { interval: 1_000, timeout: 20_000 }).toBe(true)
    await terminal.shot('share')
    await share.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(async () => Number(await terminal.field('quantity').inputValue())).toBeGreaterThan(half)
    await terminal.field('quantity').fill((half / 2).toFixed(2))
    await expect.poll(() => share.inputValue()).toBe('25')
    await terminal.field('quantity').fill('')
    await terminal.field('price').fill('')
    await page.keyboard.press('Escape')
  })

  test('all positions are closed at once, after being asked', async () => {
    const { page } = terminal
    for (const [words, symbol, quantity] of [
      ['btc usdt futures', 'BTCUSDT', '0.001'],
      ['eth usdt futures', 'ETHUSDT', '0.01'],
    ] as const) {
      await terminal.goTo(words, symbol)
      await terminal.order({ side: 'Buy', type: 'Market', quantity })
    }
    await terminal.showTab('positions')
    await page.locator('[data-action="close"]').nth(1).waitFor()
    await page.getByRole('button', { name: 'Close all', exact: true }).click()
    await page.getByRole('dialog').getByText('ETHUSDT').waitFor()
    await terminal.shot('close-all')
    await page.getByTestId('close-all').click()
    await page.getByText('No open positions.').waitFor()
    await page.getByText(/\d positions closed/).waitFor()
    expect(terminal.faults.filter((fault) => !/\b(400|429)\b/.test(fault))).toEqual([])
  })
})

test.each<'wide' | 'phone'>(['wide', 'phone'])('the day of a contract in figures, %s', async (size) => {
  const terminal = await Terminal.open(browser, venue.url, size, 'light')
  const ticker = terminal.page.getByRole('region', { name: 'Ticker' })
  for (const title of ['24h volume', 'Open interest']) {
    await ticker.getByText(title, { exact: true }).waitFor()
    const figure = ticker.locator('.figures > div').filter({ hasText: title }).locator('dd')
    await expect.poll(() => figure.textContent()).toMatch(/\d.* BTC$/)
  }
  // When funding comes next is said in words, and who pays.
  const funding = ticker.locator('.figures > div').filter({ hasText: 'Funding' })
  await expect.poll(() => funding.locator('dd').textContent()).toMatch(/% in (\d+\s(h|min|s)\s?)+$/)
  expect(await funding.getAttribute('title')).toMatch(
    /^(Longs pay shorts|Shorts pay longs) [\d.]+% of the position’s value in /,
  )
  await terminal.shot('figures')
  expect(terminal.faults).toEqual([])
  await terminal.close()
})

test('times are those of one zone, which is named, chosen and kept', async () => {
  const terminal = await Terminal.open(browser, venue.url, 'wide', 'dark', 'Asia/Kolkata')
  const { page } = terminal
  await terminal.signInAs('unified-peer')
  await terminal.order({ side: 'Buy', type: 'Market', quantity: '0.001' })
  await terminal.showTab('fills')
  const fills = page.getByRole('table', { name: 'Fills' })
  await fills.getByRole('columnheader', { name: 'Time UTC+5:30' }).waitFor()
  await page.getByTestId('zone').getByText('Times in UTC+5:30').waitFor()
  const shown = () => fills.locator('tbody tr').first().locator('td[data-title="Time"]').textContent()
  const local = await shown()
  await terminal.shot('zone-local')
  await page.keyboard.press(',')
  await terminal.choose('Times', 'UTC')
  await page.keyboard.press('Escape')
  await fills.getByRole('columnheader', { name: 'Time UTC', exact: true }).waitFor()
  const utc = await shown()
  expect(Date.parse(`${local}Z`) - Date.parse(`${utc}Z`)).toBe(5.5 * 3_600_000)
  await terminal.shot('zone-utc')
  await page.reload()
  await page.getByTestId('zone').getByText('Times in UTC', { exact: true }).waitFor()
  expect(terminal.faults).toEqual([])
  await terminal.close()
})

test('a connection that breaks comes back by itself, with a whole book', async () => {
  const terminal = await Terminal.open(browser, 'about:blank', 'desktop')
  const { page } = terminal
  const open = new Set<WebSocketRoute>()
  await page.routeWebSocket(/\/ws\/public$/, (socket) => {
    open.add(socket)
    socket.connectToServer()
  })
  await page.goto(venue.url)
  await page.getByText('Live', { exact: true }).waitFor()
  for (const socket of open) void socket.close({ code: 1001 })
  await page.getByText('Connecting …', { exact: true }).waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  // Levels and sizes of a side: something of it changes with every visit of a maker.
  const bids = page.locator('.bids')
  const before = await bids.textContent()
  await expect.poll(() => bids.textContent(), { timeout: 15_000 }).not.toBe(before)
  expect(terminal.faults).toEqual([])
  await terminal.close()
})
