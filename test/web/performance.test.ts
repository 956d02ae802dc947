/**
 * How an account has done, out of its samples and bills: docs/terminal.md, Performance. One BTC is 100 dollars until time 5, then 110.
 */
import { expect, test } from 'vitest'
import { performanceOf } from '../../web/trading/performance.ts'
import { moveOf } from '../../web/venue/bills.ts'

const common = { id: '', coin: 'USDT', symbol: '', fee: '0', balance: '', amount: '' }
const bills = [
  { ...common, type: 'TRANSFER_IN', change: '1000', category: 'OTHER', at: 2 },
  { ...common, type: 'CLOSE_LONG', change: '-60', fee: '-10', symbol: 'BTCUSDT', category: 'USDT-FUTURES', at: 4 },
  {
    ...common,
    type: 'CONTRACT_MAIN_SETTLE_FEE_USER_IN',
    change: '5',
    symbol: 'BTCUSDT',
    category: 'USDT-FUTURES',
    at: 6,
  },
  { ...common, type: 'BORROW', change: '500', category: 'MARGIN', at: 6 },
] as const

/** 1,000 are moved in, and 100 out with a profit of 10 in between. */
const samples = [
  { at: 1, equity: 100, moved: 0 },
  { at: 3, equity: 1100, moved: 1000 },
  { at: 4, equity: 1040, moved: 0 },
  { at: 5, equity: 950, moved: -100 },
  { at: 7, equity: 955, moved: 0 },
] as const

test('what was moved in or out is no profit and no fall', () => {
  const found = performanceOf({
    samples,
    bills,
    priceAt: (coin, at) => (coin === 'USDT' ? 1 : at < 5 ? 100 : 110),
    dayOf: (at) => (at < 5 ? 'first' : 'second'),
  })
  expect(found.points.map(({ equity }) => equity)).toEqual([100, 1100, 1040, 950, 955])
  expect(found.points.map(({ profit }) => profit)).toEqual([0, 0, -60, -50, -45])
  expect(found.days).toEqual([
    { day: 'first', profit: -60 },
    { day: 'second', profit: 15 },
  ])
  expect(found.symbols).toEqual([
    { category: 'USDT-FUTURES', symbol: 'BTCUSDT', realized: -50, fees: -10, funding: 5, net: -55 },
  ])
  expect([found.moved, found.fees, found.funding, found.profit]).toEqual([900, -10, 5, -45])
  expect(found.points.map(({ fall }) => fall.amount)).toEqual([0, 0, 60, 50, 45])
  expect(found.largestFall).toEqual({ amount: 60, share: 60 / 1100 })
})

test('what was moved with the first sample is not looked at', () => {
  const found = performanceOf({
    samples: [{ at: 1, equity: 100, moved: 100 }],
    bills: [],
    priceAt: () => 1,
    dayOf: String,
  })
  expect([found.profit, found.moved, found.largestFall.amount]).toEqual([0, 0, 0])
})

test.each<[string, [equity: number, moved: number][], falls: [amount: number, share: number][]]>([
  [
    'from the highest, not from the first',
    [
      [100, 0],
      [150, 0],
      [120, 0],
      [90, 0],
      [160, 0],
    ],
    [
      [0, 0],
      [0, 0],
      [30, 0.2],
      [60, 0.4],
      [0, 0],
    ],
  ],
  [
    'a fall of the whole',
    [
      [100, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [100, 1],
    ],
  ],
  [
    'moved in since: lost of what it is then',
    [
      [100, 0],
      [1000, 900],
      [900, 0],
    ],
    [
      [0, 0],
      [0, 0],
      [100, 0.1],
    ],
  ],
  [
    'moved in while it is down',
    [
      [100, 0],
      [90, 0],
      [1000, 910],
      [900, 0],
    ],
    [
      [0, 0],
      [10, 0.1],
      [10, 10 / 1010],
      [110, 110 / 1010],
    ],
  ],
  [
    'moved out while it is down: the loss stays what it was',
    [
      [1000, 0],
      [500, 0],
      [100, -400],
    ],
    [
      [0, 0],
      [500, 0.5],
      [500, 0.5],
    ],
  ],
  [
    'nothing to lose',
    [
      [0, 0],
      [-5, 0],
    ],
    [
      [0, 0],
      [5, 0],
    ],
  ],
])('the fall below the highest: %s', (_what, equities, falls) => {
  const sampled = equities.map(([equity, moved], at) => ({ at, equity, moved }))
  const { points } = performanceOf({ samples: sampled, bills: [], priceAt: () => 1, dayOf: String })
  expect(points.map(({ fall }) => [fall.amount, fall.share])).toEqual(falls)
})

test.each([
  ['TRANSFER_OUT', 'flow'],
  ['withdraw', 'flow'],
  ['contract_settle_fee', 'funding'],
  ['REPAYMENT', 'inside'],
  ['INCREASE_MARGIN', 'inside'],
  ['LIQ_FEE', 'trading'],
  ['buy', 'trading'],
])('%s: %s', (type, move) => {
  expect(moveOf(type)).toBe(move)
})
