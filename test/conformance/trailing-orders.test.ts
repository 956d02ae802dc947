/**
 * Trailing orders through both versions, on every product line: set, changed, canceled, listed, triggered.
 *
 * Prices  the mark price is the operator's index; every row begins with it at 60000 and an empty book
 * Source  wire/client-endpoints.md §4; wire/v3-endpoints.md §6; interface.md "Futures order"; docs/decisions/0025-trailing-orders.md
 */
import { beforeEach, expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import {
  btcInverse,
  btcPerpetual,
  btcUsdc,
  type Market,
  paths,
  position,
  setHoldMode,
  taken,
} from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const classic = {
  mode: 'classic',
  funds: { usdt_futures: { USDT: '1000000' }, usdc_futures: { USDC: '1000000' }, coin_futures: { BTC: '10' } },
} as const
const unified = { mode: 'unified', funds: { uta: { USDT: '1000000', USDC: '1000000', BTC: '10' } } } as const

const mix = '/api/v2/mix/order'
const strategy = '/api/v3/trade'

beforeEach(() => mark('60000'))

const mark = (price: string) => at.venue.setIndexPrices({ BTC: price })

function trackPlan({ category: productType, symbol, marginCoin }: Market, fields: object = {}) {
  const contract = { productType, symbol, marginCoin, marginMode: 'crossed' }
  const waits = { planType: 'track_plan', callbackRatio: '1', triggerPrice: '61000', triggerType: 'mark_price' }
  return { ...contract, ...waits, size: '0.01', side: 'sell', orderType: 'market', ...fields }
}

function movingPlan({ category: productType, symbol, marginCoin }: Market, fields: object = {}) {
  const contract = { productType, symbol, marginCoin, planType: 'moving_plan', holdSide: 'buy' }
  return { ...contract, rangeRate: '1.5', triggerPrice: '61000', triggerType: 'mark_price', size: '0.01', ...fields }
}

async function pending(person: Person, planType: string, market = btcPerpetual): Promise<Fields[]> {
  const query = { productType: market.category, planType }
  return succeeds(await person.get(`${mix}/orders-plan-pending`, query)).list('entrustedList')
}

async function ended(person: Person, planType: string, market = btcPerpetual): Promise<Fields[]> {
  const query = { productType: market.category, planType }
  return succeeds(await person.get(`${mix}/orders-plan-history`, query)).list('entrustedList')
}

async function ordersOf(person: Person, { category: productType }: Market): Promise<Fields[]> {
  return succeeds(await person.get(paths.orderHistory, { productType })).list('entrustedList')
}

const lines = [
  ['USDT-FUTURES', btcPerpetual],
  ['USDC-FUTURES', btcUsdc],
  ['COIN-FUTURES', btcInverse],
] as const

table('v2 track_plan follows the best price', lines, async (market) => {
  const alice = await at.person('Alice', classic)
  const bob = await at.person('Bob', classic)
  const body = trackPlan(market, { clientOid: 'trail' })
  const { orderId = '' } = succeeds(await alice.post(`${mix}/place-plan-order`, body)).fields
  const waits = { planType: 'track_plan', callbackRatio: '1', triggerPrice: '61000', planStatus: 'live', size: '0.01' }
  expect(await pending(alice, 'track_plan', market)).toMatchObject([
    { ...waits, orderId, clientOid: 'trail', currentTriggerPrice: '', orderSource: 'tracking_market' },
  ])
  expect(await pending(alice, 'normal_plan', market)).toEqual([])
  await mark('61000')
  expect(await pending(alice, 'track_plan', market)).toMatchObject([{ ...waits, currentTriggerPrice: '60390' }])
  await mark('61500')
  await mark('61000')
  expect(await pending(alice, 'track_plan', market)).toMatchObject([{ ...waits, currentTriggerPrice: '60885' }])
  await taken(bob, 'buy 0.02 @ 60800', market)
  await mark('60885')
  expect(await position(alice, market)).toContain('short 0.01')
  const [order] = await ended(alice, 'track_plan', market)
  expect(order).toMatchObject({ ...waits, planStatus: 'executed', orderId })
  const { executeOrderId = '' } = order ?? {}
  expect(await ordersOf(alice, market)).toMatchObject([{ orderId: executeOrderId, orderSource: 'tracking_market' }])
  const query = { productType: market.category, planType: 'track_plan', planOrderId: orderId }
  const sub = succeeds(await alice.get(`${mix}/plan-sub-order`, query)).data
  expect(sub).toMatchObject([{ orderId: executeOrderId, type: 'market', status: 'filled' }])
})

table('v2 moving_plan closes a position', lines, async (market) => {
  const alice = await at.person('Alice', classic)
  const bob = await at.person('Bob', classic)
  await taken(bob, 'sell 0.02 @ 60000', market)
  await taken(alice, 'buy 0.02 @ 60000', market)
  const body = movingPlan(market)
  const { orderId = '' } = succeeds(await alice.post(`${mix}/place-tpsl-order`, body)).fields
  const waits = { planType: 'moving_plan', callbackRatio: '1.5', triggerPrice: '61000', orderSource: 'move_market' }
  expect(await pending(alice, 'moving_plan', market)).toMatchObject([{ ...waits, orderId }])
  expect(await pending(alice, 'profit_loss', market)).toMatchObject([{ ...waits, orderId }])
  await taken(bob, 'buy 0.02 @ 60000', market)
  await mark('61000')
  await mark('60085')
  expect(await ended(alice, 'moving_plan', market)).toMatchObject([{ orderId, planStatus: 'executed' }])
  const [closed] = await ordersOf(alice, market)
  expect(closed).toMatchObject({ orderSource: 'move_market', status: 'filled' })
  expect(await position(alice, market)).toContain('long 0.01')
})

row(
  'v2 track_plan',
  'without a trigger price it follows the price at once; by the last price from the first trade',
  async () => {
    const alice = await at.person('Alice', classic)
    succeeds(await alice.post(`${mix}/place-plan-order`, trackPlan(btcPerpetual, { triggerPrice: '' })))
    expect(await pending(alice, 'track_plan')).toMatchObject([{ triggerPrice: '', currentTriggerPrice: '59400' }])
  },
)

row('v2 track_plan', 'what it opens has take-profit and stop-loss so many per cent from the last price', async () => {
  const alice = await at.person('Alice', classic)
  const bob = await at.person('Bob', classic)
  const attached = { stopSurplusTriggerPrice: '5', stopLossTriggerPrice: '2.5' }
  const opens = { side: 'buy', triggerPrice: undefined, triggerType: 'fill_price', ...attached }
  await taken(bob, 'sell 0.1 @ 60000')
  await taken(alice, 'buy 0.02 @ 60000')
  succeeds(await alice.post(`${mix}/place-plan-order`, trackPlan(btcPerpetual, opens)))
  expect(await pending(alice, 'track_plan')).toMatchObject([{ ...attached, stopSurplusTriggerType: 'fill_price' }])
  await taken(alice, 'buy 0.08 @ 60000')
  await taken(bob, 'sell 0.1 @ 60600')
  await taken(alice, 'buy 0.01 @ 60600')
  const set = (await pending(alice, 'profit_loss')).map(({ planType, triggerPrice }) => `${planType} ${triggerPrice}`)
  expect(new Set(set)).toEqual(new Set(['loss_plan 59085', 'profit_plan 63630']))
})

table(
  'v2 trailing orders refused',
  [
    ['no callbackRatio', { callbackRatio: undefined }, 'a missing parameter'],
    ['a callbackRatio of zero', { callbackRatio: '0' }, 'a parameter'],
    ['a callbackRatio above 10', { callbackRatio: '10.01' }, 'a parameter'],
    ['three decimals', { callbackRatio: '1.001' }, 'a parameter'],
    ['a limit order', { orderType: 'limit', price: '60000' }, 'a parameter'],
    ['a price', { price: '60000' }, 'a parameter'],
    ['a trigger price of zero', { triggerPrice: '0' }, '43011'],
    ['a trigger price off the tick', { triggerPrice: '61000.05' }, 'the price step'],
    ['without triggerType', { triggerType: undefined }, 'a missing parameter'],
    [
      'a take-profit by the mark price',
      { stopSurplusTriggerPrice: '1', stopSurplusTriggerType: 'mark_price' },
      'a parameter',
    ],
    ['a take-profit at a limit', { stopSurplusTriggerPrice: '1', stopSurplusExecutePrice: '65000' }, 'a parameter'],
    ['a stop-loss of 1000 per cent', { stopLossTriggerPrice: '1000' }, 'a parameter'],
    ['a size off the step', { size: '0.01001' }, 'the quantity step'],
    ['a callbackRatio of an ordinary plan', { planType: 'normal_plan' }, 'a parameter'],
  ] as const,
  async (fields, expected) => {
    const alice = await at.person('Alice', classic)
    refuses(await alice.post(`${mix}/place-plan-order`, trackPlan(btcPerpetual, fields)), expected)
    expect(await pending(alice, 'track_plan')).toEqual([])
  },
)

table(
  'v2 trailing stops refused',
  [
    ['no rangeRate', { rangeRate: undefined }, 'a missing parameter'],
    ['a rangeRate above 10', { rangeRate: '11' }, 'a parameter'],
    ['no size', { size: undefined }, 'a missing parameter'],
    ['an executePrice', { executePrice: '60000' }, 'a parameter'],
    ['more than the position', { size: '0.03' }, '40891'],
    ['of the other side', { holdSide: 'sell' }, '40891'],
    ['a rangeRate of a stop-loss', { planType: 'loss_plan', triggerPrice: '59000' }, 'a parameter'],
  ] as const,
  async (fields, expected) => {
    const alice = await at.person('Alice', classic)
    await taken(await at.person('Bob', classic), 'sell 0.02 @ 60000')
    await taken(alice, 'buy 0.02 @ 60000')
    refuses(await alice.post(`${mix}/place-tpsl-order`, movingPlan(btcPerpetual, fields)), expected)
    expect(await pending(alice, 'profit_loss')).toEqual([])
  },
)

row('v2 trailing orders changed', 'the rate keeps the best price, another activation price begins anew', async () => {
  const alice = await at.person('Alice', classic)
  await taken(await at.person('Bob', classic), 'sell 0.02 @ 60000')
  await taken(alice, 'buy 0.02 @ 60000')
  const { orderId } = succeeds(await alice.post(`${mix}/place-plan-order`, trackPlan(btcPerpetual))).fields
  const stop = succeeds(await alice.post(`${mix}/place-tpsl-order`, movingPlan(btcPerpetual))).fields
  await mark('62000')
  const change = { productType: 'USDT-FUTURES', orderId }
  succeeds(await alice.post(`${mix}/modify-plan-order`, { ...change, newCallbackRatio: '2', newSize: '0.02' }))
  const [changed] = await pending(alice, 'track_plan')
  expect(changed).toMatchObject({ callbackRatio: '2', size: '0.02', currentTriggerPrice: '60760' })
  succeeds(await alice.post(`${mix}/modify-plan-order`, { ...change, newTriggerPrice: '63000' }))
  expect(await pending(alice, 'track_plan')).toMatchObject([{ triggerPrice: '63000', currentTriggerPrice: '' }])
  refuses(await alice.post(`${mix}/modify-plan-order`, { ...change, newPrice: '60000' }), 'a parameter')
  refuses(await alice.post(`${mix}/modify-plan-order`, { ...change, newCallbackRatio: '11' }), 'a parameter')

  const { marginCoin, symbol } = btcPerpetual
  const changeStop = { productType: 'USDT-FUTURES', marginCoin, symbol, orderId: stop['orderId'] }
  succeeds(await alice.post(`${mix}/modify-tpsl-order`, { ...changeStop, rangeRate: '1', size: '0.015' }))
  const kept = { callbackRatio: '1', size: '0.015', currentTriggerPrice: '61380' }
  expect(await pending(alice, 'moving_plan')).toMatchObject([kept])
  refuses(await alice.post(`${mix}/modify-tpsl-order`, { ...changeStop, executePrice: '60000' }), 'a parameter')
})

row('v2 trailing orders canceled', 'by number, by plan type, and with all', async () => {
  const alice = await at.person('Alice', classic)
  const place = async () => succeeds(await alice.post(`${mix}/place-plan-order`, trackPlan(btcPerpetual))).fields
  const cancel = (fields: object) => alice.post(`${mix}/cancel-plan-order`, { productType: 'USDT-FUTURES', ...fields })
  const { orderId } = await place()
  succeeds(await cancel({ symbol: 'BTCUSDT', orderIdList: [{ orderId }] }))
  await place()
  succeeds(await cancel({ planType: 'normal_plan' }))
  expect(await pending(alice, 'track_plan')).toHaveLength(1)
  succeeds(await cancel({ planType: 'track_plan' }))
  await place()
  succeeds(await cancel({}))
  expect(await pending(alice, 'track_plan')).toEqual([])
  expect((await ended(alice, 'track_plan')).map(({ planStatus }) => planStatus)).toEqual(Array(3).fill('cancelled'))
})

row(
  'v2 hedge mode',
  'a closing track_plan names its position by the direction, and closes what is left of it',
  async () => {
    const alice = await at.person('Alice', classic)
    const bob = await at.person('Bob', classic)
    await setHoldMode(alice, 'hedge_mode')
    await taken(bob, 'sell 0.02 @ 60000')
    await taken(alice, 'buy 0.02 open @ 60000')
    const closing = { side: 'buy', tradeSide: 'close', size: '0.05', triggerPrice: undefined }
    succeeds(await alice.post(`${mix}/place-plan-order`, trackPlan(btcPerpetual, closing)))
    await taken(bob, 'buy 0.1 @ 59000')
    await mark('59400')
    expect(await position(alice)).toBe('flat')
  },
)

function trailingOrder({ category, symbol }: Market, fields: object = {}) {
  const waits = { type: 'trigger', callbackRatio: '1', triggerPrice: '61000', triggerBy: 'mark' }
  return { category, symbol, ...waits, side: 'sell', qty: '0.01', ...fields }
}

async function unfilled(person: Person, { category }: Market): Promise<Fields[]> {
  return succeeds(await person.get(`${strategy}/unfilled-strategy-orders`, { category })).list()
}

async function past(person: Person, { category }: Market): Promise<Fields[]> {
  return succeeds(await person.get(`${strategy}/history-strategy-orders`, { category })).list('list')
}

const v3Lines = [
  ['USDT-FUTURES', btcPerpetual, '0.01'],
  ['USDC-FUTURES', btcUsdc, '0.01'],
  ['COIN-FUTURES', btcInverse, '600'],
] as const

table('v3 trailing trigger orders', v3Lines, async (market, qty) => {
  const alice = await at.person('Alice', unified)
  const bob = await at.person('Bob', classic)
  const body = trailingOrder(market, { qty })
  const { orderId } = succeeds(await alice.post(`${strategy}/place-strategy-order`, body)).fields
  const waits = { orderId, type: 'trigger', callbackRatio: '1', triggerPrice: '61000', triggerBy: 'mark', qty }
  expect(await unfilled(alice, market)).toMatchObject([{ ...waits, status: 'pending', currentTriggerPrice: '' }])
  await mark('62000')
  succeeds(await alice.post(`${strategy}/modify-strategy-order`, { orderId, callbackRatio: '2' }))
  expect(await unfilled(alice, market)).toMatchObject([{ callbackRatio: '2', currentTriggerPrice: '60760' }])
  await taken(bob, 'buy 0.02 @ 60700', market)
  await mark('60760')
  expect(await past(alice, market)).toMatchObject([{ orderId, callbackRatio: '2', status: 'success' }])
})

table('v3 trailing tpsl', v3Lines, async (market, qty) => {
  const alice = await at.person('Alice', unified)
  const bob = await at.person('Bob', classic)
  const { category, symbol } = market
  await taken(bob, 'sell 0.01 @ 60000', market)
  const order = { category, symbol, side: 'buy', orderType: 'market', qty }
  succeeds(await alice.post('/api/v3/trade/place-order', order))
  const body = { category, symbol, type: 'tpsl', rangeRate: '1', triggerBy: 'mark' }
  const { orderId } = succeeds(await alice.post(`${strategy}/place-strategy-order`, body)).fields
  const waits = { orderId, type: 'tpsl', rangeRate: '1', takeProfit: '', stopLoss: '', triggerPrice: '', qty: '' }
  expect(await unfilled(alice, market)).toMatchObject([{ ...waits, currentTriggerPrice: '59400' }])
  await taken(bob, 'buy 0.02 @ 59300', market)
  await mark('59400')
  expect(await past(alice, market)).toMatchObject([{ orderId, status: 'success' }])
  const open = await alice.get('/api/v3/position/current-position', { category, symbol })
  expect(succeeds(open).list('list')).toEqual([])
})

table(
  'v3 trailing orders refused',
  [
    ['on a spot pair', { category: 'SPOT', symbol: 'BTCUSDT' }, '400172'],
    ['a rate of zero', { callbackRatio: '0' }, '400172'],
    ['a rate above 10', { callbackRatio: '10.5' }, '400172'],
    ['at a limit', { triggerOrderType: 'limit', triggerOrderPrice: '60000' }, '400172'],
    ['a take-profit by the mark price', { takeProfit: '1', tpTriggerBy: 'mark' }, '400172'],
    ['a rangeRate of a trigger order', { rangeRate: '1' }, '400172'],
    ['no side', { side: undefined }, 'a missing parameter'],
    ['no qty', { qty: undefined }, 'a missing parameter'],
    ['a tpsl with a callbackRatio', { type: 'tpsl' }, '400172'],
    [
      'a trailing tpsl with a stop-loss',
      { type: 'tpsl', callbackRatio: undefined, rangeRate: '1', stopLoss: '59000' },
      '400172',
    ],
    ['a trailing tpsl without a position', { type: 'tpsl', callbackRatio: undefined, rangeRate: '1' }, '40891'],
  ] as const,
  async (fields, expected) => {
    const alice = await at.person('Alice', unified)
    refuses(await alice.post(`${strategy}/place-strategy-order`, trailingOrder(btcPerpetual, fields)), expected)
    expect(await unfilled(alice, btcPerpetual)).toEqual([])
  },
)

row('v3 trailing orders', 'are canceled as other strategy orders are', async () => {
  const alice = await at.person('Alice', unified)
  const placed = succeeds(await alice.post(`${strategy}/place-strategy-order`, trailingOrder(btcPerpetual)))
  succeeds(await alice.post(`${strategy}/cancel-strategy-order`, { orderId: placed.fields['orderId'] }))
  expect(await unfilled(alice, btcPerpetual)).toEqual([])
  expect(await past(alice, btcPerpetual)).toMatchObject([{ callbackRatio: '1', status: 'cancelled' }])
})
