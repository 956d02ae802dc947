/**
 * The chart in a real browser: indicators, prices beside the candles, what is drawn, orders from it and lines that are dragged.
 * A live market moves its scale: where a price lies is asked of the chart itself.
 */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { startVenue, type Venue } from '../support/venue.ts'
import { launchBrowser } from './browser.ts'
import { type Size, Terminal } from './page.ts'

let venue: Venue
let browser: Browser

beforeAll(async () => {
  venue = await startVenue({ simulator: true, rateLimits: true, past: 1 })
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await venue?.remove()
})

describe.each<[Size, 'dark' | 'light']>([
  ['wide', 'dark'],
  ['desktop', 'light'],
  ['phone', 'light'],
])('%s', (size, theme) => {
  let terminal: Terminal
  let trader: Person

  beforeAll(async () => {
    trader = await venue.person(`chart-${size}`, { funds: { uta: { USDT: '1000000' } } })
    terminal = await Terminal.open(browser, venue.url, size, theme)
    await terminal.signInWith(trader.key)
    await terminal.page.locator('.candles canvas').first().waitFor()
  })

  afterAll(async () => {
    await terminal?.close()
  })

  const chart = (name: RegExp) => terminal.page.getByRole('img', { name })

  test('has every interval of the interface', async () => {
    const offered = await terminal.field('interval').locator('option').allTextContents()
    expect(offered).toHaveLength(20)
    expect(offered).toContain('1Mutc')
    await terminal.field('interval').selectOption('3m')
    await chart(/BTCUSDT candles of 3m/).waitFor()
    await terminal.field('interval').selectOption('1m')
    await chart(/BTCUSDT candles of 1m/).waitFor()
  })

  test('indicators are chosen with their lengths and are there again after loading the page', async () => {
    const { page } = terminal
    await page.getByRole('button', { name: 'Indicators' }).click()
    for (const name of ['Moving average (MA)', 'Bollinger bands', 'Relative strength (RSI)', 'MACD'])
      await page.getByRole('checkbox', { name, exact: true }).check()
    await page.getByLabel('Lengths: MA', { exact: true }).fill('7 twelve')
    await page.getByText('One to four whole numbers from 1 to 500').waitFor()
    await page.getByLabel('Lengths: MA', { exact: true }).fill('5, 10')
    await page.getByRole('checkbox', { name: 'Mark price' }).check()
    await page.getByRole('checkbox', { name: 'Index price' }).check()
    await terminal.shot('indicators')
    await page.keyboard.press('Escape')
    expect(await page.evaluate(`localStorage.getItem('tidemark.indicators')`)).toContain('MA:5,10')
    await page.reload()
    await page.getByTestId('account').waitFor()
    await page.locator('.candles canvas').first().waitFor()
    // Three panes below the candles: volume, RSI, MACD.
    const heights = `[...document.querySelectorAll('.fills canvas')].map((canvas) => canvas.getBoundingClientRect().height)`
    const differing = async () => new Set((await page.evaluate<number[]>(heights)).map(Math.round)).size
    await expect.poll(differing).toBeGreaterThan(2)
    await terminal.shot('indicators-chart')
  })

  test('an order is written from the chart', async () => {
    const { page } = terminal
    await terminal.show('chart')
    await pressAt(terminal, 0.4, 0.2)
    const menu = page.getByRole('menu', { name: /^At [\d,.]+$/ })
    await menu.waitFor()
    await terminal.shot('chart-menu')
    const price = ((await menu.getAttribute('aria-label')) ?? '').slice(3).replaceAll(',', '')
    await menu.getByRole('menuitem', { name: 'Buy limit' }).click()
    await expect.poll(() => terminal.field('price').inputValue()).toBe(price)
    await terminal.field('price').fill('')
    await terminal.show('chart')
  })

  test('a resting order is dragged to another price', async () => {
    const { page } = terminal
    const lastNow = () => terminal.number(page.getByTestId('last-price'))
    await expect.poll(lastNow).toBeGreaterThan(0)
    const last = await lastNow()
    await terminal.order({ side: 'Buy', type: 'Limit', price: (last * 0.9985).toFixed(1), quantity: '0.05' })
    await terminal.field('price').fill('')
    await terminal.show('chart')
    await chart(/Buy 0\.05 at /).waitFor()
    const [order] = await openOrders(trader)
    await terminal.field('interval').selectOption('1H') // its scale hardly moves while the market does
    await chart(/BTCUSDT candles of 1H/).waitFor()
    await dragLine(terminal, Number(order?.price), 14)
    await expect.poll(async () => (await openOrders(trader))[0]?.price, { timeout: 10_000 }).not.toBe(order?.price)
    const [moved] = await openOrders(trader)
    expect(Number(moved?.price)).toBeLessThan(Number(order?.price))
    expect(moved?.qty).toBe('0.05')
    await terminal.shot('dragged')
  })

  test('what is drawn stays, and is removed', async () => {
    const { page } = terminal
    await terminal.field('tool').selectOption('segment')
    const box = await page.locator('.candles').boundingBox()
    if (box === null) throw new Error('no chart')
    await page.mouse.click(box.x + box.width * 0.2, box.y + box.height * 0.15)
    const remove = page.getByRole('button', { name: /^Remove (?:all drawings|drawing)$/ })
    // Two presses that follow soon are one double press to the library: then the second counts for nothing.
    const pressEnd = async () => {
      await page.mouse.click(box.x + box.width * 0.5, box.y + box.height * 0.25)
      return remove.count()
    }
    await expect.poll(pressEnd, { interval: 600, timeout: 10_000 }).toBe(1)
    expect(await page.evaluate(`localStorage.getItem('tidemark.drawings')`)).toContain('segment')
    await terminal.shot('drawn')
    await page.reload()
    await page.getByTestId('account').waitFor()
    await page.getByRole('button', { name: 'Remove all drawings' }).click()
    await expect.poll(() => page.evaluate(`localStorage.getItem('tidemark.drawings')`)).toBe('"[]"')
  })

  test('fills the screen and leaves it', async () => {
    const { page } = terminal
    await page.getByRole('button', { name: 'Full screen' }).click()
    await page.locator('.chart[data-fills="true"]').waitFor()
    await terminal.shot('full')
    await page.getByRole('button', { name: 'Leave full screen' }).click()
    await page.locator('.chart[data-fills="false"]').waitFor()
  })

  test('nothing is wider than the page, everything has a name, and the page had no fault of its own', async () => {
    const { page } = terminal
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(await terminal.nameless()).toEqual([])
    expect(terminal.faults).toEqual([])
  })
})

