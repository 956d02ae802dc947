/**
 * What an operator does at the desk, in a real browser on a lively demo venue: at the width of a desk and of a phone.
 */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startVenue, type Venue } from '../support/venue.ts'
import { launchBrowser } from './browser.ts'
import { Desk, type Size } from './page.ts'

let venue: Venue
let browser: Browser

beforeAll(async () => {
  venue = await startVenue({ simulator: true, rateLimits: true })
  browser = await launchBrowser()
  // Liquidations in bitcoin, which nothing else here touches.
  await venue.operator('scenario', { name: 'adl', minutes: 5 })
})

afterAll(async () => {
  await browser?.close()
  await venue?.remove()
})

/** Far below the market: it rests. */
const order = { category: 'USDT-FUTURES', symbol: 'XRPUSDT', side: 'buy', orderType: 'limit', price: '0.5', qty: '100' }

describe.each<[Size, string, 'dark' | 'light']>([
  ['desktop', 'unified-main', 'dark'],
  ['phone', 'unified-peer', 'light'],
])('%s', (size, role, theme) => {
  let desk: Desk

  beforeAll(async () => {
    desk = await Desk.open(browser, venue.operatorUrl, size, theme)
  })

  afterAll(async () => {
    await desk?.close()
  })

  test('asks for the token, and knows it again after a reload of this tab', async () => {
    const { page } = desk
    await desk.field('token').waitFor()
    await desk.shot('sign-in')
    await desk.signIn(venue.operatorToken)
    await page.getByTestId('mode').getByText('Takes commands').waitFor()
    await page.reload()
    await page.getByTestId('mode').getByText('Takes commands').waitFor()
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(venue.operatorToken)
  })

  test('the venue lives, and every coin adds up', async () => {
    const { page } = desk
    const rate = page.getByTestId('commands-rate')
    await expect.poll(() => desk.number(rate), { timeout: 20_000 }).toBeGreaterThan(0)
    await desk
      .row('Latency by stage', /Engine/)
      .getByText('ms')
      .first()
      .waitFor()
    const coins = await venue.operator<readonly object[]>('coins')
    await expect.poll(() => page.getByTestId('balanced').count(), { timeout: 10_000 }).toBe(coins.length)
    await page.getByText('every coin adds up').waitFor()
    await desk.shot('overview')
  })

  test('a halted instrument takes no order until it is opened again', async () => {
    const { page } = desk
    const trader = venue.as(role)
    await desk.show('instruments')
    await page.getByRole('searchbox', { name: 'Search instruments' }).fill('xrp usdt-futures')
    const row = desk.row('Instruments', /XRPUSDT/)
    await row.getByText('Open', { exact: true }).waitFor()
    await row.locator('[data-action="halt"]').click()
    await page.getByRole('dialog').getByText('New orders and changes of orders are refused').waitFor()
    await desk.shot('halt')
    await desk.act()
    await row.getByText('Halted', { exact: true }).waitFor()
    await desk.shot('halted')
    expect((await trader.post('/api/v3/trade/place-order', order)).code).not.toBe('00000')
    await row.locator('[data-action="open"]').click()
    await desk.act()
    await row.getByText('Open', { exact: true }).waitFor()
    const placed = await trader.post('/api/v3/trade/place-order', order)
    expect(placed.code).toBe('00000')
    await page.getByRole('searchbox', { name: 'Search instruments' }).fill('')
    await desk.shot('instruments')
  })

  test('an account is found by its name, and a deposit arrives', async () => {
    const { page } = desk
    await desk.show('accounts')
    await page.getByRole('searchbox', { name: 'Search accounts' }).fill(role)
    await page
      .getByRole('link', { name: new RegExp(role) })
      .first()
      .click()
    const usdt = desk
      .row('Wallets', /USDT uta/)
      .locator('td')
      .first()
    await usdt.waitFor()
    const before = await desk.number(usdt)
    await page.getByRole('button', { name: 'Deposit' }).click()
    await desk.field('amount').fill('1234.5')
    await desk.shot('deposit')
    await desk.act()
    await expect.poll(() => desk.number(usdt), { timeout: 10_000 }).toBeCloseTo(before + 1234.5, 6)
    await desk.shot('account')
  })

  test('a refusal is told in the interface’s words, and the question stays', async () => {
    const { page } = desk
    await page.getByRole('button', { name: 'Withdraw' }).click()
    await desk.field('amount').fill('99999999')
    await desk.act()
    await page.getByRole('alert').getByText('transferable-exceeded').waitFor()
    await desk.shot('refused')
    await page.keyboard.press('Escape')
    // The one that was asked for.
    expect(desk.faults.splice(0)).toEqual(expect.arrayContaining([expect.stringContaining('409')]))
  })

  test('a key is made, shown once, and revoked', async () => {
    const { page } = desk
    await page.getByRole('button', { name: 'New key' }).click()
    await desk.field('label').fill(`desk-${size}`)
    await desk.field('ipList').fill('127.0.0.1, 10.0.0.0/8')
    await desk.act()
    const apiKey = (await page.getByTestId('apiKey').textContent()) ?? ''
    expect(await page.getByTestId('secret').textContent()).toMatch(/^[0-9a-f]{64}$/)
    await desk.shot('key')
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await desk.show('keys')
    await page.getByRole('searchbox', { name: 'Search keys' }).fill(apiKey)
    const row = desk.row('API keys', new RegExp(`desk-${size}`))
    await row.getByText('127.0.0.1, 10.0.0.0/8').waitFor()
    await desk.shot('keys')
    await row.locator('[data-action="revoke"]').click()
    await desk.act()
    await page.getByText('None is like that.').waitFor()
    await page.getByRole('checkbox', { name: 'Live ones only' }).uncheck()
    await row.getByText('revoked').waitFor()
  })

  test('an account is made, and it is there', async () => {
    const { page } = desk
    await desk.show('accounts')
    await page.getByRole('button', { name: 'New account' }).click()
    await desk.field('name').fill(`Alice ${size}`)
    await desk.act()
    await page.getByRole('heading', { name: `Alice ${size}` }).waitFor()
    await page.getByText('Nothing is in its wallets.').waitFor()
  })

  test('an account is explained, line by line', async () => {
    const { page } = desk
    await desk.show('explain')
    await desk.field('uid').fill(venue.as(role).uid)
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.locator('[data-line="available"]').first().waitFor()
    await page.getByText('deposit uta: 1234.5 USDT').first().waitFor()
    await desk.shot('explain')
  })

  test('nothing is wider than the page, and everything has a name, in every view', async () => {
    const { page } = desk
    for (const view of ['overview', 'instruments', 'accounts', 'keys', 'risk', 'explain']) {
      await desk.show(view)
      await page.locator(`.view[data-view="${view}"] .panel`).first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), view).toBeLessThanOrEqual(0)
      expect(await desk.nameless(), view).toEqual([])
    }
  })

  test('the page had no fault of its own', () => {
    expect(desk.faults).toEqual([])
  })
})

