/** Private channels: what each pushes, field by field, in both versions. */
import { expect, test } from 'vitest'
import { stage } from '../conformance/conformance.ts'
import type { Person } from '../support/person.ts'
import { type Argument, Socket } from '../support/socket.ts'
import {
  btcInverse,
  btcMargin,
  btcPerpetual,
  btcSpot,
  type Market,
  place,
  setHoldMode,
  taken,
  takenInBatch,
} from '../support/trading.ts'
import { type FieldShapes, looksLike } from './shapes.ts'

const scene = stage()
const unified = { mode: 'unified', funds: { uta: { USDT: '100000', BTC: '1' } } } as const
const classic = {
  mode: 'classic',
  funds: { spot: { USDT: '100000', BTC: '1' }, usdt_futures: { USDT: '100000' }, crossed_margin: { USDT: '100000' } },
} as const

const all = { instId: 'default' }
const futures = (channel: string, more: Argument = all) => ({ instType: 'USDT-FUTURES', channel, ...more })
const spot = (channel: string, more: Argument = all) => ({ instType: 'SPOT', channel, ...more })
const uta = (topic: string) => ({ instType: 'UTA', topic })

const v2FuturesOrder: FieldShapes = {
  instId: '= BTCUSDT',
  orderId: 'id',
  clientOid: 'text',
  price: '= 60000',
  size: '= 0.3',
  posMode: '= one_way_mode',
  enterPointSource: '= API',
  tradeSide: '= buy_single',
  notionalUsd: '= 18000',
  orderType: '= limit',
  force: '= gtc',
  side: '= buy',
  posSide: '= net',
  marginMode: '= crossed',
  marginCoin: '= USDT',
  accBaseVolume: 'decimal',
  priceAvg: 'decimal',
  status: 'live | partially_filled | filled | canceled',
  cancelReason: 'any',
  leverage: 'decimal',
  feeDetail: 'list',
  pnl: 'decimal',
  totalProfits: 'decimal',
  reduceOnly: 'yes | no',
  presetStopSurplusPrice: 'any',
  presetStopLossPrice: 'any',
  presetStopSurplusType: 'any',
  presetStopLossType: 'any',
  presetStopSurplusExecutePrice: 'any',
  presetStopLossExecutePrice: 'any',
  stpMode: '= none',
  cTime: 'millis',
  uTime: 'millis',
}
const v2Fill: FieldShapes = {
  fillPrice: '= 60000',
  tradeId: 'id',
  baseVolume: '= 0.1',
  fillTime: 'millis',
  fillFee: 'decimal',
  fillFeeCoin: 'text',
  tradeScope: '= M',
  fillNotionalUsd: '= 6000',
  priceAvg: '= 60000',
}
const v2SpotOrder: FieldShapes = {
  instId: '= BTCUSDT',
  orderId: 'id',
  clientOid: 'text',
  price: '= 60000',
  // Of a buy in quote coin.
  size: '= 18000',
  newSize: '= 0.3',
  notional: '= 18000',
  orderType: '= limit',
  force: '= gtc',
  side: '= buy',
  accBaseVolume: 'decimal',
  priceAvg: 'decimal',
  status: 'live | partially_filled | filled | cancelled',
  enterPointSource: '= API',
  feeDetail: 'list',
  stpMode: '= none',
  cTime: 'millis',
  uTime: 'millis',
  posMode: 'absent',
}
const v2MarginOrder: FieldShapes = {
  instId: '= BTCUSDT',
  symbol: '= BTCUSDT',
  orderId: 'id',
  clientOid: 'text',
  orderType: '= limit',
  price: '= 60000',
  side: '= buy',
  status: 'live | partially_filled | filled | cancelled',
  force: '= gtc',
  loanType: 'text',
  baseSize: '= 0.3',
  quoteSize: '= 18000',
  baseVolume: 'decimal',
  fillTotalAmount: 'decimal',
  fillPrice: 'decimal',
  feeDetail: 'list',
  enterPointSource: '= API',
  stpMode: '= none',
  cTime: 'millis',
  uTime: 'millis',
}
const v3Order: FieldShapes = {
  category: 'usdt-futures | spot',
  symbol: '= BTCUSDT',
  orderId: 'id',
  clientOid: 'text',
  price: '= 60000',
  qty: '= 0.3',
  amount: 'decimal',
  holdMode: '= one_way_mode',
  holdSide: 'any',
  posSide: 'any',
  tradeSide: 'any',
  delegateType: '= normal',
  orderType: '= limit',
  timeInForce: '= gtc',
  side: '= buy',
  marginMode: '= crossed',
  marginCoin: '= USDT',
  reduceOnly: '= no',
  cumExecQty: 'decimal',
  cumExecValue: 'decimal',
  avgPrice: 'decimal',
  totalProfit: 'decimal',
  orderStatus: 'live | partially_filled | filled | cancelled',
  cancelReason: 'any',
  execType: '= normal',
  leverage: 'decimal',
  feeDetail: 'list',
  createdTime: 'millis',
  updatedTime: 'millis',
  stpMode: '= none',
  tpTriggerBy: '= ',
  slTriggerBy: '= ',
  takeprofit: '= ',
  stoploss: '= ',
  tpOrderType: '= market',
  slOrderType: '= market',
  tpLimitPrice: '= ',
  slLimitPrice: '= ',
}
const v3FuturesOrder: FieldShapes = { ...v3Order, posMode: '= one_way_mode' }
const v3SpotOrder: FieldShapes = { ...v3Order, posMode: 'absent' }