describe('lines that are pulled ask the venue for another price', () => {
  const patience = { timeout: 10_000 }
  const contract = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const
  let terminal: Terminal
  let trader: Person
  let last: number

  beforeAll(async () => {
    trader = await venue.person('pulling', { funds: { uta: { USDT: '1000000' } } })
    await trader.post('/api/v3/trade/place-order', { ...contract, side: 'buy', orderType: 'market', qty: '0.2' })
    terminal = await Terminal.open(browser, venue.url, 'desktop')
    await terminal.signInWith(trader.key)
    await terminal.page.locator('.candles canvas').first().waitFor()
    await terminal.field('interval').selectOption('1H') // its scale hardly moves while the market does
    last = await terminal.number(terminal.page.getByTestId('last-price'))
  })

  afterAll(async () => {
    await terminal?.close()
  })

  const triggers = async (of: Person = trader) => {
    const { data } = await of.get('/api/v3/trade/unfilled-strategy-orders', { category: contract.category })
    return data as { takeProfit: string; stopLoss: string; triggerPrice: string }[]
  }
  const priced = (factor: number) => (last * factor).toFixed(1)
  const onChart = (name: RegExp) => terminal.page.getByRole('img', { name }).waitFor()

  test.each([
    // line of the position    its factor   pulled by
    ['takeProfit', /Take profit at /, 1.003, -16],
    ['stopLoss', /Stop loss at /, 0.997, 16],
  ] as const)('%s of a position', async (field, name, factor, by) => {
    const body = { ...contract, type: 'tpsl', tpslMode: 'full', posSide: 'long', [field]: priced(factor) }
    await trader.post('/api/v3/trade/place-strategy-order', body)
    await onChart(name)
    await dragLine(terminal, Number(priced(factor)), by)
    const now = async () => Number((await triggers()).find((one) => one[field] !== '')?.[field])
    await expect.poll(now, patience).not.toBe(Number(priced(factor)))
    if (by < 0) expect(await now()).toBeGreaterThan(Number(priced(factor)))
    else expect(await now()).toBeLessThan(Number(priced(factor)))
  })

  test('take-profit and stop-loss that an order brings along', async () => {
    const resting = { ...contract, side: 'buy', orderType: 'limit', price: priced(0.9985), qty: '0.1' }
    const brings = { takeProfit: priced(1.0045), stopLoss: priced(0.9955) }
    await trader.post('/api/v3/trade/place-order', { ...resting, ...brings })
    await onChart(/Buy 0\.1 at .*Take profit 0\.1 at /)
    const order = async () => (await openOrders(trader))[0]
    for (const [field, by] of [
      ['takeProfit', -14],
      ['stopLoss', 14],
    ] as const) {
      await dragLine(terminal, Number(brings[field]), by)
      await expect.poll(async () => Number((await order())?.[field]), patience).not.toBe(Number(brings[field]))
      expect(Math.sign(Number((await order())?.[field]) - Number(brings[field]))).toBe(-Math.sign(by))
    }
    const { price, qty } = (await order()) ?? {}
    expect([Number(price), qty]).toEqual([Number(resting.price), resting.qty])
  })

  test('the line of a trigger order', async () => {
    const body = { ...contract, type: 'trigger', side: 'sell', triggerPrice: priced(1.0015), triggerBy: 'market' }
    await trader.post('/api/v3/trade/place-strategy-order', { ...body, triggerOrderType: 'market', qty: '0.01' })
    await onChart(/Trigger sell at /)
    await dragLine(terminal, Number(priced(1.0015)), -10)
    const now = async () =>
      Number((await triggers()).find(({ triggerPrice }) => Number(triggerPrice) > 0)?.triggerPrice)
    await expect.poll(now, patience).toBeGreaterThan(Number(priced(1.0015)))
    await terminal.shot('pulled')
    expect(terminal.faults).toEqual([])
  })

  test('what the wallet carries has a liquidation price that nobody can pull', async () => {
    const small = await venue.person('small', { funds: { uta: { USDT: '70' } } })
    await small.post('/api/v3/account/set-leverage', { ...contract, leverage: '100', marginMode: 'crossed' })
    await small.post('/api/v3/trade/place-order', { ...contract, side: 'buy', orderType: 'market', qty: '0.05' })
    const other = await Terminal.open(browser, venue.url, 'desktop')
    const { page } = other
    const asked: string[] = []
    await other.signInWith(small.key)
    await page.getByRole('img', { name: /Liquidation at / }).waitFor()
    await other.field('interval').selectOption('1H')
    const position = async () => {
      const { data } = await small.get('/api/v3/position/current-position', { category: contract.category })
      return (data as { list: { liquidationPrice: string }[] }).list[0]?.liquidationPrice ?? ''
    }
    const price = Number(await position())
    page.on('request', (request) => {
      if (request.method() === 'POST') asked.push(request.url())
    })
    expect(await pullLine(other, price, -20)).toBe(false)
    await other.shot('liquidation-line')
    expect(Number(await position())).toBe(price)
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(asked.filter((url) => !url.endsWith('/max-open-available'))).toEqual([])
    await other.close()
  })

  test('the liquidation line of an isolated position asks for the margin that it takes, and a person confirms it', async () => {
    const far = await venue.person('isolated', { funds: { uta: { USDT: '10000' } } })
    await far.post('/api/v3/account/set-leverage', { ...contract, leverage: '125', marginMode: 'isolated' })
    const order = { ...contract, side: 'buy', orderType: 'market', qty: '0.05', marginMode: 'isolated' }
    await far.post('/api/v3/trade/place-order', order)
    const position = async () => {
      const { data } = await far.get('/api/v3/position/current-position', { category: contract.category })
      const [found] = (data as { list: { liquidationPrice: string; positionBalance: string }[] }).list
      return { liquidation: Number(found?.liquidationPrice), margin: Number(found?.positionBalance) }
    }
    const before = await position()
    const other = await Terminal.open(browser, venue.url, 'desktop')
    const { page } = other
    await other.signInWith(far.key)
    await page.getByRole('img', { name: /Liquidation at / }).waitFor()
    await other.field('interval').selectOption('1H')
    const asked = page.getByRole('dialog', { name: 'Margin of Long BTCUSDT' })
    await dragLine(other, before.liquidation, 24)
    await asked.waitFor()
    await page.keyboard.press('Escape')
    await asked.waitFor({ state: 'detached' })
    expect(await position()).toEqual(before)
    await dragLine(other, before.liquidation, 24)
    await asked.waitFor()
    const amount = Number(await other.field('margin').inputValue())
    await other.shot('liquidation-pulled')
    await page.getByRole('button', { name: 'Add margin' }).click()
    await asked.waitFor({ state: 'detached' })
    await expect.poll(async () => (await position()).liquidation, patience).toBeLessThan(before.liquidation)
    expect((await position()).margin - before.margin).toBeCloseTo(amount, 4)
    expect(other.faults).toEqual([])
    await other.close()
  })
})

