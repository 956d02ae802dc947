/**
 * Resting orders with other terms: v3 changes the order, v2 puts a new one in its place.
 *
 * Source  wire/v3-endpoints.md §2; wire/client-endpoints.md §3, §4; design §4.6, §4.9, §4.29
 */
import { expect } from 'vitest'
import type { Answer, Fields } from '../support/http.ts'
import { withWords } from '../support/order-language.ts'
import type { Person } from '../support/person.ts'
import { Socket } from '../support/socket.ts'
import {
  btcInverse,
  btcMargin,
  btcPerpetual,
  btcSpot,
  btcUsdc,
  fills,
  type Market,
  openOrders,
  openUnifiedOrders,
  orderRecord,
  setHoldMode,
  spotAsset,
  taken,
  takenInBatch,
  unifiedAsset,
  unifiedOrder,
  unifiedOutcome,
} from '../support/trading.ts'
import { optional } from '../support/text-table.ts'
import { listed } from '../support/text-table.ts'
import { answers, entryRefused, entryTaken, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage({ clock: 'manual' })
const rich = { uta: { USDT: '1000000', BTC: '20' } } as const
const everything = { uta: { USDT: '1000000', USDC: '1000000', BTC: '20' } } as const
const classic = {
  mode: 'classic',
  funds: { usdt_futures: { USDT: '100000' }, coin_futures: { BTC: '2' }, spot: { USDT: '100000', BTC: '2' } },
} as const

const modify = (person: Person, body: object): Promise<Answer> => person.post('/api/v3/trade/modify-order', body)
const modifyV2 = (person: Person, body: object, market: Market = btcPerpetual): Promise<Answer> =>
  person.post('/api/v2/mix/order/modify-order', { symbol: market.symbol, productType: market.category, ...body })
const replaceSpot = (person: Person, body: object): Promise<Answer> =>
  person.post('/api/v2/spot/trade/cancel-replace-order', { symbol: 'BTCUSDT', ...body })

// v3 modify-order

const rule = {
  rule: 'v3 modify-order',
  decision: 'one step: what is refused leaves the order as it was; a new price or more goes to the back of the queue',
}

for (const market of [btcPerpetual, btcSpot, btcMargin, btcInverse]) {
  const [quantity, less, more] = market === btcInverse ? ['6000', '3000', '9000'] : ['0.2', '0.1', '0.3']
  const priced = market === btcInverse ? '60000' : '50000'
  table(
    { ...rule, rule: `v3 modify-order ${market.category}` },
    [
      ['a smaller quantity', { qty: less }, `buy ${less} @ ${priced}`],
      ['a larger quantity', { qty: more }, `buy ${more} @ ${priced}`],
      ['a lower price', { price: '45000' }, `buy ${quantity} @ 45000`],
      ['a higher price', { price: '51000' }, `buy ${quantity} @ 51000`],
      ['both', { price: '51000', qty: more }, `buy ${more} @ 51000`],
      [
        'named with category and symbol',
        { qty: less, category: market.category, symbol: market.symbol },
        `buy ${less} @ ${priced}`,
      ],
      [
        'words in any case',
        { qty: less, category: market.category.toLowerCase(), autoCancel: 'YES' },
        `buy ${less} @ ${priced}`,
      ],
    ],
    async (terms, expected) => {
      const alice = await at.person('Alice', { funds: rich })
      const { orderId } = await takenInBatch(alice, `buy ${quantity} oid:mine @ ${priced}`, market)
      const before = await unifiedOrder(alice, { clientOid: 'mine' })
      await at.venue.advance(5)
      const answer = succeeds(await modify(alice, { orderId, ...terms }))
      expect(answer.data).toEqual({ orderId, clientOid: 'mine' })
      expect(await openUnifiedOrders(alice, market)).toEqual([expected])
      const after = await unifiedOrder(alice, { clientOid: 'mine' })
      expect(after).toMatchObject({ orderId, orderStatus: 'live', createdTime: before['createdTime'] })
      expect(Number(after['updatedTime'])).toBeGreaterThanOrEqual(Number(before['updatedTime']) + 5)
      expect(`${after['side']} ${after['qty']} @ ${after['price']}`).toBe(expected)
    },
  )
}

row(rule, 'by clientOid; orderId wins when both are given', async () => {
  const alice = await at.person('Alice', { funds: rich })
  const { orderId } = await takenInBatch(alice, 'buy 0.1 oid:one @ 50000', btcPerpetual)
  await takenInBatch(alice, 'buy 0.2 oid:two @ 50000', btcPerpetual)
  succeeds(await modify(alice, { clientOid: 'two', price: '49000' }))
  succeeds(await modify(alice, { orderId, clientOid: 'two', price: '48000' }))
  expect(await openUnifiedOrders(alice, btcPerpetual)).toEqual(['buy 0.1 @ 48000', 'buy 0.2 @ 49000'])
})

row(rule, 'of a partly filled order the quantity is the whole of it', async () => {
  const alice = await at.person('Alice', { funds: rich })
  const bob = await at.person('Bob', { funds: rich })
  await takenInBatch(alice, 'buy 0.3 oid:mine @ 60000', btcPerpetual)
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
  refuses(await modify(alice, { clientOid: 'mine', qty: '0.09' }), 'a parameter')
  succeeds(await modify(alice, { clientOid: 'mine', qty: '0.2', price: '59000' }))
  expect(await unifiedOrder(alice, { clientOid: 'mine' })).toMatchObject({
    orderStatus: 'partially_filled',
    qty: '0.2',
    cumExecQty: '0.1',
    price: '59000',
  })
  succeeds(await modify(alice, { clientOid: 'mine', qty: '0.1' }))
  expect(await unifiedOutcome(alice, { clientOid: 'mine' })).toBe('filled 0.1')
})

table(
  { rule: 'v3 modify-order queue', decision: 'less at the same price keeps its place, anything else goes to the back' },
  [
    ['a smaller quantity keeps its place', { qty: '0.1' }, 'Alice'],
    ['the same price said again keeps it too', { qty: '0.1', price: '60000' }, 'Alice'],
    ['a larger quantity goes to the back', { qty: '0.3' }, 'Bob'],
    ['a better price comes first', { price: '60001' }, 'Alice'],
    ['there and back goes to the back', { price: '60001' }, 'Bob'],
  ],
  async (terms, first) => {
    const alice = await at.person('Alice', { funds: rich })
    const bob = await at.person('Bob', { funds: rich })
    const carol = await at.person('Carol', { funds: rich })
    await takenInBatch(alice, 'buy 0.2 oid:mine @ 60000', btcPerpetual)
    await takenInBatch(bob, 'buy 0.1 oid:his @ 60000', btcPerpetual)
    succeeds(await modify(alice, { clientOid: 'mine', ...terms }))
    if (first === 'Bob' && 'price' in terms) succeeds(await modify(alice, { clientOid: 'mine', price: '60000' }))
    await takenInBatch(carol, 'sell 0.1 @ 60000', btcPerpetual)
    expect({ Alice: (await fills(alice)).length, Bob: (await fills(bob)).length }).toMatchObject({ [first]: 1 })
  },
)

table(
  { rule: 'v3 modify-order crossing', decision: 'it trades as a taker; post_only is accepted, then cancelled at once' },
  [
    ['fills what it meets and rests', 'buy 0.3 @ 59000', { price: '60000' }, 'partially_filled 0.1 of 0.3'],
    ['fills whole', 'buy 0.1 @ 59000', { price: '60500' }, 'filled 0.1'],
    ['post_only is cancelled', 'buy 0.1 post-only @ 59000', { price: '60000' }, 'canceled 0 of 0.1'],
    [
      'post_only is cancelled with its new size',
      'buy 0.1 post-only @ 59000',
      { price: '60000', qty: '0.2' },
      'canceled 0 of 0.2',
    ],
    ['post_only that does not cross rests', 'buy 0.1 post-only @ 59000', { price: '59999' }, 'live 0 of 0.1'],
  ],
  async (order, terms, expected) => {
    const alice = await at.person('Alice', { funds: rich })
    const bob = await at.person('Bob', { funds: rich })
    await takenInBatch(alice, withWords(order, { clientOid: 'mine' }), btcPerpetual)
    await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
    succeeds(await modify(alice, { clientOid: 'mine', ...terms }))
    expect(await unifiedOutcome(alice, { clientOid: 'mine' })).toBe(expected)
  },
)

for (const market of [btcSpot, btcMargin, btcPerpetual, btcUsdc, btcInverse]) {
  const [quantity, more] = market === btcInverse ? ['600', '1200'] : ['0.01', '0.02']
  const ways: readonly [string, (person: Person, socket: Socket, terms: Fields) => Promise<unknown>][] = [
    ['modify-order', (person, _socket, terms) => modify(person, terms)],
    ['batch-modify-order', (person, _socket, terms) => person.post('/api/v3/trade/batch-modify-order', [terms])],
    [
      'the socket',
      async (_person, socket, terms) => {
        socket.send({ op: 'trade', id: '1', topic: 'modify-order', category: market.category, args: [terms] })
        await socket.next()
      },
    ],
  ]
  table(
    {
      rule: `v3 modify-order post_only ${market.category}`,
      decision: 'it ends with its new terms, told with the requestId',
    },
    ways,
    async (change) => {
      const alice = await at.person('Alice', { funds: everything })
      const bob = await at.person('Bob', { funds: everything })
      await takenInBatch(bob, `sell ${quantity} @ 60050`, market)
      const { orderId } = await takenInBatch(alice, `buy ${quantity} post-only oid:mine @ 59000`, market)
      const socket = await Socket.of(alice, '/v3/ws/private')
      const calls = await Socket.of(alice, '/v3/ws/private')
      socket.send({ op: 'subscribe', args: [{ instType: 'UTA', topic: 'order' }] })
      await socket.next()
      await change(alice, calls, { orderId, price: '60060', qty: more, requestId: 'r-1' })
      const ended = { orderId, clientOid: 'mine', orderStatus: 'cancelled', price: '60060', qty: more, cumExecQty: '0' }
      expect((await socket.next())['data']).toMatchObject([{ ...ended, requestId: 'r-1' }])
      expect(await unifiedOrder(alice, { clientOid: 'mine' })).toMatchObject(ended)
      const history = await alice.get('/api/v3/trade/history-orders', { category: market.category })
      expect(succeeds(history).list('list')).toMatchObject([ended])
      socket.close()
      calls.close()
    },
  )
}

for (const [market, offer, carol, order, filled] of [
  [btcSpot, '0.0001', '0.000092', '0.01', '0.000008'],
  [btcMargin, '0.0001', '0.000092', '0.01', '0.000008'],
  [btcPerpetual, '0.0002', '0.0001', '0.01', '0.0001'],
  [btcUsdc, '0.0002', '0.0001', '0.01', '0.0001'],
  [btcInverse, '12', '7', '600', '5'],
] as const) {
  row(
    `v3 modify-order ${market.category}`,
    'to what is filled ends it as filled, whatever the minimum value',
    async () => {
      const [alice, bob, clara] = [
        await at.person('Alice', { funds: everything }),
        await at.person('Bob', { funds: everything }),
        await at.person('Clara', { funds: everything }),
      ]
      await takenInBatch(bob, `sell ${offer} @ 59980`, market)
      await takenInBatch(clara, `buy ${carol} @ 59980`, market)
      await takenInBatch(alice, `buy ${order} oid:mine @ 59980`, market)
      const done = { cumExecQty: filled }
      expect(await unifiedOrder(alice, { clientOid: 'mine' })).toMatchObject({
        ...done,
        orderStatus: 'partially_filled',
      })
      succeeds(await modify(alice, { clientOid: 'mine', qty: filled }))
      expect(await unifiedOrder(alice, { clientOid: 'mine' })).toMatchObject({
        ...done,
        qty: filled,
        orderStatus: 'filled',
      })
    },
  )
}

table(
  {
    rule: 'v3 modify-order refused',
    decision: 'the order stays as it is, also with autoCancel when nothing would change',
  },
  [
    ['neither id', { qty: '0.1' }, 'a missing parameter'],
    ['nothing to change', { clientOid: 'mine' }, 'a missing parameter'],
    ['the same quantity', { clientOid: 'mine', qty: '0.2' }, '40923'],
    ['the same price', { clientOid: 'mine', price: '50000' }, '40923'],
    [
      'the same of both, with autoCancel',
      { clientOid: 'mine', price: '50000', qty: '0.2', autoCancel: 'yes' },
      '40923',
    ],
    ['nobody has it', { orderId: '1', qty: '0.1' }, 'an unknown order'],
    ['no such clientOid', { clientOid: 'nothing', qty: '0.1' }, 'an unknown order'],
    ['another category', { clientOid: 'mine', qty: '0.1', category: 'SPOT' }, 'an unknown order'],
    ['another symbol', { clientOid: 'mine', qty: '0.1', symbol: 'ETHUSDT' }, 'an unknown order'],
    ['an unknown symbol', { clientOid: 'mine', qty: '0.1', category: 'SPOT', symbol: 'NOUSDT' }, 'an unknown symbol'],
    ['an unknown category', { clientOid: 'mine', qty: '0.1', category: 'MOON' }, 'a parameter'],
    ['a quantity of zero', { clientOid: 'mine', qty: '0' }, 'the minimum quantity'],
    ['a quantity below the minimum', { clientOid: 'mine', qty: '0.00001' }, 'the minimum quantity'],
    ['a value below the minimum', { clientOid: 'mine', qty: '0.0001', price: '100' }, 'the minimum value'],
    ['a price of zero', { clientOid: 'mine', price: '0' }, 'the price step'],
    ['a price off its step', { clientOid: 'mine', price: '50000.05' }, 'the price step'],
    ['a price with a sign', { clientOid: 'mine', price: '-1' }, 'a parameter'],
    ['an exponent', { clientOid: 'mine', qty: '1e-1' }, 'a parameter'],
    ['a word for a quantity', { clientOid: 'mine', qty: 'all' }, 'a parameter'],
    ['more than the margin', { clientOid: 'mine', qty: '900' }, 'no balance'],
    ['another word for autoCancel', { clientOid: 'mine', qty: '0.1', autoCancel: 'perhaps' }, 'a parameter'],
    ['a take-profit below the price', { clientOid: 'mine', takeProfit: '49000' }, '43011'],
    ['a stop-loss above the price', { clientOid: 'mine', stopLoss: '51000' }, '43011'],
    ['a limit price without a take-profit', { clientOid: 'mine', tpLimitPrice: '51000' }, 'a missing parameter'],
    [
      'a limit without its price',
      { clientOid: 'mine', takeProfit: '55000', tpOrderType: 'limit' },
      'a missing parameter',
    ],
    ['a requestId that is too long', { clientOid: 'mine', qty: '0.1', requestId: 'x'.repeat(65) }, 'a parameter'],
  ],
  async (terms, expected) => {
    const alice = await at.person('Alice', { funds: { uta: { USDT: '10000' } } })
    await takenInBatch(alice, 'buy 0.2 oid:mine @ 50000', btcPerpetual)
    refuses(await modify(alice, terms), expected)
    expect(await openUnifiedOrders(alice, btcPerpetual)).toEqual(['buy 0.2 @ 50000'])
  },
)

row('v3 modify-order refused', 'somebody else cannot change it, a key that only reads neither', async () => {
  const alice = await at.person('Alice', { funds: rich })
  const { orderId } = await takenInBatch(alice, 'buy 0.2 @ 50000', btcPerpetual)
  const bob = await at.person('Bob', { funds: rich })
  refuses(await modify(bob, { orderId, qty: '0.1' }), 'an unknown order')
  const reader = await at.person('Reader', { permissions: ['read'] })
  refuses(await modify(reader, { orderId, qty: '0.1' }), '40014')
  const clara = await at.person('Clara', classic)
  refuses(await modify(clara, { orderId, qty: '0.1' }), '40084')
})

table(
  'v3 modify-order autoCancel',
  `
    case                                               | auto cancel | left
    yes: the order goes when its new terms are refused | yes         | -
    no: it stays                                       | no          | buy 0.2 @ 50000
    absent: it stays                                   | -           | buy 0.2 @ 50000
  `,
  async ({ autoCancel, left }) => {
    const alice = await at.person('Alice', { funds: { uta: { USDT: '10000' } } })
    await takenInBatch(alice, 'buy 0.2 oid:mine @ 50000', btcPerpetual)
    refuses(await modify(alice, { clientOid: 'mine', qty: '900', autoCancel: optional(autoCancel) }), 'no balance')
    expect(await openUnifiedOrders(alice, btcPerpetual)).toEqual(listed(left))
    const after = await unifiedOrder(alice, { clientOid: 'mine' })
    expect(after['orderStatus']).toBe(listed(left).length === 0 ? 'cancelled' : 'live')
    expect(Number((await unifiedAsset(alice, 'USDT'))['locked'] ?? '0') > 0).toBe(listed(left).length > 0)
  },
)

row(
  { rule: 'v3 modify-order reduce-only', decision: 'refused; closing orders of hedge mode may be changed' },
  'one-way mode',
  async () => {
    const alice = await at.person('Alice', { funds: rich })
    const bob = await at.person('Bob', { funds: rich })
    await takenInBatch(bob, 'sell 0.2 @ 60000', btcPerpetual)
    await takenInBatch(alice, 'buy 0.2 @ 60000', btcPerpetual)
    await takenInBatch(alice, 'sell 0.2 reduce-only oid:mine @ 61000', btcPerpetual)
    refuses(await modify(alice, { clientOid: 'mine', qty: '0.1' }), '25568')
    expect(await openUnifiedOrders(alice, btcPerpetual)).toEqual(['sell 0.2 @ 61000'])
  },
)

row('v3 modify-order reduce-only', 'hedge mode', async () => {
  const alice = await at.person('Alice', { funds: rich })
  const bob = await at.person('Bob', { funds: rich })
  await setHoldMode(alice, 'hedge_mode')
  await takenInBatch(bob, 'sell 0.2 @ 60000', btcPerpetual)
  await takenInBatch(alice, 'buy 0.2 long @ 60000', btcPerpetual)
  await takenInBatch(alice, 'sell 0.1 long oid:mine @ 61000', btcPerpetual)
  refuses(await modify(alice, { clientOid: 'mine', qty: '0.3' }), 'no free position')
  succeeds(await modify(alice, { clientOid: 'mine', qty: '0.2', price: '61500' }))
  expect(await openUnifiedOrders(alice, btcPerpetual)).toEqual(['sell 0.2 @ 61500'])
})

table(
  { rule: 'v3 modify-order presets', decision: 'what is left out of one stays, 0 removes it' },
  [
    [
      'a trigger price alone keeps the rest',
      { takeProfit: '56000' },
      { takeProfit: '56000', tpTriggerBy: 'mark', tpOrderType: 'limit', tpLimitPrice: '55500', stopLoss: '45000' },
    ],
    ['0 removes', { takeProfit: '0' }, { takeProfit: null, stopLoss: '45000' }],
    ['both removed', { takeProfit: '0', stopLoss: '0' }, { takeProfit: null, stopLoss: null }],
    ['what it is compared with', { tpTriggerBy: 'market' }, { takeProfit: '55000', tpTriggerBy: 'market' }],
    ['at market', { tpOrderType: 'market' }, { takeProfit: '55000', tpOrderType: 'market', tpLimitPrice: '' }],
    ['a limit price', { tpLimitPrice: '54000' }, { takeProfit: '55000', tpLimitPrice: '54000' }],
    [
      'the stop-loss, whole',
      { stopLoss: '44000', slTriggerBy: 'mark', slOrderType: 'limit', slLimitPrice: '43900' },
      { stopLoss: '44000', slTriggerBy: 'mark', slOrderType: 'limit', slLimitPrice: '43900', takeProfit: '55000' },
    ],
    [
      'with a price at once',
      { price: '51000', stopLoss: '46000' },
      { price: '51000', stopLoss: '46000', takeProfit: '55000' },
    ],
  ],
  async (terms, expected) => {
    const alice = await at.person('Alice', { funds: rich })
    const tpsl = {
      takeProfit: '55000',
      tpTriggerBy: 'mark',
      tpOrderType: 'limit',
      tpLimitPrice: '55500',
      stopLoss: '45000',
    }
    const order = {
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      qty: '0.1',
      price: '50000',
      side: 'buy',
      orderType: 'limit',
    }
    succeeds(await alice.post('/api/v3/trade/place-order', { ...order, ...tpsl, clientOid: 'mine' }))
    succeeds(await modify(alice, { clientOid: 'mine', ...terms }))
    expect(await unifiedOrder(alice, { clientOid: 'mine' })).toMatchObject(expected)
  },
)

row('v3 modify-order presets', 'those that the order has have to lie on their side of its new price', async () => {
  const alice = await at.person('Alice', { funds: rich })
  for (const market of [btcPerpetual, btcSpot]) {
    const clientOid = `mine-${market.category}`
    await takenInBatch(alice, `buy 0.1 oid:${clientOid} @ 50000`, market)
    succeeds(await modify(alice, { clientOid, stopLoss: '49000' }))
    refuses(await modify(alice, { clientOid, price: '48000' }), '43011')
    succeeds(await modify(alice, { clientOid, price: '49500' }))
  }
})

table(
  'v3 modify-order holds',
  [
    ['less at the same price gives back its part', { qty: '0.05' }, '2500'],
    ['a lower price gives back the difference', { price: '40000' }, '4000'],
    ['a higher price takes it', { price: '60000', qty: '0.1' }, '6000'],
  ],
  async (terms, locked) => {
    const alice = await at.person('Alice', { funds: { uta: { USDT: '6000' } } })
    await takenInBatch(alice, 'buy 0.1 oid:mine @ 50000', btcSpot)
    succeeds(await modify(alice, { clientOid: 'mine', ...terms }))
    expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ locked, balance: '6000' })
    succeeds(await alice.post('/api/v3/trade/cancel-order', { clientOid: 'mine' }))
    expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ locked: '0', balance: '6000' })
  },
)

