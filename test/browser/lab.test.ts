/**
 * The drawer of the laboratory in the terminal of a `dev` venue, in a real browser: time, snapshots, faults and the truth
 * behind them, by the calls that a test makes (lab.md §4.2 to §4.5). Elsewhere there is none (terminal.test.ts).
 */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Laboratory } from '../lab/laboratory.ts'
import { launchBrowser } from './browser.ts'
import { Desk, englishOn, type Size, sizes, Terminal } from './page.ts'

let laboratory: Laboratory
let browser: Browser

beforeAll(async () => {
  laboratory = await Laboratory.open('--start-at', '2026-03-01T07:59:50Z', '--simulator', 'on', '--no-rate-limits')
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await laboratory?.close()
})

interface Firing {
  readonly fault: string
  readonly outcome: string
}

describe.each<[Size, 'dark' | 'light']>([
  ['desktop', 'dark'],
  ['phone', 'light'],
])('%s', (size, theme) => {
  let terminal: Terminal

  beforeAll(async () => {
    await laboratory.main.post('/reset')
    terminal = await Terminal.open(browser, laboratory.main.url, size, theme)
    await terminal.signInAs('unified-main')
  })

  afterAll(async () => {
    await terminal?.close()
  })

  const done = (text: string | RegExp) => terminal.page.locator('.notice').filter({ hasText: text }).first().waitFor()

  test('a key opens it, and it says what time it is at the venue', async () => {
    const { page } = terminal
    await page.keyboard.press('k')
    await page.getByTestId('lab-now').getByText('2026-03-01 07:59:50 UTC').waitFor()
    expect(await terminal.nameless()).toEqual([])
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  })

  test('time goes on by a step, and to the next funding', async () => {
    const { page } = terminal
    await page.getByRole('button', { name: '+1s', exact: true }).click()
    await done('2026-03-01 07:59:51')
    await page.getByRole('button', { name: 'Funding →' }).click()
    await done('2026-03-01 08:00:00')
    await page.getByTestId('lab-now').getByText('2026-03-01 08:00:00 UTC').waitFor()
    await terminal.field('lab-step').fill('a while')
    await page.getByRole('button', { name: 'Step', exact: true }).click()
    await done(/step.*duration/)
  })

  test('a lost answer: the browser sends anew, and the trader is told that the order is there once', async () => {
    const { page } = terminal
    await terminal.field('lab-fault').selectOption('lost-ack')
    await page.getByTestId('lab-add-fault').click()
    await done('Lost answer: at order 1 from now')
    await terminal.shot('lab-rule')
    await page.getByTestId('lab-toggle').click()
    await terminal.show('trade')
    await terminal.choose('Order type', 'Limit')
    await terminal.field('price').fill('50000')
    await terminal.field('quantity').fill('0.01')
    await page.getByTestId('send').click()
    await done(/placed.*Its first answer was lost/)
    await page.getByTestId('lab-toggle').click()
    await page.getByTestId('lab-firings').getByText('in truth placed').waitFor()
    await terminal.shot('lab-firing')
    const firings = await laboratory.main.get<readonly Firing[]>('/firings')
    expect(firings).toMatchObject([{ fault: 'lost-ack', outcome: 'placed' }])
  })

  test('a snapshot is gone back to, and the order that came later is not there any more', async () => {
    const { page } = terminal
    const open = async () => {
      const { now } = await laboratory.main.get<{ readonly now: number }>('')
      const person = laboratory.main.person('unified-main', () => now)
      const query = { category: 'USDT-FUTURES' }
      const answer = await person.get('/api/v3/trade/unfilled-orders', query)
      const data = answer.data as { readonly list: readonly object[] | null }
      return (data.list ?? []).length
    }
    const before = await open()
    await terminal.field('lab-snapshot').fill('here')
    await page.getByTestId('lab-keep').click()
    await page.getByRole('button', { name: 'Back to here' }).waitFor()
    await page.getByTestId('lab-toggle').click()
    await terminal.order({ side: 'Buy', type: 'Limit', price: '49000', quantity: '0.01' })
    expect(await open()).toBe(before + 1)
    await page.getByTestId('lab-toggle').click()
    await page.getByRole('button', { name: 'Back to here' }).click()
    await done('Back at here')
    expect(await open()).toBe(before)
    await terminal.shot('lab-back')
  })

  test('a scenario of the market begins, and the page has met no fault of its own', async () => {
    const { page } = terminal
    await terminal.field('lab-scenario').selectOption('trend')
    await page.locator('button[data-testid="lab-scenario"]').click()
    await done('The scenario trend has begun')
    await page.getByTestId('lab-reset').click()
    await done('The venue is as it began')
  })
})

test('the drawer in Chinese says nothing in English', async () => {
  await laboratory.main.post('/reset')
  const context = await browser.newContext({ locale: 'zh-CN', viewport: sizes.desktop })
  const terminal = await Terminal.at(await context.newPage(), laboratory.main.url, 'desktop')
  try {
    const { page } = terminal
    await page.locator('.bids .level:not(.void)').nth(2).waitFor({ state: 'attached' })
    await page.keyboard.press('k')
    await page.getByRole('heading', { name: '时钟' }).waitFor()
    // A snapshot has the name that it was given before.
    expect((await englishOn(page)).filter((text) => !/\bhere$/.test(text))).toEqual([])
    await terminal.shot('zh-lab')
  } finally {
    await terminal.close()
  }
})

test('the desk is on the same port, asks for no token on loopback, shows what has fired, and moves the clock', async () => {
  await laboratory.main.post('/faults', { fault: 'not-placed', on: { endpoint: 'place' } })
  const { now } = await laboratory.main.get<{ readonly now: number }>('')
  const order = {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    price: '50000',
    qty: '0.01',
  }
  const answer = await laboratory.main.person('unified-main', () => now).post('/api/v3/trade/place-order', order)
  expect(answer.code).toBe('40015')
  const before = await laboratory.main.get<{ readonly now: number }>('')
  const desk = await Desk.open(browser, `${laboratory.main.url}/_lab/desk`, 'desktop')
  try {
    await desk.page.getByTestId('mode').getByText('Takes commands').waitFor()
    const row = desk.row('Firings of the laboratory', /not-placed/)
    await row.getByText('never reached the venue').waitFor()
    expect(await row.textContent()).toContain('POST /api/v3/trade/place-order')
    expect(await desk.nameless()).toEqual([])
    await desk.shot('lab')
    await desk.show('controls')
    await desk.page.locator('[data-action="advance-clock"]').click()
    await desk.act()
    await desk.page.locator('.dialog .fault').waitFor()
    expect(desk.faults.splice(0)).toEqual(expect.arrayContaining([expect.stringContaining('400')]))
    await desk.field('ms').fill('2')
    await desk.act()
    // What the simulated traders do on the way takes its time.
    await desk.page.getByRole('dialog').waitFor({ state: 'detached', timeout: 60_000 })
    const moved = await laboratory.main.get<{ readonly now: number }>('')
    expect(moved.now - before.now).toBe(2_000)
    const shown = new Date(moved.now).toISOString().slice(0, 19).replace('T', ' ')
    await desk.page.getByTestId('venue-time').getByText(shown).waitFor()
    expect(desk.faults).toEqual([])
  } finally {
    await desk.close()
  }
})
