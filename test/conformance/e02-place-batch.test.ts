/**
 * E2: a batch of orders on the unified account: its shape, every field, and every rule.
 *
 * Source  interface.md E2, Errors rule 2, Limits; design §4.6, §4.8, §4.28, §4.29, §4.30, §4.31; wire/v3-endpoints.md
 */
import { expect } from 'vitest'
import {
  type Market,
  batchOrder,
  btcInverse,
  btcMargin,
  btcPerpetual,
  btcSpot,
  ethPerpetual,
  futuresAccount,
  openUnifiedOrders,
  paths,
  placeBatch,
  position,
  setHoldMode,
  spotAsset,
  taken,
  takenInBatch,
  unifiedAsset,
  unifiedOrder,
  unifiedOutcome,
} from '../support/trading.ts'
import { listed } from '../support/text-table.ts'
import { answers, entryRefused, entryTaken, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const funds = { uta: { USDT: '1000000', BTC: '10', ETH: '100' } } as const
const spotOrder = batchOrder('buy 0.01 @ 59000', btcSpot)
const futuresOrder = batchOrder('buy 0.01 @ 59000', btcPerpetual)

function without(order: Record<string, string>, field: string): Record<string, string> {
  return Object.fromEntries(Object.entries(order).filter(([name]) => name !== field))
}

const malformed = {
  rule: 'E2 batch',
  decision:
    'a malformed batch (no array, empty, over 20, mixed or missing categories) fails whole and places nothing (design §4.8, §4.30)',
} as const

table(
  malformed,
  [
    // what                                   body
    ['no array', spotOrder, 'the shape of the body'],
    ['an empty array', [], 'the shape of the body'],
    ['21 orders', Array.from({ length: 21 }, () => spotOrder), 'too many entries'],
    ['100 orders', Array.from({ length: 100 }, () => spotOrder), 'too many entries'],
    ['two categories', [spotOrder, futuresOrder], 'a parameter'],
    ['SPOT and MARGIN are two categories', [spotOrder, { ...spotOrder, category: 'MARGIN' }], 'a parameter'],
    ['an entry without category', [spotOrder, without(spotOrder, 'category')], 'a parameter'],
    ['only an entry without category', [without(spotOrder, 'category')], 'a parameter'],
    ['an unknown category', [{ ...spotOrder, category: 'OPTIONS' }], 'a parameter'],
    ['an entry that is null', [spotOrder, null], 'the shape of the body'],
    ['an entry that is a text', [spotOrder, 'buy'], 'the shape of the body'],
    ['a batch in an object', { orderList: [spotOrder] }, 'the shape of the body'],
  ],
  async (body, expected) => {
    const alice = await at.person('Alice', { funds })
    refuses(await alice.post(paths.placeBatch, body), `${expected} or a parameter`)
    expect(await openUnifiedOrders(alice, btcSpot)).toEqual([])
  },
)

row('E2 batch', 'exactly 20 orders are taken, in request order', async () => {
  const alice = await at.person('Alice', { funds })
  const names = Array.from({ length: 20 }, (_, index) => `order-${index}`)
  const answer = succeeds(
    await placeBatch(
      alice,
      names.map((name) => `buy 0.001 oid:${name} @ 59000`),
      btcSpot,
    ),
  )
  expect(answer.list().map((entry) => entry['clientOid'])).toEqual(names)
  for (const entry of answer.list()) entryTaken(entry)
  expect(new Set(answer.list().map((entry) => entry['orderId'])).size).toBe(20)
  expect(await openUnifiedOrders(alice, btcSpot)).toHaveLength(20)
})

row('E2 batch', 'one order is a batch too', async () => {
  const alice = await at.person('Alice', { funds })
  entryTaken(succeeds(await placeBatch(alice, ['buy 0.01 @ 59000'], btcSpot)).list()[0])
})

row('E2 batch', 'orders of several symbols of one category', async () => {
  const alice = await at.person('Alice', { funds })
  const orders = [batchOrder('buy 0.01 @ 59000', btcPerpetual), batchOrder('buy 0.1 @ 2950', ethPerpetual)]
  for (const entry of succeeds(await alice.post(paths.placeBatch, orders)).list()) entryTaken(entry)
})

table(
  'E2 table category',
  [
    // what             category         order
    ['SPOT', btcSpot, 'buy 0.01 @ 59000'],
    ['MARGIN', btcMargin, 'buy 0.01 @ 59000'],
    ['USDT-FUTURES', btcPerpetual, 'buy 0.01 @ 59000'],
    ['COIN-FUTURES', btcInverse, 'buy 1000 @ 59000'],
    ['USDC-FUTURES', { category: 'USDC-FUTURES', symbol: 'BTCPERP', marginCoin: 'USDC' }, 'buy 0.01 @ 59000'],
    ['in lower case', { ...btcPerpetual, category: 'usdt-futures', symbol: 'btcusdt' }, 'buy 0.01 @ 59000'],
  ],
  async (market, order) => {
    const alice = await at.person('Alice', { funds: { uta: { ...funds.uta, USDC: '100000' } } })
    entryTaken(succeeds(await placeBatch(alice, [order], market)).list()[0])
  },
)

const partial = {
  rule: 'E2 rule 9',
  decision: 'a failed order does not fail the batch: 200, 00000, and its entry carries code and msg (design §4.8)',
} as const

table(
  partial,
  [
    // what                                          the second of three orders                              refused as
    ['an unknown symbol', { symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['a missing qty', { qty: undefined }, 'a missing parameter'],
    ['a missing symbol', { symbol: undefined }, 'a missing parameter'],
    ['a missing side', { side: undefined }, 'a missing parameter'],
    ['a missing orderType', { orderType: undefined }, 'a missing parameter'],
    ['a limit order without price', { price: undefined }, 'a missing parameter'],
    ['an empty qty', { qty: '' }, 'a parameter'],
    ['an unknown side', { side: 'hold' }, 'a parameter'],
    ['an unknown orderType', { orderType: 'stop' }, 'a parameter'],
    ['an unknown timeInForce', { timeInForce: 'day' }, 'a parameter'],
    ['an unknown stpMode', { stpMode: 'cancel_all' }, 'a parameter'],
    ['a price off the tick', { price: '59000.001' }, 'the price step'],
    ['a quantity off the step', { qty: '0.01000001' }, 'the quantity step'],
    ['a quantity below the minimum', { qty: '0.000001' }, 'the minimum quantity or the minimum value'],
    ['more than the balance', { qty: '1000' }, 'no balance'],
  ],
  async (fields, expected) => {
    const alice = await at.person('Alice', { funds })
    const orders = [
      { ...spotOrder, clientOid: 'first' },
      { ...spotOrder, clientOid: 'second', ...fields },
      { ...spotOrder, clientOid: 'third' },
    ]
    const entries = succeeds(await alice.post(paths.placeBatch, orders)).list()
    expect(entries.map((entry) => entry['clientOid'])).toEqual(['first', 'second', 'third'])
    entryTaken(entries[0])
    entryRefused(entries[1], expected)
    entryTaken(entries[2])
    expect(await openUnifiedOrders(alice, btcSpot)).toHaveLength(2)
  },
)

row(partial, 'a batch of which every order fails is still 200 and 00000', async () => {
  const alice = await at.person('Alice')
  const entries = succeeds(await placeBatch(alice, ['buy 0.01 @ 59000', 'sell 0.01 @ 61000'], btcSpot)).list()
  for (const entry of entries) entryRefused(entry, '43012')
})

row(partial, 'orders of one batch use the balance one after the other', async () => {
  const alice = await at.person('Alice', { funds: { uta: { USDT: '1000' } } })
  const orders = ['buy 0.01 @ 60000', 'buy 0.01 @ 60000', 'buy 0.005 @ 60000']
  const entries = succeeds(await placeBatch(alice, orders, btcSpot)).list()
  entryTaken(entries[0])
  entryRefused(entries[1], '43012')
  entryTaken(entries[2])
})

const futuresSteps = `
  case                           | order                       | expected
  a price on the tick            | buy 0.01 @ 59000.1          | ok
  a price off the tick           | buy 0.01 @ 59000.15         | the price step
  a price of zero                | buy 0.01 @ 0                | a parameter or the price step
  a quantity on the step         | buy 0.0101 @ 59000          | ok
  a quantity off the step        | buy 0.01005 @ 59000         | the quantity step
  trailing zeros are no decimals | buy 0.0100000 @ 59000.10000 | ok
  a quantity below the minimum   | buy 0.00001 @ 59000         | the minimum quantity or the quantity step
`

table('E2 rule 1', futuresSteps, async ({ order, expected }) => {
  const alice = await at.person('Alice', { funds })
  const [entry] = succeeds(await placeBatch(alice, [order], btcPerpetual)).list()
  if (expected === 'ok') entryTaken(entry)
  else entryRefused(entry, expected)
})

table(
  'E2 rule 2',
  `
    case                           | order                        | expected
    a price with two decimals      | buy 0.01 @ 59000.01          | ok
    a price with three decimals    | buy 0.01 @ 59000.001         | the price step
    a quantity with six decimals   | buy 0.010001 @ 59000         | ok
    a quantity with seven decimals | buy 0.0100001 @ 59000        | the quantity step
    trailing zeros are no decimals | buy 0.01000000 @ 59000.01000 | ok
    less value than the minimum    | buy 0.000001 @ 59000         | the minimum quantity or the minimum value
    a market buy of too little     | buy 0.01                     | the minimum quantity or the minimum value
  `,
  async ({ order, expected }) => {
    const alice = await at.person('Alice', { funds })
    const [entry] = succeeds(await placeBatch(alice, [order], btcSpot)).list()
    if (expected === 'ok') entryTaken(entry)
    else entryRefused(entry, expected)
  },
)

table(
  { rule: 'E2 rules 1 and 2', decision: 'both minimums of the instrument record are enforced (design §4.31)' },
  [
    ['spot', btcSpot],
    ['USDT futures', btcPerpetual],
  ],
  async (market) => {
    const alice = await at.person('Alice', { funds })
    const query = { category: market.category, symbol: market.symbol }
    const [record] = succeeds(await at.venue.get('/api/v3/market/instruments', query)).list()
    const { minOrderQty, minOrderAmount, quantityPrecision } = record ?? {}
    const step = 10 ** -Number(quantityPrecision)
    const least = Math.max(Number(minOrderQty), Math.ceil(Number(minOrderAmount) / 60000 / step) * step, step)
    const decimals = Number(quantityPrecision)
    const [enough] = succeeds(await placeBatch(alice, [`buy ${least.toFixed(decimals)} @ 60000`], market)).list()
    entryTaken(enough)
    const less = least - step
    if (less <= 0) return
    const [short] = succeeds(await placeBatch(alice, [`buy ${less.toFixed(decimals)} @ 60000`], market)).list()
    entryRefused(short, 'the minimum quantity or the minimum value')
  },
)

table(
  'E2 table qty',
  [
    // what                                                    market        resting               order           outcome              position or balance
    ['a spot market buy names quote coin', btcSpot, 'sell 0.5 @ 60000', 'buy 6000', 'filled 0.1'],
    ['a spot market sell names base coin', btcSpot, 'buy 0.5 @ 60000', 'sell 0.1', 'filled 0.1'],
    ['a spot limit buy names base coin', btcSpot, 'sell 0.5 @ 60000', 'buy 0.1 @ 60000', 'filled 0.1'],
    ['a margin market buy names quote coin', btcMargin, 'sell 0.5 @ 60000', 'buy 6000', 'filled 0.1'],
    ['a linear market buy names base coin', btcPerpetual, 'sell 0.5 @ 60000', 'buy 0.1', 'filled 0.1'],
    ['an inverse order names quote coin', btcInverse, 'sell 60000 @ 60000', 'buy 6000', 'filled 6000'],
  ],
  async (market, resting, order, expected) => {
    const bob = await at.person('Bob', { funds })
    const alice = await at.person('Alice', { funds })
    await takenInBatch(bob, resting, market)
    expect(await unifiedOutcome(alice, await takenInBatch(alice, order, market))).toBe(expected)
  },
)

table(
  'E2 table orderType',
  [
    // what                                                     fields                                        answer
    ['a market order needs no price', { orderType: 'market', price: undefined, qty: '0.01' }, 'ok'],
    ['a market order ignores a price', { orderType: 'market', price: '1', qty: '0.01' }, 'ok'],
    ['a market order ignores timeInForce', { orderType: 'market', price: undefined, timeInForce: 'gtc' }, 'ok'],
    ['timeInForce absent is gtc', { timeInForce: undefined }, 'ok'],
    ['timeInForce in capitals', { timeInForce: 'POST_ONLY' }, 'ok'],
  ],
  async (fields, _expected) => {
    const alice = await at.person('Alice', { funds })
    const [entry] = succeeds(await alice.post(paths.placeBatch, [{ ...futuresOrder, ...fields }])).list()
    entryTaken(entry)
  },
)

row('E2 table timeInForce', 'absent: the record says gtc', async () => {
  const alice = await at.person('Alice', { funds })
  succeeds(await alice.post(paths.placeBatch, [{ ...without(futuresOrder, 'timeInForce'), clientOid: 'default' }]))
  expect(await unifiedOrder(alice, { clientOid: 'default' })).toMatchObject({ timeInForce: 'gtc', price: '59000' })
})

const clientOid = 'a client order id'

table(
  'E2 table clientOid',
  [
    // what                                 id                                         answer
    ['one character', 'a', 'ok'],
    ['32 characters', 'a'.repeat(32), 'ok'],
    ['33 characters', 'a'.repeat(33), clientOid],
    ['every kind of character', 'Az09.:/_-', 'ok'],
    ['a blank inside', 'my order', clientOid],
    ['a blank at the end', 'order ', clientOid],
    ['a newline at the end', 'order\n', clientOid],
    ['a hash', 'order#1', clientOid],
    ['an at sign', 'me@home', clientOid],
    ['a plus', 'a+b', clientOid],
    ['a backslash', 'a\\b', clientOid],
    ['an umlaut', 'größe', clientOid],
    ['a full-width digit', 'order１', clientOid],
    ['an emoji', 'order🌊', clientOid],
    ['a NUL', 'order\u0000', clientOid],
  ],
  async (id, expected) => {
    const alice = await at.person('Alice', { funds })
    const [entry] = succeeds(await alice.post(paths.placeBatch, [{ ...spotOrder, clientOid: id }])).list()
    if (expected === 'ok') {
      entryTaken(entry)
      expect(entry?.['clientOid']).toBe(id)
      expect(await unifiedOrder(alice, { clientOid: id })).toMatchObject({ clientOid: id })
    } else {
      entryRefused(entry, 'a parameter')
      expect(await openUnifiedOrders(alice, btcSpot)).toEqual([])
    }
  },
)

row(
  { rule: 'E2 table clientOid', decision: 'none given: the venue makes one (design §4.6)' },
  'none: the answer names one that finds the order',
  async () => {
    const alice = await at.person('Alice', { funds })
    const entry = await takenInBatch(alice, 'buy 0.01 @ 59000', btcSpot)
    expect(entry['clientOid']).toMatch(/./)
    const found = await unifiedOrder(alice, { clientOid: entry['clientOid'] ?? '' })
    expect(found).toMatchObject({ orderId: entry['orderId'] })
  },
)

const unique = {
  rule: 'design §4.6',
  decision: 'clientOid is unique per account among live orders and those of the last 24 hours: 40786, nothing changes',
} as const

row(unique, 'the same id twice in one batch: the second is refused', async () => {
  const alice = await at.person('Alice', { funds })
  const orders = ['buy 0.01 oid:twin @ 59000', 'buy 0.01 oid:twin @ 58000']
  const entries = succeeds(await placeBatch(alice, orders, btcSpot)).list()
  entryTaken(entries[0])
  entryRefused(entries[1], '40786')
  expect(await openUnifiedOrders(alice, btcSpot)).toEqual(['buy 0.01 @ 59000'])
})

row(unique, 'the same id in another batch', async () => {
  const alice = await at.person('Alice', { funds })
  await takenInBatch(alice, 'buy 0.01 oid:twin @ 59000', btcSpot)
  entryRefused(succeeds(await placeBatch(alice, ['buy 0.01 oid:twin @ 59000'], btcSpot)).list()[0], '40786')
  expect(await openUnifiedOrders(alice, btcSpot)).toEqual(['buy 0.01 @ 59000'])
})

row(unique, 'the same id in another category and another symbol', async () => {
  const alice = await at.person('Alice', { funds })
  await takenInBatch(alice, 'buy 0.01 oid:twin @ 59000', btcSpot)
  entryRefused(succeeds(await placeBatch(alice, ['buy 0.1 oid:twin @ 2950'], ethPerpetual)).list()[0], '40786')
})

row(unique, 'the id of a filled order is still taken', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds })
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcSpot)
  await takenInBatch(alice, 'buy 0.1 oid:twin @ 60000', btcSpot)
  entryRefused(succeeds(await placeBatch(alice, ['buy 0.1 oid:twin @ 59000'], btcSpot)).list()[0], '40786')
})