row('v3 modify-order push', 'the order is told with its new terms and the requestId', async () => {
  const alice = await at.person('Alice', { funds: rich })
  const { orderId } = await takenInBatch(alice, 'buy 0.2 @ 50000', btcPerpetual)
  const socket = await Socket.of(alice, '/v3/ws/private')
  const arg = { instType: 'UTA', topic: 'order' }
  socket.send({ op: 'subscribe', args: [arg] })
  await socket.next()
  succeeds(await modify(alice, { orderId, qty: '0.1', price: '49000', requestId: 'r-1' }))
  const told = await socket.next()
  expect(told['data']).toMatchObject([{ orderId, qty: '0.1', price: '49000', orderStatus: 'live', requestId: 'r-1' }])
  succeeds(await modify(alice, { orderId, qty: '0.05' }))
  const [second] = (await socket.next())['data'] as unknown as Fields[]
  expect(second).toMatchObject({ orderId, qty: '0.05' })
  expect(second).not.toHaveProperty('requestId')
  socket.close()
})

row('v3 modify-order socket', 'modify-order and batch-modify-order are calls of the endpoints', async () => {
  const alice = await at.person('Alice', { funds: rich })
  const { orderId } = await takenInBatch(alice, 'buy 0.2 oid:mine @ 50000', btcPerpetual)
  const socket = await Socket.of(alice, '/v3/ws/private')
  const request = { op: 'trade', id: '1', category: 'usdt-futures' }
  socket.send({ ...request, topic: 'modify-order', args: [{ symbol: 'BTCUSDT', orderId, qty: '0.1' }] })
  expect(await socket.next()).toMatchObject({
    event: 'trade',
    topic: 'modify-order',
    code: '0',
    args: [{ orderId, clientOid: 'mine' }],
  })
  socket.send({
    ...request,
    topic: 'batch-modify-order',
    args: [
      { orderId, price: '49000' },
      { clientOid: 'no', qty: '1' },
    ],
  })
  expect(await socket.next()).toMatchObject({ event: 'trade', code: '0', args: [{ orderId }, { code: '43001' }] })
  expect(await openUnifiedOrders(alice, btcPerpetual)).toEqual(['buy 0.1 @ 49000'])
  socket.close()
})

