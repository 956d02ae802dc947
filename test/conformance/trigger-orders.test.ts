/**
 * Trigger orders through both versions: plans that become orders, take-profit and stop-loss of positions, presets.
 *
 * Prices  the mark price is the operator's index; the last price is made by two strangers. Every row begins with both at
 *         60000 and an empty book
 * Source  wire/client-endpoints.md §2-§4; wire/v3-endpoints.md §6; wire/errors.md; interface E3, E5; design §4.18, §4.26
 */
import { beforeEach, expect } from 'vitest'
import type { Answer, Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import {
  btcInverse,
  btcPerpetual,
  btcSpot,
  fills,
  type Market,
  onePosition,
  openOrders,
  openUnifiedOrders,
  paths,
  position,
  setHoldMode,
  singleOrder,
  taken,
  takenInBatch,
} from '../support/trading.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const funds = {
  usdt_futures: { USDT: '1000000' },
  coin_futures: { BTC: '10' },
  spot: { USDT: '1000000', BTC: '10' },
} as const
const classic = { mode: 'classic', funds } as const
const unified = { mode: 'unified', funds: { uta: { USDT: '1000000', BTC: '10' } } } as const

const mix = '/api/v2/mix/order'
const spot = '/api/v2/spot/trade'
const strategy = '/api/v3/trade'

let dave: Person
let erin: Person

beforeEach(async () => {
  dave = await at.person('Dave', classic)
  erin = await at.person('Erin', classic)
  await at.venue.setIndexPrices({ BTC: '60000' })
  await last('60000')
})

/** Two strangers trade at a price. */
async function last(price: string, market: Market = btcPerpetual): Promise<void> {
  if (market.category === 'SPOT') {
    for (const [who, side] of [
      [dave, 'sell'],
      [erin, 'buy'],
    ] as const) {
      const order = { symbol: 'BTCUSDT', side, orderType: 'limit', force: 'gtc', price, size: '0.001' }
      succeeds(await who.post(`${spot}/place-order`, order))
    }
    return
  }
  await taken(dave, `sell 0.001 @ ${price}`, market)
  await taken(erin, `buy 0.001 @ ${price}`, market)
}

const mark = (price: string) => at.venue.setIndexPrices({ BTC: price })

const contract = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' } as const
const planBody = {
  ...contract,
  planType: 'normal_plan',
  marginMode: 'crossed',
  size: '0.01',
  price: '59000',
  triggerPrice: '59500',
  triggerType: 'mark_price',
  side: 'buy',
  orderType: 'limit',
} as const
const waits = {
  category: 'USDT-FUTURES',
  symbol: 'BTCUSDT',
  type: 'trigger',
  side: 'buy',
  qty: '0.01',
  triggerBy: 'mark',
  triggerPrice: '59500',
  triggerOrderType: 'limit',
  triggerOrderPrice: '59000',
} as const
const tpslBody = { ...contract, planType: 'pos_loss', triggerPrice: '59000', holdSide: 'buy' } as const

async function plan(person: Person, body: object = planBody): Promise<Fields> {
  return succeeds(await person.post(`${mix}/place-plan-order`, body)).fields
}

async function setTpsl(person: Person, body: object): Promise<Fields> {
  return succeeds(await person.post(`${mix}/place-tpsl-order`, { ...tpslBody, ...body })).fields
}

async function pending(person: Person, planType = 'normal_plan'): Promise<Fields[]> {
  const query = { productType: 'USDT-FUTURES', planType }
  return succeeds(await person.get(`${mix}/orders-plan-pending`, query)).list('entrustedList')
}

async function ended(person: Person, planType = 'normal_plan'): Promise<Fields[]> {
  const query = { productType: 'USDT-FUTURES', planType }
  return succeeds(await person.get(`${mix}/orders-plan-history`, query)).list('entrustedList')
}

/** A long of 0.1 BTC for Alice, and bids for what will close it. */
async function longAlice(options: Parameters<typeof at.person>[1] = classic): Promise<Person> {
  const alice = await at.person('Alice', options)
  const bob = await at.person('Bob', classic)
  await taken(bob, 'sell 0.1 @ 60000')
  if (options === unified) await takenInBatch(alice, 'buy 0.1 @ 60000', btcPerpetual)
  else await taken(alice, 'buy 0.1 @ 60000')
  return alice
}

// plans of futures

row('v2 plan orders', 'placed: both ids; listed while it waits; canceled; in the history', async () => {
  const alice = await at.person('Alice', classic)
  const { orderId } = await plan(alice, { ...planBody, clientOid: 'my-plan' })
  expect(await pending(alice)).toEqual([
    expect.objectContaining({
      orderId,
      clientOid: 'my-plan',
      planType: 'normal_plan',
      symbol: 'BTCUSDT',
      size: '0.01',
      price: '59000',
      executePrice: '59000',
      triggerPrice: '59500',
      triggerType: 'mark_price',
      planStatus: 'live',
      side: 'buy',
      posSide: 'net',
      marginCoin: 'USDT',
      marginMode: 'crossed',
      tradeSide: 'buy_single',
      posMode: 'one_way_mode',
      orderType: 'limit',
      orderSource: 'plan_limit',
    }),
  ])
  expect(await openOrders(alice)).toEqual([])
  const body = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', orderIdList: [{ orderId }, { orderId: '17' }] }
  const canceled = succeeds(await alice.post(`${mix}/cancel-plan-order`, body))
  expect(canceled.list('successList')).toEqual([{ orderId, clientOid: 'my-plan' }])
  expect(canceled.list('failureList')).toEqual([expect.objectContaining({ orderId: '17', errorCode: '43025' })])
  expect(await pending(alice)).toEqual([])
  expect(await ended(alice)).toEqual([
    expect.objectContaining({ orderId, planStatus: 'cancelled', executeOrderId: '' }),
  ])
})