row(unique, 'another account may use the same id', async () => {
  const alice = await at.person('Alice', { funds })
  const bob = await at.person('Bob', { funds })
  await takenInBatch(alice, 'buy 0.01 oid:twin @ 59000', btcSpot)
  await takenInBatch(bob, 'buy 0.01 oid:twin @ 59000', btcSpot)
})

row(
  { rule: 'design §4.29', decision: 'a refused order leaves its clientOid free' },
  'a refused order may be sent again under its id',
  async () => {
    const alice = await at.person('Alice', { funds })
    entryRefused(succeeds(await placeBatch(alice, ['buy 1000 oid:again @ 59000'], btcSpot)).list()[0], '43012')
    await takenInBatch(alice, 'buy 0.01 oid:again @ 59000', btcSpot)
  },
)

table(
  { rule: 'E2 errors', decision: 'codes that clients know: 43012 for spot, 40762 for futures (design §4.4)' },
  [
    // what                                         funds                     market        order                     code
    ['spot buy without quote coin', { USDT: '599.99' }, btcSpot, 'buy 0.01 @ 60000', '43012'],
    ['spot sell without base coin', { BTC: '0.0099' }, btcSpot, 'sell 0.01 @ 60000', '43012'],
    ['a spot market buy beyond the balance', { USDT: '599.99' }, btcSpot, 'buy 600', '43012'],
    ['futures without margin', { USDT: '1' }, btcPerpetual, 'buy 1 @ 60000', '40762'],
    ['inverse futures without margin', { USDT: '0.1' }, btcInverse, 'buy 60000 @ 60000', '40762'],
    ['a spot buy of far more', { USDT: '600' }, btcSpot, 'buy 1000000 @ 60000', '43012'],
    ['a spot sell of far more', { BTC: '1' }, btcSpot, 'sell 1000000 @ 60000', '43012'],
    ['a margin buy of far more', { USDT: '600' }, btcMargin, 'buy 1000000 @ 60000', '43012'],
    ['futures of far more', { USDT: '600' }, btcPerpetual, 'buy 1000000 @ 60000', '40762'],
    ['inverse futures of far more', { BTC: '1' }, btcInverse, 'sell 1000000000000000 @ 60000', '40762'],
  ],
  async (coins, market, order, code) => {
    const alice = await at.person('Alice', { funds: { uta: coins } })
    entryRefused(succeeds(await placeBatch(alice, [order], market)).list()[0], code)
  },
)