row('v3 modify-order', 'survives a restart', async () => {
  const alice = await at.person('Alice', { funds: rich })
  const { orderId } = await takenInBatch(alice, 'buy 0.2 @ 50000', btcPerpetual)
  succeeds(await modify(alice, { orderId, qty: '0.1', price: '49000' }))
  await at.venue.restart('kill')
  expect(await openUnifiedOrders(alice, btcPerpetual)).toEqual(['buy 0.1 @ 49000'])
})

row('v2 modify-order push', 'the old order is told as canceled, then the new one as live', async () => {
  const alice = await at.person('Alice', classic)
  await taken(alice, 'buy 0.2 oid:old @ 50000')
  const socket = await Socket.of(alice, '/v2/ws/private')
  socket.send({ op: 'subscribe', args: [{ instType: 'USDT-FUTURES', channel: 'orders', instId: 'default' }] })
  await socket.next()
  succeeds(await modifyV2(alice, { clientOid: 'old', newClientOid: 'new', newPrice: '49000' }))
  expect((await socket.next())['data']).toMatchObject([
    { clientOid: 'old', status: 'canceled', price: '50000' },
    { clientOid: 'new', status: 'live', price: '49000', size: '0.2' },
  ])
  succeeds(await modifyV2(alice, { clientOid: 'new', newPresetStopLossPrice: '40000' }))
  expect((await socket.next())['data']).toMatchObject([
    { clientOid: 'new', status: 'live', presetStopLossPrice: '40000' },
  ])
  socket.close()
})

