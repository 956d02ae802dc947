/** ccxt.pro, as it is published: only its URLs are changed. */
import ccxt, { type bitget } from 'ccxt'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { stage } from '../conformance/conformance.ts'
import type { Person } from '../support/person.ts'
import { btcPerpetual, btcSpot, taken, takenInBatch } from '../support/trading.ts'

const scene = stage()
const open: bitget[] = []
let maker: Person

afterEach(async () => {
  for (const exchange of open.splice(0)) await exchange.close()
})

async function client(person: Person | undefined, options: Record<string, unknown>): Promise<bitget> {
  const { url } = scene.venue
  const exchange = new ccxt.pro.bitget({
    ...(person === undefined
      ? {}
      : { apiKey: person.key.apiKey, secret: person.key.secret, password: person.key.passphrase }),
    options,
  })
  const api = exchange.urls['api'] as Record<string, unknown>
  for (const [name, value] of Object.entries(api)) if (typeof value === 'string') api[name] = url
  const socket = url.replace('http', 'ws')
  api['ws'] = {
    public: `${socket}/v2/ws/public`,
    private: `${socket}/v2/ws/private`,
    utaPublic: `${socket}/v3/ws/public`,
    utaPrivate: `${socket}/v3/ws/private`,
  }
  await exchange.loadHttpProxyAgent() // what plain ws:// takes
  await exchange.loadMarkets()
  open.push(exchange)
  return exchange
}

beforeAll(async () => {
  const funds = { uta: { USDT: '10000000', BTC: '100' } }
  maker = await scene.venue.person('Maker', { funds })
  const taker = await scene.venue.person('Taker', { funds })
  for (const market of [btcSpot, btcPerpetual]) {
    await takenInBatch(maker, 'sell 0.1 @ 60000', market)
    await takenInBatch(taker, 'buy 0.1 @ 60000', market)
    for (const order of ['buy 1 @ 59900', 'buy 2 @ 59800', 'sell 1 @ 60100', 'sell 2 @ 60200']) {
      await takenInBatch(maker, order, market)
    }
  }
})

const modes = [
  ['classic', { uta: false }],
  ['unified', { uta: true }],
] as const

describe.each(modes)('the market in %s words', (_mode, options) => {
  test.each([
    ['BTC/USDT', btcSpot],
    ['BTC/USDT:USDT', btcPerpetual],
  ] as const)('%s', async (symbol, market) => {
    const exchange = await client(undefined, { defaultType: market === btcSpot ? 'spot' : 'swap', ...options })
    const ticker = await exchange.watchTicker(symbol, options)
    expect(ticker).toMatchObject({ symbol, bid: 59900, ask: 60100, last: expect.any(Number) })

    const book = await exchange.watchOrderBook(symbol, undefined, options)
    expect(book.bids[0]?.slice(0, 2)).toEqual([59900, 1])
    expect(book.asks[0]?.slice(0, 2)).toEqual([60100, 1])

    const trades = await exchange.watchTrades(symbol, undefined, undefined, options)
    expect(trades[0]).toMatchObject({ symbol, price: 60000, amount: 0.1, side: 'buy' })

    const candles = await exchange.watchOHLCV(symbol, '1m', undefined, undefined, options)
    expect(candles.at(-1)).toHaveLength(6)
    expect(candles.at(-1)?.[1]).toBe(60000)

    // The incremental book, checked by the client push by push; then the short ones.
    for (const order of ['buy 3 @ 59850', 'sell 3 @ 60150']) {
      const { orderId } = await takenInBatch(maker, order, market)
      const deeper = await exchange.watchOrderBook(symbol, undefined, options)
      expect([...deeper.bids, ...deeper.asks].some((level) => level[1] === 3)).toBe(true)
      await maker.post('/api/v3/trade/cancel-order', { orderId, category: market.category })
      const without = await exchange.watchOrderBook(symbol, undefined, options)
      expect([...without.bids, ...without.asks].every((level) => level[1] !== 3)).toBe(true)
    }
    await exchange.unWatchOrderBook(symbol, options)
    const short = await exchange.watchOrderBook(symbol, 5, options)
    expect(short.bids.map((level) => level.slice(0, 2))).toEqual([
      [59900, 1],
      [59800, 2],
    ])
  })
})