table(
  'v2 plan orders fire',
  [
    // what                                 plan                                                        comes              order that rests
    ['a fall of the mark price', {}, 'mark 59500', ['buy 0.01 @ 59000']],
    ['not before', {}, 'mark 59501', []],
    ['not by the last price', {}, 'last 59000', []],
    ['a fall of the last price', { triggerType: 'fill_price' }, 'last 59500', ['buy 0.01 @ 59000']],
    ['a rise', { triggerPrice: '60500', price: '60400' }, 'mark 60600', ['buy 0.01 @ 60400']],
    [
      'the price may be called executePrice',
      { price: undefined, executePrice: '58000' },
      'mark 59000',
      ['buy 0.01 @ 58000'],
    ],
  ],
  async (fields, comes, expected) => {
    const alice = await at.person('Alice', classic)
    await plan(alice, { ...planBody, ...fields })
    const [by, price = ''] = comes.split(' ')
    await (by === 'mark' ? mark(price) : last(price))
    expect(await openOrders(alice)).toEqual(expected)
    expect(await pending(alice)).toHaveLength(expected.length === 0 ? 1 : 0)
    const [record] = await ended(alice)
    if (expected.length > 0)
      expect(record).toMatchObject({ planStatus: 'executed', executeOrderId: expect.stringMatching(/^\d+$/) })
  },
)

table(
  { rule: 'design §4.43', decision: 'a value outside its set is refused also where its field is ignored' },
  [
    // what                                            path                         order                                      answer
    ['a tradeSide of a plan in one-way mode', `${mix}/place-plan-order`, { ...planBody, tradeSide: 'close' }, 'ok'],
    ['an unknown one', `${mix}/place-plan-order`, { ...planBody, tradeSide: 'reverse' }, 'a parameter'],
    ['an unknown reduceOnly there', `${mix}/place-plan-order`, { ...planBody, reduceOnly: 'maybe' }, 'a parameter'],
    ['a posSide of a v3 trigger order', `${strategy}/place-strategy-order`, { ...waits, posSide: 'short' }, 'ok'],
    ['an unknown one', `${strategy}/place-strategy-order`, { ...waits, posSide: 'both' }, 'a parameter'],
    [
      'an unknown posSide of a tpsl',
      `${strategy}/place-strategy-order`,
      { ...waits, type: 'tpsl', posSide: 'net' },
      'a parameter',
    ],
    [
      'an unknown reduceOnly there',
      `${strategy}/place-strategy-order`,
      { ...waits, reduceOnly: 'maybe' },
      'a parameter',
    ],
  ],
  async (path, body, expected) => {
    const alice = await at.person('Alice', unified)
    answers(await alice.post(path, body), expected)
  },
)

row('v2 plan orders fire', 'at market: the order says where it came from', async () => {
  const alice = await at.person('Alice', classic)
  const bob = await at.person('Bob', classic)
  await plan(alice, { ...planBody, orderType: 'market', price: undefined, triggerPrice: '60500', clientOid: 'up' })
  await taken(bob, 'sell 0.01 @ 60400')
  await mark('60500')
  expect(await position(alice)).toBe('long 0.01')
  const { executeOrderId = '' } = (await ended(alice))[0] ?? {}
  const history = succeeds(
    await alice.get(paths.orderHistory, { productType: 'USDT-FUTURES', orderId: executeOrderId }),
  )
  expect(history.list('entrustedList')).toEqual([
    expect.objectContaining({ orderSource: 'plan_market', enterPointSource: 'API', status: 'filled' }),
  ])
})

table(
  'v2 plan-sub-order',
  [
    ['what it became', { planType: 'normal_plan' }, [{ price: '59000', type: 'limit', status: 'live' }]],
    ['of another plan type', { planType: 'profit_loss' }, []],
    ['of another product line', { planType: 'normal_plan', productType: 'USDC-FUTURES' }, []],
    ['of a trailing one', { planType: 'track_plan' }, []],
  ] as const,
  async (asked, expected) => {
    const alice = await at.person('Alice', classic)
    const { orderId = '' } = await plan(alice)
    const query = { productType: 'USDT-FUTURES', planOrderId: orderId, ...asked }
    const became = async () => succeeds(await alice.get(`${mix}/plan-sub-order`, query)).data
    expect(await became(), 'while it waits').toEqual([])
    await mark('59500')
    const [{ executeOrderId = '' } = {}] = await ended(alice)
    expect(await became()).toEqual(expected.map((order) => ({ orderId: executeOrderId, ...order })))
    refuses(await alice.get(`${mix}/plan-sub-order`, { ...query, planOrderId: undefined }), 'a missing parameter')
  },
)

row('v2 plan orders fire', 'what is refused then ends as fail_execute', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '1' } } })
  await plan(alice, { ...planBody, size: '1' })
  await mark('59000')
  expect(await openOrders(alice)).toEqual([])
  expect(await ended(alice)).toEqual([expect.objectContaining({ planStatus: 'fail_execute' })])
})

