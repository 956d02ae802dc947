/** Public channels: what each pushes, field by field, in both versions. */
import { crc32 } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { stage } from '../conformance/conformance.ts'
import { type Argument, Socket } from '../support/socket.ts'
import { btcInverse, btcPerpetual, btcSpot, ethPerpetual, taken, takenInBatch } from '../support/trading.ts'
import { type FieldShapes, looksLike } from './shapes.ts'

// Time stands still, so that no candle ends on the way.
const scene = stage({ clock: 'manual' })

/** A trade and a book on each side in every market of the table. */
beforeAll(async () => {
  const alice = await scene.venue.person('Alice', { funds: { uta: { USDT: '1000000', BTC: '10' } } })
  const bob = await scene.venue.person('Bob', { funds: { uta: { USDT: '1000000', BTC: '10' } } })
  for (const market of [btcSpot, btcPerpetual]) {
    await takenInBatch(alice, 'sell 0.3 @ 60000', market)
    await takenInBatch(bob, 'buy 0.1 @ 60000', market)
    await takenInBatch(bob, 'buy 0.2 @ 59900', market)
  }
  await takenInBatch(alice, 'sell 300 @ 60000', btcInverse)
  await takenInBatch(bob, 'buy 100 @ 60000', btcInverse)
  await takenInBatch(bob, 'buy 200 @ 59900', btcInverse)
})

const v2Ticker: FieldShapes = {
  instId: 'text',
  lastPr: '= 60000',
  open24h: 'decimal',
  high24h: 'decimal',
  low24h: 'decimal',
  change24h: 'decimal',
  bidPr: '= 59900',
  askPr: '= 60000',
  bidSz: 'decimal',
  askSz: 'decimal',
  baseVolume: 'decimal',
  quoteVolume: 'decimal',
  openUtc: 'decimal',
  changeUtc24h: 'decimal',
  ts: 'millis',
}
const v2FuturesTicker: FieldShapes = {
  ...v2Ticker,
  fundingRate: 'decimal',
  nextFundingTime: 'millis',
  markPrice: 'decimal',
  indexPrice: 'decimal',
  holdingAmount: 'decimal',
  symbolType: '= 1',
  symbol: 'text',
  deliveryPrice: 'decimal',
}
const v3Ticker: FieldShapes = {
  lastPrice: '= 60000',
  openPrice24h: 'decimal',
  highPrice24h: 'decimal',
  lowPrice24h: 'decimal',
  ask1Price: '= 60000',
  bid1Price: '= 59900',
  bid1Size: 'decimal',
  ask1Size: 'decimal',
  price24hPcnt: 'decimal',
  volume24h: 'decimal',
  turnover24h: 'decimal',
}
const v3FuturesTicker: FieldShapes = {
  ...v3Ticker,
  indexPrice: 'decimal',
  markPrice: 'decimal',
  fundingRate: 'decimal',
  nextFundingTime: 'millis',
  openInterest: 'decimal',
  deliveryStartTime: 'any',
  deliveryTime: 'any',
  deliveryStatus: 'any',
}
const v2Trade: FieldShapes = { ts: 'millis', price: '= 60000', size: 'decimal', side: '= buy', tradeId: 'id' }
const v3Trade: FieldShapes = {
  i: 'id',
  L: 'id',
  p: '= 60000',
  P: '= 60000',
  v: 'decimal',
  S: '= buy',
  T: 'millis',
  isRPI: '= no',
}
const v2Book: FieldShapes = { asks: 'list', bids: 'list', seq: 'number', checksum: 'number', ts: 'millis' }
const v2FuturesBook: FieldShapes = { ...v2Book, pseq: 'number' }
const v3RpiBook: FieldShapes = { a: 'list', b: 'list', seq: 'number', pseq: 'number', checksum: 'number', ts: 'millis' }
const v3Book: FieldShapes = { ...v3RpiBook, maxDepth: 'decimal' }
const v2IndexPrice: FieldShapes = {
  symbol: '= BTCUSDT',
  baseCoin: '= BTC',
  quoteCoin: '= USDT',
  indexPrice: '= 60000',
  ts: 'millis',
}
const v3Candle: FieldShapes = {
  start: 'millis',
  open: '= 60000',
  high: '= 60000',
  low: '= 60000',
  close: '= 60000',
  volume: 'decimal',
  turnover: 'decimal',
}
const v2Candle: FieldShapes = {
  0: 'millis',
  1: '= 60000',
  2: '= 60000',
  3: '= 60000',
  4: '= 60000',
  5: 'decimal',
  6: 'decimal',
  7: 'decimal',
}

