/**
 * Take-profit and stop-loss that spot and margin orders are placed with: guards of what the order receives.
 *
 * Prices  every row begins with index and last price at 60000 and an empty book; the last price is made by two strangers
 * Fees    0.1 %: of 0.1 BTC bought 0.0999 are guarded, of 0.1 sold at 60000 the 5994 USDT
 * Source  wire/client-endpoints.md §4; wire/v3-endpoints.md §2, §6; wire/errors.md (Price); design §4.18
 */
import { beforeEach, expect } from 'vitest'
import type { Answer, Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { btcMargin, btcSpot, type Market, takenInBatch, unifiedAsset } from '../support/trading.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const v2 = 'wire/client-endpoints §4'
const v3 = 'wire/v3-endpoints §2'
const spot = '/api/v2/spot/trade'
const trade = '/api/v3/trade'
const symbol = 'BTCUSDT'
const classic = { mode: 'classic', funds: { spot: { USDT: '100000', BTC: '1' } } } as const
const unified = { mode: 'unified', funds: { uta: { USDT: '100000', BTC: '1' } } } as const
const limit = { symbol, side: 'buy', orderType: 'limit', force: 'gtc', price: '60000', size: '0.1' } as const
const tpsl = { presetTakeProfitPrice: '66000', presetStopLossPrice: '54000' } as const

let dave: Person
let erin: Person

beforeEach(async () => {
  dave = await at.person('Dave', { mode: 'classic', funds: { spot: { USDT: '1000000', BTC: '10' } } })
  erin = await at.person('Erin', { mode: 'classic', funds: { spot: { USDT: '1000000', BTC: '10' } } })
  await come('60000')
})

const place = (person: Person, body: object): Promise<Answer> => person.post(`${spot}/place-order`, body)

/** Index and last price; `offers` stand on both sides, 100 away, for what fires. */
async function come(price: string, offers = false): Promise<void> {
  for (let said = 0; said < 2; said++) await at.venue.setIndexPrices({ BTC: price })
  if (offers) {
    for (const [side, by] of [
      ['buy', -100],
      ['sell', 100],
    ] as const) {
      succeeds(await place(dave, { ...limit, side, price: String(Number(price) + by), size: '1' }))
    }
  }
  succeeds(await place(dave, { ...limit, side: 'sell', price, size: '0.001' }))
  succeeds(await place(erin, { ...limit, price, size: '0.001' }))
}

/** Somebody stands on the other side at 60000. */
async function meets(side: string, size = '0.1'): Promise<void> {
  succeeds(await place(dave, { ...limit, side, size }))
}

async function plans(person: Person): Promise<Fields[]> {
  return succeeds(await person.get(`${spot}/current-plan-order`, { symbol })).list('orderList')
}

async function endedPlans(person: Person): Promise<Fields[]> {
  return succeeds(await person.get(`${spot}/history-plan-order`, { symbol })).list('orderList')
}

async function available(person: Person, coin: string): Promise<unknown> {
  return succeeds(await person.get('/api/v2/spot/account/assets', { coin })).list()[0]?.['available']
}

row(v2, 'what a buy fills is guarded by two plans that sell it', async () => {
  const alice = await at.person('Alice', classic)
  await meets('sell')
  succeeds(await place(alice, { ...limit, ...tpsl, executeTakeProfitPrice: '65900' }))
  const plan = { symbol, side: 'sell', size: '0.0999', planType: 'amount', status: 'live', triggerType: 'fill_price' }
  expect(await plans(alice)).toMatchObject([
    { ...plan, triggerPrice: '54000', orderType: 'market', executePrice: '' },
    { ...plan, triggerPrice: '66000', orderType: 'limit', executePrice: '65900' },
  ])
  expect(await available(alice, 'BTC')).toBe('1.0999')
})

row(v2, 'what a sell fills is guarded by two plans that buy back', async () => {
  const alice = await at.person('Alice', classic)
  await meets('buy')
  const sale = { ...limit, side: 'sell', presetTakeProfitPrice: '54000', presetStopLossPrice: '66000' }
  succeeds(await place(alice, sale))
  const plan = { symbol, side: 'buy', size: '5994', planType: 'total', orderType: 'market' }
  expect(await plans(alice)).toMatchObject([
    { ...plan, triggerPrice: '66000' },
    { ...plan, triggerPrice: '54000' },
  ])
})

table(
  v2,
  [
    ['the take-profit fires and the stop-loss goes', '66000', ['executed', 'cancelled'], '1'],
    ['the stop-loss fires and the take-profit goes', '54000', ['cancelled', 'executed'], '1'],
    ['between them nothing happens', '65999', [], '1.0999'],
  ],
  async (price, [profit, loss], left) => {
    const alice = await at.person('Alice', classic)
    await meets('sell')
    succeeds(await place(alice, { ...limit, ...tpsl }))
    await come(price, true)
    expect(await endedPlans(alice)).toMatchObject(
      profit === undefined
        ? []
        : [
            { triggerPrice: '54000', status: loss },
            { triggerPrice: '66000', status: profit },
          ],
    )
    expect(await available(alice, 'BTC')).toBe(left)
    const fired = succeeds(await alice.get(`${spot}/history-orders`, { symbol })).list()
    const source = profit === 'executed' ? 'profit_market' : 'loss_market'
    if (profit !== undefined) {
      expect(fired[0]).toMatchObject({ side: 'sell', orderType: 'market', baseVolume: '0.0999', orderSource: source })
    }
  },
)

row(v2, 'an open order shows what it will be guarded by; its fills are guarded as they come', async () => {
  const alice = await at.person('Alice', classic)
  const { orderId } = succeeds(await place(alice, { ...limit, ...tpsl, executeStopLossPrice: '53000' })).fields
  const open = async () => succeeds(await alice.get(`${spot}/unfilled-orders`, { symbol })).list()
  expect(await open()).toMatchObject([
    { orderId, ...tpsl, executeTakeProfitPrice: '', executeStopLossPrice: '53000', tpslType: 'normal' },
  ])
  expect(await plans(alice)).toEqual([])
  await meets('sell', '0.04')
  expect((await plans(alice)).map((plan) => plan['size'])).toEqual(['0.03996', '0.03996'])
  await meets('sell', '0.06')
  expect((await plans(alice)).map((plan) => plan['size'])).toEqual(['0.0999', '0.0999'])
  expect(await open()).toEqual([])
})

row(v2, 'a guard that finds its coins spent fails', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { spot: { USDT: '6000' } } })
  await meets('sell')
  succeeds(await place(alice, { ...limit, presetStopLossPrice: '54000' }))
  await meets('buy', '0.05')
  succeeds(await place(alice, { ...limit, side: 'sell', size: '0.05' }))
  await come('54000', true)
  expect(await endedPlans(alice)).toMatchObject([{ status: 'fail_execute' }])
  expect(await available(alice, 'BTC')).toBe('0.0499')
})