table(
  'E2 balance',
  [
    // exactly enough, one unit short           funds                       order                       answer
    ['exactly the cost of a buy', { USDT: '600' }, 'buy 0.01 @ 60000', 'ok'],
    ['a unit less', { USDT: '599.99999999' }, 'buy 0.01 @ 60000', '43012'],
    ['exactly the coins of a sell', { BTC: '0.01' }, 'sell 0.01 @ 60000', 'ok'],
    ['a unit less', { BTC: '0.00999999' }, 'sell 0.01 @ 60000', '43012'],
    ['exactly the quote of a market buy', { USDT: '600' }, 'buy 600', 'ok'],
  ],
  async (coins, order, expected) => {
    const alice = await at.person('Alice', { funds: { uta: coins } })
    const [entry] = succeeds(await placeBatch(alice, [order], btcSpot)).list()
    if (expected === 'ok') entryTaken(entry)
    else entryRefused(entry, expected)
  },
)

row('E2 rule 3', 'a margin buy beyond the balance borrows what is missing', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds: { uta: { USDT: '10000' } } })
  await takenInBatch(bob, 'sell 0.5 @ 60000', btcSpot)
  const order = await takenInBatch(alice, 'buy 0.3 @ 60000', btcMargin)
  expect(await unifiedOutcome(alice, order)).toBe('filled 0.3')
  const { debt } = await unifiedAsset(alice, 'USDT')
  expect(Number(debt)).toBeGreaterThanOrEqual(8000)
  expect(Number(debt)).toBeLessThan(8001)
})