/** An order that rests, is filled by a third, and is canceled. */
test.each<[Argument, Market, FieldShapes, FieldShapes]>([
  [futures('orders'), btcPerpetual, v2FuturesOrder, v2Fill],
  [futures('orders', { instId: 'BTCUSDT' }), btcPerpetual, v2FuturesOrder, v2Fill],
  [spot('orders'), btcSpot, v2SpotOrder, v2Fill],
  [spot('orders', { instId: 'BTCUSDT' }), btcSpot, v2SpotOrder, v2Fill],
  [
    { instType: 'MARGIN', channel: 'orders-crossed', instId: 'BTCUSDT' },
    btcMargin,
    v2MarginOrder,
    { fillPrice: '= 60000', baseVolume: '= 0.1' },
  ],
  [uta('order'), btcPerpetual, v3FuturesOrder, { cumExecQty: '= 0.1', cumExecValue: '= 6000', avgPrice: '= 60000' }],
  [uta('order'), btcSpot, v3SpotOrder, { cumExecQty: '= 0.1' }],
  [uta('order'), btcMargin, { ...v3SpotOrder, category: '= margin' }, { cumExecQty: '= 0.1' }],
])('orders of %j in %j', async (arg, market, fields, filled) => {
  const alice = await scene.person('Alice', unified)
  const bob = await scene.person('Bob', unified)
  const socket = await Socket.of(alice, arg['topic'] === undefined ? '/v2/ws/private' : '/v3/ws/private')
  const channel = arg['topic'] ?? arg['channel'] ?? ''
  await socket.subscribe(arg)
  const { orderId } = await takenInBatch(alice, 'buy 0.3 oid:mine @ 60000', market)
  const statusOf = (row: FieldShapes[string] | unknown) =>
    (row as Record<string, unknown>)['status'] ?? (row as Record<string, unknown>)['orderStatus']

  const live = await socket.push(channel)
  expect(live).toMatchObject({ action: 'snapshot', arg, data: [{ orderId, clientOid: 'mine' }] })
  looksLike(live.data?.[0], fields)
  expect(statusOf(live.data?.[0])).toBe('live')

  await takenInBatch(bob, 'sell 0.1 @ 60000', market)
  const partly = await socket.push(channel)
  looksLike(partly.data?.[0], { ...fields, ...filled })
  expect(statusOf(partly.data?.[0])).toBe('partially_filled')

  await alice.post('/api/v3/trade/cancel-order', { orderId })
  const gone = await socket.push(channel)
  looksLike(gone.data?.[0], fields)
  expect(statusOf(gone.data?.[0])).toMatch(/^cancell?ed$/)
  socket.close()
})

test('v3 orders name their take-profit and stop-loss, in lower case', async () => {
  const alice = await scene.person('Alice', unified)
  const socket = await Socket.of(alice, '/v3/ws/private')
  await socket.subscribe(uta('order'))
  const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.1', price: '50000' }
  const presets = {
    takeProfit: '70000',
    tpTriggerBy: 'mark',
    stopLoss: '40000',
    slOrderType: 'limit',
    slLimitPrice: '39990',
  }
  await alice.post('/api/v3/trade/place-order', { category: 'USDT-FUTURES', ...order, ...presets })
  const { data } = await socket.push('order')
  looksLike(data?.[0], {
    ...v3FuturesOrder,
    clientOid: 'any',
    price: '= 50000',
    qty: '= 0.1',
    takeprofit: '= 70000',
    tpTriggerBy: '= mark',
    tpOrderType: '= market',
    tpLimitPrice: '= ',
    stoploss: '= 40000',
    slTriggerBy: '= market',
    slOrderType: '= limit',
    slLimitPrice: '= 39990',
  })
  socket.close()
})

test('v3 orders of futures name the mode of the account', async () => {
  const alice = await scene.person('Alice', unified)
  await setHoldMode(alice, 'hedge_mode')
  const socket = await Socket.of(alice, '/v3/ws/private')
  await socket.subscribe(uta('order'))
  await takenInBatch(alice, 'buy 0.1 long @ 50000', btcPerpetual)
  const { data } = await socket.push('order')
  expect(data).toMatchObject([{ holdMode: 'hedge_mode', posMode: 'hedge_mode' }])
  socket.close()
})

