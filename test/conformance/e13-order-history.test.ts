/**
 * E13: ended futures orders, their fields, labels, filters and pages.
 *
 * Source  interface.md E13, "Futures order"; design §4.17, §4.26, §4.32, §4.33
 */
import { beforeAll, expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import {
  btcInverse,
  btcPerpetual,
  btcUsdc,
  ethPerpetual,
  paths,
  setHoldMode,
  setLeverage,
  setMarginMode,
  taken,
  takenInBatch,
  batchOrder,
} from '../support/trading.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage({ clock: 'manual' })

const day = 86_400_000
const funds = { usdt_futures: { USDT: '1000000' }, usdc_futures: { USDC: '1000000' } } as const
const classic = { mode: 'classic', funds } as const
const line = { productType: 'USDT-FUTURES' } as const

async function history(
  person: Person,
  query: Readonly<Record<string, string | number | undefined>> = {},
): Promise<Fields[]> {
  return succeeds(await person.get(paths.orderHistory, { ...line, ...query })).list('entrustedList')
}

/** Alice's past: a filled limit buy, a filled market sell, a cancelled order, one in another symbol and one in another line. */
let alice: Person

beforeAll(async () => {
  alice = await at.venue.person('Alice', classic)
  const bob = await at.venue.person('Bob', classic)
  await setLeverage(alice, 20)
  await taken(bob, 'sell 0.2 @ 60000')
  await taken(alice, 'buy 0.2 oid:bought @ 60000')
  await taken(bob, 'buy 0.2 @ 60100')
  await taken(alice, 'sell 0.2 oid:sold')
  await taken(alice, 'buy 0.3 oid:dropped @ 59000')
  const cancel = { ...line, symbol: 'BTCUSDT', marginCoin: 'USDT', clientOid: 'dropped' }
  succeeds(await alice.post('/api/v2/mix/order/cancel-order', cancel))
  await taken(bob, 'sell 1 @ 3000', ethPerpetual)
  await taken(alice, 'buy 1 oid:ether @ 3000', ethPerpetual)
  await taken(bob, 'sell 0.1 @ 60000', btcUsdc)
  await taken(alice, 'buy 0.1 oid:dollars @ 60000', btcUsdc)
  await taken(alice, 'buy 0.01 oid:waiting @ 59000')
})

const recordOf = async (clientOid: string): Promise<Fields> => (await history(alice, { clientOid }))[0] ?? {}

row('Futures order fields', 'every field is there, and a text', async () => {
  const record = await recordOf('bought')
  const names = [
    'symbol',
    'size',
    'orderId',
    'clientOid',
    'baseVolume',
    'fee',
    'price',
    'priceAvg',
    'status',
    'side',
    'force',
  ]
  const more = [
    'totalProfits',
    'posSide',
    'marginCoin',
    'quoteVolume',
    'leverage',
    'marginMode',
    'reduceOnly',
    'enterPointSource',
  ]
  const rest = [
    'tradeSide',
    'posMode',
    'orderType',
    'orderSource',
    'cTime',
    'uTime',
    'presetStopSurplusPrice',
    'presetStopLossPrice',
    'posAvg',
  ]
  for (const name of [...names, ...more, ...rest]) expect(record[name], name).toBeTypeOf('string')
})

table(
  {
    rule: 'Futures order fields',
    decision:
      'fee negative when paid, totalProfits without fees, buy_single and sell_single in one-way mode (design §4.33)',
  },
  [
    // which                                  id          fields
    [
      'a filled limit buy',
      'bought',
      {
        symbol: 'BTCUSDT',
        size: '0.2',
        baseVolume: '0.2',
        price: '60000',
        priceAvg: '60000',
        status: 'filled',
        side: 'buy',
        force: 'gtc',
        orderType: 'limit',
        quoteVolume: '12000',
        fee: '-7.2',
        totalProfits: '0',
        leverage: '20',
        marginCoin: 'USDT',
        marginMode: 'crossed',
      },
    ],
    [
      'its labels',
      'bought',
      {
        posSide: 'net',
        posMode: 'one_way_mode',
        tradeSide: 'buy_single',
        orderSource: 'normal',
        enterPointSource: 'API',
        reduceOnly: 'NO',
      },
    ],
    [
      'a filled market sell',
      'sold',
      {
        size: '0.2',
        baseVolume: '0.2',
        priceAvg: '60100',
        status: 'filled',
        side: 'sell',
        orderType: 'market',
        quoteVolume: '12020',
        fee: '-7.212',
        totalProfits: '20',
      },
    ],
    [
      'its labels',
      'sold',
      { posSide: 'net', tradeSide: 'sell_single', orderSource: 'market', enterPointSource: 'API' },
    ],
    [
      'a cancelled order',
      'dropped',
      { size: '0.3', baseVolume: '0', price: '59000', status: 'canceled', side: 'buy', tradeSide: 'buy_single' },
    ],
  ],
  async (id, fields) => {
    expect(await recordOf(id)).toMatchObject(fields)
  },
)

row('Futures order fields', 'an order that never filled has neither fee nor volume nor average', async () => {
  const { fee, quoteVolume, priceAvg, totalProfits } = await recordOf('dropped')
  for (const value of [fee, quoteVolume, priceAvg, totalProfits]) expect(Number(value)).toBe(0)
})

row('Futures order fields', 'cTime is not after uTime, both milliseconds', async () => {
  const { cTime, uTime } = await recordOf('dropped')
  expect(cTime).toMatch(/^\d{13}$/)
  expect(Number(cTime)).toBeLessThanOrEqual(Number(uTime))
})

row({ rule: 'E13', decision: 'ended orders only (design §4.17)' }, 'an open order is not history', async () => {
  expect(await history(alice, { clientOid: 'waiting' })).toEqual([])
})

row('E13', 'newest first', async () => {
  expect((await history(alice)).map((record) => record['clientOid'])).toEqual(['ether', 'dropped', 'sold', 'bought'])
})

table(
  'E13 filters',
  [
    // what                                query                                            found
    ['a product line', { productType: 'USDC-FUTURES' }, ['dollars']],
    ['a product line without orders', { productType: 'COIN-FUTURES' }, []],
    ['a product line in lower case', { productType: 'usdc-futures' }, ['dollars']],
    ['a symbol', { symbol: 'ETHUSDT' }, ['ether']],
    ['a symbol in lower case', { symbol: 'ethusdt' }, ['ether']],
    ['a clientOid', { clientOid: 'sold' }, ['sold']],
    ['a clientOid of nobody', { clientOid: 'nobody' }, []],
    ['an orderId of nobody', { orderId: '999999999999' }, []],
    ['a clientOid in another symbol', { clientOid: 'sold', symbol: 'ETHUSDT' }, []],
    ['orderSource normal', { orderSource: 'normal' }, ['ether', 'dropped', 'bought']],
    ['orderSource market', { orderSource: 'market' }, ['sold']],
  ],
  async (query, found) => {
    expect((await history(alice, query)).map((record) => record['clientOid'])).toEqual(found)
  },
)

row('E13 filters', 'an orderId, and it takes precedence over clientOid', async () => {
  const { orderId } = await recordOf('sold')
  expect(await history(alice, { orderId })).toMatchObject([{ clientOid: 'sold' }])
  expect(await history(alice, { orderId, clientOid: 'bought' })).toMatchObject([{ clientOid: 'sold' }])
})

const firstEighteen = [
  'normal',
  'market',
  'profit_market',
  'loss_market',
  'Trader_delegate',
  'trader_profit',
  'trader_loss',
  'reverse',
  'trader_reverse',
  'profit_limit',
  'loss_limit',
  'liquidation',
  'delivery_close_long',
  'delivery_close_short',
  'pos_profit_limit',
  'pos_profit_market',
  'pos_loss_limit',
  'pos_loss_market',
]

table(
  'E13 table orderSource',
  firstEighteen.map((source) => [`${source} is a filter`, source] as const),
  async (orderSource) => {
    const sources = new Set((await history(alice, { orderSource })).map((record) => record['orderSource']))
    for (const found of sources) expect(found).toBe(orderSource)
  },
)

table(
  'E13 table orderSource',
  ['profit_chase', 'market_risk', 'strategy_positive', 'move_limit', 'plan_market', 'nonsense'].map(
    (source) => [`${source} is not among the first 18: refused`, source] as const,
  ),
  async (orderSource) => {
    refuses(await alice.get(paths.orderHistory, { ...line, orderSource }), 'a parameter')
  },
)

table(
  'E13 parameters',
  [
    // what                              query                                                   answer
    ['no productType', { productType: undefined }, 'a missing parameter'],
    ['an unknown productType', { productType: 'SPOT' }, 'a parameter'],
    ['an unknown symbol', { symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['an orderId of words', { orderId: 'mine' }, 'a parameter'],
    ['an idLessThan of words', { idLessThan: 'mine' }, 'a parameter'],
    ['an unknown parameter', { colour: 'green' }, 'ok'],
  ],
  async (query, expected) => {
    answers(await alice.get(paths.orderHistory, { ...line, ...query }), expected)
  },
)

table(
  {
    rule: 'E13 window',
    decision: 'both absent: 90 days; older than 90 days or reversed is refused; times inclusive (design §4.17, §4.32)',
  },
  [
    // what                              start, end from now         answer
    ['the last day', [-day, 0], 'ok'],
    ['89 days', [-89 * day, 0], 'ok'],
    ['89 days ago until tomorrow', [-89 * day, 2 * day], 'ok'],
    ['a start in the future', [day, 200 * day], 'ok'],
    ['a start 90 days and half a minute ago', [-90 * day - 30_000, 0], 'ok'],
    ['a start 90 days and two minutes ago', [-90 * day - 120_000, 0], '40704'],
    ['a start 91 days ago', [-91 * day, 0], '40704'],
    ['only a start 91 days ago', [-91 * day, undefined], 'a time window'],
    ['a start after its end', [0, -day], 'a time window'],
    ['a start after its end, both in the future', [2 * day, day], 'a time window'],
    ['only a start', [-day, undefined], 'ok'],
    ['only an end', [undefined, 0], 'ok'],
  ],
  async ([start, end], expected) => {
    const now = at.venue.now()
    const startTime = start === undefined ? undefined : now + start
    const endTime = end === undefined ? undefined : now + end
    const answer = await alice.get(paths.orderHistory, { ...line, startTime, endTime })
    if (expected === 'ok') succeeds(answer)
    else refuses(answer, expected)
  },
)

row(
  { rule: 'E13 window', decision: 'times are inclusive (design §4.32)' },
  'a window of the very millisecond holds the order, one before does not',
  async () => {
    const time = Number((await recordOf('bought'))['cTime'])
    const ids = async (startTime: number, endTime: number) =>
      (await history(alice, { startTime, endTime })).map((record) => record['clientOid'])
    expect(await ids(time, time)).toContain('bought')
    expect(await ids(time - 1000, time - 1)).not.toContain('bought')
  },
)

row('E13 paging', 'idLessThan and endId walk through everything once', async () => {
  const seen: (string | undefined)[] = []
  let idLessThan: string | undefined
  for (let page = 0; page < 4; page += 1) {
    const answer = succeeds(await alice.get(paths.orderHistory, { ...line, limit: '1', idLessThan }))
    const { entrustedList, endId } = answer.data as { entrustedList: Fields[]; endId: string }
    expect(entrustedList).toHaveLength(1)
    seen.push(entrustedList[0]?.['clientOid'])
    idLessThan = endId
  }
  expect(seen).toEqual(['ether', 'dropped', 'sold', 'bought'])
  expect(await history(alice, { idLessThan })).toEqual([])
})

row('E13', 'somebody else’s orders are not shown', async () => {
  const carol = await at.person('Carol', classic)
  expect(await history(carol)).toEqual([])
  const { orderId } = await recordOf('sold')
  expect(await history(carol, { orderId })).toEqual([])
})

row(
  {
    rule: 'E13 tradeSide',
    decision: 'a hedge close is recorded with the side that was sent in that version’s meaning (design §4.33)',
  },
  'v2 hedge mode: close with side buy, long',
  async () => {
    const carol = await at.person('Carol', classic)
    const bob = await at.person('Bob', classic)
    await setHoldMode(carol, 'hedge_mode')
    await taken(bob, 'sell 0.1 @ 60000')
    await taken(carol, 'buy 0.1 open oid:opened @ 60000')
    await taken(bob, 'buy 0.1 @ 60000')
    await taken(carol, 'buy 0.1 close oid:closed @ 60000')
    const [closed, opened] = await history(carol)
    expect(opened).toMatchObject({
      tradeSide: 'open',
      side: 'buy',
      posSide: 'long',
      posMode: 'hedge_mode',
      reduceOnly: 'NO',
    })
    expect(closed).toMatchObject({
      tradeSide: 'close',
      side: 'buy',
      posSide: 'long',
      posMode: 'hedge_mode',
      reduceOnly: 'NO',
    })
  },
)

row(
  {
    rule: 'E13 tradeSide',
    decision: 'a hedge close is recorded with the side that was sent in that version’s meaning (design §4.33)',
  },
  'v3 hedge mode: close with side sell, long',
  async () => {
    const unified = { funds: { uta: { USDT: '100000' } } }
    const carol = await at.person('Carol', unified)
    const bob = await at.person('Bob', unified)
    await setHoldMode(carol, 'hedge_mode')
    await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
    await takenInBatch(carol, 'buy 0.1 long @ 60000', btcPerpetual)
    await takenInBatch(bob, 'buy 0.1 @ 60000', btcPerpetual)
    await takenInBatch(carol, 'sell 0.1 long @ 60000', btcPerpetual)
    const [closed] = await history(carol)
    expect(closed).toMatchObject({ tradeSide: 'close', side: 'sell', posSide: 'long', posMode: 'hedge_mode' })
  },
)

row('E13 fields', 'leverage of isolated hedge positions is that of the side, opened or closed', async () => {
  const carol = await at.person('Carol', classic)
  const bob = await at.person('Bob', classic)
  await setHoldMode(carol, 'hedge_mode')
  await setMarginMode(carol, 'isolated')
  const lever = { ...line, symbol: 'BTCUSDT', marginCoin: 'USDT' }
  for (const [holdSide, leverage] of [
    ['long', '7'],
    ['short', '11'],
  ]) {
    succeeds(await carol.post('/api/v2/mix/account/set-leverage', { ...lever, holdSide, leverage }))
  }
  for (const side of ['buy', 'sell']) {
    await taken(bob, `${side === 'buy' ? 'sell' : 'buy'} 0.1 @ 60000`)
    await taken(carol, `${side} 0.1 open isolated @ 60000`)
    await taken(bob, `${side} 0.1 @ 60000`)
    await taken(carol, `${side} 0.1 close isolated @ 60000`)
  }
  const told = (await history(carol)).map(({ posSide, tradeSide, leverage }) => [posSide, tradeSide, leverage])
  expect(told).toEqual([
    ['short', 'close', '11'],
    ['short', 'open', '11'],
    ['long', 'close', '7'],
    ['long', 'open', '7'],
  ])
})

row('E13 fields', 'a reduce-only order says YES', async () => {
  const carol = await at.person('Carol', classic)
  const bob = await at.person('Bob', classic)
  await taken(bob, 'sell 0.1 @ 60000')
  await taken(carol, 'buy 0.1 @ 60000')
  await taken(bob, 'buy 0.1 @ 60000')
  await taken(carol, 'sell 0.1 reduce-only @ 60000')
  expect((await history(carol))[0]).toMatchObject({ reduceOnly: 'YES', status: 'filled', tradeSide: 'sell_single' })
})

row('E13 fields', 'several fills: volumes add up, the average is theirs', async () => {
  const carol = await at.person('Carol', classic)
  const bob = await at.person('Bob', classic)
  await taken(bob, 'sell 0.1 @ 60000')
  await taken(bob, 'sell 0.3 @ 60100')
  await taken(carol, 'buy 0.4 @ 60100')
  const [record] = await history(carol)
  // 0.1 x 60000 + 0.3 x 60100 = 24030; at 0.06 % a fee of 3.6 + 10.818
  expect(record).toMatchObject({
    baseVolume: '0.4',
    quoteVolume: '24030',
    priceAvg: '60075',
    fee: '-14.418',
    price: '60100',
  })
})

row('E13', 'orders of the unified account are there as well', async () => {
  const carol = await at.person('Carol', { funds: { uta: { USDT: '100000' } } })
  succeeds(await carol.post(paths.placeBatch, [batchOrder('buy 0.1 ioc oid:quick @ 58000', btcPerpetual)]))
  expect(await history(carol)).toMatchObject([{ clientOid: 'quick', status: 'canceled', force: 'ioc' }])
})

row('E13 table limit', 'absent: 100 of 105', async () => {
  const carol = await at.person('Carol', { funds: { uta: { USDT: '100000' } } })
  for (const count of [20, 20, 20, 20, 20, 5]) {
    const orders = Array.from({ length: count }, () => batchOrder('buy 0.001 ioc @ 58000', btcPerpetual))
    succeeds(await carol.post(paths.placeBatch, orders))
  }
  expect(await history(carol)).toHaveLength(100)
  const answer = succeeds(await carol.get(paths.orderHistory, line))
  const { endId = '' } = answer.fields
  expect(await history(carol, { idLessThan: endId })).toHaveLength(5)
})

row('E13', 'a sub-account that its main created may ask for 90 days', async () => {
  const main = await at.person('Main', classic)
  const sub = await at.person('Sub', { mode: 'classic', parent: main })
  succeeds(await sub.get(paths.orderHistory, { ...line, startTime: at.venue.now() - 89 * day }))
})

row('E13', 'a managed sub-account sees its orders since its binding time, and may ask for none before', async () => {
  const main = await at.person('Main', { mode: 'classic' })
  const sub = await at.person('Sub', { ...classic, parent: main })
  const cancelled = async (clientOid: string) => {
    await taken(sub, `buy 0.1 oid:${clientOid} @ 50000`)
    succeeds(
      await sub.post('/api/v2/mix/order/cancel-order', { ...line, symbol: 'BTCUSDT', marginCoin: 'USDT', clientOid }),
    )
  }
  const binding = async (bindingTime?: number) => at.venue.operator('accounts/binding', { uid: sub.uid, bindingTime })
  const bindingTimeShown = async () =>
    succeeds(await main.get('/api/v2/user/virtual-subaccount-list')).list('subAccountList')[0]?.['bindingTime']

  await cancelled('early')
  expect(await bindingTimeShown()).toBe('')
  await at.venue.advance(1_000)
  await binding()
  const bound = at.venue.now()
  expect(await bindingTimeShown()).toBe(String(bound))
  await at.venue.advance(1_000)
  await cancelled('late')

  const ids = async (query = {}) => (await history(sub, query)).map(({ clientOid }) => clientOid)
  expect(await ids()).toEqual(['late'])
  expect(await ids({ startTime: bound })).toEqual(['late'])
  expect(await ids({ endTime: at.venue.now() })).toEqual(['late'])
  expect(await ids({ clientOid: 'early' })).toEqual([])
  refuses(await sub.get(paths.orderHistory, { ...line, startTime: bound - 1 }), 'a parameter')
  const unborn = binding(bound - 10 * day)
  await expect(unborn).rejects.toThrow('bindingTime must be 0, or lie between the making of the account and now')
  await binding(0)
  expect(await ids({ startTime: bound - 1_001 })).toEqual(['late', 'early'])
})

row('Futures order fields', 'a partly filled order that was cancelled keeps what it filled', async () => {
  const carol = await at.person('Carol', classic)
  const bob = await at.person('Bob', classic)
  await taken(bob, 'sell 0.1 @ 60000')
  await taken(carol, 'buy 0.3 ioc @ 60000')
  expect((await history(carol))[0]).toMatchObject({
    status: 'canceled',
    size: '0.3',
    baseVolume: '0.1',
    quoteVolume: '6000',
    priceAvg: '60000',
    fee: '-3.6',
  })
})

row('Futures order fields', 'an inverse order: coins traded, dollars traded, a fee in the coin', async () => {
  const coins = { mode: 'classic', funds: { coin_futures: { BTC: '10' } } } as const
  const carol = await at.person('Carol', coins)
  const bob = await at.person('Bob', coins)
  await taken(bob, 'sell 0.5 @ 60000', btcInverse)
  await taken(carol, 'buy 0.5 @ 60000', btcInverse)
  const [record] = await history(carol, { productType: 'COIN-FUTURES' })
  expect(record).toMatchObject({
    symbol: 'BTCUSD',
    size: '0.5',
    baseVolume: '0.5',
    quoteVolume: '30000',
    fee: '-0.0003',
    marginCoin: 'BTC',
    priceAvg: '60000',
  })
})

row('Futures order fields', 'a close carries its profit, in hedge mode too', async () => {
  const carol = await at.person('Carol', classic)
  const bob = await at.person('Bob', classic)
  await setHoldMode(carol, 'hedge_mode')
  await taken(bob, 'buy 0.1 @ 60000')
  await taken(carol, 'sell 0.1 open @ 60000')
  await taken(bob, 'sell 0.1 @ 59900')
  await taken(carol, 'sell 0.1 close @ 59900')
  expect((await history(carol))[0]).toMatchObject({
    totalProfits: '10',
    posSide: 'short',
    side: 'sell',
    tradeSide: 'close',
  })
})