describe('the account in classic words', () => {
  const funds = { spot: { USDT: '100000', BTC: '1' }, usdt_futures: { USDT: '100000' } }

  test('futures: balance, orders, fills, positions', async () => {
    const alice = await scene.person('Alice', { mode: 'classic', funds })
    const exchange = await client(alice, { uta: false, defaultType: 'swap' })
    const symbol = 'BTC/USDT:USDT'
    const balance = await exchange.watchBalance({ type: 'swap' })
    expect(balance['USDT']).toMatchObject({ total: 100000 })

    const orders = exchange.watchOrders(symbol)
    const mine = exchange.watchMyTrades(symbol)
    const positions = exchange.watchPositions([symbol])
    expect(await positions).toEqual([])
    const opened = exchange.watchPositions([symbol])
    await new Promise((resolve) => setTimeout(resolve, 300))
    const placed = await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 59000)
    expect((await orders)[0]).toMatchObject({ id: placed.id, status: 'open', price: 59000, amount: 0.1, filled: 0 })
    const next = exchange.watchOrders(symbol)
    await exchange.cancelOrder(String(placed.id), symbol)
    expect((await next).at(-1)).toMatchObject({ id: placed.id, status: 'canceled' })

    alice.hasTraded = true
    await new Promise((resolve) => setTimeout(resolve, 300))
    const after = exchange.watchBalance({ type: 'swap' })
    await taken(alice, 'buy 0.1 @ 60100')
    expect((await mine)[0]).toMatchObject({ symbol, side: 'buy', price: 60100, amount: 0.1, takerOrMaker: 'taker' })
    expect((await opened)[0]).toMatchObject({ symbol, side: 'long', contracts: 0.1, entryPrice: 60100 })
    expect(Number((await after)['USDT']?.total)).toBeLessThan(100000)
  })

  test('spot: balance, orders, fills', async () => {
    const alice = await scene.person('Alice', { mode: 'classic', funds })
    const exchange = await client(alice, { uta: false, defaultType: 'spot' })
    const symbol = 'BTC/USDT'
    const balance = await exchange.watchBalance({ type: 'spot' })
    expect(balance['USDT']).toMatchObject({ free: 100000, used: 0 })
    const orders = exchange.watchOrders(symbol)
    const mine = exchange.watchMyTrades(symbol)
    await new Promise((resolve) => setTimeout(resolve, 300))
    const held = exchange.watchBalance({ type: 'spot' })
    const placed = await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 59000)
    expect((await orders)[0]).toMatchObject({ id: placed.id, status: 'open', price: 59000, amount: 0.1, filled: 0 })
    expect((await held)['USDT']).toMatchObject({ free: 94100, used: 5900 })
    const next = exchange.watchOrders(symbol)
    await exchange.cancelOrder(String(placed.id), symbol)
    expect((await next).at(-1)).toMatchObject({ id: placed.id, status: 'canceled' })
    const bought = await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 60100)
    expect((await mine)[0]).toMatchObject({ order: bought.id, symbol, price: 60100, amount: 0.1 })
    expect((await mine)[0]?.fee).toMatchObject({ currency: 'BTC' })
  })
})

test('the account in unified words: balance, orders, fills, positions', async () => {
  const alice = await scene.person('Alice', { funds: { uta: { USDT: '100000', BTC: '1' } } })
  const exchange = await client(alice, { uta: true, defaultType: 'swap' })
  const params = { uta: true }
  const symbol = 'BTC/USDT:USDT'
  const balance = await exchange.watchBalance(params)
  expect(balance['USDT']).toMatchObject({ total: 100000, used: 0 })
  const orders = exchange.watchOrders(symbol, undefined, undefined, params)
  const mine = exchange.watchMyTrades(symbol, undefined, undefined, params)
  expect(await exchange.watchPositions([symbol], undefined, undefined, params)).toEqual([])
  const positions = exchange.watchPositions([symbol], undefined, undefined, params)
  await new Promise((resolve) => setTimeout(resolve, 300))
  const placed = await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 59000)
  expect((await orders)[0]).toMatchObject({ id: placed.id, status: 'open', price: 59000, amount: 0.1, filled: 0 })
  const next = exchange.watchOrders(symbol, undefined, undefined, params)
  await exchange.cancelOrder(String(placed.id), symbol)
  expect((await next).at(-1)).toMatchObject({ id: placed.id, status: 'canceled' })
  alice.hasTraded = true
  await takenInBatch(alice, 'buy 0.1 @ 60100', btcPerpetual)
  expect((await mine)[0]).toMatchObject({ symbol, side: 'buy', price: 60100, amount: 0.1, takerOrMaker: 'taker' })
  expect((await positions)[0]).toMatchObject({ symbol, side: 'long', contracts: 0.1, entryPrice: 60100 })

  const spotOrders = exchange.watchOrders('BTC/USDT', undefined, undefined, params)
  const bought = await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.1, 59000)
  expect((await spotOrders).at(-1)).toMatchObject({ id: bought.id, symbol: 'BTC/USDT', status: 'open' })
})

test('a wrong key is an authentication error, a channel that is not there a bad request', async () => {
  const alice = await scene.person('Alice')
  const exchange = await client(alice, { uta: true, defaultType: 'swap' })
  exchange.secret = 'wrong'
  await expect(exchange.watchBalance({ uta: true })).rejects.toThrow(ccxt.AuthenticationError)
  const other = await client(undefined, { defaultType: 'spot' })
  await expect(other.watchTicker('BTC/USDT', { instType: 'NOWHERE' })).rejects.toThrow(ccxt.BadRequest)
})