test('by keyboard alone: a contract is found, halted and opened again', async () => {
  const desk = await Desk.open(browser, venue.operatorUrl, 'desktop')
  const { page } = desk
  const tabTo = async (action: string) => {
    // A dialog comes a moment after the key that asks for it, and would be tabbed past before it is there.
    await page.locator(`[data-action="${action}"], [data-testid="${action}"]`).first().waitFor()
    const isThere = `document.activeElement.dataset.action === '${action}' || document.activeElement.dataset.testid === '${action}'`
    for (let presses = 0; !(await page.evaluate(isThere)); presses++) {
      if (presses === 12) throw new Error(`no ${action} within reach of the Tab key`)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
  }
  await expect.poll(() => page.evaluate('document.activeElement.name'), { timeout: 10_000 }).toBe('token')
  await page.keyboard.type(venue.operatorToken)
  await page.keyboard.press('Enter')
  await page.getByTestId('mode').getByText('Takes commands').waitFor()
  await page.keyboard.press('2')
  const row = desk.row('Instruments', /SOLUSDT/)
  await row.first().waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('sol usdt-futures')
  await expect.poll(() => row.count(), { timeout: 5_000 }).toBe(1)
  await tabTo('halt')
  await tabTo('act')
  await row.getByText('Halted', { exact: true }).waitFor()
  // The overview says so, and leads back.
  await page.keyboard.press('1')
  await page.getByRole('link', { name: /^Not open for trading: SOLUSDT/ }).focus()
  await page.keyboard.press('Enter')
  await row.getByText('Halted', { exact: true }).waitFor()
  await page.keyboard.press('/')
  await tabTo('open')
  await tabTo('act')
  await page.getByText('None is like that.').waitFor()
  await page.locator('body').press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  await desk.shot('keyboard')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(desk.faults).toEqual([])
  await desk.close()
})

test('a liquidation comes into the feed by itself, and leads to its explanation', async () => {
  const desk = await Desk.open(browser, venue.operatorUrl, 'desktop', 'light')
  await desk.signIn(venue.operatorToken)
  await desk.show('risk')
  const row = desk.row('Liquidations', /BTC/).first()
  await row.waitFor({ timeout: 90_000 })
  await desk.shot('risk')
  await row.getByRole('link', { name: 'Explain' }).click()
  await desk.page.locator('[data-line="breached"]').first().waitFor()
  await desk.shot('liquidation')
  expect(desk.faults).toEqual([])
  await desk.close()
})

test('what is done elsewhere is seen without asking', async () => {
  const desk = await Desk.open(browser, venue.operatorUrl, 'desktop')
  await desk.signIn(venue.operatorToken)
  await desk.show('instruments')
  await desk.page.getByRole('searchbox', { name: 'Search instruments' }).fill('doge spot')
  const row = desk.row('Instruments', /DOGEUSDT/)
  for (const [status, shown] of [
    ['cancel_only', 'Cancel only'],
    ['online', 'Open'],
  ]) {
    await venue.operator('instruments/status', { category: 'SPOT', symbol: 'DOGEUSDT', status })
    await row.locator('.badge').getByText(shown, { exact: true }).waitFor()
  }
  expect(desk.faults).toEqual([])
  await desk.close()
})

test('a wrong token lets nobody in', async () => {
  const desk = await Desk.open(browser, venue.operatorUrl, 'desktop')
  await desk.signIn('ab'.repeat(32))
  await desk.page.getByRole('alert').getByText('token-wrong').waitFor()
  expect(await desk.page.getByTestId('mode').count()).toBe(0)
  await desk.close()
})

test('a coin that does not add up, and a venue that cannot be reached, are said', async () => {
  const desk = await Desk.open(browser, venue.operatorUrl, 'desktop')
  const { page } = desk
  const coin = { coin: 'BTC', deposited: '100', accounts: '99', house: { fees: '0.5' }, difference: '-0.5' }
  const said = [
    { of: 'status', ok: true, data: await venue.operator('status') },
    { of: 'conservation', ok: true, data: { tookMs: 1, coins: [coin] } },
  ]
  await page.route('**/operator/events*', (route) =>
    route.fulfill({ body: said.map((line) => `${JSON.stringify(line)}\n`).join('') }),
  )
  await desk.signIn(venue.operatorToken)
  await desk.row('Conservation of each coin', /BTC/).getByText('off by -0.5').waitFor()
  await page.getByText('1 coin does not add up').waitFor()
  await page.route('**/operator/**', (route) => route.abort())
  await page.getByTestId('mode').getByText('The venue cannot be reached').waitFor()
  await desk.shot('unwell')
  await desk.close()
})