const v2 = (instType: string, channel: string, instId: string) => ({ instType, channel, instId })
const v3 = (instType: string, topic: string, symbol: string, more: Argument = {}) => {
  return { instType, topic, symbol, ...more }
}

test.each<[Argument, FieldShapes]>([
  [v2('SPOT', 'ticker', 'BTCUSDT'), { ...v2Ticker, bidSz: '= 0.2', markPrice: 'absent' }],
  [v2('USDT-FUTURES', 'ticker', 'BTCUSDT'), { ...v2FuturesTicker, bidSz: '= 0.2', holdingAmount: '= 0.1' }],
  [v2('COIN-FUTURES', 'ticker', 'BTCUSD'), v2FuturesTicker],
  [v2('SPOT', 'trade', 'BTCUSDT'), { ...v2Trade, size: '= 0.1' }],
  [v2('USDT-FUTURES', 'trade', 'BTCUSDT'), { ...v2Trade, size: '= 0.1' }],
  [v2('COIN-FUTURES', 'trade', 'BTCUSD'), { ...v2Trade, size: '= 0.00166666' }],
  [v2('SPOT', 'candle1m', 'BTCUSDT'), { ...v2Candle, 5: '= 0.1', 6: '= 6000' }],
  [v2('USDT-FUTURES', 'candle1H', 'BTCUSDT'), v2Candle],
  [v2('USDT-FUTURES', 'candle1Mutc', 'BTCUSDT'), v2Candle],
  [v2('SPOT', 'books', 'BTCUSDT'), v2Book],
  [v2('SPOT', 'books1', 'BTCUSDT'), v2Book],
  [v2('USDT-FUTURES', 'books5', 'BTCUSDT'), v2FuturesBook],
  [v2('USDT-FUTURES', 'books15', 'BTCUSDT'), v2FuturesBook],
  [v2('USDT-FUTURES', 'books50', 'BTCUSDT'), v2FuturesBook],
  [v2('usdt-futures', 'Ticker', 'btcusdt'), v2FuturesTicker],
  [v3('spot', 'ticker', 'BTCUSDT'), { ...v3Ticker, bid1Size: '= 0.2', symbol: 'absent', markPrice: 'absent' }],
  [v3('usdt-futures', 'ticker', 'BTCUSDT'), { ...v3FuturesTicker, openInterest: '= 0.1' }],
  [v3('coin-futures', 'ticker', 'BTCUSD'), { ...v3FuturesTicker, bid1Size: '= 200' }],
  [v3('spot', 'publicTrade', 'BTCUSDT'), { ...v3Trade, v: '= 0.1' }],
  [v3('coin-futures', 'publicTrade', 'BTCUSD'), { ...v3Trade, v: '= 100' }],
  [v3('spot', 'kline', 'BTCUSDT', { interval: '1m' }), { ...v3Candle, volume: '= 0.1', turnover: '= 6000' }],
  [v3('usdt-futures', 'kline', 'BTCUSDT', { interval: '1D' }), v3Candle],
  [v3('spot', 'books', 'BTCUSDT'), { ...v3Book, maxDepth: '= 500' }],
  [v3('usdt-futures', 'books1', 'BTCUSDT'), v3Book],
  [v3('usdt-futures', 'books5', 'BTCUSDT'), v3Book],
  [v3('usdt-futures', 'books15', 'BTCUSDT'), v3Book],
  [v3('usdt-futures', 'books50', 'BTCUSDT'), v3Book],
  [v3('usdt-futures', 'rpi-books', 'BTCUSDT'), v3RpiBook],
  [v3('spot', 'rpi-books1', 'BTCUSDT'), v3RpiBook],
  [v3('coin-futures', 'rpi-books5', 'BTCUSD'), v3RpiBook],
  [v3('usdt-futures', 'rpi-books50', 'BTCUSDT'), v3RpiBook],
  [v2('MARGIN', 'index-price', 'BTCUSDT'), v2IndexPrice],
  [v2('USDT-FUTURES', 'index-price', 'BTCUSDT'), v2IndexPrice],
])('%j', async (arg, fields) => {
  const version = 'channel' in arg ? 'v2' : 'v3'
  for (const path of [`/${version}/ws/public`, `/${version}/ws/private`] as const) {
    const socket = await Socket.open(scene.venue, path)
    await socket.subscribe(arg)
    const { action, arg: echoed, data, ts } = await socket.next()
    expect({ action, arg: echoed, rows: data?.length }).toEqual({ action: 'snapshot', arg, rows: 1 })
    expect(ts).toBeTypeOf('number')
    looksLike(data?.[0], fields)
    socket.close()
  }
})