row('v3 modify-order push', 'what it meets at once is told after its new terms', async () => {
  const alice = await at.person('Alice', { funds: rich })
  const bob = await at.person('Bob', { funds: rich })
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
  const { orderId } = await takenInBatch(alice, 'buy 0.3 @ 50000', btcPerpetual)
  const socket = await Socket.of(alice, '/v3/ws/private')
  socket.send({ op: 'subscribe', args: [{ instType: 'UTA', topic: 'order' }] })
  await socket.next()
  succeeds(await modify(alice, { orderId, price: '60000', requestId: 'r-2' }))
  expect((await socket.next())['data']).toMatchObject([
    { orderId, price: '60000', orderStatus: 'live', cumExecQty: '0', requestId: 'r-2' },
    { orderId, price: '60000', orderStatus: 'partially_filled', cumExecQty: '0.1' },
  ])
  socket.close()
})

row('v2 cancel-replace-order unified', 'a unified account replaces spot and margin orders of its wallet', async () => {
  const alice = await at.person('Alice', { funds: rich })
  for (const market of [btcSpot, btcMargin]) {
    await takenInBatch(alice, `buy 0.2 oid:${market.category} @ 50000`, market)
    const body = { clientOid: market.category, price: '49000', size: '0.1', newClientOid: `${market.category}-new` }
    succeeds(await replaceSpot(alice, body))
    expect(await openUnifiedOrders(alice, market)).toEqual(['buy 0.1 @ 49000'])
  }
})