row(v2, 'guards are changed and canceled as plan orders', async () => {
  const alice = await at.person('Alice', classic)
  await meets('sell')
  succeeds(await place(alice, { ...limit, ...tpsl }))
  const [loss, profit] = await plans(alice)
  const change = { orderId: loss?.['orderId'], orderType: 'limit', executePrice: '54500', size: '0.05' }
  refuses(await alice.post(`${spot}/modify-plan-order`, { ...change, triggerPrice: '60001' }), '43011')
  succeeds(await alice.post(`${spot}/modify-plan-order`, { ...change, triggerPrice: '55000' }))
  expect(await plans(alice)).toMatchObject([
    { triggerPrice: '55000', executePrice: '54500', size: '0.05' },
    { triggerPrice: '66000', size: '0.0999' },
  ])
  succeeds(await alice.post(`${spot}/cancel-plan-order`, { orderId: profit?.['orderId'] }))
  expect(await plans(alice)).toMatchObject([{ orderId: loss?.['orderId'] }])
  const { successList } = succeeds(await alice.post(`${spot}/batch-cancel-plan-order`, { symbolList: [symbol] }))
    .data as {
    successList: Fields[]
  }
  expect(successList).toHaveLength(1)
  expect(await plans(alice)).toEqual([])
})

table(
  v2,
  [
    ['a buy’s take-profit below its price', { presetTakeProfitPrice: '59000' }, '43011'],
    ['a buy’s stop-loss above its price', { presetStopLossPrice: '61000' }, '43011'],
    ['a sell’s take-profit above its price', { side: 'sell', presetTakeProfitPrice: '61000' }, '43011'],
    ['a sell’s stop-loss below its price', { side: 'sell', presetStopLossPrice: '59000' }, '43011'],
    [
      'a market buy’s stop-loss above the index',
      { orderType: 'market', size: '100', presetStopLossPrice: '61000' },
      '43011',
    ],
    ['a trigger price of zero', { presetStopLossPrice: '0' }, '43011'],
    ['an execution price alone', { executeStopLossPrice: '53000' }, 'a missing parameter'],
    ['no number', { presetStopLossPrice: 'low' }, 'a parameter'],
    ['empty: none', { presetStopLossPrice: '', executeStopLossPrice: '' }, 'ok'],
    ['an execution price of zero: at market', { presetStopLossPrice: '54000', executeStopLossPrice: '0' }, 'ok'],
  ],
  async (fields, expected) => {
    const alice = await at.person('Alice', classic)
    answers(await place(alice, { ...limit, ...fields }), expected)
    const batch = succeeds(await alice.post(`${spot}/batch-orders`, { symbol, orderList: [{ ...limit, ...fields }] }))
    const { failureList } = batch.data as Record<string, Fields[]>
    expect(failureList).toHaveLength(expected === 'ok' ? 0 : 1)
  },
)

