/**
 * Whole books in one call, and where an order stands in its queue.
 *
 * Source  lab.md §4.7, §4.10; docs/lab.md
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { openHere, type OpenedHere } from './in-process.ts'
import type { LabVenue } from './laboratory.ts'

let here: OpenedHere
let venue: LabVenue
let trader: Person
const now = () => Date.UTC(2026, 0, 1)

beforeAll(async () => {
  here = await openHere({})
  venue = here.venue
  trader = venue.person('unified-main', now)
})
afterAll(() => here.close())
beforeEach(async () => {
  await venue.post('/reset')
})
afterEach(async () => {
  expect(await venue.get('/operator/verify')).toMatchObject({ balanced: true, faults: [] })
})

interface Error {
  readonly code: string
  readonly message: string
  readonly field?: string
}

const setBook = (body: object) => venue.post<{ sequences: number[]; bids: unknown; asks: unknown }>('/book', body)

async function place(side: string, price: string, qty: string, more: object = {}): Promise<string> {
  const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'limit', side, price, qty, ...more }
  const placed = await trader.post('/api/v3/trade/place-order', order)
  expect(placed.code).toBe('00000')
  return placed.fields['orderId']
}

test.each([
  ['BTCUSDT', undefined, 'USDT-FUTURES'],
  ['BTCUSDT', 'SPOT', 'SPOT'],
  ['BTCPERP', undefined, 'USDC-FUTURES'],
  ['BTCUSD', undefined, 'COIN-FUTURES'],
])('%s %s: the levels rest, and another book takes their place', async (symbol, category, found) => {
  const first = await setBook({
    symbol,
    category,
    bids: [
      ['59990', '10'],
      ['59980', 20],
    ],
    asks: [[60010, '30']],
  })
  expect(first).toMatchObject({
    symbol,
    category: found,
    bids: [
      ['59990', '10'],
      ['59980', '20'],
    ],
    asks: [['60010', '30']],
  })
  const second = await setBook({ symbol, category, bids: [['59970', '5']] })
  expect(second).toMatchObject({ bids: [['59970', '5']], asks: [] })
  const { data } = await trader.get('/api/v3/market/orderbook', { category: found, symbol, limit: 5 })
  expect(data).toMatchObject({ b: [[59970, 5]], a: [] })
  expect(await setBook({ symbol, category })).toMatchObject({ bids: [], asks: [] })
})

test('a user trades with it as with anybody, and each line is journaled by the account of the book', async () => {
  const { sequences } = await setBook({ symbol: 'BTCUSDT', asks: [['60010', '1']] })
  await place('buy', '60010', '0.4')
  const fills = (await trader.get('/api/v3/trade/fills', { category: 'USDT-FUTURES' })).list('list')
  expect(fills).toMatchObject([{ execPrice: '60010', execQty: '0.4' }])
  const { text } = await venue.call('GET', `/journal?after=${sequences[0] - 1}`)
  const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, object>]))
  expect(lines[0]['command']).toMatchObject({ kind: 'create-account', name: 'lab-book-USDT-FUTURES-BTCUSDT' })
})

test('orders of users stay; a level that would meet one is refused, and nothing has changed', async () => {
  await place('buy', '59995', '1')
  expect(await setBook({ symbol: 'BTCUSDT', bids: [['59990', '2']], asks: [['60000', '3']] })).toMatchObject({
    bids: [
      ['59995', '1'],
      ['59990', '2'],
    ],
    asks: [['60000', '3']],
  })
  const before = await venue.get('/operator/verify')
  const asks = [
    ['60010', '1'],
    ['59995', '1'],
  ]
  const { status, envelope } = await venue.call('POST', '/book', { symbol: 'BTCUSDT', asks })
  expect([status, envelope?.['error']]).toMatchObject([
    409,
    {
      code: 'orders-in-the-way',
      field: 'asks[1]',
      message: expect.stringContaining('a bid of a user at 59995') as string,
    },
  ])
  expect(await venue.get('/operator/verify')).toEqual(before)
})

const many = Array.from({ length: 201 }, (_, level) => [String(50_000 + level), '0.01'])
test.each<[object, number, string, RegExp]>([
  [{}, 400, 'symbol', /symbol is required/],
  [{ symbol: 'TEAUSDT' }, 404, 'symbol', /no instrument TEAUSDT/],
  [{ symbol: 'BTCUSDT', bids: [['1']] }, 400, 'bids', /\[price, size\]/],
  [{ symbol: 'BTCUSDT', bids: [['59990', '0']] }, 400, 'bids', /above zero/],
  [{ symbol: 'BTCUSDT', bids: many }, 400, 'bids', /at most 200 levels/],
  [
    {
      symbol: 'BTCUSDT',
      asks: [
        ['60000', '1'],
        ['60000.05', '1'],
      ],
    },
    400,
    'asks[1]',
    /price is to be a multiple of 0\.1/,
  ],
  [{ symbol: 'BTCUSDT', asks: [['60000', '0.00001']] }, 400, 'asks[0]', /size is to be a multiple of 0\.0001/],
  [
    {
      symbol: 'BTCUSDT',
      bids: [
        ['59000', '1'],
        ['59000.0', '2'],
      ],
    },
    400,
    'bids[1]',
    /at 59000\.0 already/,
  ],
  [
    {
      symbol: 'BTCUSDT',
      bids: [
        ['59000', '1'],
        ['60000', '1'],
      ],
      asks: [['60000', '1']],
    },
    400,
    'bids[1]',
    /meet the ask/,
  ],
  [{ symbol: 'BTCUSDT', bids: [['99000', '1']] }, 409, 'bids[0]', /place-order.*limit/],
  [
    {
      symbol: 'BTCUSDT',
      asks: [
        ['60000', '0.0001'],
        ['60001', '9000'],
      ],
    },
    409,
    'asks[1]',
    /place-order/,
  ],
])('%# is refused and changes nothing', async (sent, status, field, sentence) => {
  const before = await venue.get('/operator/verify')
  const answer = await venue.call('POST', '/book', sent)
  const error = answer.envelope?.['error'] as Error
  expect([answer.status, error.field]).toEqual([status, field])
  expect(error.message).toMatch(sentence)
  expect(await venue.get('/operator/verify')).toEqual(before)
})

test('queue: what stands before and behind an order, as the book moves', async () => {
  await setBook({ symbol: 'BTCUSDT', asks: [['60010', '1.5']] })
  const orderId = await place('sell', '60010', '1')
  await place('sell', '60010', '0.25')
  const queue = () => venue.get<Record<string, unknown>>(`/queue?orderId=${orderId}`)
  const where = {
    orderId,
    uid: '1000000001',
    symbol: 'BTCUSDT',
    category: 'USDT-FUTURES',
    side: 'sell',
    price: '60010',
  }
  const behind = { behind: '0.25', behindOrders: 1 }
  expect(await queue()).toEqual({ ...where, size: '1', ahead: '1.5', aheadOrders: 1, ...behind, level: '2.75' })
  const peer = venue.person('unified-peer', now)
  const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy', orderType: 'market' }
  expect((await peer.post('/api/v3/trade/place-order', { ...order, qty: '1.7' })).code).toBe('00000')
  expect(await queue()).toMatchObject({ size: '0.8', ahead: '0', aheadOrders: 0, ...behind, level: '1.05' })
  expect((await peer.post('/api/v3/trade/place-order', { ...order, qty: '1' })).code).toBe('00000')
  const { status, envelope } = await venue.call('GET', `/queue?orderId=${orderId}`)
  expect([status, envelope?.['error']]).toMatchObject([
    409,
    { code: 'order-not-resting', field: 'orderId', message: expect.stringContaining('it is filled') as string },
  ])
})

test('queue: why an order has no place in one', async () => {
  const cancelled = await place('buy', '50000', '1')
  await trader.post('/api/v3/trade/cancel-order', { orderId: cancelled })
  const plan = await trader.post('/api/v3/trade/place-strategy-order', {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    type: 'trigger',
    side: 'buy',
    qty: '0.1',
    triggerPrice: '65000',
    triggerBy: 'mark',
    triggerOrderType: 'market',
  })
  expect(plan.code).toBe('00000')
  for (const [orderId, status, code, sentence] of [
    [cancelled, 409, 'order-not-resting', 'it is cancelled'],
    [plan.fields['orderId'], 409, 'order-not-resting', 'it waits for its trigger price'],
    ['12345', 404, 'unknown-order', 'there is no order 12345'],
    ['x', 400, 'body-wrong', 'orderId must be'],
  ] as const) {
    const answer = await venue.call('GET', `/queue?orderId=${orderId}`)
    expect([answer.status, answer.envelope?.['error']]).toMatchObject([
      status,
      { code, field: 'orderId', message: expect.stringContaining(sentence) as string },
    ])
  }
})