row('v2 cancel-replace-order hybrid', 'an order of the unified wallet is not one of the spot wallet', async () => {
  const alice = await at.person('Alice', {
    mode: 'hybrid',
    funds: { uta: { USDT: '100000' }, spot: { USDT: '100000' } },
  })
  await takenInBatch(alice, 'buy 0.2 oid:mine @ 50000', btcSpot)
  refuses(await replaceSpot(alice, { clientOid: 'mine', price: '49000', size: '0.1' }), 'an unknown order')
  expect(await openUnifiedOrders(alice, btcSpot)).toEqual(['buy 0.2 @ 50000'])
})

// v3 batch-modify-order

const modifyBatch = (person: Person, entries: unknown) => person.post('/api/v3/trade/batch-modify-order', entries)

row(
  { rule: 'v3 batch-modify-order', decision: 'every entry answers in its place; a failed one has code and msg' },
  'entries succeed and fail one by one',
  async () => {
    const alice = await at.person('Alice', { funds: rich })
    await takenInBatch(alice, 'buy 0.1 oid:one @ 50000', btcPerpetual)
    await takenInBatch(alice, 'buy 0.1 oid:two @ 50000', btcSpot)
    await takenInBatch(alice, 'buy 0.1 oid:three @ 49000', btcPerpetual)
    const answer = await modifyBatch(alice, [
      { clientOid: 'one', qty: '0.2' },
      { clientOid: 'two', price: '49000' },
      { clientOid: 'nothing', price: '49000' },
      { clientOid: 'three', qty: '99999', autoCancel: 'yes' },
      { clientOid: 'one' },
      { qty: '0.1' },
      { orderId: '17', qty: 'x' },
    ])
    const [order, two, unknown, dear, same, unnamed, word] = succeeds(answer).list()
    entryTaken(order)
    entryTaken(two)
    entryRefused(unknown, 'an unknown order')
    expect(unknown).toMatchObject({ clientOid: 'nothing' })
    entryRefused(dear, 'no balance or 45112')
    entryRefused(same, 'a missing parameter')
    entryRefused(unnamed, 'a missing parameter')
    entryRefused(word, 'a parameter')
    expect(word).toMatchObject({ orderId: '17' })
    expect(await openUnifiedOrders(alice, btcPerpetual)).toEqual(['buy 0.2 @ 50000'])
    expect(await openUnifiedOrders(alice, btcSpot)).toEqual(['buy 0.1 @ 49000'])
  },
)

table(
  'v3 batch-modify-order malformed',
  [
    ['no list', { clientOid: 'mine', qty: '0.1' }, 'the shape of the body'],
    ['an empty list', [], 'the shape of the body'],
    ['over 20', Array.from({ length: 21 }, () => ({ clientOid: 'mine', qty: '0.1' })), 'too many entries'],
    ['an entry that is no object', [{ clientOid: 'mine', qty: '0.1' }, 'x'], 'the shape of the body'],
  ],
  async (body, expected) => {
    const alice = await at.person('Alice', { funds: rich })
    await takenInBatch(alice, 'buy 0.2 oid:mine @ 50000', btcPerpetual)
    refuses(await modifyBatch(alice, body), expected)
    expect(await openUnifiedOrders(alice, btcPerpetual)).toEqual(['buy 0.2 @ 50000'])
  },
)

