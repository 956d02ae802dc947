/**
 * What an operator does at the desk, in a real browser on a lively demo venue: at the width of a desk and of a phone.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary.ts'
import { startVenue, type Venue } from '../support/venue.ts'
import { launchBrowser } from './browser.ts'
import { Desk, type Size } from './page.ts'

const leaping = new URL('../operator/leaping-clock.ts', import.meta.url).href

let venue: Venue
let browser: Browser

/** What the venue's system clock is ahead by, in milliseconds, is in this file. */
let clockAhead: string

beforeAll(async () => {
  clockAhead = join(temporaryDirectory('desk'), 'ahead')
  writeFileSync(clockAhead, '0')
  venue = await startVenue({
    simulator: true,
    rateLimits: true,
    environment: { NODE_OPTIONS: `--import=${leaping}`, TEST_CLOCK_AHEAD: clockAhead },
  })
  browser = await launchBrowser()
  // Liquidations in bitcoin, which nothing else here touches.
  await venue.operator('scenario', { name: 'adl', minutes: 5 })
})

afterAll(async () => {
  await browser?.close()
  await venue?.remove()
})

interface Listed {
  readonly coin: string
}

interface Clock {
  readonly leap: string
  readonly now: number
  readonly system: number
}

/** Far below the market: it rests. */
const order = { category: 'USDT-FUTURES', symbol: 'XRPUSDT', side: 'buy', orderType: 'limit', price: '0.5', qty: '100' }