row('E2 rule 3', 'a margin buy within the balance borrows nothing', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds: { uta: { USDT: '10000' } } })
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcSpot)
  await takenInBatch(alice, 'buy 0.1 @ 60000', btcMargin)
  expect(Number((await unifiedAsset(alice, 'USDT'))['debt'])).toBe(0)
})

row('E2 rule 3', 'a margin short sale borrows the coin', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds: { uta: { USDT: '100000' } } })
  await takenInBatch(bob, 'buy 0.5 @ 60000', btcSpot)
  expect(await unifiedOutcome(alice, await takenInBatch(alice, 'sell 0.2 @ 60000', btcMargin))).toBe('filled 0.2')
  expect(Number((await unifiedAsset(alice, 'BTC'))['debt'])).toBeGreaterThanOrEqual(0.2)
})

row('E2 rule 3', 'a spot order never borrows', async () => {
  const alice = await at.person('Alice', { funds: { uta: { USDT: '10000' } } })
  entryRefused(succeeds(await placeBatch(alice, ['buy 0.3 @ 60000'], btcSpot)).list()[0], '43012')
})

row('E2 rule 3', 'borrowing has an end: far beyond the collateral it is refused', async () => {
  const alice = await at.person('Alice', { funds: { uta: { USDT: '1000' } } })
  entryRefused(
    succeeds(await placeBatch(alice, ['buy 10 @ 60000'], btcMargin)).list()[0],
    'no balance or 50035|50038|40762',
  )
})

