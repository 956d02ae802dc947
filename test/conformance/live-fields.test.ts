/**
 * Fields of REST answers as the live venue has them: what it leaves null, names, types and letter case.
 *
 * Source  wire/client-endpoints.md §4; wire/v3-endpoints.md; docs/interface.md "Fields as the live venue has them"
 */
import { beforeAll, expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import {
  btcInverse,
  btcMargin,
  btcPerpetual,
  onePosition,
  openOrders,
  orderRecord,
  taken,
  takenInBatch,
} from '../support/trading.ts'
import { row, stage, succeeds, table } from './conformance.ts'

const at = stage({ clock: 'manual' })
const unified = { funds: { uta: { USDT: '1000000', BTC: '20' } } } as const
const mix = '/api/v2/mix/order'
const line = { productType: 'USDT-FUTURES' } as const
const contract = { ...line, symbol: 'BTCUSDT', marginCoin: 'USDT' } as const

let alice: Person
let bob: Person

beforeAll(async () => {
  alice = await at.venue.person('Alice', unified)
  bob = await at.venue.person('Bob', unified)
})

table(
  { rule: 'Live fields', decision: 'lists of what is open are null with nothing in them; histories are empty' },
  [
    // list                       path                       query                                     data
    ['v2 orders-pending', `${mix}/orders-pending`, line, { entrustedList: null, endId: null }],
    [
      'v2 orders-plan-pending',
      `${mix}/orders-plan-pending`,
      { ...line, planType: 'normal_plan' },
      { entrustedList: null, endId: null },
    ],
    [
      'v2 take-profits and stop-losses',
      `${mix}/orders-plan-pending`,
      { ...line, planType: 'profit_loss' },
      { entrustedList: null, endId: null },
    ],
    ['v3 current-position', '/api/v3/position/current-position', { category: 'USDC-FUTURES' }, { list: null }],
    ['E13', `${mix}/orders-history`, line, { entrustedList: [], endId: '' }],
    ['v2 fills', `${mix}/fills`, line, { fillList: [], endId: '' }],
    [
      'v2 orders-plan-history',
      `${mix}/orders-plan-history`,
      { ...line, planType: 'normal_plan' },
      { entrustedList: [], endId: '' },
    ],
    ['v3 unfilled-orders', '/api/v3/trade/unfilled-orders', {}, { list: [], cursor: null }],
  ],
  async (path, query, data) => {
    const nobody = await at.person('Nobody', unified)
    expect(succeeds(await nobody.get(path, query)).data).toEqual(data)
  },
)

row('Live fields', 'lists of what is open are lists with something in them', async () => {
  const carol = await at.person('Carol', unified)
  const { orderId } = await taken(carol, 'buy 0.1 @ 50000')
  expect(succeeds(await carol.get(`${mix}/orders-pending`, line)).data).toMatchObject({
    entrustedList: [{ orderId }],
    endId: orderId,
  })
  expect(await openOrders(carol)).toHaveLength(1)
})

const planBody = {
  ...contract,
  planType: 'normal_plan',
  marginMode: 'crossed',
  size: '0.1',
  orderType: 'market',
  triggerPrice: '60100',
  triggerType: 'fill_price',
  side: 'buy',
}

row('Live fields', 'a plan: null without take-profit and stop-loss, their prices under either name', async () => {
  const carol = await at.person('Carol', unified)
  const waits = async (fields: object): Promise<unknown> => {
    succeeds(await carol.post(`${mix}/place-plan-order`, { ...planBody, ...fields }))
    const query = { ...line, planType: 'normal_plan' }
    return succeeds(await carol.get(`${mix}/orders-plan-pending`, query)).list('entrustedList')[0]
  }
  expect(await waits({})).toMatchObject({
    stopSurplusTriggerPrice: null,
    stopSurplusExecutePrice: null,
    stopSurplusTriggerType: null,
    stopLossTriggerPrice: null,
    stopLossExecutePrice: null,
    stopLossTriggerType: null,
    presetStopSurplusPrice: '',
    presetStopLossPrice: '',
  })
  expect(await waits({ stopSurplusTriggerPrice: '70000', stopLossTriggerPrice: '50000' })).toMatchObject({
    stopSurplusTriggerPrice: '70000',
    stopSurplusTriggerType: 'fill_price',
    stopSurplusExecutePrice: null,
    presetStopSurplusPrice: '70000',
    presetStopLossPrice: '50000',
  })
})

row('Live fields', 'an executed plan says what its order traded, a canceled one nothing', async () => {
  const carol = await at.person('Carol', unified)
  const query = { ...line, planType: 'normal_plan' }
  const { orderId } = succeeds(await carol.post(`${mix}/place-plan-order`, planBody)).fields
  await taken(bob, 'sell 0.01 @ 60100')
  await taken(bob, 'sell 1 @ 60110')
  await taken(alice, 'buy 0.01 @ 60100')
  succeeds(await carol.post(`${mix}/place-plan-order`, { ...planBody, triggerPrice: '70000' }))
  succeeds(await carol.post(`${mix}/cancel-plan-order`, line))
  const [canceled, executed] = succeeds(await carol.get(`${mix}/orders-plan-history`, query)).list('entrustedList')
  expect(executed).toMatchObject({ orderId, planStatus: 'executed', priceAvg: '60110', baseVolume: '0.1' })
  expect(canceled).toMatchObject({ planStatus: 'cancelled', priceAvg: '', baseVolume: '', stopLossTriggerPrice: '' })
})

row('Live fields', 'place-pos-tpsl answers a list, one for each order', async () => {
  const carol = await at.person('Carol', unified)
  await taken(bob, 'sell 0.1 @ 60050')
  await taken(carol, 'buy 0.1 @ 60050')
  const ids = { stopSurplusClientOid: 'gain', stopLossClientOid: 'loss' }
  const body = { ...contract, holdSide: 'buy', stopSurplusTriggerPrice: '70000', stopLossTriggerPrice: '50000', ...ids }
  const answered = succeeds(await carol.post(`${mix}/place-pos-tpsl`, body)).list()
  const { takeProfitId, stopLossId } = await onePosition(carol)
  expect(answered).toEqual([
    { orderId: takeProfitId, ...ids },
    { orderId: stopLossId, ...ids },
  ])
})

row('Live fields', 'a whole fill of a coin-margined order is its size, whatever it traded at', async () => {
  const carol = await at.person('Carol', unified)
  await taken(bob, 'sell 0.02 @ 50000', btcInverse)
  await taken(bob, 'sell 0.5 @ 60000', btcInverse)
  await taken(carol, 'buy 0.05 oid:coins @ 60000', btcInverse)
  expect(await orderRecord(carol, { clientOid: 'coins' }, btcInverse)).toMatchObject({
    status: 'filled',
    size: '0.05',
    baseVolume: '0.05',
    quoteVolume: '3000',
  })
})

row('Live fields', 'v3 assets: what an isolated position is worth is locked', async () => {
  const carol = await at.person('Carol', unified)
  await taken(bob, 'sell 0.1 @ 60050')
  await taken(carol, 'buy 0.1 isolated @ 60050')
  const { assets } = succeeds(await carol.get('/api/v3/account/assets')).data as { readonly assets: readonly Fields[] }
  const usdt = assets.find(({ coin }) => coin === 'USDT') ?? {}
  const units = (name: string) => BigInt(Math.round(Number(usdt[name]) * 1e8))
  expect(units('locked')).toBeGreaterThan(0n)
  expect(units('available') + units('locked')).toBe(units('equity'))
})

row('Live fields', 'v3 fills are no RPI, and a limit price of a take-profit at market is empty', async () => {
  const carol = await at.person('Carol', unified)
  const order = {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    qty: '0.1',
    price: '60050',
  }
  await taken(bob, 'sell 0.1 @ 60050')
  const { orderId = '' } = succeeds(
    await carol.post('/api/v3/trade/place-order', { ...order, takeProfit: '70000' }),
  ).fields
  const [fill] = succeeds(await carol.get('/api/v3/trade/fills', { orderId })).list('list')
  expect(fill).toMatchObject({ isRPI: 'no' })
  const [trade] = succeeds(
    await at.venue.get('/api/v3/market/fills', { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }),
  ).list()
  expect(trade).toMatchObject({ isRPI: 'no' })
  expect(succeeds(await carol.get('/api/v3/trade/order-info', { orderId })).data).toMatchObject({
    takeProfit: '70000',
    tpOrderType: 'market',
    tpLimitPrice: '',
    stopLoss: null,
    slLimitPrice: null,
  })
})

row('Live fields', 'v2 margin: open orders under either name, ended ones by where they came from', async () => {
  const carol = await at.person('Carol', unified)
  const { orderId } = await takenInBatch(carol, 'buy 0.1 @ 50000', btcMargin)
  const query = { symbol: 'BTCUSDT', startTime: at.venue.now() - 1000 }
  const open = succeeds(await carol.get('/api/v2/margin/crossed/open-orders', query)).data
  expect(open).toMatchObject({ orderList: [{ orderId }], resultList: [{ orderId }] })
  succeeds(await carol.post('/api/v2/margin/crossed/cancel-order', { symbol: 'BTCUSDT', orderId }))
  const ended = async (enterPointSource?: string) =>
    succeeds(await carol.get('/api/v2/margin/crossed/history-orders', { ...query, enterPointSource })).list('orderList')
  expect(await ended('api')).toMatchObject([{ orderId }])
  expect(await ended()).toMatchObject([{ orderId }])
  for (const other of ['SYS', 'WEB', 'IOS', 'ANDROID']) expect(await ended(other)).toEqual([])
})

row(
  'Live fields',
  'v2 contracts: null times of delivery, an alias of the reference, a close that says false',
  async () => {
    const carol = await at.person('Carol', unified)
    const [ticker] = succeeds(await at.venue.get('/api/v2/mix/market/ticker', { ...line, symbol: 'BTCUSDT' })).list()
    expect(ticker).toMatchObject({ deliveryStartTime: null, deliveryTime: null })
    const [account] = succeeds(await carol.get('/api/v2/mix/account/accounts', line)).list()
    expect(account?.['unionTotalMagin']).toBe(account?.['unionTotalMargin'])
    await taken(bob, 'sell 0.1 @ 60050')
    await taken(carol, 'buy 0.1 @ 60050')
    await taken(bob, 'buy 0.1 @ 60000')
    const closed = succeeds(await carol.post(`${mix}/close-positions`, line)).data
    expect(closed).toMatchObject({ successList: [{ symbol: btcPerpetual.symbol }], failureList: [], result: false })
  },
)

row(
  'Live fields',
  'v2 money: a transfer has a field without a value, sub-accounts are numbers and come in pages',
  async () => {
    const main = await at.person('Main', { mode: 'classic', funds: { spot: { USDT: '100' } } })
    const made = succeeds(
      await main.post('/api/v2/user/create-virtual-subaccount', { subAccountList: ['one', 'two'] }),
    ).list('successList')
    const [one = '', two = ''] = made.map((sub) => String(sub['subaAccountUid']))
    for (const toUserId of [one, two]) {
      const words = { fromType: 'spot', toType: 'usdt_futures', amount: '10', coin: 'USDT' }
      succeeds(await main.post('/api/v2/spot/wallet/subaccount-transfer', { ...words, fromUserId: main.uid, toUserId }))
      succeeds(
        await main.post('/api/v2/spot/wallet/subaccount-transfer', {
          ...words,
          toType: 'spot',
          fromUserId: main.uid,
          toUserId,
        }),
      )
    }
    const assets = '/api/v2/spot/account/subaccount-assets'
    expect(succeeds(await main.get(assets)).list()).toMatchObject([{ userId: two }, { userId: one }])
    expect(succeeds(await main.get(assets, { limit: 1 })).list()).toMatchObject([{ userId: two }])
    expect(succeeds(await main.get(assets, { idLessThan: two })).list()).toMatchObject([{ userId: one }])
    const futures = succeeds(await main.get('/api/v2/mix/account/sub-account-assets', line)).list()
    expect(futures.map(({ userId }) => userId)).toEqual([Number(one), Number(two)])
    const moved = { fromType: 'spot', toType: 'usdt_futures', amount: '1', coin: 'USDT' }
    expect(succeeds(await main.post('/api/v2/spot/wallet/transfer', moved)).data).toMatchObject({ clientOrderId: null })
  },
)
