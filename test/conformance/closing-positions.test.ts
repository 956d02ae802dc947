/**
 * Positions closed at once, and turned round.
 *
 * Source  wire/client-endpoints.md §4; wire/v3-endpoints.md §2; design §4.9-§4.12
 */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import {
  btcInverse,
  btcPerpetual,
  ethPerpetual,
  type Market,
  openOrders,
  orderRecord,
  paths,
  position,
  setHoldMode,
  taken,
  takenInBatch,
} from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()
const rich = { uta: { USDT: '10000000', BTC: '200' } } as const
const classic = {
  mode: 'classic',
  funds: { usdt_futures: { USDT: '1000000' }, coin_futures: { BTC: '20' } },
} as const

const closeV2 = (person: Person, body: object = {}) =>
  person.post('/api/v2/mix/order/close-positions', { productType: 'USDT-FUTURES', ...body })
const closeV3 = (person: Person, body: object = {}) =>
  person.post('/api/v3/trade/close-positions', { category: 'USDT-FUTURES', ...body })
const reverse = (person: Person, body: object, market: Market = btcPerpetual) =>
  person.post('/api/v2/mix/order/click-backhand', {
    symbol: market.symbol,
    productType: market.category,
    marginCoin: market.marginCoin,
    ...body,
  })

/** Somebody to trade with: as much on each side of the book as the rows need. */
async function maker(): Promise<Person> {
  const bob = await at.person('Bob', { funds: rich })
  for (const [market, low, high] of [
    [btcPerpetual, '59900', '60100'],
    [ethPerpetual, '2990', '3010'],
  ] as const) {
    await takenInBatch(bob, `buy 10 @ ${low}`, market)
    await takenInBatch(bob, `sell 10 @ ${high}`, market)
  }
  return bob
}

/** Two positions in one-way mode: 0.3 BTC long, 2 ETH short. */
async function holder(options: object): Promise<Person> {
  await maker()
  const alice = await at.person('Alice', options)
  await taken(alice, 'buy 0.3 @ 60100')
  await taken(alice, 'sell 2 @ 2990', ethPerpetual)
  return alice
}

const both = async (person: Person) => [await position(person), await position(person, ethPerpetual)]

const oneWay = [
  ['all of the line', {}, ['flat', 'flat'], ['BTCUSDT', 'ETHUSDT']],
  ['one symbol', { symbol: 'BTCUSDT' }, ['flat', 'short 2'], ['BTCUSDT']],
  ['a symbol in lower case', { symbol: 'ethusdt' }, ['long 0.3', 'flat'], ['ETHUSDT']],
] as const

for (const [mode, options] of [
  ['classic', classic],
  ['unified', { funds: rich }],
] as const) {
  table(
    { rule: `v2 close-positions ${mode}`, decision: 'one market order for each position' },
    oneWay,
    async (body, after, symbols) => {
      const alice = await holder(options)
      const { data } = succeeds(await closeV2(alice, body))
      expect(data).toEqual({
        successList: symbols.map((symbol) => ({
          symbol,
          orderId: expect.stringMatching(/^\d+$/),
          clientOid: expect.stringMatching(/./),
        })),
        failureList: [],
        result: false,
      })
      expect(await both(alice)).toEqual(after)
    },
  )
}

table(
  { rule: 'v3 close-positions', decision: 'one market order for each position' },
  oneWay,
  async (body, after, symbols) => {
    const alice = await holder({ funds: rich })
    const list = succeeds(await closeV3(alice, body)).list('list')
    expect(list).toEqual(
      symbols.map(() => ({
        orderId: expect.stringMatching(/^\d+$/),
        clientOid: expect.stringMatching(/./),
        code: '00000',
        msg: 'success',
      })),
    )
    expect(await both(alice)).toEqual(after)
  },
)

table(
  { rule: 'close-positions one-way mode', decision: 'the side that is named does not count' },
  [
    ['v2 holdSide', (alice: Person) => closeV2(alice, { symbol: 'BTCUSDT', holdSide: 'short' })],
    ['v3 posSide', (alice: Person) => closeV3(alice, { symbol: 'BTCUSDT', posSide: 'short' })],
  ],
  async (call) => {
    const alice = await holder({ funds: rich })
    succeeds(await call(alice))
    expect(await both(alice)).toEqual(['flat', 'short 2'])
  },
)