table(
  'E2 rule 4',
  `
    case                              | before                                       | order                  | after
    buy long opens long               | -                                            | buy 0.1 long @ 60000   | long 0.1
    sell short opens short            | -                                            | sell 0.1 short @ 60000 | short 0.1
    sell long closes long             | buy 0.1 long @ 60000                         | sell 0.1 long @ 60000  | flat
    buy short closes short            | sell 0.1 short @ 60000                       | buy 0.1 short @ 60000  | flat
    both sides are held at once       | buy 0.2 long @ 60000                         | sell 0.1 short @ 60000 | long 0.2, short 0.1
    closing one side leaves the other | buy 0.2 long @ 60000; sell 0.1 short @ 60000 | sell 0.2 long @ 60000  | short 0.1
  `,
  async ({ before, order, after }) => {
    const bob = await at.person('Bob', { funds })
    const alice = await at.person('Alice', { funds })
    await setHoldMode(alice, 'hedge_mode')
    for (const line of [...listed(before), order]) {
      const opposite = `${line.startsWith('buy') ? 'sell' : 'buy'} ${line.split(' ')[1]} @ 60000`
      await takenInBatch(bob, opposite, btcPerpetual)
      await takenInBatch(alice, line, btcPerpetual)
    }
    expect(await position(alice)).toBe(after)
  },
)