row('v2 plan orders fire', 'their presets guard the position', async () => {
  const alice = await at.person('Alice', classic)
  const bob = await at.person('Bob', classic)
  const attached = {
    stopSurplusTriggerPrice: '66000',
    stopLossTriggerPrice: '54000',
    stopLossTriggerType: 'mark_price',
  }
  await plan(alice, { ...planBody, orderType: 'market', triggerPrice: '60500', ...attached })
  expect(await pending(alice)).toEqual([expect.objectContaining({ ...attached, stopSurplusTriggerType: 'fill_price' })])
  await taken(bob, 'sell 0.01 @ 60400')
  await mark('60500')
  expect(await onePosition(alice)).toMatchObject({ takeProfit: '66000', stopLoss: '54000' })
})

table(
  'v2 plan orders refused',
  [
    ['without triggerPrice', { triggerPrice: undefined }, 'a missing parameter'],
    ['without triggerType', { triggerType: undefined }, 'a missing parameter'],
    ['without planType', { planType: undefined }, 'a missing parameter'],
    ['a limit without price', { price: undefined }, 'a missing parameter'],
    ['an unknown plan type', { planType: 'nonsense' }, 'a parameter'],
    ['a trigger price of zero', { triggerPrice: '0' }, '43011'],
    ['a price of zero', { price: '0' }, '43011'],
    ['a trigger price off the tick', { triggerPrice: '59500.05' }, 'the price step'],
    ['an unknown symbol', { symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['a wrong margin coin', { marginCoin: 'BTC' }, 'the margin coin'],
    ['a size off the step', { size: '0.01001' }, 'the quantity step'],
    ['a size below the minimum', { size: '0.00001' }, 'the minimum quantity or the quantity step'],
    ['a preset on the wrong side', { stopLossTriggerPrice: '59900' }, '43011'],
  ],
  async (fields, expected) => {
    const alice = await at.person('Alice', classic)
    refuses(await alice.post(`${mix}/place-plan-order`, { ...planBody, ...fields }), expected)
    expect(await pending(alice)).toEqual([])
  },
)

row({ rule: 'design §4.6', decision: 'trigger orders and orders share client order ids' }, 'duplicates', async () => {
  const alice = await at.person('Alice', classic)
  await plan(alice, { ...planBody, clientOid: 'mine' })
  refuses(await alice.post(`${mix}/place-plan-order`, { ...planBody, clientOid: 'mine' }), '40786')
  refuses(await alice.post(paths.placeOrder, singleOrder('buy 0.01 oid:mine @ 59000')), '40786')
})

row('v2 plan orders changed', 'size, price and trigger; the number stays', async () => {
  const alice = await at.person('Alice', classic)
  const { orderId = '' } = await plan(alice)
  const body = { productType: 'USDT-FUTURES', orderId, newSize: '0.02', newPrice: '58000', newTriggerPrice: '58500' }
  expect(succeeds(await alice.post(`${mix}/modify-plan-order`, body)).fields).toMatchObject({ orderId })
  const changed = { orderId, size: '0.02', price: '58000', triggerPrice: '58500', triggerType: 'mark_price' }
  expect(await pending(alice)).toEqual([expect.objectContaining(changed)])
  const changes = { productType: 'USDT-FUTURES', orderId, newStopLossTriggerPrice: '50000' }
  succeeds(await alice.post(`${mix}/modify-plan-order`, changes))
  expect(await pending(alice)).toEqual([expect.objectContaining({ ...changed, stopLossTriggerPrice: '50000' })])
  succeeds(await alice.post(`${mix}/modify-plan-order`, { ...changes, newStopLossTriggerPrice: '0' }))
  expect(await pending(alice)).toEqual([expect.objectContaining({ ...changed, stopLossTriggerPrice: null })])
})

table(
  'v2 plan orders changed',
  [
    ['an unknown one', { orderId: '17' }, '43025'],
    ['without ids', { orderId: undefined }, 'a missing parameter'],
    ['of another product line', { productType: 'COIN-FUTURES' }, '43025'],
    ['a trigger price of zero', { newTriggerPrice: '0' }, '43011'],
    ['a size off the step', { newSize: '0.00001' }, 'the minimum quantity or the quantity step'],
  ],
  async (fields, expected) => {
    const alice = await at.person('Alice', classic)
    const { orderId } = await plan(alice)
    const body = { productType: 'USDT-FUTURES', orderId, newTriggerPrice: '58500', ...fields }
    refuses(await alice.post(`${mix}/modify-plan-order`, body), expected)
    expect(await pending(alice)).toEqual([expect.objectContaining({ orderId, triggerPrice: '59500' })])
  },
)

row('v2 plan orders', 'an inverse one counts base coin', async () => {
  const alice = await at.person('Alice', classic)
  const inverse = { symbol: 'BTCUSD', productType: 'COIN-FUTURES', marginCoin: 'BTC', size: '0.5' }
  await plan(alice, { ...planBody, ...inverse })
  await mark('59500')
  expect(await openOrders(alice, btcInverse)).toEqual(['buy 0.5 @ 59000'])
})

row('v2 plan lists', 'pages, filters, and what there are none of', async () => {
  const alice = await at.person('Alice', classic)
  const ids: string[] = []
  for (const clientOid of ['a', 'b', 'c']) ids.push((await plan(alice, { ...planBody, clientOid }))['orderId'] ?? '')
  const list = async (query: object) => {
    const asked = { productType: 'USDT-FUTURES', planType: 'normal_plan', ...query }
    return succeeds(await alice.get(`${mix}/orders-plan-pending`, asked))
  }
  const first = await list({ limit: 2 })
  expect(first.list('entrustedList').map((trigger) => trigger['clientOid'])).toEqual(['c', 'b'])
  const next = await list({ limit: 2, idLessThan: first.fields['endId'] })
  expect(next.list('entrustedList').map((trigger) => trigger['clientOid'])).toEqual(['a'])
  expect((await list({ clientOid: 'b' })).list('entrustedList')).toHaveLength(1)
  expect((await list({ orderId: ids[0] })).list('entrustedList')).toHaveLength(1)
  expect((await list({ planType: 'track_plan' })).list('entrustedList')).toEqual([])
  refuses(await alice.get(`${mix}/orders-plan-pending`, { productType: 'USDT-FUTURES' }), 'a missing parameter')
  const all = succeeds(await alice.post(`${mix}/cancel-plan-order`, { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' }))
  expect(all.list('successList')).toHaveLength(3)
  const history = { productType: 'USDT-FUTURES', planType: 'normal_plan', planStatus: 'executed' }
  expect(succeeds(await alice.get(`${mix}/orders-plan-history`, history)).list('entrustedList')).toEqual([])
  expect(await ended(alice)).toHaveLength(3)
})

// take-profit and stop-loss of a position

row('v2 tpsl orders', 'set for the whole position: E5 shows them, the list has them', async () => {
  const alice = await longAlice()
  const loss = await setTpsl(alice, { clientOid: 'guard' })
  const profit = await setTpsl(alice, { planType: 'pos_profit', triggerPrice: '66000', executePrice: '65900' })
  expect(await onePosition(alice)).toMatchObject({
    takeProfit: '66000',
    takeProfitId: profit['orderId'],
    stopLoss: '59000',
    stopLossId: loss['orderId'],
  })
  expect(await pending(alice, 'profit_loss')).toEqual([
    expect.objectContaining({ planType: 'pos_profit', orderType: 'limit', executePrice: '65900', size: '' }),
    expect.objectContaining({
      planType: 'pos_loss',
      orderType: 'market',
      clientOid: 'guard',
      triggerType: 'fill_price',
    }),
  ])
  expect(await pending(alice)).toEqual([])
})

table(
  'v2 tpsl orders fire',
  [
    // what                           guard                                                     comes          after       order source
    ['a stop loss by last', {}, 'last 59000', 'flat', 'pos_loss_market'],
    ['a stop loss by mark', { triggerType: 'mark_price' }, 'mark 59000', 'flat', 'pos_loss_market'],
    ['not by the other price', {}, 'mark 59000', 'long 0.1', ''],
    ['a take profit', { planType: 'pos_profit', triggerPrice: '61000' }, 'last 61000', 'flat', 'pos_profit_market'],
    ['a limit', { executePrice: '58900' }, 'last 59000', 'flat', 'pos_loss_limit'],
    ['a part', { planType: 'loss_plan', size: '0.04' }, 'last 59000', 'long 0.06', 'loss_market'],
    [
      'a part in profit',
      { planType: 'profit_plan', size: '0.04', triggerPrice: '61000', executePrice: '60900' },
      'last 61000',
      'long 0.06',
      'profit_limit',
    ],
  ],
  async (fields, comes, after, source) => {
    const alice = await longAlice()
    const carol = await at.person('Carol', classic)
    await setTpsl(alice, fields)
    const [by, price = ''] = comes.split(' ')
    // The bids that it will find stand just below the price that wakes it.
    const bids = `buy 1 @ ${Number(price) - 50}`
    if (by === 'last') {
      await taken(dave, `sell 0.001 @ ${price}`)
      await taken(carol, bids)
      await taken(erin, `buy 0.001 @ ${price}`)
    } else {
      await taken(carol, bids)
      await mark(price)
    }
    expect(await position(alice)).toBe(after)
    if (source === '') return
    const history = succeeds(await alice.get(paths.orderHistory, { productType: 'USDT-FUTURES', orderSource: source }))
    expect(history.list('entrustedList')).toEqual([expect.objectContaining({ orderSource: source, side: 'sell' })])
    expect(await pending(alice, 'profit_loss')).toEqual([])
    expect(await ended(alice, 'profit_loss')).toEqual([expect.objectContaining({ planStatus: 'executed' })])
  },
)

table(
  'v2 tpsl orders refused',
  [
    ['without a position on that side', { holdSide: 'sell', triggerPrice: '61000' }, '40891'],
    ['more than the position', { planType: 'loss_plan', size: '0.2' }, '40891'],
    ['a part without size', { planType: 'loss_plan' }, 'a missing parameter'],
    ['a stop loss above the price', { triggerPrice: '61000' }, '40917'],
    ['a take profit below the price', { planType: 'pos_profit' }, '40915'],
    ['a trigger price of zero', { triggerPrice: '0' }, '43011'],
    ['an unknown plan type', { planType: 'nonsense' }, 'a parameter'],
    ['an unknown hold side', { holdSide: 'both' }, 'a parameter'],
    ['without hold side', { holdSide: undefined }, 'a missing parameter'],
  ],
  async (fields, expected) => {
    const alice = await longAlice()
    refuses(await alice.post(`${mix}/place-tpsl-order`, { ...tpslBody, ...fields }), expected)
    expect(await pending(alice, 'profit_loss')).toEqual([])
  },
)

table(
  'v2 tpsl orders refused',
  [
    ['a short’s stop loss below the price', { planType: 'pos_loss', triggerPrice: '59000' }, '45122'],
    ['a short’s take profit above the price', { planType: 'pos_profit', triggerPrice: '61000' }, '45061'],
  ],
  async (fields, expected) => {
    const alice = await at.person('Alice', classic)
    const bob = await at.person('Bob', classic)
    await taken(bob, 'buy 0.1 @ 60000')
    await taken(alice, 'sell 0.1 @ 60000')
    refuses(await alice.post(`${mix}/place-tpsl-order`, { ...tpslBody, holdSide: 'sell', ...fields }), expected)
  },
)

row('v2 tpsl orders', 'both at once; they go with the position', async () => {
  const alice = await longAlice()
  const bob = await at.person('Bob', classic)
  const body = {
    ...contract,
    holdSide: 'buy',
    stopSurplusTriggerPrice: '66000',
    stopSurplusClientOid: 'up',
    stopLossTriggerPrice: '55000',
    stopLossTriggerType: 'mark_price',
    stopLossExecutePrice: '54900',
  }
  const one = {
    orderId: expect.stringMatching(/^\d+$/),
    stopSurplusClientOid: 'up',
    stopLossClientOid: expect.stringMatching(/^\d+$/),
  }
  expect(succeeds(await alice.post(`${mix}/place-pos-tpsl`, body)).data).toEqual([one, one])
  expect(await onePosition(alice)).toMatchObject({ takeProfit: '66000', stopLoss: '55000' })
  refuses(await alice.post(`${mix}/place-pos-tpsl`, { ...contract, holdSide: 'buy' }), 'a parameter')
  await taken(bob, 'buy 0.1 @ 60000')
  await taken(alice, 'sell 0.1 @ 60000')
  expect(await pending(alice, 'profit_loss')).toEqual([])
  const statuses = (await ended(alice, 'profit_loss')).map((trigger) => trigger['planStatus'])
  expect(statuses).toEqual(['cancelled', 'cancelled'])
})

row('v2 tpsl orders', 'changed and canceled', async () => {
  const alice = await longAlice()
  const { orderId } = await setTpsl(alice, { planType: 'loss_plan', size: '0.05' })
  const body = { ...contract, orderId, triggerPrice: '58000', executePrice: '57900', size: '0.06' }
  expect(succeeds(await alice.post(`${mix}/modify-tpsl-order`, body)).fields).toMatchObject({ orderId })
  const changed = { orderId, triggerPrice: '58000', executePrice: '57900', size: '0.06' }
  expect(await pending(alice, 'loss_plan')).toEqual([expect.objectContaining(changed)])
  refuses(await alice.post(`${mix}/modify-tpsl-order`, { ...body, triggerPrice: '61000' }), '40917')
  refuses(await alice.post(`${mix}/modify-tpsl-order`, { ...body, size: '0.2' }), '40891')
  refuses(await alice.post(`${mix}/modify-tpsl-order`, { ...body, orderId: '17' }), '43020')
  const cancel = { ...contract, planType: 'loss_plan' }
  expect(succeeds(await alice.post(`${mix}/cancel-plan-order`, cancel)).list('successList')).toHaveLength(1)
  expect(await onePosition(alice)).toMatchObject({ stopLoss: null, stopLossId: null })
})

/** Of an inverse contract it is base coin, whatever the price is at which it fires (design §4.12). */
const inverseSizes = { rule: 'v2 tpsl orders', decision: 'the size is as sent, of presets what the order has opened' }

row(inverseSizes, 'of an inverse contract: the size that was sent, also when it was changed', async () => {
  const alice = await at.person('Alice', classic)
  await openedInverse(alice, '0.1')
  const inverse = { ...tpslBody, symbol: 'BTCUSD', productType: 'COIN-FUTURES', marginCoin: 'BTC' }
  const placed = { ...inverse, planType: 'loss_plan', triggerPrice: '50000', size: '0.1' }
  const { orderId } = succeeds(await alice.post(`${mix}/place-tpsl-order`, placed)).fields
  expect(await inverseTpsl(alice)).toEqual(['loss_plan 0.1'])
  const changed = { ...inverse, orderId, triggerPrice: '52000', executePrice: '51900', size: '0.05' }
  succeeds(await alice.post(`${mix}/modify-tpsl-order`, changed))
  expect(await inverseTpsl(alice)).toEqual(['loss_plan 0.05'])
})

row(inverseSizes, 'of an inverse contract: presets guard what was opened', async () => {
  const alice = await at.person('Alice', classic)
  const presets = { presetStopSurplusPrice: '66000', presetStopLossPrice: '55000' }
  await openedInverse(alice, '0.2', presets, ['0.15', '0.05'])
  expect(await onePosition(alice, btcInverse)).toMatchObject({ total: '0.2', takeProfit: '66000', stopLoss: '55000' })
  expect(await inverseTpsl(alice)).toEqual(['loss_plan 0.2', 'profit_plan 0.2'])
})

/** A bid for inverse contracts that others fill in parts. */
async function openedInverse(alice: Person, size: string, presets: object = {}, parts = [size]): Promise<void> {
  const order = { ...singleOrder(`buy ${size} @ 60000`, btcInverse), ...presets }
  succeeds(await alice.post(paths.placeOrder, order))
  for (const part of parts) await taken(dave, `sell ${part} @ 60000`, btcInverse)
}

async function inverseTpsl(alice: Person): Promise<string[]> {
  const asked = { productType: 'COIN-FUTURES', planType: 'profit_loss' }
  const answer = succeeds(await alice.get(`${mix}/orders-plan-pending`, asked))
  return answer.list('entrustedList').map((trigger) => `${trigger['planType']} ${trigger['size']}`)
}

row('v2 tpsl orders', 'in hedge mode each side has its own', async () => {
  const alice = await at.person('Alice', classic)
  const bob = await at.person('Bob', classic)
  await setHoldMode(alice, 'hedge_mode')
  await taken(bob, 'sell 0.1 @ 60000')
  await taken(alice, 'buy 0.1 open @ 60000')
  await setTpsl(alice, { holdSide: 'long' })
  expect(await pending(alice, 'profit_loss')).toEqual([
    expect.objectContaining({ posSide: 'long', side: 'buy', tradeSide: 'close', posMode: 'hedge_mode' }),
  ])
  refuses(await alice.post(`${mix}/place-tpsl-order`, { ...tpslBody, holdSide: 'short' }), '40891')
  await taken(bob, 'buy 1 @ 58990')
  await last('59000')
  expect(await position(alice)).toBe('flat')
})

// presets

row('E3 presets', 'grow with partial fills and fire for what was filled', async () => {
  const alice = await at.person('Alice', classic)
  const bob = await at.person('Bob', classic)
  const body = { ...singleOrder('buy 0.1 @ 60000'), presetStopSurplusPrice: '66000', presetStopLossPrice: '59000' }
  succeeds(await alice.post(paths.placeOrder, body))
  await taken(bob, 'sell 0.04 @ 60000')
  const sizes = async () =>
    (await pending(alice, 'profit_loss')).map((trigger) => `${trigger['planType']} ${trigger['size']}`)
  expect(await sizes()).toEqual(['loss_plan 0.04', 'profit_plan 0.04'])
  await taken(bob, 'sell 0.03 @ 60000')
  expect(await sizes()).toEqual(['loss_plan 0.07', 'profit_plan 0.07'])
  await taken(dave, 'buy 1 @ 58950')
  await mark('59000')
  expect(await position(alice)).toBe('flat')
  expect(await sizes()).toEqual([])
})

row('E3 presets', 'of a reduce-only order are left away', async () => {
  const alice = await longAlice()
  const bob = await at.person('Bob', classic)
  await taken(bob, 'buy 0.1 @ 60000')
  const body = { ...singleOrder('sell 0.05 reduce-only @ 60000'), presetStopLossPrice: '61000' }
  succeeds(await alice.post(paths.placeOrder, body))
  expect(await position(alice)).toBe('long 0.05')
  expect(await pending(alice, 'profit_loss')).toEqual([])
})

// spot

const spotPlan = {
  symbol: 'BTCUSDT',
  side: 'buy',
  triggerPrice: '59500',
  orderType: 'limit',
  executePrice: '59000',
  planType: 'amount',
  size: '0.01',
  triggerType: 'mark_price',
} as const

async function spotPending(person: Person): Promise<Fields[]> {
  return succeeds(await person.get(`${spot}/current-plan-order`, { symbol: 'BTCUSDT' })).list('orderList')
}

row('v2 spot plan orders', 'placed, listed, changed, canceled, in the history', async () => {
  const alice = await at.person('Alice', classic)
  const { orderId } = succeeds(await alice.post(`${spot}/place-plan-order`, { ...spotPlan, clientOid: 'mine' })).fields
  expect(await spotPending(alice)).toEqual([
    {
      orderId,
      clientOid: 'mine',
      symbol: 'BTCUSDT',
      triggerPrice: '59500',
      orderType: 'limit',
      executePrice: '59000',
      planType: 'amount',
      size: '0.01',
      status: 'live',
      side: 'buy',
      triggerType: 'mark_price',
      enterPointSource: 'API',
      cTime: expect.stringMatching(/^\d+$/),
      uTime: expect.stringMatching(/^\d+$/),
    },
  ])
  const change = { orderId, triggerPrice: '58500', orderType: 'limit', executePrice: '58000', size: '0.02' }
  succeeds(await alice.post(`${spot}/modify-plan-order`, change))
  expect(await spotPending(alice)).toEqual([expect.objectContaining({ ...change, orderId })])
  expect(succeeds(await alice.post(`${spot}/cancel-plan-order`, { clientOid: 'mine' })).data).toEqual({
    result: 'success',
  })
  refuses(await alice.post(`${spot}/cancel-plan-order`, { orderId }), '43025')
  refuses(await alice.post(`${spot}/modify-plan-order`, change), '43025')
  const history = succeeds(await alice.get(`${spot}/history-plan-order`, { symbol: 'BTCUSDT' }))
  expect(history.data).toMatchObject({ nextFlag: false, orderList: [{ orderId, status: 'cancelled' }] })
})

table(
  'v2 spot plan orders, pages (wire/rate-limits-and-filters §4)',
  [
    // page                        list                  limit      orders, or why not
    ['20 of those that wait', 'current-plan-order', undefined, 20],
    ['as many as asked for', 'current-plan-order', '21', 21],
    ['at most 100', 'current-plan-order', '101', 'a parameter'],
    ['100 of those that ended', 'history-plan-order', undefined, 21],
    ['at most 100 of these', 'history-plan-order', '101', 'a parameter'],
  ],
  async (list, limit, expected) => {
    const alice = await at.person('Alice', classic)
    for (let number = 0; number < 21; number++) succeeds(await alice.post(`${spot}/place-plan-order`, spotPlan))
    if (list === 'history-plan-order') succeeds(await alice.post(`${spot}/batch-cancel-plan-order`, {}))
    const answer = await alice.get(`${spot}/${list}`, { symbol: 'BTCUSDT', ...(limit === undefined ? {} : { limit }) })
    if (typeof expected === 'string') refuses(answer, expected)
    else expect(succeeds(answer).list('orderList')).toHaveLength(expected)
  },
)

row('v2 spot plan orders fire', 'a limit rests, a market buy spends its total', async () => {
  const alice = await at.person('Alice', classic)
  const bob = await at.person('Bob', classic)
  succeeds(await alice.post(`${spot}/place-plan-order`, spotPlan))
  const market = { ...spotPlan, orderType: 'market', executePrice: undefined, planType: 'total', size: '600' }
  succeeds(await alice.post(`${spot}/place-plan-order`, market))
  await bob.post(`${spot}/place-order`, {
    symbol: 'BTCUSDT',
    side: 'sell',
    orderType: 'limit',
    force: 'gtc',
    price: '60000',
    size: '0.1',
  })
  await mark('59500')
  const open = succeeds(await alice.get(`${spot}/unfilled-orders`, { symbol: 'BTCUSDT' })).list()
  expect(open).toEqual([expect.objectContaining({ side: 'buy', size: '0.01', orderSource: 'plan_limit' })])
  const traded = succeeds(await alice.get(`${spot}/fills`, { symbol: 'BTCUSDT' })).list()
  expect(traded).toEqual([expect.objectContaining({ side: 'buy', size: '0.01', amount: '600' })])
})

row('v2 spot plan orders', 'all of some pairs canceled at once', async () => {
  const alice = await at.person('Alice', classic)
  for (let index = 0; index < 3; index++) succeeds(await alice.post(`${spot}/place-plan-order`, spotPlan))
  const none = succeeds(await alice.post(`${spot}/batch-cancel-plan-order`, { symbolList: ['ETHUSDT'] }))
  expect(none.data).toEqual({ successList: [], failureList: [] })
  const all = succeeds(await alice.post(`${spot}/batch-cancel-plan-order`, { symbolList: ['BTCUSDT'] }))
  expect(all.list('successList')).toHaveLength(3)
  expect(await spotPending(alice)).toEqual([])
})

table(
  'v2 spot plan orders refused',
  [
    ['without symbol', { symbol: undefined }, 'a missing parameter'],
    ['a limit without executePrice', { executePrice: undefined }, 'a missing parameter'],
    ['a trigger price of zero', { triggerPrice: '0' }, '43011'],
    ['a market buy by amount', { orderType: 'market' }, 'a parameter'],
    ['a limit by total', { planType: 'total' }, 'a parameter'],
    ['an unknown pair', { symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['too small', { size: '0.0000001' }, 'the minimum quantity or the quantity step'],
  ],
  async (fields, expected) => {
    const alice = await at.person('Alice', classic)
    refuses(await alice.post(`${spot}/place-plan-order`, { ...spotPlan, ...fields }), expected)
    expect(await spotPending(alice)).toEqual([])
  },
)

// v3

const tpsl = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', stopLoss: '59000', posSide: 'long' } as const

async function strategies(person: Person, query: object = {}): Promise<Fields[]> {
  const asked = { category: 'USDT-FUTURES', ...query }
  return succeeds(await person.get(`${strategy}/unfilled-strategy-orders`, asked)).list()
}

async function pastStrategies(person: Person): Promise<Answer> {
  return succeeds(await person.get(`${strategy}/history-strategy-orders`, { category: 'USDT-FUTURES' }))
}

row('v3 strategy orders', 'take-profit and stop-loss of one request are one order', async () => {
  const alice = await longAlice(unified)
  const body = {
    ...tpsl,
    takeProfit: '66000',
    tpTriggerBy: 'mark',
    slOrderType: 'limit',
    slLimitPrice: '58900',
    clientOid: 'both',
  }
  const { orderId } = succeeds(await alice.post(`${strategy}/place-strategy-order`, body)).fields
  expect(await strategies(alice)).toEqual([
    {
      orderId,
      clientOid: 'both',
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      type: 'tpsl',
      qty: '',
      side: 'sell',
      posSide: 'net',
      status: 'pending',
      triggerType: '',
      tpTriggerBy: 'mark',
      slTriggerBy: 'market',
      takeProfit: '66000',
      stopLoss: '59000',
      tpOrderType: 'market',
      slOrderType: 'limit',
      tpLimitPrice: '',
      slLimitPrice: '58900',
      triggerBy: '',
      triggerPrice: '',
      triggerOrderType: '',
      triggerOrderPrice: '',
      createdTime: expect.stringMatching(/^\d+$/),
      updatedTime: expect.stringMatching(/^\d+$/),
    },
  ])
  const change = { orderId, takeProfit: '67000', stopLoss: '58000', slLimitPrice: '57900' }
  expect(succeeds(await alice.post(`${strategy}/modify-strategy-order`, change)).fields).toMatchObject({ orderId })
  expect(await strategies(alice)).toEqual([expect.objectContaining({ ...change, tpTriggerBy: 'mark' })])
  expect(succeeds(await alice.post(`${strategy}/cancel-strategy-order`, { orderId })).data).toBeNull()
  expect(await strategies(alice)).toEqual([])
  const words = (await pastStrategies(alice))
    .list('list')
    .map((trigger) => `${trigger['triggerType']} ${trigger['status']}`)
  expect(words).toEqual(['stopLoss cancelled', 'takeProfit cancelled'])
})

table(
  'v3 strategy orders fire',
  [
    ['a stop loss by last', {}, 'last 59000', 'flat'],
    ['a stop loss by mark', { slTriggerBy: 'mark' }, 'mark 59000', 'flat'],
    ['a part', { tpslMode: 'partial', qty: '0.04' }, 'last 59000', 'long 0.06'],
    ['the position that side closes', { posSide: undefined, side: 'sell', qty: '0.1' }, 'last 59000', 'flat'],
    ['the only position', { posSide: undefined }, 'last 59000', 'flat'],
  ],
  async (fields, comes, after) => {
    const alice = await longAlice(unified)
    succeeds(await alice.post(`${strategy}/place-strategy-order`, { ...tpsl, ...fields }))
    const [by, price = ''] = comes.split(' ')
    await taken(dave, `sell 0.001 @ ${price}`)
    await taken(erin, `buy 1 @ ${Number(price) - 50}`)
    await (by === 'mark' ? mark(price) : taken(erin, `buy 0.001 @ ${price}`))
    expect(await position(alice)).toBe(after)
    const [past] = (await pastStrategies(alice)).list('list')
    expect(past).toMatchObject({ status: 'success', triggerType: 'stopLoss', stopLoss: '59000' })
  },
)

row('v3 strategy orders fire', 'a trigger order becomes an order', async () => {
  const alice = await at.person('Alice', unified)
  const { orderId } = succeeds(await alice.post(`${strategy}/place-strategy-order`, waits)).fields
  expect(await strategies(alice, { type: 'trigger' })).toEqual([
    expect.objectContaining({
      orderId,
      type: 'trigger',
      triggerBy: 'mark',
      triggerPrice: '59500',
      triggerOrderPrice: '59000',
    }),
  ])
  expect(await strategies(alice, { type: 'tpsl' })).toEqual([])
  await mark('59500')
  expect(await openUnifiedOrders(alice, btcPerpetual)).toEqual(['buy 0.01 @ 59000'])
  expect((await pastStrategies(alice)).list('list')).toEqual([expect.objectContaining({ orderId, status: 'success' })])
})

row('v3 strategy orders fire', 'spot: a market buy spends quote coin', async () => {
  const alice = await at.person('Alice', unified)
  const body = { ...waits, category: 'SPOT', triggerBy: 'market', qty: '600', triggerOrderType: 'market' }
  await last('60000', btcSpot)
  succeeds(await alice.post(`${strategy}/place-strategy-order`, body))
  await dave.post(`${spot}/place-order`, {
    symbol: 'BTCUSDT',
    side: 'sell',
    orderType: 'limit',
    force: 'gtc',
    price: '59600',
    size: '0.1',
  })
  await last('59500', btcSpot)
  const [fill] = await fills(alice)
  expect(fill).toMatchObject({ category: 'SPOT', side: 'buy' })
})

row('v3 presets', 'by the mark price when they say so', async () => {
  const alice = await at.person('Alice', unified)
  await taken(dave, 'sell 0.1 @ 60000')
  const order = {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    qty: '0.1',
    price: '60000',
  }
  const attached = { takeProfit: '66000', stopLoss: '59000', slTriggerBy: 'mark' }
  succeeds(await alice.post('/api/v3/trade/place-order', { ...order, ...attached }))
  expect(await strategies(alice)).toEqual([
    expect.objectContaining({ ...attached, tpTriggerBy: 'market', qty: '0.1', posSide: 'net' }),
  ])
  await taken(erin, 'buy 1 @ 58950')
  await mark('59000')
  expect(await position(alice)).toBe('flat')
  refuses(await alice.post('/api/v3/trade/place-order', { ...order, stopLoss: '61000' }), 'a parameter')
})

table(
  'v3 strategy orders refused',
  [
    ['neither take-profit nor stop-loss', { ...tpsl, stopLoss: undefined }, 'a missing parameter'],
    ['no position on that side', { ...tpsl, posSide: 'short', stopLoss: '61000' }, '40891'],
    ['a stop loss above the price', { ...tpsl, stopLoss: '61000' }, '40917'],
    ['a limit without price', { ...tpsl, slOrderType: 'limit' }, 'a missing parameter'],
    ['a part without qty', { ...tpsl, tpslMode: 'partial' }, 'a missing parameter'],
    ['on spot', { ...tpsl, category: 'SPOT' }, 'a parameter'],
    ['a trigger without price', { ...waits, triggerPrice: undefined }, 'a missing parameter'],
    ['a trigger price of zero', { ...waits, triggerPrice: '0' }, '43011'],
    ['an unknown symbol', { ...waits, symbol: 'NOSUCH' }, 'an unknown symbol'],
  ],
  async (body, expected) => {
    const alice = await longAlice(unified)
    refuses(await alice.post(`${strategy}/place-strategy-order`, body), expected)
    expect(await strategies(alice)).toEqual([])
  },
)

row('v3 strategy orders refused', 'unknown ones', async () => {
  const alice = await at.person('Alice', unified)
  refuses(await alice.post(`${strategy}/cancel-strategy-order`, { orderId: '17' }), '43025')
  refuses(await alice.post(`${strategy}/cancel-strategy-order`, {}), 'a missing parameter')
  refuses(await alice.post(`${strategy}/modify-strategy-order`, { orderId: '17', qty: '1' }), '43025')
  refuses(await alice.get(`${strategy}/unfilled-strategy-orders`), 'a missing parameter')
})
