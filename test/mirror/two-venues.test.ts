/**
 * One Tidemark in another, both by the command line on loopback: the book, an own order that the other venue's trade fills, the prices,
 * what health and the operator are told, and a restart of the mirror.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { batchOrder } from '../support/trading.ts'
import { startVenue, type Venue } from '../support/venue.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 })

let source: Venue
let mirror: Venue

beforeAll(async () => {
  source = await startVenue({ simulator: false, durability: 'os' })
  const environment = { TIDEMARK_MIRROR: source.url, TIDEMARK_MIRROR_SYMBOLS: 'USDT-FUTURES:BTCUSDT' }
  mirror = await startVenue({ simulator: false, durability: 'os', environment })
})

afterAll(async () => {
  await mirror?.remove()
  await source?.remove()
})

test('what is done there is done here', async () => {
  const maker = source.as('unified-main')
  await place(maker, 'buy 0.5 @ 59000', 'buy 0.7 @ 58999', 'sell 0.4 @ 61000')
  await vi.waitFor(async () => expect(await book(mirror)).toEqual(await book(source)), { timeout: 10_000 })
  expect((await book(mirror)).b).toEqual([
    [59_000, 0.5],
    [58_999, 0.7],
  ])

  const own = mirror.as('unified-main')
  await place(own, 'buy 0.1 @ 59000')
  await place(source.as('unified-peer'), 'sell 0.6 @ 58999')
  await vi.waitFor(async () => expect(await position(own)).toBe('0.1'), { timeout: 10_000 })
  await vi.waitFor(async () => expect(await book(mirror)).toEqual(await book(source)), { timeout: 10_000 })

  await source.setIndexPrices({ BTC: '60500' })
  await vi.waitFor(async () => expect(await index(mirror)).toBe(await index(source)), { timeout: 10_000 })
  expect(await index(mirror)).toMatch(/^60500/)

  const health = (await (await fetch(`${mirror.url}/health`)).json()) as object
  expect(health).toEqual({ status: 'ok', reasons: [], mirror: { url: source.url, state: 'live' } })
  expect(await mirror.operator('mirror')).toMatchObject({
    state: 'live',
    markets: [{ symbol: 'BTCUSDT' }],
  })
})

test('after a restart of either the books are equal again', async () => {
  await mirror.restart('kill')
  await vi.waitFor(async () => expect(await book(mirror)).toEqual(await book(source)), { timeout: 10_000 })
  await place(source.as('unified-main'), 'buy 0.3 @ 58998')
  await vi.waitFor(async () => expect(await book(mirror)).toEqual(await book(source)), { timeout: 10_000 })
  expect(await mirror.operator('verify')).toMatchObject({ balanced: true })
})

async function place(who: ReturnType<Venue['as']>, ...orders: readonly string[]): Promise<void> {
  for (const order of orders) {
    const answer = await who.post('/api/v3/trade/place-order', batchOrder(order))
    expect(answer.envelope).toMatchObject({ code: '00000' })
  }
}

async function book({ url }: Venue): Promise<{ readonly a: unknown; readonly b: unknown }> {
  const answer = await fetch(`${url}/api/v3/market/orderbook?category=USDT-FUTURES&symbol=BTCUSDT&limit=50`)
  const { data } = (await answer.json()) as { readonly data: { readonly a: unknown; readonly b: unknown } }
  return { a: data.a, b: data.b }
}

async function index({ url }: Venue): Promise<string> {
  const answer = await fetch(`${url}/api/v3/market/tickers?category=USDT-FUTURES&symbol=BTCUSDT`)
  const { data } = (await answer.json()) as { readonly data: readonly { readonly indexPrice: string }[] }
  return data[0].indexPrice
}

async function position(who: ReturnType<Venue['as']>): Promise<string | undefined> {
  const answer = await who.get('/api/v3/position/current-position', { category: 'USDT-FUTURES', symbol: 'BTCUSDT' })
  return (answer.envelope as { readonly data: { readonly list: readonly { readonly total: string }[] } }).data.list?.[0]
    ?.total
}