table(
  'E2 rule 4',
  `
    case                                       | order                       | expected
    without posSide                            | buy 0.1 @ 59000             | the position side
    closing a long that is not there           | sell 0.1 long @ 61000       | no position
    closing a short that is not there          | buy 0.1 short @ 59000       | no position
    without posSide, reduce-only does not help | buy 0.1 reduce-only @ 59000 | the position side
  `,
  async ({ order, expected }) => {
    const alice = await at.person('Alice', { funds })
    await setHoldMode(alice, 'hedge_mode')
    entryRefused(succeeds(await placeBatch(alice, [order], btcPerpetual)).list()[0], expected)
  },
)

row('E2 table posSide', 'a side of nobody is refused', async () => {
  const alice = await at.person('Alice', { funds })
  await setHoldMode(alice, 'hedge_mode')
  const [entry] = succeeds(await alice.post(paths.placeBatch, [{ ...futuresOrder, posSide: 'both' }])).list()
  entryRefused(entry, 'a parameter')
})

table(
  { rule: 'design §4.28', decision: 'posSide in one-way mode and reduceOnly in hedge mode are ignored' },
  `
    case                     | mode         | order                            | after
    posSide in one-way mode  | one_way_mode | buy 0.1 short @ 60000            | long 0.1
    reduceOnly in hedge mode | hedge_mode   | buy 0.1 long reduce-only @ 60000 | long 0.1
  `,
  async ({ mode, order, after }) => {
    const bob = await at.person('Bob', { funds })
    const alice = await at.person('Alice', { funds })
    if (mode === 'hedge_mode') await setHoldMode(alice, mode)
    await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
    await takenInBatch(alice, order, btcPerpetual)
    expect(await position(alice)).toBe(after)
  },
)

table(
  { rule: 'design §4.43', decision: 'a value outside its set is refused also where its field is ignored' },
  [
    // what                                        mode              order          fields                                   answer
    ['a posSide in one-way mode', 'one_way_mode', futuresOrder, { posSide: 'short' }, 'ok'],
    ['an unknown posSide in one-way mode', 'one_way_mode', futuresOrder, { posSide: 'net1' }, 'a parameter'],
    ['a posSide of another type in one-way mode', 'one_way_mode', futuresOrder, { posSide: ['long'] }, 'a parameter'],
    ['a reduceOnly in hedge mode', 'hedge_mode', futuresOrder, { posSide: 'long', reduceOnly: 'yes' }, 'ok'],
    [
      'an unknown reduceOnly in hedge mode',
      'hedge_mode',
      futuresOrder,
      { posSide: 'long', reduceOnly: 'maybe' },
      'a parameter',
    ],
    ['both of a spot order', 'one_way_mode', spotOrder, { posSide: 'long', reduceOnly: 'yes' }, 'ok'],
    ['an unknown posSide of a spot order', 'one_way_mode', spotOrder, { posSide: 'both' }, 'a parameter'],
    ['an unknown reduceOnly of a spot order', 'one_way_mode', spotOrder, { reduceOnly: 'maybe' }, 'a parameter'],
    ['an unknown marginMode of a spot order', 'one_way_mode', spotOrder, { marginMode: 'cross' }, 'a parameter'],
    ['an unknown marginMode', 'one_way_mode', futuresOrder, { marginMode: 'cross' }, 'a parameter'],
    ['an unknown posSide in hedge mode', 'hedge_mode', futuresOrder, { posSide: 'both' }, 'a parameter'],
    ['an unknown reduceOnly in one-way mode', 'one_way_mode', futuresOrder, { reduceOnly: 'maybe' }, 'a parameter'],
  ],
  async (mode, order, fields, expected) => {
    const alice = await at.person('Alice', { funds })
    if (mode === 'hedge_mode') await setHoldMode(alice, mode)
    const [entry] = succeeds(await alice.post(paths.placeBatch, [{ ...order, ...fields }])).list()
    if (expected === 'ok') entryTaken(entry)
    else entryRefused(entry, expected)
    answers(await alice.post('/api/v3/trade/place-order', { ...order, ...fields }), expected)
  },
)

