/**
 * What a hurried person does, and what happens to one: presses that come twice, addresses that name nothing, positions that end
 * under their dialog, nonsense in fields, a page that is loaded anew, and a venue that is killed and started again.
 */
import { createServer } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { startVenue, type Venue } from '../support/venue.ts'
import { launchBrowser } from './browser.ts'
import { Terminal } from './page.ts'

const patience = { timeout: 30_000 }
const contract = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const
let venue: Venue
let browser: Browser

beforeAll(async () => {
  venue = await startVenue({ simulator: true, port: await freePort() })
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await venue?.remove()
})

async function signedIn(name: string): Promise<{ trader: Person; terminal: Terminal }> {
  const trader = await venue.person(name, { funds: { uta: { USDT: '100000' } } })
  const terminal = await Terminal.open(browser, venue.url, 'desktop')
  await terminal.page.locator('.bids .level:not(.void)').nth(2).waitFor({ state: 'attached' })
  await terminal.signInWith(trader.key)
  return { trader, terminal }
}

async function positionsOf(trader: Person): Promise<{ posSide: string; total: string; positionBalance: string }[]> {
  const { data } = await trader.get('/api/v3/position/current-position', { category: contract.category })
  return (data as { list: { posSide: string; total: string; positionBalance: string }[] | null }).list ?? []
}

describe('two presses in a hurry are one', () => {
  let terminal: Terminal
  let trader: Person

  beforeAll(async () => {
    ;({ trader, terminal } = await signedIn('hurried'))
  })
  afterAll(async () => {
    await terminal?.close()
  })

  /** What is sent to a call until its answers are there; they take their time, so that a second press comes before them. */
  async function sentTo(path: string, act: () => Promise<void>): Promise<number> {
    const { page } = terminal
    let sent = 0
    await page.route(`**${path}`, async (route) => {
      sent++
      await new Promise((resolve) => setTimeout(resolve, 500))
      await route.continue()
    })
    await act()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.unroute(`**${path}`)
    return sent
  }

  test('a transfer', async () => {
    const { page } = terminal
    await page.keyboard.press('w')
    await terminal.field('from').selectOption(`${trader.uid}/uta`)
    await terminal.field('to').selectOption(`${trader.uid}/spot`)
    await terminal.field('amount').fill('100')
    const button = page.getByTestId('transfer')
    expect(await sentTo('/api/v3/account/transfer', () => button.dblclick())).toBe(1)
  })

  test('the margin of a position, and its reversal', async () => {
    const { page } = terminal
    await trader.post('/api/v3/account/set-leverage', { ...contract, leverage: '10', marginMode: 'isolated' })
    const order = { ...contract, side: 'buy', orderType: 'market', qty: '0.05', marginMode: 'isolated' }
    await trader.post('/api/v3/trade/place-order', order)
    await terminal.showTab('positions')
    await page.locator('[data-action="margin"]').click()
    await terminal.field('margin').fill('10')
    const add = page.getByRole('button', { name: 'Add margin' })
    expect(await sentTo('/api/v3/account/set-margin', () => add.dblclick())).toBe(1)
    await page.locator('[data-action="reverse"]').click()
    await page.getByTestId('reverse-position').dblclick()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /BTCUSDT.*Short/ }).waitFor()
    await expect
      .poll(async () => (await positionsOf(trader)).map(({ posSide }) => posSide), patience)
      .toEqual(['short'])
  })

  test('a position that ended under its dialog has none when there is one again', async () => {
    const { page } = terminal
    await page.locator('[data-action="close"]').click()
    await page.getByRole('dialog').waitFor()
    const order = { ...contract, orderType: 'market', qty: '0.05', marginMode: 'isolated' }
    await trader.post('/api/v3/trade/place-order', { ...order, side: 'buy', reduceOnly: 'yes' })
    await page.getByText('No open positions.').waitFor()
    await trader.post('/api/v3/trade/place-order', { ...order, side: 'sell' })
    await page.getByRole('row', { name: /BTCUSDT.*Short/ }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(terminal.faults).toEqual([])
  })
})