describe('several markets side by side', () => {
  let terminal: Terminal
  /** Of each socket that is open, how often each channel is asked for and not left. */
  const open = new Map<object, Map<string, number>>()
  const patience = { timeout: 10_000 }
  const channels = () => [...open.values()].flatMap((asked) => [...asked])
  const candles = () =>
    channels()
      .flatMap(([name, count]) => (count > 0 && name.startsWith('kline') ? name.slice(6) : []))
      .sort()
  const doubled = () => channels().filter(([, count]) => count > 1 || count < 0)
  const pane = (number: number, symbol: string) =>
    terminal.page.getByRole('group', { name: `Market ${number}: ${symbol}` })
  const inView = (symbol: string) => terminal.page.locator('.pick').getByText(symbol, { exact: true }).waitFor()

  beforeAll(async () => {
    terminal = await Terminal.open(browser, venue.url, 'desktop')
    const { page } = terminal
    page.on('websocket', (socket) => {
      const channelsNow = new Map<string, number>()
      open.set(socket, channelsNow)
      socket.on('close', () => open.delete(socket))
      socket.on('framesent', ({ payload }) => {
        if (payload === 'ping') return
        const { op, args } = JSON.parse(String(payload)) as { op: string; args: Record<string, string>[] }
        for (const { topic, channel, symbol, instId, interval = '' } of args) {
          const name = [topic ?? channel, symbol ?? instId, interval].join(' ').trim()
          channelsNow.set(name, (channelsNow.get(name) ?? 0) + (op === 'subscribe' ? 1 : -1))
        }
      })
    })
    await page.reload()
    await page.locator('.candles canvas').first().waitFor()
  })

  afterAll(async () => {
    await terminal?.close()
  })

  test('two, then four; the chosen one is what ticket and book follow, by keys alone', async () => {
    const { page } = terminal
    await page.keyboard.press('o')
    await pane(1, 'BTCUSDT').locator('canvas').first().waitFor()
    await pane(2, 'ETHUSDT').locator('canvas').first().waitFor()
    await expect.poll(candles, patience).toEqual(['BTCUSDT 1m', 'ETHUSDT 1m'])
    await page.keyboard.press('n')
    await inView('ETHUSDT')
    await page.locator('.ticket').getByText('ETH', { exact: true }).first().waitFor()
    await terminal.field('interval').selectOption('5m')
    await pane(2, 'ETHUSDT').getByText('5m', { exact: true }).waitFor()
    await pane(1, 'BTCUSDT').getByText('1m', { exact: true }).waitFor()
    await terminal.shot('two-markets')
    await page.keyboard.press('o')
    await expect.poll(() => page.locator('.pane').count(), patience).toBe(4)
    await pane(4, 'XRPUSDT').getByRole('button', { name: 'Another market in the place of XRPUSDT' }).press('Enter')
    await page.getByRole('combobox', { name: 'Search instruments' }).fill('btc coin')
    await page.keyboard.press('Enter')
    await pane(4, 'BTCUSD').getByTestId('pane-last-3').filter({ hasText: /\d/ }).waitFor()
    await inView('BTCUSD')
    await terminal.shot('four-markets')
    expect(doubled()).toEqual([])
  })

  test('a press in a pane chooses it, and all is there again after loading the page', async () => {
    const { page } = terminal
    await pane(3, 'SOLUSDT').locator('.candles').click()
    await inView('SOLUSDT')
    open.clear()
    await page.reload()
    await inView('SOLUSDT')
    for (const [index, symbol] of ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'BTCUSD'].entries())
      await pane(index + 1, symbol)
        .locator('canvas')
        .first()
        .waitFor()
    await expect.poll(candles, patience).toEqual(['BTCUSD 5m', 'BTCUSDT 1m', 'ETHUSDT 5m', 'SOLUSDT 5m'])
    expect(doubled()).toEqual([])
  })

  test('the same market twice is one channel, which stays while one of the panes has it', async () => {
    const { page } = terminal
    await terminal.goTo('btc usdt futures', 'BTCUSDT')
    await pane(3, 'BTCUSDT').locator('canvas').first().waitFor()
    await terminal.field('interval').selectOption('1m')
    await expect.poll(candles, patience).toEqual(['BTCUSD 5m', 'BTCUSDT 1m', 'ETHUSDT 5m'])
    await page.keyboard.press('n')
    await inView('BTCUSD')
    await page.keyboard.press('n')
    await terminal.goTo('sol usdt futures', 'SOLUSDT')
    await expect.poll(candles, patience).toContain('SOLUSDT 1m')
    expect(candles()).toContain('BTCUSDT 1m')
    expect(doubled()).toEqual([])
  })

  test('one again, or a phone: nothing of the others is left behind', async () => {
    const { page } = terminal
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(candles, patience).toEqual(['SOLUSDT 1m'])
    expect(await page.locator('.pane').count()).toBe(1)
    await page.setViewportSize({ width: 1280, height: 800 })
    await expect.poll(() => candles().length, patience).toBe(4)
    await terminal.choose('Markets side by side', 'One market')
    await expect.poll(candles, patience).toEqual(['SOLUSDT 1m'])
    const others = () => channels().filter(([name, count]) => count > 0 && !name.includes('SOLUSDT'))
    await expect.poll(others, patience).toEqual([])
    expect(await terminal.nameless()).toEqual([])
    expect(terminal.faults).toEqual([])
  })
})