table(
  { rule: 'E2 table', decision: 'marginMode counts as in place-order; absent, and of spot orders, the setting does' },
  [
    // what                 order         fields                       record
    ['isolated', futuresOrder, { marginMode: 'isolated' }, 'isolated'],
    ['crossed', futuresOrder, { marginMode: 'CROSSED' }, 'crossed'],
    ['absent', futuresOrder, {}, 'crossed'],
    ['of a spot order', spotOrder, { marginMode: 'isolated' }, 'crossed'],
  ],
  async (order, fields, marginMode) => {
    const alice = await at.person('Alice', { funds })
    const [entry] = succeeds(await alice.post(paths.placeBatch, [{ ...order, ...fields }])).list()
    entryTaken(entry)
    const found = succeeds(await alice.get('/api/v3/trade/order-info', { orderId: String(entry?.['orderId']) })).fields
    expect(found).toMatchObject({ marginMode })
  },
)

table(
  'E2 rule 5',
  `
    case                                            | before           | order                        | after
    buy opens long                                  | -                | buy 0.1 @ 60000              | long 0.1
    sell opens short                                | -                | sell 0.1 @ 60000             | short 0.1
    sell reduce-only closes long                    | buy 0.1 @ 60000  | sell 0.1 reduce-only @ 60000 | flat
    buy reduce-only closes short                    | sell 0.1 @ 60000 | buy 0.1 reduce-only @ 60000  | flat
    sell without it closes and opens the other side | buy 0.1 @ 60000  | sell 0.3 @ 60000             | short 0.2
    buy adds to a long                              | buy 0.1 @ 60000  | buy 0.3 @ 60000              | long 0.4
  `,
  async ({ before, order, after }) => {
    const bob = await at.person('Bob', { funds })
    const alice = await at.person('Alice', { funds })
    for (const line of [...listed(before), order]) {
      const opposite = `${line.startsWith('buy') ? 'sell' : 'buy'} ${line.split(' ')[1]} @ 60000`
      await takenInBatch(bob, opposite, btcPerpetual)
      await takenInBatch(alice, line, btcPerpetual)
    }
    expect(await position(alice)).toBe(after)
  },
)

const reduceOnly = {
  rule: 'E2 rule 6',
  decision:
    'reduce-only is supported in one-way mode; if earlier reduce-only orders had to go, orderId is null (design §4.9)',
} as const

row(reduceOnly, 'a new one that fills the position replaces the earlier one, and answers a null orderId', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds })
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
  await takenInBatch(alice, 'buy 0.1 @ 60000', btcPerpetual)
  await takenInBatch(alice, 'sell 0.08 reduce-only oid:earlier @ 61000', btcPerpetual)
  const [entry] = succeeds(await placeBatch(alice, ['sell 0.1 reduce-only oid:later @ 60900'], btcPerpetual)).list()
  expect(entry).toMatchObject({ orderId: null, clientOid: 'later' })
  expect(entry).not.toHaveProperty('code')
  expect(await openUnifiedOrders(alice, btcPerpetual)).toEqual(['sell 0.1 @ 60900'])
  expect(await unifiedOrder(alice, { clientOid: 'earlier' })).toMatchObject({ orderStatus: 'cancelled' })
  expect(await unifiedOrder(alice, { clientOid: 'later' })).toMatchObject({ orderId: expect.stringMatching(/^\d+$/) })
})

row(reduceOnly, 'one that fits beside the earlier one answers its orderId', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds })
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
  await takenInBatch(alice, 'buy 0.1 @ 60000', btcPerpetual)
  await takenInBatch(alice, 'sell 0.06 reduce-only @ 61000', btcPerpetual)
  entryTaken(succeeds(await placeBatch(alice, ['sell 0.04 reduce-only @ 60900'], btcPerpetual)).list()[0])
  expect(await openUnifiedOrders(alice, btcPerpetual)).toEqual(['sell 0.06 @ 61000', 'sell 0.04 @ 60900'])
})