describe.each<[Size, string, 'dark' | 'light']>([
  ['desktop', 'unified-main', 'dark'],
  ['phone', 'unified-peer', 'light'],
])('%s', (size, role, theme) => {
  let desk: Desk
  let tries = 0

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
    await desk.field('operator').fill('Ann at the desk')
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
      .row('Wallets', /USDT Unified/)
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

  test('an account is frozen and let go, its orders are canceled, and its bills say what moved its money', async () => {
    const { page } = desk
    const trader = venue.as(role)
    expect((await trader.post('/api/v3/trade/place-order', order)).code).toBe('00000')
    const { price: _, ...market } = { ...order, orderType: 'market' }
    expect((await trader.post('/api/v3/trade/place-order', market)).code).toBe('00000')
    const trigger = { ...order, type: 'trigger', triggerPrice: '0.4', triggerBy: 'mark' }
    expect((await trader.post('/api/v3/trade/place-strategy-order', trigger)).code).toBe('00000')
    await desk
      .row('Open orders', /XRPUSDT/)
      .first()
      .waitFor()
    await desk
      .row('Trigger orders', /XRPUSDT/)
      .getByText('mark 0.4, at market')
      .waitFor()
    await desk
      .row('Bills', /Deposit/)
      .getByText('+1,234.50')
      .first()
      .waitFor()
    await desk
      .row('Margin', /All coins/)
      .getByText('%')
      .waitFor()
    await desk.shot('account-orders')
    await page.getByRole('button', { name: 'Freeze' }).click()
    await page.getByRole('dialog').getByText('Its keys only read').waitFor()
    await desk.shot('freeze')
    await desk.act()
    await page.getByText('frozen by the operator').waitFor()
    expect((await trader.post('/api/v3/trade/place-order', order)).code).toBe('40024')
    await page.getByRole('button', { name: 'Cancel all orders' }).click()
    await page.getByRole('dialog').getByText('1 trigger order open now').waitFor()
    await desk.act()
    await page.getByRole('table', { name: 'Open orders' }).waitFor({ state: 'detached' })
    await page.getByRole('table', { name: 'Trigger orders' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Unfreeze' }).click()
    await desk.act()
    await page.getByText('frozen by the operator').waitFor({ state: 'detached' })
    expect((await trader.post('/api/v3/trade/place-order', order)).code).toBe('00000')
    expect(await desk.cut()).toEqual([])
    expect(await desk.nameless()).toEqual([])
  })

  test('a refusal is told in the interface’s words, and the question stays', async () => {
    const { page } = desk
    await page.getByRole('button', { name: 'Withdraw' }).click()
    const all = page.getByRole('button', { name: /^Available [\d,]+(\.\d+)?$/ })
    const shown = ((await all.textContent()) ?? '').replace('Available', '').replaceAll(',', '').trim()
    expect(Number(shown)).toBeGreaterThan(0)
    await all.click()
    expect(await desk.field('amount').inputValue()).toBe(shown)
    await desk.field('amount').fill('99999999')
    await desk.act()
    await page.getByRole('alert').getByText('transferable-exceeded').waitFor()
    expect(await desk.field('amount').getAttribute('aria-invalid')).toBe('true')
    await page.locator('.fault').getByText('may leave').waitFor()
    await desk.shot('refused')
    await page.keyboard.press('Escape')
    // The one that was asked for.
    expect(desk.faults.splice(0)).toEqual(expect.arrayContaining([expect.stringContaining('409')]))
  })

  test('a key is made, shown once, and revoked', async () => {
    const { page } = desk
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('heading', { name: `New key of ${role}` }).waitFor()
    await desk.field('label').fill(`desk-${size}`)
    await desk.field('ipList').fill('127.0.0.1, 10.0.0.0/80')
    const permissions = page.getByRole('group', { name: 'It may' })
    for (const box of await permissions.getByRole('checkbox').all()) await box.uncheck()
    await desk.act()
    await expect.poll(() => desk.field('ipList').getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('fieldset[name="permissions"] .fault').count()).toBe(1)
    await desk.shot('key-wrong')
    desk.faults.splice(0)
    await permissions.getByRole('checkbox', { name: 'Read' }).check()
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

  test('what is wrong with a scenario is said at its field, which has the focus', async () => {
    const { page } = desk
    await desk.show('controls')
    await page.getByRole('button', { name: 'Begin a scenario' }).click()
    await desk.field('minutes').fill('61')
    await desk.act()
    await page.getByText('must be a whole number from 1 to 60', { exact: true }).waitFor()
    await expect.poll(() => desk.field('minutes').getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('minutes')
    await desk.shot('scenario-wrong')
    await page.keyboard.press('Escape')
    await page.getByRole('table', { name: 'Coins' }).getByText('USD').first().waitFor()
    await desk.shot('controls')
    await expect.poll(() => desk.faults.some((fault) => fault.includes('400'))).toBe(true)
    desk.faults.splice(0)
  })

  test('a coin and a contract are listed, and what is wrong is said at its field', async () => {
    const { page } = desk
    // What an earlier try has left: its question, and its coin.
    await page.keyboard.press('Escape')
    await desk.show('controls')
    const coin = `NEW${size.slice(0, 1).toUpperCase()}${++tries}`
    await page.getByRole('button', { name: 'New coin' }).click()
    await desk.field('coin').fill(coin)
    await desk.field('price').fill('2')
    await desk.field('lendingPoolLimit').fill('5000')
    for (const [place, to, ratio] of [
      [0, '1000', '0.5'],
      [1, '2000', '0.8'],
    ]) {
      await page.locator('[data-action="more-collateral"]').click()
      await desk.field(`collateral.${place}.to`).fill(`${to}`)
      await desk.field(`collateral.${place}.ratio`).fill(`${ratio}`)
    }
    await desk.act()
    await page.locator('fieldset[name="collateral"] > .fault').waitFor()
    await desk.shot('coin-wrong')
    await desk.field('collateral.1.ratio').fill('0.25')
    await desk.act()
    const row = desk.row('Coins', new RegExp(coin))
    await row.getByText('2 USD', { exact: true }).waitFor()
    const [listed] = (await venue.operator<readonly Listed[]>('coins')).filter((one) => one.coin === coin)
    const slices = [
      { to: '1000', ratio: '0.5' },
      { to: '2000', ratio: '0.25' },
    ]
    expect(listed).toMatchObject({ lendingPoolLimit: '5000', collateral: slices })
    await row.getByRole('button', { name: 'Set price' }).click()
    await desk.field(`prices.${coin}`).fill('2.5')
    await desk.act()
    await row.getByText('2.5 USD', { exact: true }).waitFor()

    await desk.show('instruments')
    await page.getByRole('button', { name: 'New instrument' }).click()
    await page.locator('select[name="category"]').selectOption('USDT-FUTURES')
    const fields = { symbol: `${coin}USDT`, pricePrecision: '4', quantityPrecision: '0', minOrderQty: '1.5' }
    for (const [name, text] of Object.entries(fields)) await desk.field(name).fill(text)
    await page.locator('select[name="baseCoin"]').selectOption(coin)
    await desk.act()
    await page.getByText('is required', { exact: true }).first().waitFor()
    for (const name of ['minOrderAmount', 'makerFeeRate', 'tiers.0.to']) {
      expect(await desk.field(name).getAttribute('aria-invalid'), name).toBe('true')
    }
    await desk.shot('instrument-wrong')
    const others = {
      minOrderAmount: '1',
      makerFeeRate: '0.0002',
      takerFeeRate: '0.0006',
      maxLeverage: '20',
      defaultLeverage: '5',
      maxOrderQty: '1000',
      maxMarketOrderQty: '500',
      limitPriceRatio: '0.1',
      marketPriceRatio: '0.02',
      fundingRateCap: '0.001',
      'tiers.0.to': '1000000',
      'tiers.0.maxLeverage': '20',
      'tiers.0.maintenanceRate': '0.01',
    }
    for (const [name, text] of Object.entries(others)) await desk.field(name).fill(text)
    await desk.act()
    await page.getByText('must be a multiple of sizeMultiplier', { exact: true }).waitFor()
    await desk.field('minOrderQty').fill('1')
    await desk.act()
    await page.getByRole('searchbox', { name: 'Search instruments' }).fill(coin)
    await desk
      .row('Instruments', new RegExp(`${coin}USDT`))
      .getByText('Open', { exact: true })
      .waitFor()
    await page.getByRole('searchbox', { name: 'Search instruments' }).fill('')
    const instruments = await venue.operator<readonly { readonly symbol: string }[]>('instruments')
    expect(instruments.find(({ symbol }) => symbol === `${coin}USDT`)).toMatchObject({
      defaultLeverage: 5,
      maxOrderQty: '1000',
      maxMarketOrderQty: '500',
      limitPriceRatio: '0.1',
      marketPriceRatio: '0.02',
      fundingRateCap: '0.001',
    })
    expect(desk.faults.splice(0)).toEqual(expect.arrayContaining([expect.stringContaining('400')]))
  })

  test('the trail has what was done, and by whom', async () => {
    const row = desk.row('Trail of operator actions', new RegExp(venue.as(role).uid))
    await desk.show('trail')
    await row.filter({ hasText: 'accounts/freeze' }).filter({ hasText: 'Ann at the desk' }).first().waitFor()
    await row.filter({ hasText: 'transferable-exceeded' }).first().waitFor()
    await desk.shot('trail')
  })

  test('the hours have a course, and the log its lines by level', async () => {
    const { page } = desk
    const points = Array.from({ length: 180 }, (_, minute) => {
      const wave = 2 + Math.sin(minute / 20)
      return {
        at: 1_790_000_000_000 + minute * 60_000,
        ordersPerS: 40 * wave,
        p50Ms: wave,
        p99Ms: 9 * wave,
        volumeUsd: 1e6 * wave,
      }
    })
    await page.route('**/operator/course', (route) => route.fulfill({ json: { ok: true, data: { points } } }))
    await desk.show('hours')
    await page.getByText('Orders / s').first().waitFor()
    await page.getByText('By the hour', { exact: true }).click()
    await desk.row('Course by the hour', /2026/).first().waitFor()
    await page.getByText('By the hour', { exact: true }).click()
    await desk
      .row('Newest lines of the log', /operator call/)
      .first()
      .waitFor()
    await desk.shot('hours')
    // A line that is written now comes by itself.
    await venue.operator('instruments/status', { category: 'SPOT', symbol: 'ETHUSDT', status: 'online' })
    await desk
      .row('Newest lines of the log', /instruments\/status/)
      .first()
      .waitFor()
    await desk.choose('Level', 'Errors')
    await page.getByText('Nothing of this level was logged.').waitFor()
    await page.unroute('**/operator/course')
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
    const chapter = page.getByRole('link', { name: 'docs/risk.md § The unified account' }).first()
    expect(await chapter.getAttribute('href')).toBe(`${venue.url}/docs/guide/risk#the-unified-account`)
    await desk.shot('explain')
    await desk.field('uid').fill('1234567890')
    await page.getByRole('button', { name: 'Explain' }).click()
    await expect.poll(() => desk.field('uid').getAttribute('aria-invalid')).toBe('true')
    expect(desk.faults.splice(0)).toEqual(expect.arrayContaining([expect.stringContaining('404')]))
  })

  test('nothing is wider than the page, and everything has a name, in every view', async () => {
    const { page } = desk
    for (const view of [
      'overview',
      'instruments',
      'accounts',
      'keys',
      'risk',
      'controls',
      'trail',
      'hours',
      'explain',
    ]) {
      await desk.show(view)
      await page.locator(`.view[data-view="${view}"] .panel`).first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), view).toBeLessThanOrEqual(0)
      expect(await desk.cut(), view).toEqual([])
      if (view !== 'risk') continue
      await desk.row('Near liquidation', /%/).first().waitFor()
      await desk.shot('risk')
      expect(await desk.cutCells(), view).toEqual([])
      expect(await desk.startsOfCells('Near liquidation'), view).toHaveLength(size === 'phone' ? 1 : 5)
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

/** Ways to an explanation that nobody sees without moving the table sideways: the texts of their rows. */
async function outOfSight(desk: Desk): Promise<string[]> {
  return desk.page.evaluate<
    string[]
  >(`[...document.querySelectorAll('.risk tbody a[href*="explain"]')].flatMap((link) => {
    const isIn = link.getBoundingClientRect().right <= link.closest('.scrolls').getBoundingClientRect().right
    return isIn ? [] : [link.closest('tr').textContent]
  })`)
}

test('a liquidation comes into the feed by itself, and leads to its explanation', async () => {
  const desk = await Desk.open(browser, venue.operatorUrl, 'desktop', 'light')
  await desk.signIn(venue.operatorToken)
  await desk.show('risk')
  const row = desk.row('Liquidations', /BTC/).first()
  await row.waitFor({ timeout: 90_000 })
  await desk.row('Near liquidation', /%/).first().waitFor()
  await desk
    .row('Exposure by contract', /BTCUSDT/)
    .first()
    .waitFor()
  await desk.shot('risk')
  expect(await outOfSight(desk)).toEqual([])
  await row.getByRole('link', { name: 'Explain' }).click()
  await desk.page.locator('[data-line="breached"]').first().waitFor()
  await desk.shot('liquidation')
  expect(desk.faults).toEqual([])
  await desk.close()
})

test('a scenario begins and ends, and the market runs it', async () => {
  const desk = await Desk.open(browser, venue.operatorUrl, 'desktop')
  const { page } = desk
  await desk.signIn(venue.operatorToken)
  await desk.show('controls')
  await page.locator('[data-action="begin-scenario"]').click()
  await desk.field('name').selectOption('trend')
  await desk.field('minutes').fill('7')
  await desk.field('coin').selectOption('DOGE')
  await desk.act()
  await page.getByTestId('scenario').getByText('Trend', { exact: true }).waitFor()
  const runs = await venue.operator<{ readonly minutesLeft: number }>('scenario')
  expect(runs).toMatchObject({ name: 'trend', coin: 'DOGE' })
  expect(runs.minutesLeft).toBeGreaterThan(0)
  expect(runs.minutesLeft).toBeLessThanOrEqual(7)
  await page.locator('[data-action="end-scenario"]').click()
  await desk.act()
  await page.getByTestId('scenario').getByText('none', { exact: true }).waitFor()
  expect(await venue.operator('scenario')).toMatchObject({ name: 'none', coin: null })
  await page.locator('[data-action="end-scenario"]:disabled').waitFor()
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

// The last one: from here on the time of the venue is not that of the tests.
test('a leap of the system clock is refused, and then accepted', async () => {
  const desk = await Desk.open(browser, venue.operatorUrl, 'desktop')
  const { page } = desk
  const clock = () => venue.operator<Clock>('clock')
  await desk.signIn(venue.operatorToken)
  await desk.show('controls')
  await page.locator('[data-action="accept-leap"]:disabled').waitFor()
  writeFileSync(clockAhead, '600000')
  await page.locator('[data-action="refuse-leap"]:enabled').click()
  await page.getByRole('dialog', { name: 'Refuse the leap?' }).waitFor()
  await desk.act()
  await page.locator('[data-action="refuse-leap"]:disabled').waitFor()
  const refused = await clock()
  expect(refused.leap).toBe('refused')
  expect(refused.system - refused.now).toBeGreaterThan(500_000)
  await page.locator('[data-action="accept-leap"]').click()
  await page.getByRole('dialog', { name: 'Accept the leap?' }).getByText('It cannot be undone').waitFor()
  await desk.shot('leap')
  await desk.act()
  await page.locator('[data-action="accept-leap"]:disabled').waitFor()
  const accepted = await clock()
  expect(accepted.leap).toBe('none')
  expect(Math.abs(accepted.system - accepted.now)).toBeLessThan(60_000)
  expect(accepted.now - refused.now).toBeGreaterThan(500_000)
  expect(desk.faults).toEqual([])
  await desk.close()
})