test('an order that fills in steps is pushed at each of them, as it stood', async () => {
  const alice = await scene.person('Alice', unified)
  const bob = await scene.person('Bob', unified)
  for (const price of [60000, 60100, 60200]) await takenInBatch(bob, `sell 0.1 @ ${price}`, btcPerpetual)
  const socket = await Socket.of(alice, '/v2/ws/private')
  await socket.subscribe(futures('orders'))
  await takenInBatch(alice, 'buy 0.4 @ 60100', btcPerpetual)
  const { data } = await socket.push('orders')
  expect(data).toMatchObject([
    { accBaseVolume: '0.1', baseVolume: '0.1', fillPrice: '60000', priceAvg: '60000', status: 'partially_filled' },
    { accBaseVolume: '0.2', baseVolume: '0.1', fillPrice: '60100', priceAvg: '60050', status: 'partially_filled' },
  ])
  await takenInBatch(alice, 'buy 0.1 @ 60200', btcPerpetual)
  const { data: whole } = await socket.push('orders')
  expect(whole).toMatchObject([{ accBaseVolume: '0.1', baseVolume: '0.1', fillPrice: '60200', status: 'filled' }])
  socket.close()
})

test.each<[Argument, Market, FieldShapes]>([
  [
    futures('fill'),
    btcPerpetual,
    {
      orderId: 'id',
      clientOid: '= mine',
      tradeId: 'id',
      symbol: '= BTCUSDT',
      side: '= buy',
      orderType: '= limit',
      posMode: '= one_way_mode',
      price: '= 60000',
      baseVolume: '= 0.1',
      quoteVolume: '= 6000',
      profit: '= 0',
      tradeSide: '= buy_single',
      tradeScope: '= taker',
      feeDetail: 'list',
      cTime: 'millis',
      uTime: 'millis',
    },
  ],
  [
    spot('fill'),
    btcSpot,
    {
      orderId: 'id',
      clientOid: '= mine',
      tradeId: 'id',
      symbol: '= BTCUSDT',
      orderType: '= limit',
      side: '= buy',
      priceAvg: '= 60000',
      size: '= 0.1',
      amount: '= 6000',
      tradeScope: '= taker',
      feeDetail: 'list',
      cTime: 'millis',
      uTime: 'millis',
    },
  ],
  ...(['fill', 'fast-fill'] as const).map((topic): [Argument, Market, FieldShapes] => [
    uta(topic),
    btcPerpetual,
    {
      category: topic === 'fill' ? '= USDT-FUTURES' : '= usdt-futures',
      symbol: '= BTCUSDT',
      orderId: 'id',
      clientOid: '= mine',
      execId: 'id',
      execLinkId: 'id',
      orderType: '= limit',
      side: '= buy',
      holdSide: 'text',
      tradeSide: '= open',
      tradeScope: '= taker',
      execPrice: '= 60000',
      execQty: '= 0.1',
      execValue: '= 6000',
      execPnl: '= 0',
      feeDetail: 'list',
      isRPI: '= no',
      execTime: 'millis',
      updatedTime: 'millis',
    },
  ]),
])('fills of %j', async (arg, market, fields) => {
  const alice = await scene.person('Alice', unified)
  const bob = await scene.person('Bob', unified)
  await takenInBatch(bob, 'sell 0.1 @ 60000', market)
  const socket = await Socket.of(alice, arg['topic'] === undefined ? '/v2/ws/private' : '/v3/ws/private')
  await socket.subscribe(arg)
  await takenInBatch(alice, 'buy 0.1 oid:mine @ 60000', market)
  const { data, action } = await socket.push(arg['topic'] ?? arg['channel'] ?? '')
  expect({ action, rows: data?.length }).toEqual({ action: 'snapshot', rows: 1 })
  looksLike(data?.[0], fields)
  socket.close()
})