table(
  { rule: 'close-positions hedge mode', decision: 'closing orders that rest make way' },
  [
    ['v2: both sides', (alice: Person) => closeV2(alice, { symbol: 'BTCUSDT' }), 'flat'],
    ['v2: long', (alice: Person) => closeV2(alice, { symbol: 'BTCUSDT', holdSide: 'long' }), 'short 0.2'],
    ['v2: SHORT', (alice: Person) => closeV2(alice, { symbol: 'BTCUSDT', holdSide: 'SHORT' }), 'long 0.3'],
    ['v3: both sides', (alice: Person) => closeV3(alice), 'flat'],
    ['v3: long', (alice: Person) => closeV3(alice, { posSide: 'long' }), 'short 0.2'],
    ['v3: short', (alice: Person) => closeV3(alice, { symbol: 'BTCUSDT', posSide: 'short' }), 'long 0.3'],
  ],
  async (call, after) => {
    await maker()
    const alice = await at.person('Alice', { funds: rich })
    await setHoldMode(alice, 'hedge_mode')
    await takenInBatch(alice, 'buy 0.3 long @ 60100', btcPerpetual)
    await takenInBatch(alice, 'sell 0.2 short @ 59900', btcPerpetual)
    await takenInBatch(alice, 'sell 0.2 long @ 62000', btcPerpetual)
    await takenInBatch(alice, 'buy 0.1 short @ 58000', btcPerpetual)
    succeeds(await call(alice))
    expect(await position(alice)).toBe(after)
    expect(await openOrders(alice)).toHaveLength(after === 'flat' ? 0 : 1)
  },
)

row('close-positions', 'reduce-only orders of a closed position go with it, others stay', async () => {
  const alice = await holder({ funds: rich })
  await takenInBatch(alice, 'sell 0.1 reduce-only @ 62000', btcPerpetual)
  await takenInBatch(alice, 'buy 0.1 @ 50000', btcPerpetual)
  const [entry] = succeeds(await closeV3(alice, { symbol: 'BTCUSDT' })).list('list')
  expect(await openOrders(alice)).toEqual(['buy 0.1 @ 50000'])
  expect(await orderRecord(alice, { orderId: entry?.['orderId'] ?? '' })).toMatchObject({
    status: 'filled',
    orderType: 'market',
    orderSource: 'market',
    side: 'sell',
    size: '0.3',
    reduceOnly: 'YES',
    enterPointSource: 'API',
  })
})

row('close-positions', 'coin-margined positions are closed whole', async () => {
  const bob = await at.person('Bob', { funds: rich })
  await takenInBatch(bob, 'sell 6000 @ 60000', btcInverse)
  const alice = await at.person('Alice', classic)
  await taken(alice, 'buy 0.1 @ 60000', btcInverse)
  await takenInBatch(bob, 'buy 6000 @ 59000', btcInverse)
  succeeds(await closeV2(alice, { productType: 'coin-futures' }))
  expect(await position(alice, btcInverse)).toBe('flat')
})

row(
  { rule: 'close-positions', decision: 'each position answers for itself' },
  'one that is refused, one that is closed',
  async () => {
    const alice = await holder(classic)
    const status = (symbol: string, value: string) =>
      at.venue.operator('instruments/status', { category: 'USDT-FUTURES', symbol, status: value })
    await status('BTCUSDT', 'halted')
    const { data } = succeeds(await closeV2(alice))
    await status('BTCUSDT', 'online')
    expect(data).toMatchObject({
      successList: [{ symbol: 'ETHUSDT' }],
      failureList: [
        { symbol: 'BTCUSDT', orderId: '', clientOid: '', errorCode: '40844', errorMsg: expect.stringMatching(/./) },
      ],
    })
    expect(await both(alice)).toEqual(['long 0.3', 'flat'])
  },
)

row('close-positions', 'v3: one that is refused, one that is closed', async () => {
  const alice = await holder({ funds: rich })
  const status = (symbol: string, value: string) =>
    at.venue.operator('instruments/status', { category: 'USDT-FUTURES', symbol, status: value })
  await status('BTCUSDT', 'halted')
  const list = succeeds(await closeV3(alice)).list('list')
  await status('BTCUSDT', 'online')
  expect(list).toMatchObject([
    { orderId: '', code: '41114' },
    { code: '00000', msg: 'success' },
  ])
})

table(
  { rule: 'close-positions refused', decision: 'without a position that is meant: 22002' },
  [
    ['v2: flat', (alice: Person) => closeV2(alice), 'no position'],
    ['v2: flat in that symbol', (alice: Person) => closeV2(alice, { symbol: 'BTCUSDT' }), 'no position'],
    ['v2: no productType', (alice: Person) => closeV2(alice, { productType: undefined }), 'a missing parameter'],
    ['v2: another productType', (alice: Person) => closeV2(alice, { productType: 'SPOT' }), 'a parameter'],
    ['v2: an unknown symbol', (alice: Person) => closeV2(alice, { symbol: 'NOUSDT' }), 'an unknown symbol'],
    ['v2: another word for the side', (alice: Person) => closeV2(alice, { holdSide: 'both' }), 'a parameter'],
    ['v3: flat', (alice: Person) => closeV3(alice), 'no position'],
    ['v3: no category', (alice: Person) => closeV3(alice, { category: undefined }), 'a missing parameter'],
    ['v3: SPOT', (alice: Person) => closeV3(alice, { category: 'SPOT' }), 'a parameter'],
    ['v3: an unknown symbol', (alice: Person) => closeV3(alice, { symbol: 'NOUSDT' }), 'an unknown symbol'],
    ['v3: another word for the side', (alice: Person) => closeV3(alice, { posSide: 'net' }), 'a parameter'],
  ],
  async (call, expected) => {
    const alice = await at.person('Alice', { funds: rich })
    refuses(await call(alice), expected)
  },
)