test.each(['#SPOT/NOSUCH', '#%', '#usdt-futures', '#<b>x</b>'])('an address that names nothing: %s', async (hash) => {
  const terminal = await Terminal.open(browser, `${venue.url}/${hash}`, 'desktop')
  const { page } = terminal
  await page.locator('.notice.bad').filter({ hasText: 'is not listed here' }).waitFor()
  await page.locator('.pick').getByText('BTCUSDT', { exact: true }).waitFor()
  await page.locator('.bids .level:not(.void)').nth(2).waitFor({ state: 'attached' })
  await expect.poll(() => new URL(page.url()).hash, patience).toBe('#USDT-FUTURES/BTCUSDT')
  await page.evaluate(`location.hash = '#SPOT/ETHUSDT'`)
  await page.locator('.pick').getByText('ETHUSDT', { exact: true }).waitFor()
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  await expect.poll(() => new URL(page.url()).hash, patience).toBe('#SPOT/ETHUSDT')
  expect(terminal.faults).toEqual([])
  await terminal.close()
})

test('nonsense stays in its field, and nothing of it is sent', async () => {
  const { trader, terminal } = await signedIn('careless')
  const { page } = terminal
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && !request.url().endsWith('/max-open-available')) sent.push(request.url())
  })
  await terminal.choose('Order type', 'Limit')
  await terminal.field('quantity').fill('0.01')
  for (const text of ['abc', '1e5', '-60000', '0x10', '60000.123456', '٣', '9'.repeat(60), '<b>', '∞', '0']) {
    await terminal.field('price').fill(text)
    await page.keyboard.press('Alt+Enter')
    expect(await terminal.field('price').inputValue(), text).toBe(text)
    expect(await page.getByTestId('send').isDisabled(), text).toBe(true)
  }
  await terminal.field('price').fill('50000')
  for (const text of ['abc', '1e5', '-1', '0', '0.00001', '9'.repeat(60), ' ', 'NaN']) {
    await terminal.field('quantity').fill(text)
    await page.keyboard.press('Alt+Enter')
    expect(await page.getByTestId('send').isDisabled(), text).toBe(true)
  }
  // What could be sent is not sent from a dialog over it.
  await terminal.field('quantity').fill('0.01')
  await expect.poll(() => page.getByTestId('send').isEnabled(), patience).toBe(true)
  await page.keyboard.press('Escape')
  await page.keyboard.press('w')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Alt+Enter')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(sent).toEqual([])
  expect(await positionsOf(trader)).toEqual([])
  expect(terminal.faults).toEqual([])
  await terminal.close()
})

test('the venue is killed and started again, and the page is loaded anew meanwhile and after', async () => {
  const { terminal } = await signedIn('patient')
  const { page } = terminal
  await terminal.order({ side: 'Buy', type: 'Limit', price: '50000', quantity: '0.01' })
  await terminal.showTab('orders')
  const order = page.getByRole('row', { name: /BTCUSDT/ })
  await order.waitFor()
  await terminal.field('price').fill('51000')
  await terminal.field('quantity').fill('0.02')
  await venue.kill()
  await page.locator('.gone').getByText('orders are held back').waitFor()
  expect(await page.getByTestId('send').isDisabled()).toBe(true)
  await venue.start()
  await page.locator('.gone').waitFor({ state: 'detached' })
  await order.waitFor()
  // What was written is there still, and goes out when it is sent.
  expect(await terminal.field('price').inputValue()).toBe('51000')
  await page.getByTestId('send').click()
  await expect.poll(() => order.count(), patience).toBe(2)
  await page.reload()
  await page.getByTestId('account').waitFor()
  await terminal.showTab('orders')
  await expect.poll(() => order.count(), patience).toBe(2)
  await terminal.close()
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