const v2Position: FieldShapes = {
  posId: 'id',
  instId: '= BTCUSDT',
  marginCoin: '= USDT',
  marginSize: 'decimal',
  marginMode: '= crossed',
  holdSide: '= long',
  posMode: '= one_way_mode',
  total: '= 0.1',
  available: '= 0.1',
  frozen: '= 0',
  openPriceAvg: '= 60000',
  leverage: 'number',
  achievedProfits: 'decimal',
  unrealizedPL: 'decimal',
  unrealizedPLR: 'decimal',
  liquidationPrice: 'decimal',
  keepMarginRate: 'decimal',
  isolatedMarginRate: 'decimal',
  marginRate: 'decimal',
  breakEvenPrice: 'decimal',
  totalFee: 'decimal or empty',
  deductedFee: 'decimal',
  markPrice: 'decimal',
  cashDividend: '= 0',
  assetMode: 'single | union',
  autoMargin: 'on | off',
  cTime: 'millis',
  uTime: 'millis',
}
const v3Position: FieldShapes = {
  category: '= USDT-FUTURES',
  symbol: '= BTCUSDT',
  marginCoin: '= USDT',
  holdMode: '= one_way_mode',
  posSide: '= long',
  marginMode: '= crossed',
  size: '= 0.1',
  available: '= 0.1',
  frozen: '= 0',
  leverage: 'decimal',
  marginSize: 'decimal',
  avgPrice: '= 60000',
  markPrice: 'decimal',
  breakEvenPrice: 'decimal',
  liqPrice: 'decimal',
  mmr: 'decimal',
  unrealisedPnl: 'decimal',
  curRealisedPnl: 'decimal',
  profitRate: 'decimal',
  totalFundingFee: 'decimal',
  openFeeTotal: 'decimal',
  closeFeeTotal: 'decimal',
  positionStatus: '= normal',
  createdTime: 'millis',
  updatedTime: 'millis',
}
const v3EndedPosition: FieldShapes = {
  ...v3Position,
  size: '= 0',
  available: '= 0',
  marginSize: '= 0',
  breakEvenPrice: '= ',
  liqPrice: '= ',
  mmr: '= ',
  unrealisedPnl: '= 0',
  profitRate: '= ',
  positionStatus: '= ended',
}

test.each<[Argument, FieldShapes, readonly FieldShapes[]]>([
  [futures('positions'), v2Position, []],
  [uta('position'), v3Position, [v3EndedPosition]],
])('positions of %j: all that are open in each push', async (arg, fields, afterClose) => {
  const alice = await scene.person('Alice', unified)
  const bob = await scene.person('Bob', unified)
  const channel = arg['topic'] ?? arg['channel'] ?? ''
  const socket = await Socket.of(alice, arg['topic'] === undefined ? '/v2/ws/private' : '/v3/ws/private')
  await socket.subscribe(arg)
  expect(await socket.push(channel), 'flat').toMatchObject({ action: 'snapshot', arg, data: [] })
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
  await takenInBatch(alice, 'buy 0.1 @ 60000', btcPerpetual)
  const open = await socket.push(channel)
  expect(open.data).toHaveLength(1)
  looksLike(open.data?.[0], fields)
  await takenInBatch(bob, 'buy 0.1 @ 60000', btcPerpetual)
  await takenInBatch(alice, 'sell 0.1 @ 60000', btcPerpetual)
  const flat = await socket.push(channel)
  expect(flat.data).toHaveLength(afterClose.length)
  for (const [index, ended] of afterClose.entries()) looksLike(flat.data?.[index], ended)
  socket.close()
})

test('positions-history: a position that has closed, with its whole life', async () => {
  const alice = await scene.person('Alice', unified)
  const bob = await scene.person('Bob', unified)
  const socket = await Socket.of(alice, '/v2/ws/private')
  await socket.subscribe(futures('positions-history'))
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
  await takenInBatch(alice, 'buy 0.1 @ 60000', btcPerpetual)
  await takenInBatch(bob, 'buy 0.1 @ 60100', btcPerpetual)
  await takenInBatch(alice, 'sell 0.1 @ 60100', btcPerpetual)
  const { data } = await socket.push('positions-history')
  looksLike(data?.[0], {
    posId: 'id',
    instId: '= BTCUSDT',
    marginCoin: '= USDT',
    marginMode: '= crossed',
    holdSide: '= long',
    posMode: '= one_way_mode',
    openPriceAvg: '= 60000',
    closePriceAvg: '= 60100',
    openSize: '= 0.1',
    closeSize: '= 0.1',
    achievedProfits: '= 10',
    settleFee: 'decimal',
    openFee: 'decimal',
    closeFee: 'decimal',
    cTime: 'millis',
    uTime: 'millis',
  })
  socket.close()
})

const v2FuturesAccount: FieldShapes = {
  marginCoin: '= USDT',
  frozen: 'decimal',
  available: 'decimal',
  maxOpenPosAvailable: 'decimal',
  maxTransferOut: 'decimal',
  equity: 'decimal',
  usdtEquity: 'decimal',
  crossedRiskRate: 'decimal',
  unrealizedPL: 'decimal',
  unionTotalMargin: 'decimal or empty',
  unionAvailable: 'decimal or empty',
  unionMm: 'decimal or empty',
  assetMode: 'single | union',
  assetsMode: 'single | union',
}
const v2SpotAccount: FieldShapes = {
  coin: 'text',
  available: 'decimal',
  frozen: 'decimal',
  locked: 'decimal',
  limitAvailable: 'decimal',
  uTime: 'millis',
}
const v2MarginAccount: FieldShapes = {
  uTime: 'millis',
  id: 'text',
  coin: 'text',
  available: 'decimal',
  borrow: 'decimal',
  frozen: 'decimal',
  interest: 'decimal',
  coupon: 'decimal',
}