// v2 modify-order

const v2rule = {
  rule: 'v2 modify-order',
  decision: 'a new price or size is a new order with newClientOid in one step; presets alone change the order itself',
}

for (const options of [classic, { funds: rich }]) {
  const mode = 'mode' in options ? 'classic' : 'unified'
  table(
    { ...v2rule, rule: `v2 modify-order ${mode}` },
    [
      ['a new price', { newPrice: '49000' }, 'buy 0.2 @ 49000'],
      ['a new size', { newSize: '0.3' }, 'buy 0.3 @ 50000'],
      ['a smaller size', { newSize: '0.1' }, 'buy 0.1 @ 50000'],
      ['both', { newSize: '0.1', newPrice: '49000' }, 'buy 0.1 @ 49000'],
    ],
    async (terms, expected) => {
      const alice = await at.person('Alice', options)
      const { orderId } = await taken(alice, 'buy 0.2 oid:old @ 50000')
      const answer = succeeds(await modifyV2(alice, { orderId, newClientOid: 'new', ...terms }))
      expect(answer.fields).toEqual({ orderId: expect.stringMatching(/^\d+$/), clientOid: 'new' })
      expect(answer.fields['orderId']).not.toBe(orderId)
      expect(await openOrders(alice)).toEqual([expected])
      expect(await orderRecord(alice, { clientOid: 'old' })).toMatchObject({
        orderId,
        status: 'canceled',
        size: '0.2',
        price: '50000',
      })
      expect(await orderRecord(alice, { clientOid: 'new' })).toMatchObject({
        status: 'live',
        orderSource: 'modify_order_limit',
      })
    },
  )
}

row(v2rule, 'what was filled stays with the old order; the size left out is what it has left', async () => {
  const alice = await at.person('Alice', classic)
  const bob = await at.person('Bob', { funds: rich })
  await taken(alice, 'buy 0.3 oid:old @ 60000')
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
  succeeds(await modifyV2(alice, { clientOid: 'old', newClientOid: 'new', newPrice: '59000' }))
  expect(await openOrders(alice)).toEqual(['buy 0.2 @ 59000'])
  expect(await orderRecord(alice, { clientOid: 'old' })).toMatchObject({ status: 'canceled', baseVolume: '0.1' })
  succeeds(await modifyV2(alice, { clientOid: 'new', newClientOid: 'newer', newSize: '0.3' }))
  expect(await openOrders(alice)).toEqual(['buy 0.3 @ 59000'])
})

row(v2rule, 'coin-margined sizes are base coin', async () => {
  const alice = await at.person('Alice', classic)
  await taken(alice, 'buy 0.1 oid:old @ 50000', btcInverse)
  succeeds(await modifyV2(alice, { clientOid: 'old', newClientOid: 'new', newSize: '0.2' }, btcInverse))
  expect(await orderRecord(alice, { clientOid: 'new' }, btcInverse)).toMatchObject({ size: '0.2', price: '50000' })
})

table(
  { ...v2rule, rule: 'v2 modify-order presets' },
  [
    [
      'a take-profit',
      { newPresetStopSurplusPrice: '56000' },
      { presetStopSurplusPrice: '56000', presetStopLossPrice: '45000' },
    ],
    [
      'a stop-loss',
      { newPresetStopLossPrice: '44000' },
      { presetStopSurplusPrice: '55000', presetStopLossPrice: '44000' },
    ],
    [
      '0 removes',
      { newPresetStopSurplusPrice: '0', newPresetStopLossPrice: '0' },
      { presetStopSurplusPrice: '', presetStopLossPrice: '' },
    ],
    [
      'newClientOid does not count',
      { newPresetStopLossPrice: '44000', newClientOid: 'other' },
      { presetStopLossPrice: '44000' },
    ],
  ],
  async (terms, expected) => {
    const alice = await at.person('Alice', classic)
    const order = {
      symbol: 'BTCUSDT',
      productType: 'USDT-FUTURES',
      marginMode: 'crossed',
      marginCoin: 'USDT',
      size: '0.1',
      price: '50000',
      side: 'buy',
      orderType: 'limit',
    }
    const tpsl = { presetStopSurplusPrice: '55000', presetStopLossPrice: '45000' }
    const placed = succeeds(
      await alice.post('/api/v2/mix/order/place-order', { ...order, ...tpsl, clientOid: 'mine' }),
    ).fields
    const answer = succeeds(await modifyV2(alice, { clientOid: 'mine', ...terms }))
    expect(answer.fields).toEqual({ orderId: placed['orderId'], clientOid: 'mine' })
    expect(await orderRecord(alice, { clientOid: 'mine' })).toMatchObject({ status: 'live', ...expected })
    // A new order has them too, and they have to lie on their side of its price.
    if (expected.presetStopLossPrice !== '') {
      refuses(await modifyV2(alice, { clientOid: 'mine', newClientOid: 'new', newPrice: '43000' }), '43011')
    }
    succeeds(await modifyV2(alice, { clientOid: 'mine', newClientOid: 'new', newPrice: '49500' }))
    expect(await orderRecord(alice, { clientOid: 'new' })).toMatchObject({ status: 'live', ...expected })
  },
)

