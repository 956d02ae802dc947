/**
 * Requests that would rather fail than be late.
 *
 * Source  wire/auth.md §3, wire/errors.md (40078, 40079)
 */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import { batchOrder, btcPerpetual, btcSpot, paths, singleOrder } from '../support/trading.ts'
import { answers, row, stage, table } from './conformance.ts'

const at = stage()
const funds = { uta: { USDT: '100000' } } as const

type Send = (person: Person, window: Readonly<Record<string, string | number>>) => ReturnType<Person['post']>

const spotOrder = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', price: '50000', size: '0.001' }

const calls: readonly (readonly [name: string, send: Send])[] = [
  [
    'v3 place-order',
    (person, window) =>
      person.post('/api/v3/trade/place-order', { ...batchOrder('buy 0.001 @ 50000', btcPerpetual), ...window }),
  ],
  [
    'v2 futures place-order',
    (person, window) => person.post(paths.placeOrder, { ...singleOrder('buy 0.001 @ 50000', btcPerpetual), ...window }),
  ],
  [
    'v2 spot place-order',
    (person, window) => person.post('/api/v2/spot/trade/place-order', { ...spotOrder, ...window }),
  ],
  ['v2 spot unfilled-orders', (person, window) => person.get('/api/v2/spot/trade/unfilled-orders', window)],
  ['v2 spot history-orders', (person, window) => person.get('/api/v2/spot/trade/history-orders', window)],
  ['v2 spot orderInfo', (person, window) => person.get('/api/v2/spot/trade/orderInfo', { orderId: '1', ...window })],
  [
    'v2 cancel-all-orders',
    (person, window) => person.post('/api/v2/mix/order/cancel-all-orders', { productType: 'USDT-FUTURES', ...window }),
  ],
]

table(
  { rule: 'auth §3 receiveWindow', decision: 'exactly 60 seconds are allowed, and one field alone does not count' },
  calls.flatMap(([name, send]) => [
    // what                                        age of requestTime and receiveWindow, ms   answer
    [`${name}: in time`, send, 100, 5_000, 'ok'] as const,
    [`${name}: late`, send, 6_000, 5_000, '40078'] as const,
    [`${name}: a clock that is ahead`, send, -3_000, 1_000, 'ok'] as const,
    [`${name}: 60 seconds`, send, 100, 60_000, 'ok'] as const,
    [`${name}: over 60 seconds`, send, 100, 60_001, '40079'] as const,
    [`${name}: no requestTime`, send, undefined, 1, 'ok'] as const,
    [`${name}: no receiveWindow`, send, 100_000, undefined, 'ok'] as const,
    [`${name}: no number`, send, 100, 'soon', 'a parameter'] as const,
  ]),
  async (send, age, receiveWindow, expected) => {
    const person = await at.person('Alice', { funds })
    const requestTime = age === undefined ? undefined : at.venue.now() - age
    const window = Object.entries({ requestTime, receiveWindow }).filter(([, value]) => value !== undefined)
    answers(await send(person, Object.fromEntries(window) as Record<string, string | number>), expected)
  },
)

row('auth §3 receiveWindow', 'a late order is not placed', async () => {
  const person = await at.person('Alice', { funds })
  const order = { ...batchOrder('buy 0.001 oid:late @ 50000', btcSpot), requestTime: 1, receiveWindow: 1 }
  answers(await person.post('/api/v3/trade/place-order', order), '40078')
  const found = await person.get('/api/v3/trade/unfilled-orders', { category: 'SPOT' })
  expect(found.list('list')).toEqual([])
})