test.each<[Argument, FieldShapes, (person: Person) => Promise<unknown>, object]>([
  [
    futures('account', { coin: 'default' }),
    v2FuturesAccount,
    (person) => taken(person, 'buy 0.1 @ 50000'),
    { marginCoin: 'USDT', frozen: expect.stringMatching(/^[1-9]/) },
  ],
  [
    spot('account', { coin: 'default' }),
    v2SpotAccount,
    (person) =>
      person.post('/api/v2/spot/trade/place-order', {
        symbol: 'BTCUSDT',
        side: 'buy',
        orderType: 'limit',
        force: 'gtc',
        price: '50000',
        size: '0.1',
      }),
    { coin: 'USDT', available: '95000', frozen: '5000' },
  ],
  [
    spot('account', { coin: 'USDT' }),
    v2SpotAccount,
    (person) =>
      person.post('/api/v2/spot/wallet/transfer', {
        fromType: 'spot',
        toType: 'usdt_futures',
        coin: 'USDT',
        amount: '100000',
      }),
    { coin: 'USDT', available: '0', frozen: '0' },
  ],
  [
    { instType: 'MARGIN', channel: 'account-crossed', coin: 'default' },
    v2MarginAccount,
    (person) => person.post('/api/v2/margin/crossed/account/borrow', { coin: 'BTC', borrowAmount: '0.5' }),
    { coin: 'BTC', available: '0.5', borrow: '0.5' },
  ],
])('account of %j: a snapshot, then again when it has changed', async (arg, fields, change, after) => {
  const alice = await scene.person('Alice', classic)
  const socket = await Socket.of(alice, '/v2/ws/private')
  await socket.subscribe(arg)
  const first = await socket.push(arg['channel'] ?? '')
  expect(first).toMatchObject({ action: 'snapshot', arg })
  for (const row of first.data ?? []) looksLike(row, fields)
  alice.hasTraded = true
  await change(alice)
  const { data } = await socket.push(arg['channel'] ?? '')
  expect(data).toEqual(expect.arrayContaining([expect.objectContaining(after)]))
  for (const row of data ?? []) looksLike(row, fields)
  socket.close()
})

const v2Equity: FieldShapes = {
  usdtEquity: 'decimal',
  btcEquity: 'decimal',
  usdtUnrealized: 'decimal',
  unrealizedPL: 'decimal',
  unionTotalMargin: 'decimal or empty',
  unionAvailable: 'decimal or empty',
  unionMm: 'decimal or empty',
}

test.each<[Argument, string, Market, string, FieldShapes, FieldShapes]>([
  [
    { instType: 'USDT-FUTURES', channel: 'equity' },
    'buy 1 @ 60000',
    btcPerpetual,
    '61000',
    { usdtEquity: '= 100000', btcEquity: '= 1.66666666', usdtUnrealized: '= 0' },
    { usdtEquity: 'decimal', usdtUnrealized: '= 1000', unrealizedPL: '= 1000' },
  ],
  [
    { instType: 'COIN-FUTURES', channel: 'equity', instId: 'default' },
    'buy 0.1 @ 60000',
    btcInverse,
    '61000',
    { usdtEquity: '= 120000', btcEquity: '= 2', usdtUnrealized: '= 0' },
    { usdtEquity: 'decimal', usdtUnrealized: 'decimal' },
  ],
])('equity of %j follows the prices of what it holds', async (arg, line, market, moved, before, after) => {
  const { venue } = scene
  const home = { BTC: '60000' }
  await venue.setIndexPrices(home)
  const funds = { usdt_futures: { USDT: '100000' }, coin_futures: { BTC: '2' } }
  const alice = await scene.person('Alice', { mode: 'classic', funds })
  const bob = await scene.person('Bob', { mode: 'classic', funds })
  const socket = await Socket.of(alice, '/v2/ws/private')
  await socket.subscribe(arg)
  const first = await socket.push('equity')
  expect(first).toMatchObject({ action: 'snapshot', arg })
  looksLike(first.data?.[0], { ...v2Equity, ...before })
  await taken(bob, line.replace('buy', 'sell'), market)
  await taken(alice, line, market)
  await venue.setIndexPrices({ BTC: moved })
  const inProfit = (row: Readonly<Record<string, unknown>>) => Number(row['usdtUnrealized']) > 90
  const { data } = await socket.push('equity', inProfit)
  looksLike(data?.[0], { ...v2Equity, ...after })
  await venue.setIndexPrices(home)
  await socket.push('equity', (row) => !inProfit(row))
  await expect(socket.subscribe({ instType: 'SPOT', channel: 'equity' })).rejects.toThrow('30001')
  socket.close()
})