row(v2, 'an order that takes the place of another has its presets, but for those that are named', async () => {
  const alice = await at.person('Alice', classic)
  succeeds(await place(alice, { ...limit, ...tpsl, clientOid: 'first' }))
  const replace = (fields: object) =>
    alice.post(`${spot}/cancel-replace-order`, { symbol, price: '60000', size: '0.1', ...fields })
  const shown = async () => {
    const [order] = succeeds(await alice.get(`${spot}/unfilled-orders`, { symbol })).list()
    return [order?.['presetTakeProfitPrice'], order?.['presetStopLossPrice'], order?.['executeStopLossPrice']]
  }
  succeeds(await replace({ clientOid: 'first', newClientOid: 'second' }))
  expect(await shown()).toEqual(['66000', '54000', ''])
  const changed = { presetTakeProfitPrice: '0', presetStopLossPrice: '55000', executeStopLossPrice: '54900' }
  succeeds(await replace({ clientOid: 'second', newClientOid: 'third', ...changed }))
  expect(await shown()).toEqual(['', '55000', '54900'])
  refuses(await replace({ clientOid: 'third', price: '54000' }), '43011')
  refuses(await replace({ clientOid: 'third', executeTakeProfitPrice: '66000' }), 'a missing parameter')
  const orderList = [{ symbol, price: '60000', size: '0.05', clientOid: 'third', ...tpsl }]
  succeeds(await alice.post(`${spot}/batch-cancel-replace-order`, { orderList }))
  expect(await shown()).toEqual(['66000', '54000', '54900'])
})

row(v2, 'margin orders are not replaced with presets', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { crossed_margin: { USDT: '10000' } } })
  const order = { ...limit, baseSize: '0.1', loanType: 'normal', clientOid: 'old' }
  succeeds(await alice.post('/api/v2/margin/crossed/place-order', order))
  const body = { symbol, clientOid: 'old', price: '59000', size: '0.1', presetStopLossPrice: '54000' }
  refuses(await alice.post(`${spot}/cancel-replace-order`, body), 'a parameter')
})

row('design §4.18', 'guards count among the 400 open orders', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { spot: { USDT: '100000' } } })
  await meets('sell')
  succeeds(await place(alice, { ...limit, ...tpsl }))
  const order = { side: 'buy', orderType: 'limit', force: 'gtc', price: '50000', size: '0.001' }
  const { successList, failureList } = await manyOrders(alice, order, 400)
  expect([successList, failureList]).toEqual([398, 2])
})