test('a book begins with its levels, best first; only so many in the short ones', async () => {
  const { venue } = scene
  const carol = await scene.person('Carol', { funds: { uta: { USDT: '1000000' } } })
  for (const price of [100, 99, 98, 97, 96, 95]) await takenInBatch(carol, `buy 0.01 @ ${price * 10}`, btcPerpetual)
  const socket = await Socket.open(venue, '/v2/ws/public')
  await socket.subscribe(v2('USDT-FUTURES', 'books', 'BTCUSDT'))
  const { data: whole } = await socket.push('books')
  expect(whole?.[0]).toMatchObject({
    asks: [['60000', '0.2']],
    bids: [
      ['59900', '0.2'],
      ['1000', '0.01'],
      ['990', '0.01'],
      ['980', '0.01'],
      ['970', '0.01'],
      ['960', '0.01'],
      ['950', '0.01'],
    ],
  })
  await socket.subscribe(v2('USDT-FUTURES', 'books1', 'BTCUSDT'))
  const { data: best } = await socket.push('books1')
  expect(best?.[0]).toMatchObject({ asks: [['60000', '0.2']], bids: [['59900', '0.2']] })
  await socket.subscribe(v2('USDT-FUTURES', 'books5', 'BTCUSDT'))
  const { data: five } = await socket.push('books5')
  expect(five?.[0]?.['bids']).toHaveLength(5)
  socket.close()
})

test('a trade is pushed as it happens, then ticker and candle follow at their pace', async () => {
  const { venue } = scene
  const carol = await scene.person('Carol', { funds: { uta: { USDT: '1000000' } } })
  const socket = await Socket.open(venue, '/v3/ws/public')
  for (const topic of ['publicTrade', 'ticker'] as const) {
    await socket.subscribe(v3('spot', topic, 'BTCUSDT'))
    await socket.push(topic)
  }
  await socket.subscribe(v3('spot', 'kline', 'BTCUSDT', { interval: '1m' }))
  await socket.push('kline')
  await takenInBatch(carol, 'buy 0.05 @ 60000', btcSpot)
  const { action, data } = await socket.push('publicTrade')
  expect({ action, data }).toMatchObject({ action: 'update', data: [{ p: '60000', v: '0.05', S: 'buy' }] })
  await socket.push('ticker', (row) => row['ask1Size'] === '0.15' && row['volume24h'] === '0.15')
  const { action: candleAction } = await socket.push('kline', (row) => String(row['volume']).endsWith('5'))
  expect(candleAction).toBe('update')
  socket.close()
})

test.each<[string, Argument]>([
  ['candle1m', v2('SPOT', 'candle1m', 'BTCUSDT')],
  ['kline', v3('spot', 'kline', 'BTCUSDT', { interval: '1m' })],
])('%s: a candle that ends before it was pushed is pushed as it has ended', async (channel, arg) => {
  const { venue } = scene
  const carol = await scene.person('Carol', { funds: { uta: { USDT: '1000000' } } })
  await venue.advance(60_000)
  const socket = await Socket.open(venue, arg['topic'] === undefined ? '/v2/ws/public' : '/v3/ws/public')
  await socket.subscribe(arg)
  await socket.push(channel)
  await takenInBatch(carol, 'buy 0.01 @ 60000', btcSpot)
  const start = String(venue.now() - (venue.now() % 60_000))
  await venue.advance(60_000)
  const { action, data } = await socket.push(channel, (row) => (row['start'] ?? row[0]) === start)
  const ended = data?.find((row) => (row['start'] ?? row[0]) === start)
  expect({ action, volume: ended?.['volume'] ?? ended?.[5] }).toEqual({ action: 'update', volume: '0.01' })
  socket.close()
})