test.each([
  ['v2', classic, spot('account', { coin: 'USDT' }), '/api/v2/spot/wallet'],
  ['v3', unified, uta('account'), '/api/v3/account'],
] as const)(
  'account of %s: a withdrawal takes money out at once, and gives it back when it is canceled',
  async (...row) => {
    const [version, options, arg, path] = row
    const alice = await scene.person('Alice', options)
    const socket = await Socket.of(alice, `/${version}/ws/private`)
    await socket.subscribe(arg)
    const available = async () => {
      const { data } = await socket.push('account')
      const [first] = data as unknown as readonly [{ readonly coin: unknown; readonly available?: string }]
      if (first.available !== undefined) return first.available
      return (first.coin as Record<string, string>[]).find(({ coin }) => coin === 'USDT')?.['balance']
    }
    expect(await available()).toBe('100000')
    const to = { transferType: 'on_chain', chain: 'TRC20', address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' }
    const { orderId } = (await alice.post(`${path}/withdrawal`, { coin: 'USDT', size: '100', ...to })).fields
    expect(await available()).toBe('99900')
    await alice.post(`${path}/cancel-withdrawal`, { orderId })
    expect(await available()).toBe('100000')
    socket.close()
  },
)

test('account of UTA: worth and coins, then again when an order holds some of them', async () => {
  const alice = await scene.person('Alice', unified)
  const socket = await Socket.of(alice, '/v3/ws/private')
  await socket.subscribe(uta('account'))
  const { data: first } = await socket.push('account')
  looksLike(first?.[0], {
    totalEquity: 'decimal',
    effEquity: 'decimal',
    unrealisedPnL: 'decimal',
    imr: 'decimal',
    mmr: 'decimal',
    mgnRatio: 'decimal',
    positionMgnRatio: 'decimal',
    bonus: 'decimal',
    coin: 'list',
  })
  const coinsOf = (row: unknown) => (row as { readonly coin: readonly Record<string, string>[] }).coin
  for (const coin of coinsOf(first?.[0])) {
    const decimals = ['equity', 'balance', 'available', 'locked', 'borrow', 'debts', 'usdValue']
    looksLike(coin, { coin: 'text', ...Object.fromEntries(decimals.map((name) => [name, 'decimal'])) })
  }
  await takenInBatch(alice, 'buy 0.1 @ 50000', btcSpot)
  const { data: held } = await socket.push('account')
  expect(coinsOf(held?.[0]).find(({ coin }) => coin === 'USDT')).toMatchObject({ balance: '100000', locked: '5000' })
  socket.close()
})

test('trigger orders: set, changed, fired', async () => {
  const alice = await scene.person('Alice', unified)
  const bob = await scene.person('Bob', unified)
  const v2 = await Socket.of(alice, '/v2/ws/private')
  const v3 = await Socket.of(alice, '/v3/ws/private')
  await v2.subscribe(futures('orders-algo'))
  await v3.subscribe(uta('strategy-order'))
  const { orderId } = (
    await alice.post('/api/v2/mix/order/place-plan-order', {
      planType: 'normal_plan',
      symbol: 'BTCUSDT',
      productType: 'USDT-FUTURES',
      marginMode: 'crossed',
      marginCoin: 'USDT',
      size: '0.1',
      triggerPrice: '61000',
      triggerType: 'fill_price',
      side: 'buy',
      orderType: 'market',
      clientOid: 'plan',
    })
  ).fields
  const set = await v2.push('orders-algo')
  expect(set).toMatchObject({ action: 'snapshot', data: [{ orderId, clientOid: 'plan', status: 'live' }] })
  looksLike(set.data?.[0], {
    instId: '= BTCUSDT',
    orderId: `= ${orderId}`,
    clientOid: '= plan',
    status: '= live',
    cTime: 'millis',
    triggerPrice: '= 61000',
    triggerType: '= fill_price',
    triggerTime: 'millis or empty',
    planType: '= pl',
    price: 'any',
    executePrice: 'any',
    size: '= 0.1',
    actualSize: 'decimal',
    orderType: '= market',
    side: '= buy',
    tradeSide: 'text',
    posSide: '= net',
    marginCoin: '= USDT',
    posMode: '= one_way_mode',
    enterPointSource: '= API',
    stopSurplusPrice: 'any',
    stopSurplusTriggerPrice: 'any',
    stopSurplusTriggerType: 'any',
    stopLossPrice: 'any',
    stopLossTriggerPrice: 'any',
    stopLossTriggerType: 'any',
    uTime: 'millis',
    stpMode: '= none',
  })
  const pending = await v3.push('strategy-order')
  looksLike(pending.data?.[0], {
    category: '= usdt-futures',
    symbol: '= BTCUSDT',
    orderId: `= ${orderId}`,
    clientOid: '= plan',
    qty: '= 0.1',
    side: '= buy',
    posSide: '= net',
    reduceOnly: '= no',
    type: '= trigger',
    status: '= pending',
    triggerType: 'any',
    triggerBy: '= market',
    triggerPrice: '= 61000',
    triggerOrderType: '= market',
    triggerOrderPrice: 'any',
    tpTriggerBy: 'any',
    slTriggerBy: 'any',
    takeProfit: 'any',
    stopLoss: 'any',
    tpOrderType: 'any',
    slOrderType: 'any',
    tpLimitPrice: 'any',
    slLimitPrice: 'any',
    createdTime: 'millis',
    updatedTime: 'millis',
  })
  await alice.post('/api/v2/mix/order/modify-plan-order', {
    orderId,
    symbol: 'BTCUSDT',
    productType: 'USDT-FUTURES',
    newTriggerPrice: '60500',
  })
  await v2.push('orders-algo', (row) => row['triggerPrice'] === '60500' && row['status'] === 'live')
  for (const order of ['sell 0.2 @ 60500', 'sell 0.1 @ 60600']) await takenInBatch(bob, order, btcPerpetual)
  await takenInBatch(await scene.person('Carol', unified), 'buy 0.2 @ 60500', btcPerpetual)
  await v2.push('orders-algo', (row) => row['status'] === 'executed')
  await v3.push('strategy-order', (row) => row['status'] === 'success')
  v2.close()
  v3.close()
})

test('a trailing order tells when it is set, when it is active and when it has been triggered, on v2 and v3', async () => {
  const alice = await scene.person('Alice', unified)
  const [v2, v3] = [await Socket.of(alice, '/v2/ws/private'), await Socket.of(alice, '/v3/ws/private')]
  await v2.subscribe(futures('orders-algo'))
  await v3.subscribe(uta('strategy-order'))
  const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', type: 'trigger', side: 'sell', qty: '0.01' }
  const waits = { callbackRatio: '1', triggerPrice: '60500', triggerBy: 'mark' }
  await alice.post('/api/v3/trade/place-strategy-order', { ...order, ...waits })
  const set = { callbackRatio: '1', triggerPrice: '60500', currentTriggerPrice: '' }
  expect((await v2.push('orders-algo')).data).toMatchObject([{ ...set, planType: 'track', status: 'live' }])
  expect((await v3.push('strategy-order')).data).toMatchObject([{ ...set, type: 'trigger', status: 'pending' }])
  await scene.venue.setIndexPrices({ BTC: '60500' })
  const active = { currentTriggerPrice: '59895' }
  expect((await v2.push('orders-algo')).data).toMatchObject([active])
  expect((await v3.push('strategy-order')).data).toMatchObject([active])
  await takenInBatch(await scene.person('Bob', unified), 'buy 0.02 @ 59800', btcPerpetual)
  await scene.venue.setIndexPrices({ BTC: '59895' })
  await v2.push('orders-algo', (row) => row['status'] === 'executed')
  await v3.push('strategy-order', (row) => row['status'] === 'success')
  await scene.venue.setIndexPrices({ BTC: '60000' })
  v2.close()
  v3.close()
})

test('a take-profit and a stop-loss that wait together are one v3 strategy order, as over HTTP', async () => {
  const alice = await scene.person('Alice', unified)
  const bob = await scene.person('Bob', unified)
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
  await takenInBatch(alice, 'buy 0.1 @ 60000', btcPerpetual)
  const [v2, v3] = [await Socket.of(alice, '/v2/ws/private'), await Socket.of(alice, '/v3/ws/private')]
  await v2.subscribe(futures('orders-algo'))
  await v3.subscribe(uta('strategy-order'))
  const category = 'USDT-FUTURES'
  // Over HTTP the category is in upper case.
  const waiting = async () =>
    (await alice.get('/api/v3/trade/unfilled-strategy-orders', { category }))
      .list()
      .map((order) => ({ ...order, category: 'usdt-futures' }))

  const set = { category, symbol: 'BTCUSDT', takeProfit: '66000', stopLoss: '54000', clientOid: 'pair' }
  const { orderId } = (await alice.post('/api/v3/trade/place-strategy-order', set)).fields
  const pair = await v3.push('strategy-order')
  expect(pair.data).toHaveLength(1)
  expect(pair.data?.[0]).toMatchObject({ orderId, clientOid: 'pair', takeProfit: '66000', stopLoss: '54000' })
  expect(pair.data).toMatchObject(await waiting())
  const planned = await v2.push('orders-algo')
  expect(planned.data, 'v2 names each').toMatchObject([{ planType: 'ptp' }, { planType: 'psl' }])

  await alice.post('/api/v3/trade/modify-strategy-order', { orderId, stopLoss: '53000' })
  const changed = await v3.push('strategy-order')
  expect(changed.data).toMatchObject([{ orderId, takeProfit: '66000', stopLoss: '53000', status: 'pending' }])

  const order = { productType: category, symbol: 'BTCUSDT', marginCoin: 'USDT', orderId }
  await alice.post('/api/v2/mix/order/cancel-plan-order', {
    ...order,
    orderIdList: [{ orderId }],
    planType: 'pos_profit',
  })
  const left = await v3.push('strategy-order')
  expect(left.data).toMatchObject([
    { orderId, status: 'cancelled', takeProfit: '66000' },
    { status: 'pending', takeProfit: '', stopLoss: '53000' },
  ])
  expect(left.data?.slice(1)).toMatchObject(await waiting())
  v2.close()
  v3.close()
})

test('take-profit and stop-loss orders that grow with the fills of their order are pushed as they stand, as over HTTP', async () => {
  const alice = await scene.person('Alice', unified)
  const bob = await scene.person('Bob', unified)
  const [v2, v3] = [await Socket.of(alice, '/v2/ws/private'), await Socket.of(alice, '/v3/ws/private')]
  await v2.subscribe(futures('orders-algo'))
  await v3.subscribe(uta('strategy-order'))
  const category = 'USDT-FUTURES'
  const order = { category, symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '60000', qty: '0.4' }
  // Two fills on its way in, and one more from who finds what rests: pushed once each time.
  for (const line of ['sell 0.1 @ 59990', 'sell 0.1 @ 60000']) await takenInBatch(bob, line, btcPerpetual)
  await alice.post('/api/v3/trade/place-order', { ...order, takeProfit: '66000', stopLoss: '54000' })
  await takenInBatch(bob, 'sell 0.2 @ 60000', btcPerpetual)
  for (const size of ['0.2', '0.4']) {
    expect((await v3.push('strategy-order')).data).toMatchObject([
      { qty: size, takeProfit: '66000', stopLoss: '54000', status: 'pending' },
    ])
    expect((await v2.push('orders-algo')).data).toMatchObject([
      { planType: 'tp', size, status: 'live' },
      { planType: 'sl', size, status: 'live' },
    ])
  }
  const waiting = (await alice.get('/api/v3/trade/unfilled-strategy-orders', { category })).list()
  expect(waiting).toMatchObject([{ qty: '0.4' }])
  v2.close()
  v3.close()
})

test('leverage and hedge mode: what is set anew is in the next push', async () => {
  const alice = await scene.person('Alice', classic)
  const bob = await scene.person('Bob', classic)
  await setHoldMode(alice, 'hedge_mode')
  const socket = await Socket.of(alice, '/v2/ws/private')
  await socket.subscribe(futures('positions'))
  await socket.subscribe(futures('fill'))
  await taken(bob, 'sell 0.1 @ 60000')
  await taken(alice, 'buy 0.1 open @ 60000')
  await socket.push('fill', (row) => row['side'] === 'buy' && row['tradeSide'] === 'open')
  await taken(bob, 'buy 0.1 @ 60000')
  // v2 closes a long with `buy`; the fill says the side of the book.
  await place(alice, 'buy 0.05 close @ 60000')
  await socket.push('fill', (row) => row['side'] === 'sell' && row['tradeSide'] === 'close')
  const body = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT', leverage: '7' }
  await alice.post('/api/v2/mix/account/set-leverage', body)
  await socket.push('positions', (row) => row['leverage'] === 7 && row['total'] === '0.05')
  socket.close()
})

test('nobody hears of somebody else, and each of two sockets hears the same', async () => {
  const alice = await scene.person('Alice', unified)
  const bob = await scene.person('Bob', unified)
  const sockets = [await Socket.of(alice, '/v3/ws/private'), await Socket.of(alice, '/v3/ws/private')]
  const other = await Socket.of(bob, '/v3/ws/private')
  for (const socket of [...sockets, other]) await socket.subscribe(uta('order'))
  const { orderId } = await takenInBatch(alice, 'buy 0.1 @ 50000', btcPerpetual)
  const [first, second] = await Promise.all(sockets.map((socket) => socket.push('order')))
  expect(first).toEqual(second)
  expect(first?.data).toMatchObject([{ orderId }])
  const mine = await takenInBatch(bob, 'buy 0.1 @ 50000', btcPerpetual)
  expect((await other.push('order')).data).toMatchObject([{ orderId: mine['orderId'] }])
  for (const socket of [...sockets, other]) socket.close()
})