async function manyOrders(person: Person, order: object, count: number) {
  const counted = { successList: 0, failureList: 0 }
  for (let sent = 0; sent < count; sent += 50) {
    const orderList = Array.from({ length: Math.min(50, count - sent) }, () => order)
    const answer = succeeds(await person.post(`${spot}/batch-orders`, { symbol, orderList })).data
    const { successList, failureList } = answer as Record<string, unknown[]>
    counted.successList += successList?.length ?? 0
    counted.failureList += failureList?.length ?? 0
  }
  return counted
}

// tpslType

row(v2, 'tpslType tpsl: an order that waits for the last price, listed and canceled as one', async () => {
  const alice = await at.person('Alice', classic)
  const body = { ...limit, tpslType: 'tpsl', triggerPrice: '62000', price: '62100', clientOid: 'later', ...tpsl }
  const { orderId, clientOid } = succeeds(await place(alice, body)).fields
  expect(clientOid).toBe('later')
  const list = async (tpslType?: string) =>
    succeeds(
      await alice.get(`${spot}/unfilled-orders`, tpslType === undefined ? { symbol } : { symbol, tpslType }),
    ).list()
  expect(await list()).toEqual([])
  expect(await list('tpsl')).toMatchObject([
    { orderId, triggerPrice: '62000', tpslType: 'tpsl', priceAvg: '62100', size: '0.1', status: 'live', ...tpsl },
  ])
  expect(await plans(alice)).toMatchObject([{ orderId, triggerPrice: '62000' }])
  refuses(await alice.post(`${spot}/cancel-order`, { symbol, orderId }), 'an unknown order')
  succeeds(await alice.post(`${spot}/cancel-order`, { symbol, orderId, tpslType: 'tpsl' }))
  expect(await list('tpsl')).toEqual([])
})

row(v2, 'tpslType tpsl: once the price is reached it is an order, and guarded', async () => {
  const alice = await at.person('Alice', classic)
  const body = { ...limit, orderType: 'market', tpslType: 'tpsl', triggerPrice: '62000', size: '6210', ...tpsl }
  succeeds(await place(alice, body))
  await come('62000', true)
  expect(await plans(alice)).toMatchObject([
    { triggerPrice: '54000', size: '0.0999' },
    { triggerPrice: '66000', size: '0.0999' },
  ])
})

table(
  v2,
  [
    ['tpsl without a trigger price', { tpslType: 'tpsl' }, 'a missing parameter'],
    ['tpsl with a trigger price of zero', { tpslType: 'tpsl', triggerPrice: '0' }, '43011'],
    ['tpsl that is post-only', { tpslType: 'tpsl', triggerPrice: '62000', force: 'post_only' }, 'a parameter'],
    ['an unknown tpslType', { tpslType: 'sometimes' }, 'a parameter'],
  ],
  async (fields, expected) => {
    const alice = await at.person('Alice', classic)
    refuses(await place(alice, { ...limit, ...fields }), expected)
  },
)

row(v2, 'ended trigger orders are asked for as plans', async () => {
  const alice = await at.person('Alice', classic)
  refuses(await alice.get(`${spot}/history-orders`, { symbol, tpslType: 'tpsl' }), 'a parameter')
})

// v3

function unifiedOrder(fields: object, { category }: Market = btcSpot): object {
  return { category, symbol, side: 'buy', orderType: 'limit', qty: '0.1', price: '60000', ...fields }
}

async function strategies(person: Person, category = 'SPOT'): Promise<Fields[]> {
  return succeeds(await person.get(`${trade}/unfilled-strategy-orders`, { category })).list()
}