test('liquidations are pushed as they happen, to v3: of one contract, or of a whole line', async () => {
  const { venue } = scene
  await venue.setIndexPrices({ ETH: '3000' })
  const bob = await scene.person('Bob', { funds: { uta: { USDT: '1000000' } } })
  const erin = await scene.person('Erin', { mode: 'classic', funds: { usdt_futures: { USDT: '200' } } })
  await takenInBatch(bob, 'sell 1 @ 3000', ethPerpetual)
  await taken(erin, 'buy 1 @ 3000', ethPerpetual)
  const whole: Argument = { instType: 'usdt-futures', topic: 'liquidation' }
  const watched = [v3('usdt-futures', 'liquidation', 'ETHUSDT'), whole, { ...whole, symbol: 'default' }]
  const sockets = await Promise.all(watched.map(() => Socket.open(venue, '/v3/ws/public')))
  for (const [index, arg] of watched.entries()) {
    await sockets[index].subscribe(arg)
    expect(await sockets[index].push('liquidation')).toMatchObject({ action: 'snapshot', arg, data: [] })
  }
  const other = await Socket.open(venue, '/v3/ws/public')
  await other.subscribe(v3('usdt-futures', 'liquidation', 'BTCUSDT'))
  await other.subscribe({ instType: 'coin-futures', topic: 'liquidation' })
  await venue.setIndexPrices({ ETH: '2700' })
  const { list } = (await venue.get('/api/v3/market/liquidations', { category: 'USDT-FUTURES', symbol: 'ETHUSDT' }))
    .data as { readonly list: readonly object[] }
  for (const [index, arg] of watched.entries()) {
    const { action, arg: echoed, data } = await sockets[index].push('liquidation')
    expect({ action, arg: echoed, data }).toEqual({ action: 'update', arg, data: list })
    looksLike(data?.[0], { symbol: '= ETHUSDT', side: '= buy', price: 'decimal', amount: '= 1', ts: 'millis' })
  }
  expect(other.heard.filter(({ action }) => action === 'update')).toEqual([])
  for (const refused of [v3('spot', 'liquidation', 'BTCUSDT'), v3('usdt-futures', 'liquidation', 'NOSUCH')]) {
    await expect(other.subscribe(refused)).rejects.toThrow('30001')
  }
  for (const socket of [...sockets, other]) socket.close()
})

test('a level of rpi-books tells what retail price improvement offers apart: nothing', async () => {
  const socket = await Socket.open(scene.venue, '/v3/ws/public')
  await socket.subscribe(v3('spot', 'rpi-books1', 'BTCUSDT'))
  const { data } = await socket.push('rpi-books1')
  const [row] = data as readonly [{ readonly a: readonly string[][]; readonly b: readonly string[][] }]
  const levels = [...row.b[0], ...row.a[0]]
  expect(levels).toEqual(['59900', '0.2', '0', '60000', expect.any(String), '0'])
  expect(row).toMatchObject({ checksum: crc32(levels.join(':')) | 0 })
  socket.close()
})

test('index prices of all margin pairs to begin with, then those that change', async () => {
  const { venue } = scene
  await venue.setIndexPrices({ ETH: '3000' })
  const socket = await Socket.open(venue, '/v2/ws/public')
  const arg = v2('MARGIN', 'index-price', 'default')
  await socket.subscribe(arg)
  const first = await socket.push('index-price')
  expect(first).toMatchObject({ action: 'snapshot', arg })
  const symbols = first.data?.map(({ symbol }) => symbol)
  expect(symbols).toEqual(expect.arrayContaining(['BTCUSDT', 'ETHUSDT']))
  expect(new Set(symbols).size).toBe(symbols?.length)
  await venue.setIndexPrices({ ETH: '3100' })
  const { action, data } = await socket.push('index-price')
  expect(action).toBe('update')
  expect(data?.every(({ baseCoin }) => baseCoin === 'ETH')).toBe(true)
  expect(data?.find(({ symbol }) => symbol === 'ETHUSDT')).toMatchObject({ indexPrice: '3100', quoteCoin: 'USDT' })
  socket.close()
})

test('an auction is acknowledged and silent: pairs are listed without one', async () => {
  const socket = await Socket.open(scene.venue, '/v2/ws/public')
  const arg = v2('SPOT', 'auction', 'BTCUSDT')
  await socket.subscribe(arg)
  await socket.subscribe(v2('SPOT', 'ticker', 'BTCUSDT'))
  expect(await socket.next()).toMatchObject({ action: 'snapshot', arg: { channel: 'ticker' } })
  socket.send({ op: 'unsubscribe', args: [arg] })
  expect(await socket.next(({ event }) => event !== undefined)).toEqual({ event: 'unsubscribe', arg })
  for (const refused of [v2('USDT-FUTURES', 'auction', 'BTCUSDT'), v2('SPOT', 'auction', 'NOSUCH')]) {
    await expect(socket.subscribe(refused)).rejects.toThrow('30001')
  }
  socket.close()
})
