/**
 * Thirty worked examples: when an order of one's own in a tape is filled, reckoned by hand for each model of the queue. Fifteen of a
 * bid, and the same fifteen of an ask, all prices mirrored.
 *
 * Book    bids 60000 x 4, 59999 x 5; asks 60001 x 4, 60002 x 5. The own bid of 1 stands at 60000 from the first moment on, behind 4
 * Words   `10: bid 60000=2` the recorded level is 2 from 10 ms on · `20: sell 60000 x1` somebody sells 1 at 60000
 * Lots    of 0.0001: `log` takes floor(60000 lots · ln(40001) / (ln(40001) + ln(80001))) = 29050 of 60000 before an order that has
 *         40000 before and 80000 behind it
 */
import { describe, expect, test } from 'vitest'
import { open, type Row, t, tapeOf } from './playing.ts'

const models = ['back', 'pro-rata', 'log', 'front'] as const

/** When it is filled, for each model or for all, milliseconds. */
const examples: readonly (readonly [why: string, rows: readonly string[], filled: number | readonly number[]])[] = [
  ['trades eat what is before it, then it', ['10: sell 60000 x4', '20: sell 60000 x1'], 20],
  ['one trade is large enough for both', ['10: sell 60000 x5'], 10],
  ['many small trades', ['10: sell 60000 x3', '20: sell 60000 x1', '30: sell 60000 x1'], 30],
  ['a part of it, then the rest', ['10: sell 60000 x4.5', '20: sell 60000 x0.5'], 20],
  ['what leaves where nobody is behind it leaves before it', ['10: bid 60000=2', '20: sell 60000 x3'], 20],
  ['a level that is gone has nothing before it', ['10: bid 60000=0', '20: sell 60000 x1'], 20],
  ['what comes later stands behind it', ['10: bid 60000=6', '20: sell 60000 x4', '30: sell 60000 x1'], 30],
  ['what a trade left is told at once', ['10: sell 60000 x2', '10: bid 60000=2', '20: sell 60000 x3'], 20],
  [
    'what a trade left is told later',
    ['10: sell 60000 x2', '15: bid 60000=2', '20: sell 60000 x2', '30: sell 60000 x1'],
    30,
  ],
  ['more leaves than the trade took', ['10: sell 60000 x1', '15: bid 60000=1', '20: sell 60000 x2'], 20],
  ['a trade through its price', ['10: sell 59999 x1'], 10],
  ['two trades through its price', ['10: sell 59999 x0.4', '20: sell 59999 x0.6'], 20],
  ['a recorded ask comes to its price', ['10: bid 60000=0', '10: ask 60000=2'], 10],
  [
    'half of the level leaves, half of it behind: back has 4 before it, pro-rata and log 2, front 0',
    ['5: bid 60000=8', '10: bid 60000=4', '20: sell 60000 x1', '30: sell 60000 x2', '40: sell 60000 x2'],
    [40, 30, 30, 20],
  ],
  [
    'half of the level leaves, two thirds of it behind: 4, 2, 1.095 and 0 before it',
    [
      '5: bid 60000=12',
      '10: bid 60000=6',
      '20: sell 60000 x1',
      '30: sell 60000 x1.1',
      '40: sell 60000 x1',
      '50: sell 60000 x2',
    ],
    [50, 40, 30, 20],
  ],
]

describe.each(['bid', 'ask'] as const)('an own %s', (own) => {
  test.each(examples)('%s', async (_, words, filled) => {
    const market = await tapeOf([...book, ...words.map(rowOf)].map((row) => (own === 'bid' ? row : mirrored(row))))
    const [most, ...rest] = typeof filled === 'number' ? [filled, filled] : filled
    const expected =
      typeof filled === 'number'
        ? { back: filled, front: filled }
        : Object.fromEntries(models.map((model, at) => [model, filled[at]]))
    for (const [queue, at] of Object.entries(expected)) {
      const found = await filledAt(market, queue, own)
      expect(found, queue).toBe(at)
      expect(found).toBeLessThanOrEqual(most)
      expect(found).toBeGreaterThanOrEqual(rest.at(-1)!)
    }
  })
})

const book: readonly Row[] = [
  { at: 0, side: 'bid', price: 60_000, size: 4, snapshot: true },
  { at: 0, side: 'bid', price: 59_999, size: 5, snapshot: true },
  { at: 0, side: 'ask', price: 60_001, size: 4, snapshot: true },
  { at: 0, side: 'ask', price: 60_002, size: 5, snapshot: true },
]

function rowOf(words: string): Row {
  const found = /^(\d+): (bid|ask|buy|sell) (\d+)(?:=| x)([\d.]+)$/.exec(words)!
  const [at, price, size] = [Number(found[1]), Number(found[3]), Number(found[4])]
  const what = found[2]
  return what === 'bid' || what === 'ask'
    ? { at, side: what, price, size }
    : { at, trade: what as 'buy' | 'sell', price, size }
}

function mirrored(row: Row): Row {
  const price = 120_001 - row.price
  if ('trade' in row) return { ...row, trade: row.trade === 'buy' ? 'sell' : 'buy', price }
  return { ...row, side: row.side === 'bid' ? 'ask' : 'bid', price }
}

/** Milliseconds from the beginning; undefined: never. */
async function filledAt(market: string, queue: string, own: 'bid' | 'ask'): Promise<number | undefined> {
  await using opened = await open({ market, queue })
  const trader = opened.person('unified-main')
  const [side, price] = own === 'bid' ? ['buy', '60000'] : ['sell', '60001']
  const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'limit', side, price, qty: '1' }
  const placed = await trader.post('/api/v3/trade/place-order', order)
  expect(placed.code).toBe('00000')
  const { orderId } = placed.fields
  const { now, reached } = (await opened.clock({ until: { order: { orderId, is: 'filled' } }, max: '1s' })) as {
    now: number
    reached?: boolean
  }
  expect(reached).toBe(true)
  expect(await opened.verified()).toBe(true)
  return now - t
}