table(
  { rule: 'v2 modify-order refused', decision: 'the old order stays as it is' },
  [
    ['neither id', { newClientOid: 'new', newPrice: '49000' }, 'a missing parameter'],
    ['nothing to change', { clientOid: 'old', newClientOid: 'new' }, 'a missing parameter'],
    ['no newClientOid', { clientOid: 'old', newPrice: '49000' }, '22003'],
    ['its own clientOid again', { clientOid: 'old', newClientOid: 'old', newPrice: '49000' }, '40786'],
    ['a clientOid that is taken', { clientOid: 'old', newClientOid: 'taken', newPrice: '49000' }, '40786'],
    ['the same price and size', { clientOid: 'old', newClientOid: 'new', newPrice: '50000', newSize: '0.2' }, '40923'],
    ['nobody has it', { orderId: '1', newClientOid: 'new', newPrice: '49000' }, 'an unknown order'],
    [
      'another symbol',
      { symbol: 'ETHUSDT', clientOid: 'old', newClientOid: 'new', newPrice: '3000' },
      'an unknown order',
    ],
    [
      'an unknown symbol',
      { symbol: 'NOUSDT', clientOid: 'old', newClientOid: 'new', newPrice: '1' },
      'an unknown symbol',
    ],
    ['a size of zero', { clientOid: 'old', newClientOid: 'new', newSize: '0' }, 'the minimum quantity'],
    ['more than the margin', { clientOid: 'old', newClientOid: 'new', newSize: '800' }, 'no balance'],
    ['a price off its step', { clientOid: 'old', newClientOid: 'new', newPrice: '50000.05' }, 'the price step'],
    ['a take-profit below the price', { clientOid: 'old', newPresetStopSurplusPrice: '49000' }, '43011'],
    ['a strange newClientOid', { clientOid: 'old', newClientOid: 'ä', newPrice: '49000' }, '40305'],
  ],
  async (terms, expected) => {
    const alice = await at.person('Alice', classic)
    await taken(alice, 'buy 0.2 oid:old @ 50000')
    await taken(alice, 'buy 0.1 oid:taken @ 40000')
    refuses(await modifyV2(alice, terms), expected)
    expect(await openOrders(alice)).toEqual(['buy 0.2 @ 50000', 'buy 0.1 @ 40000'])
  },
)

row(
  {
    rule: 'v2 modify-order reduce-only',
    decision: 'replaced by the rule of any reduce-only order: the answer has no orderId when others had to go',
  },
  'one-way mode',
  async () => {
    const alice = await at.person('Alice', classic)
    const bob = await at.person('Bob', { funds: rich })
    await takenInBatch(bob, 'sell 0.2 @ 60000', btcPerpetual)
    await taken(alice, 'buy 0.2 @ 60000')
    await taken(alice, 'sell 0.1 reduce-only oid:one @ 61000')
    await taken(alice, 'sell 0.1 reduce-only oid:two @ 62000')
    const kept = succeeds(await modifyV2(alice, { clientOid: 'one', newClientOid: 'three', newPrice: '61500' }))
    expect(kept.fields).toHaveProperty('orderId')
    expect(await openOrders(alice)).toEqual(['sell 0.1 @ 62000', 'sell 0.1 @ 61500'])
    const alone = succeeds(await modifyV2(alice, { clientOid: 'three', newClientOid: 'four', newSize: '0.2' }))
    expect(alone.fields).toEqual({ clientOid: 'four' })
    expect(await openOrders(alice)).toEqual(['sell 0.2 @ 61500'])
  },
)

row(v2rule, 'hedge mode: the new order means the same position', async () => {
  const alice = await at.person('Alice', classic)
  const bob = await at.person('Bob', { funds: rich })
  await setHoldMode(alice, 'hedge_mode')
  await takenInBatch(bob, 'sell 0.2 @ 60000', btcPerpetual)
  await taken(alice, 'buy 0.2 open @ 60000')
  await taken(alice, 'buy 0.2 close oid:old @ 61000')
  await taken(alice, 'sell 0.1 open oid:short @ 65000')
  succeeds(await modifyV2(alice, { clientOid: 'old', newClientOid: 'new', newPrice: '62000' }))
  succeeds(await modifyV2(alice, { clientOid: 'short', newClientOid: 'shorter', newPrice: '66000' }))
  expect(await orderRecord(alice, { clientOid: 'new' })).toMatchObject({
    tradeSide: 'close',
    posSide: 'long',
    side: 'buy',
  })
  expect(await orderRecord(alice, { clientOid: 'shorter' })).toMatchObject({
    tradeSide: 'open',
    posSide: 'short',
    side: 'sell',
  })
})

// v2 spot cancel-replace

const spotRule = { rule: 'v2 cancel-replace-order', decision: 'one step: refused, the old order stays' }

const spotOrder = (clientOid: string, fields: object = {}) => ({
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
  price: '50000',
  size: '0.2',
  clientOid,
  ...fields,
})

async function spotInfo(person: Person, clientOid: string): Promise<Fields> {
  return succeeds(await person.get('/api/v2/spot/trade/orderInfo', { clientOid })).list()[0] ?? {}
}

row(spotRule, 'a new order takes the place of the old one', async () => {
  const alice = await at.person('Alice', classic)
  const placed = succeeds(await alice.post('/api/v2/spot/trade/place-order', spotOrder('old'))).fields
  const answer = succeeds(
    await replaceSpot(alice, { orderId: placed['orderId'], price: '40000', size: '0.1', newClientOid: 'new' }),
  )
  expect(answer.fields).toEqual({
    orderId: expect.stringMatching(/^\d+$/),
    clientOid: 'new',
    success: 'success',
    msg: null,
  })
  expect(await spotInfo(alice, 'old')).toMatchObject({ status: 'cancelled', size: '0.2' })
  expect(await spotInfo(alice, 'new')).toMatchObject({ status: 'live', size: '0.1', price: '40000' })
  expect(await spotAsset(alice, 'USDT')).toMatchObject({ available: '96000', frozen: '4000' })
})

row(spotRule, 'the money of the old order is the money of the new one', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { spot: { USDT: '10000' } } })
  succeeds(await alice.post('/api/v2/spot/trade/place-order', spotOrder('old')))
  refuses(await replaceSpot(alice, { clientOid: 'old', price: '50000.01', size: '0.2' }), 'no balance')
  expect(await spotInfo(alice, 'old')).toMatchObject({ status: 'live' })
  const { clientOid } = succeeds(await replaceSpot(alice, { clientOid: 'old', price: '40000', size: '0.25' })).fields
  expect(await spotInfo(alice, clientOid ?? '')).toMatchObject({ status: 'live', size: '0.25' })
  expect(await spotAsset(alice, 'USDT')).toMatchObject({ available: '0', frozen: '10000' })
})