interface OpenOrder {
  readonly price: string
  readonly qty: string
  readonly takeProfit: string
  readonly stopLoss: string
}

async function openOrders(trader: Person): Promise<OpenOrder[]> {
  const { data } = await trader.get('/api/v3/trade/unfilled-orders', { category: 'USDT-FUTURES' })
  return (data as { list: OpenOrder[] | null }).list ?? []
}

/** A right press at a share of the chart. */
async function pressAt(terminal: Terminal, across: number, down: number): Promise<void> {
  const box = await terminal.page.locator('.candles').boundingBox()
  if (box === null) throw new Error('no chart')
  await terminal.page.mouse.click(box.x + box.width * across, box.y + box.height * down, { button: 'right' })
}

/** Pulls the line at a price by so many pixels; false: there is no line that can be taken. */
async function pullLine(terminal: Terminal, price: number, by: number): Promise<boolean> {
  const { page } = terminal
  const at = await placeOf(terminal, price)
  await page.mouse.move(at.x, at.y)
  const takes = (await page.locator('.fills[data-line]').count()) > 0
  await page.mouse.down()
  for (const part of [0.5, 1, 1]) await page.mouse.move(at.x, at.y + by * part)
  await page.mouse.up()
  return takes
}

async function dragLine(terminal: Terminal, price: number, by: number): Promise<void> {
  // A market that moves its scale moves lines away from under the pointer.
  const isOn = async () => {
    const { x, y } = await placeOf(terminal, price)
    await terminal.page.mouse.move(x, y)
    return (await terminal.page.locator('.fills[data-line]').count()) > 0
  }
  await expect.poll(isOn, { timeout: 10_000 }).toBe(true)
  await pullLine(terminal, price, by)
}

/** Where the chart has a price: its menu names prices, and it is linear in between. */
async function placeOf({ page }: Terminal, price: number): Promise<{ x: number; y: number }> {
  const box = await page.locator('.candles').boundingBox()
  if (box === null) throw new Error('no chart')
  const x = box.x + box.width * 0.3
  const priceAt = async (y: number) => {
    await page.mouse.click(x, y, { button: 'right' })
    const menu = page.getByRole('menu')
    await menu.waitFor()
    const named = Number(((await menu.getAttribute('aria-label')) ?? '').slice(3).replaceAll(',', ''))
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    return named
  }
  const [top, low] = [box.y + 30, box.y + 90]
  const [high, lower] = [await priceAt(top), await priceAt(low)]
  return { x, y: top + ((high - price) * (low - top)) / (high - lower) }
}