table(
  v3,
  [
    ['spot orders are guarded by one strategy order', btcSpot],
    ['margin orders are guarded by one strategy order', btcMargin],
  ],
  async (market) => {
    const alice = await at.person('Alice', unified)
    await meets('sell')
    const fields = {
      takeProfit: '66000',
      stopLoss: '54000',
      slOrderType: 'limit',
      slLimitPrice: '53900',
      slTriggerBy: 'mark',
    }
    succeeds(await alice.post(`${trade}/place-order`, unifiedOrder(fields, market)))
    const [strategy, ...others] = await strategies(alice, market.category)
    expect(others).toEqual([])
    expect(strategy).toMatchObject({
      category: market.category,
      type: 'tpsl',
      side: 'sell',
      qty: '0.0999',
      status: 'pending',
      takeProfit: '66000',
      tpOrderType: 'market',
      tpTriggerBy: 'market',
      stopLoss: '54000',
      slOrderType: 'limit',
      slLimitPrice: '53900',
      slTriggerBy: 'mark',
    })
    const orderId = strategy?.['orderId']
    succeeds(await alice.post(`${trade}/modify-strategy-order`, { orderId, takeProfit: '67000', qty: '0.05' }))
    expect(await strategies(alice, market.category)).toMatchObject([
      { takeProfit: '67000', stopLoss: '54000', qty: '0.05' },
    ])
    succeeds(await alice.post(`${trade}/cancel-strategy-order`, { orderId }))
    expect(await strategies(alice, market.category)).toEqual([])
  },
)

row(v3, 'a margin order’s stop-loss sells what it bought, and that pays the loan', async () => {
  const alice = await at.person('Alice', { mode: 'unified', funds: { uta: { USDT: '5000' } } })
  await meets('sell')
  succeeds(await alice.post(`${trade}/place-order`, unifiedOrder({ stopLoss: '54000' }, btcMargin)))
  expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ debt: '1000.005' })
  await come('54000', true)
  expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ debt: '0' })
  expect(await strategies(alice, 'MARGIN')).toEqual([])
})

row(v3, 'modify-order gives a resting spot order presets, changes and removes them', async () => {
  const alice = await at.person('Alice', unified)
  await takenInBatch(alice, 'buy 0.1 oid:mine @ 60000', btcSpot)
  const modify = (fields: object) => alice.post(`${trade}/modify-order`, { clientOid: 'mine', ...fields })
  const shown = async () => {
    const query = { category: 'SPOT', symbol }
    const [order] = succeeds(await alice.get(`${trade}/unfilled-orders`, query)).list('list')
    return [order?.['takeProfit'], order?.['stopLoss']]
  }
  succeeds(await modify({ takeProfit: '66000', stopLoss: '54000' }))
  expect(await shown()).toEqual(['66000', '54000'])
  refuses(await modify({ stopLoss: '61000' }), '43011')
  succeeds(await modify({ takeProfit: '0', stopLoss: '55000' }))
  expect(await shown()).toEqual([null, '55000'])
  await meets('sell')
  expect(await strategies(alice)).toMatchObject([{ stopLoss: '55000', takeProfit: '', qty: '0.0999' }])
})

table(
  v3,
  [
    ['a buy’s take-profit below its price', { takeProfit: '59000' }, '43011'],
    ['a buy’s stop-loss above its price', { stopLoss: '61000' }, '43011'],
    ['a limit without its price', { stopLoss: '54000', slOrderType: 'limit' }, 'a missing parameter'],
  ],
  async (fields, expected) => {
    const alice = await at.person('Alice', unified)
    refuses(await alice.post(`${trade}/place-order`, unifiedOrder(fields)), expected)
  },
)

row('wire/v3-endpoints §6', 'a spot strategy order of type trigger has presets of its own', async () => {
  const alice = await at.person('Alice', unified)
  const body = { category: 'SPOT', symbol, type: 'trigger', side: 'buy', qty: '0.1', triggerPrice: '62000' }
  const order = { ...body, triggerOrderType: 'limit', triggerOrderPrice: '62100', stopLoss: '54000' }
  refuses(await alice.post(`${trade}/place-strategy-order`, { ...order, stopLoss: '63000' }), '43011')
  succeeds(await alice.post(`${trade}/place-strategy-order`, order))
  await come('62000', true)
  expect(await strategies(alice)).toMatchObject([{ type: 'tpsl', stopLoss: '54000', qty: '0.0999' }])
})