row(spotRule, 'a cross margin order keeps its loan', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { crossed_margin: { USDT: '10000' } } })
  const order = {
    symbol: 'BTCUSDT',
    orderType: 'limit',
    side: 'buy',
    loanType: 'autoLoan',
    force: 'gtc',
    price: '50000',
    baseSize: '0.4',
    clientOid: 'old',
  }
  succeeds(await alice.post('/api/v2/margin/crossed/place-order', order))
  const owed = async () =>
    succeeds(await alice.get('/api/v2/margin/crossed/account/assets', { coin: 'USDT' })).list()[0] ?? {}
  const before = await owed()
  succeeds(await replaceSpot(alice, { clientOid: 'old', price: '49000', size: '0.4', newClientOid: 'new' }))
  const after = await owed()
  expect(before).toMatchObject({ borrow: '10000', frozen: '20000' })
  expect(after['frozen']).toBe('19600')
  expect(Number(after['borrow']) + Number(after['interest'])).toBeCloseTo(
    Number(before['borrow']) + Number(before['interest']) - 400,
    6,
  )
  const open = await alice.get('/api/v2/margin/crossed/open-orders', {
    symbol: 'BTCUSDT',
    startTime: at.venue.now() - 1000,
  })
  expect(succeeds(open).list('orderList')).toMatchObject([{ clientOid: 'new', baseSize: '0.4', price: '49000' }])
  succeeds(await alice.post('/api/v2/margin/crossed/cancel-order', { symbol: 'BTCUSDT', clientOid: 'new' }))
})

row(spotRule, 'a key without margin_trade replaces no margin order', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { crossed_margin: { USDT: '10000' } } })
  const order = {
    symbol: 'BTCUSDT',
    orderType: 'limit',
    side: 'buy',
    loanType: 'normal',
    force: 'gtc',
    price: '50000',
    baseSize: '0.1',
    clientOid: 'old',
  }
  succeeds(await alice.post('/api/v2/margin/crossed/place-order', order))
  const key = await at.venue.makeKey(alice.uid, ['spot_trade'])
  const body = { symbol: 'BTCUSDT', clientOid: 'old', price: '49000', size: '0.1' }
  refuses(await alice.post('/api/v2/spot/trade/cancel-replace-order', body, { key }), '40014')
  succeeds(await alice.post('/api/v2/margin/crossed/cancel-order', { symbol: 'BTCUSDT', clientOid: 'old' }))
})

table(
  spotRule,
  [
    ['neither id', { price: '49000', size: '0.1' }, 'a missing parameter'],
    ['no price', { clientOid: 'old', size: '0.1' }, 'a missing parameter'],
    ['no size', { clientOid: 'old', price: '49000' }, 'a missing parameter'],
    ['no symbol', { symbol: undefined, clientOid: 'old', price: '49000', size: '0.1' }, 'a missing parameter'],
    ['nobody has it', { orderId: '1', price: '49000', size: '0.1' }, 'an unknown order'],
    ['another symbol', { symbol: 'ETHUSDT', clientOid: 'old', price: '3000', size: '1' }, 'an unknown order'],
    ['an unknown symbol', { symbol: 'NOUSDT', clientOid: 'old', price: '3000', size: '1' }, 'an unknown symbol'],
    ['a taken newClientOid', { clientOid: 'old', newClientOid: 'old', price: '49000', size: '0.1' }, '40786'],
    ['a size of zero', { clientOid: 'old', price: '49000', size: '0' }, 'the minimum quantity'],
    ['a price of zero', { clientOid: 'old', price: '0', size: '0.1' }, 'the price step'],
    ['a market order', { clientOid: 'old', price: '49000', size: '0.1', orderType: 'market' }, 'a parameter'],
    ['a take-profit below', { clientOid: 'old', price: '49000', size: '0.1', presetTakeProfitPrice: '48000' }, '43011'],
    [
      'a stop-loss above',
      { clientOid: 'old', price: '49000', size: '0.1', presetStopLossPrice: '50000', executeStopLossPrice: '39000' },
      '43011',
    ],
    ['more money than there is', { clientOid: 'old', price: '60000', size: '2' }, 'no balance'],
  ],
  async (body, expected) => {
    const alice = await at.person('Alice', classic)
    succeeds(await alice.post('/api/v2/spot/trade/place-order', spotOrder('old')))
    refuses(await replaceSpot(alice, body), expected)
    expect(await spotInfo(alice, 'old')).toMatchObject({ status: 'live', size: '0.2', price: '50000' })
  },
)

row('v2 batch-cancel-replace-order', 'every entry answers in its place', async () => {
  const alice = await at.person('Alice', classic)
  for (const name of ['one', 'two', 'three'])
    succeeds(await alice.post('/api/v2/spot/trade/place-order', spotOrder(name, { size: '0.1' })))
  const answer = await alice.post('/api/v2/spot/trade/batch-cancel-replace-order', {
    orderList: [
      { symbol: 'BTCUSDT', clientOid: 'one', price: '49000', size: '0.1', newClientOid: 'first' },
      { symbol: 'BTCUSDT', clientOid: 'nothing', price: '49000', size: '0.1' },
      { symbol: 'BTCUSDT', clientOid: 'two', price: '49000', size: '99' },
      { symbol: 'BTCUSDT', clientOid: 'three', price: 'x', size: '0.1' },
    ],
  })
  const said = succeeds(answer).list()
  expect(said).toMatchObject([
    { orderId: expect.stringMatching(/^\d+$/), clientOid: 'first', success: 'success', msg: null },
    { orderId: '', clientOid: 'nothing', success: 'failure', msg: expect.stringMatching(/./) },
    { clientOid: 'two', success: 'failure', msg: expect.stringMatching(/./) },
    { clientOid: 'three', success: 'failure', msg: expect.stringMatching(/price/) },
  ])
  expect(await spotInfo(alice, 'two')).toMatchObject({ status: 'live', size: '0.1' })
})

table(
  'v2 batch-cancel-replace-order malformed',
  [
    ['no list', {}, 'a missing parameter'],
    ['an empty list', { orderList: [] }, 'a parameter'],
    [
      'over 50',
      { orderList: Array.from({ length: 51 }, () => ({ symbol: 'BTCUSDT', clientOid: 'a', price: '1', size: '1' })) },
      'too many entries',
    ],
  ],
  async (body, expected) => {
    const alice = await at.person('Alice', classic)
    answers(await alice.post('/api/v2/spot/trade/batch-cancel-replace-order', body), expected)
  },
)