row('close-positions refused', 'classic accounts on v3, keys that only read', async () => {
  refuses(await closeV3(await at.person('Clara', classic)), '40084')
  const reader = await at.person('Reader', { permissions: ['read'] })
  refuses(await closeV3(reader), '40014')
  refuses(await closeV2(reader), '40014')
})

// click-backhand

const reverseRule = {
  rule: 'click-backhand',
  decision:
    'closes `size` of the position (absent: all) and opens as much the other way; one order in one-way mode, two in hedge mode',
}

for (const [mode, options] of [
  ['classic', classic],
  ['unified', { funds: rich }],
] as const) {
  table(
    { ...reverseRule, rule: `click-backhand one-way mode ${mode}` },
    [
      ['all of it', { side: 'sell' }, 'short 0.3'],
      ['as large as it is', { side: 'sell', size: '0.3' }, 'short 0.3'],
      ['tradeSide does not count', { side: 'sell', size: '0.3', tradeSide: 'open' }, 'short 0.3'],
      ['a part of it', { side: 'sell', size: '0.2' }, 'short 0.1'],
    ],
    async (body, after) => {
      const alice = await holder(options)
      const answer = succeeds(await reverse(alice, { ...body, clientOid: 'turn' }))
      expect(answer.fields).toEqual({ orderId: expect.stringMatching(/^\d+$/), clientOid: 'turn' })
      expect(await position(alice)).toBe(after)
      expect(await orderRecord(alice, { clientOid: 'turn' })).toMatchObject({
        status: 'filled',
        orderSource: 'reverse',
        tradeSide: 'sell_single',
      })
      const filter = { productType: 'USDT-FUTURES', orderSource: 'reverse' }
      expect(succeeds(await alice.get(paths.orderHistory, filter)).list('entrustedList')).toMatchObject([
        { clientOid: 'turn' },
      ])
    },
  )
}

table(
  { ...reverseRule, rule: 'click-backhand hedge mode' },
  [
    ['side names the position', { side: 'buy' }, 'short 0.5'],
    ['close says the same', { side: 'buy', tradeSide: 'close', size: '0.1' }, 'long 0.2, short 0.3'],
    [
      'open names the position that comes of it',
      { side: 'sell', tradeSide: 'Open', size: '0.1' },
      'long 0.2, short 0.3',
    ],
    ['the other one', { side: 'sell' }, 'long 0.5'],
  ],
  async (body, after) => {
    await maker()
    const alice = await at.person('Alice', classic)
    await setHoldMode(alice, 'hedge_mode')
    await taken(alice, 'buy 0.3 open @ 60100')
    await taken(alice, 'sell 0.2 open @ 59900')
    succeeds(await reverse(alice, { ...body, clientOid: 'turn' }))
    expect(await position(alice)).toBe(after)
    expect(await orderRecord(alice, { clientOid: 'turn' })).toMatchObject({
      status: 'filled',
      orderSource: 'reverse',
      tradeSide: 'close',
    })
  },
)

row(reverseRule, 'coin-margined: base coin, and the shown total is all of it', async () => {
  const bob = await at.person('Bob', { funds: rich })
  await takenInBatch(bob, 'sell 6000 @ 60000', btcInverse)
  const alice = await at.person('Alice', classic)
  await taken(alice, 'buy 0.1 @ 60000', btcInverse)
  await takenInBatch(bob, 'buy 12000 @ 60000', btcInverse)
  succeeds(await reverse(alice, { side: 'sell', size: '0.1' }, btcInverse))
  expect(await position(alice, btcInverse)).toBe('short 0.1')
})

table(
  { rule: 'click-backhand refused', decision: 'in hedge mode a close stands when what would open is refused' },
  [
    ['no side', { side: undefined }, 'a missing parameter'],
    ['no margin coin', { marginCoin: undefined, side: 'sell' }, 'a missing parameter'],
    ['another margin coin', { marginCoin: 'BTC', side: 'sell' }, 'the margin coin'],
    ['an unknown symbol', { symbol: 'NOUSDT', side: 'sell' }, 'an unknown symbol'],
    ['no position on that side', { side: 'buy' }, 'no position'],
    ['more than the position', { side: 'sell', size: '0.4' }, 'no free position'],
    ['a size of zero', { side: 'sell', size: '0' }, 'the minimum quantity'],
    ['too many decimals', { side: 'sell', size: '0.00001' }, 'the quantity step'],
    ['another word for tradeSide', { side: 'sell', tradeSide: 'turn' }, 'a parameter'],
    ['a taken clientOid', { side: 'sell', clientOid: 'mine' }, '40786'],
  ],
  async (body, expected) => {
    const alice = await holder(classic)
    await taken(alice, 'buy 0.1 oid:mine @ 50000')
    refuses(await reverse(alice, body), expected)
    expect(await both(alice)).toEqual(['long 0.3', 'short 2'])
  },
)