row(reduceOnly, 'without a position it is refused', async () => {
  const alice = await at.person('Alice', { funds })
  entryRefused(succeeds(await placeBatch(alice, ['sell 0.1 reduce-only @ 61000'], btcPerpetual)).list()[0], '22002')
})

table(
  'E2 table reduceOnly',
  [
    ['no', 'no', 'ok'],
    ['NO', 'NO', 'ok'],
    ['another word', 'maybe', 'a parameter'],
  ],
  async (reduce, expected) => {
    const alice = await at.person('Alice', { funds })
    const [entry] = succeeds(await alice.post(paths.placeBatch, [{ ...futuresOrder, reduceOnly: reduce }])).list()
    if (expected === 'ok') entryTaken(entry)
    else entryRefused(entry, expected)
  },
)

row('E2 rule 7', 'isolated spot margin is not there: a margin order is a cross margin order', async () => {
  const alice = await at.person('Alice', { funds })
  const order = { ...batchOrder('buy 0.01 oid:mine @ 59000', btcMargin), marginMode: 'isolated' }
  const [entry] = succeeds(await alice.post(paths.placeBatch, [order])).list()
  if (entry?.['code'] !== undefined) return entryRefused(entry, 'a parameter')
  expect((await unifiedOrder(alice, { clientOid: 'mine' }))['marginMode']).not.toBe('isolated')
})

row('E2 rule 7', 'a copy trader does not place through it', async () => {
  const answer = await at.venue.as('copy-trader').post(paths.placeBatch, [futuresOrder])
  refuses(answer, 'the account mode or the trading pair')
})

row(
  {
    rule: 'E2 rule 7',
    decision: 'an order of a batch that names take-profit or stop-loss is refused: place-order takes them',
  },
  'a batch sets no take-profit and no stop-loss',
  async () => {
    const alice = await at.person('Alice', { funds })
    for (const market of [btcPerpetual, btcSpot, btcMargin]) {
      const order = { ...batchOrder('buy 0.1 @ 59000', market), takeProfit: '66000', stopLoss: '55000' }
      const [entry] = succeeds(await alice.post(paths.placeBatch, [order])).list()
      entryRefused(entry, 'a parameter')
    }
  },
)

row(
  { rule: 'E2 rule 8', decision: 'an unknown channel code does not fail the order (design §4.22)' },
  'an unknown channel code',
  async () => {
    const alice = await at.person('Alice', { funds })
    const headers = { 'X-CHANNEL-API-CODE': 'nobody' }
    entryTaken(succeeds(await alice.post(paths.placeBatch, [futuresOrder], { headers })).list()[0])
  },
)

row(
  { rule: 'E2 rule 8', decision: 'the rebate is posted at settlement (design §4.22)' },
  'a broker’s channel code earns its share of the fee',
  async () => {
    const broker = await at.person('Broker', { mode: 'classic' })
    await at.venue.operator('accounts/broker', { uid: broker.uid, channelCode: 'wharf', rebateRate: '0.3' })
    const bob = await at.person('Bob', { funds })
    const alice = await at.person('Alice', { funds })
    await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
    const order = batchOrder('buy 0.1 @ 60000', btcPerpetual)
    succeeds(await alice.post(paths.placeBatch, [order], { headers: { 'X-CHANNEL-API-CODE': 'wharf' } }))
    const inSpot = await spotAsset(broker, 'USDT')
    const inFutures = await futuresAccount(broker)
    const earned = Number(inSpot['available']) + Number(inFutures['available'])
    expect(earned).toBeCloseTo(3.6 * 0.3, 6)
  },
)

table(
  { rule: 'E2 account mode', decision: 'a classic account gets 40084 on every private v3 path (design §3)' },
  [
    // what              mode        answer
    ['unified', 'unified', 'ok'],
    ['hybrid', 'hybrid', 'ok'],
    ['classic', 'classic', '40084'],
  ],
  async (mode, expected) => {
    const wallets = mode === 'classic' ? { spot: { USDT: '10000' } } : { uta: { USDT: '10000' } }
    const alice = await at.person('Alice', { mode, funds: wallets })
    const answer = await alice.post(paths.placeBatch, [spotOrder])
    if (expected === 'ok') entryTaken(succeeds(answer).list()[0])
    else refuses(answer, expected)
  },
)

row('E2 and E3', 'an order of one version is seen by the other', async () => {
  const alice = await at.person('Alice', { funds })
  const market: Market = btcPerpetual
  const { orderId } = await taken(alice, 'buy 0.01 oid:seen @ 59000', market)
  expect(await unifiedOrder(alice, { clientOid: 'seen' })).toMatchObject({ orderId, category: 'USDT-FUTURES' })
})
