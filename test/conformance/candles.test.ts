/**
 * Candles on every path of both versions, on a venue whose clock the test turns.
 *
 * Source  wire/client-endpoints.md §4, wire/v3-endpoints.md §1, wire/rate-limits-and-filters.md §4
 */
import { beforeAll, expect } from 'vitest'
import { btcInverse, btcPerpetual, btcSpot, type Market, takenInBatch } from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage({ clock: 'manual' })
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const funds = { uta: { USDT: '10000000', BTC: '100' } } as const

const v2Mix = '/api/v2/mix/market/candles'
const v2MixPast = '/api/v2/mix/market/history-candles'
const v2Mark = '/api/v2/mix/market/history-mark-candles'
const v2Index = '/api/v2/mix/market/history-index-candles'
const v2Spot = '/api/v2/spot/market/candles'
const v2SpotPast = '/api/v2/spot/market/history-candles'
const v3 = '/api/v3/market/candles'
const v3Past = '/api/v3/market/history-candles'

const perpetual = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' }
const unified = { symbol: 'BTCUSDT', category: 'USDT-FUTURES' }

/** The start of the first full minute, in which the trades below happen. */
let first = 0

/** Two trades in the first minute, one in the third; 0.5 at 60000, 0.25 at 60010, 1 at 59990. */
async function tradeIn(market: Market, quantities: readonly [string, string, string]): Promise<void> {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds })
  const trade = async (side: 'buy' | 'sell', quantity: string, price: string) => {
    await takenInBatch(bob, `${side === 'buy' ? 'sell' : 'buy'} ${quantity} @ ${price}`, market)
    await takenInBatch(alice, `${side} ${quantity} @ ${price}`, market)
  }
  await trade('buy', quantities[0], '60000')
  await at.venue.advance(10_000)
  await trade('buy', quantities[1], '60010')
  await at.venue.advance(2 * minute - 10_000)
  await trade('sell', quantities[2], '59990')
  await at.venue.advance(-(at.venue.now() % minute) + 2 * minute)
}

beforeAll(async () => {
  await at.venue.advance(hour - (at.venue.now() % hour))
  first = at.venue.now()
  await tradeIn(btcPerpetual, ['0.5', '0.25', '1'])
})

async function rows(path: string, query: Readonly<Record<string, string | number>>): Promise<string[][]> {
  return succeeds(await at.venue.get(path, query)).data as string[][]
}

const startOf = (minutes: number) => String(first + minutes * minute)

table(
  'Candle rows: start, open, high, low, close, base volume, quote volume',
  [
    // path                      query
    ['v2 candles', v2Mix, { ...perpetual, granularity: '1m' }],
    ['v2 history-candles', v2MixPast, { ...perpetual, granularity: '1m' }],
    ['v3 candles', v3, { ...unified, interval: '1m' }],
    ['v3 history-candles', v3Past, { ...unified, interval: '1m' }],
  ],
  async (path, query) => {
    const found = await rows(path, { ...query, startTime: first, endTime: first + 4 * minute })
    expect(found).toEqual([
      [startOf(0), '60000', '60010', '60000', '60010', '0.75', '45002.5'],
      [startOf(1), '60010', '60010', '60010', '60010', '0', '0'],
      [startOf(2), '59990', '59990', '59990', '59990', '1', '59990'],
      [startOf(3), '59990', '59990', '59990', '59990', '0', '0'],
    ])
  },
)

table(
  'Candle rows of other markets',
  [
    // market                   trades                     path      query                                   base and quote volume
    [
      'a spot pair of v2 adds the volume in USDT',
      btcSpot,
      ['0.5', '0.25', '1'],
      v2Spot,
      { symbol: 'BTCUSDT', granularity: '5min' },
      ['1.75', '104992.5', '104992.5'],
    ],
    [
      'an inverse contract: base at the prices of the trades',
      btcInverse,
      ['30000', '60010', '59990'],
      v2Mix,
      { symbol: 'BTCUSD', productType: 'COIN-FUTURES', granularity: '5m' },
      ['2.5', '150000'],
    ],
  ],
  async (market, quantities, path, query, volumes) => {
    await at.venue.advance(5 * minute - (at.venue.now() % (5 * minute)))
    const startTime = at.venue.now()
    await tradeIn(market, quantities)
    const [candle] = await rows(path, { ...query, startTime, limit: 1 })
    expect(candle).toEqual([String(startTime), '60000', '60010', '59990', '59990', ...volumes])
  },
)

const mixGranularities = '1m 3m 5m 15m 30m 1H 2H 4H 6H 12H 1D 3D 1W 1M 6Hutc 12Hutc 1Dutc 3Dutc 1Wutc 1Mutc'.split(' ')
const spotGranularities =
  '1min 3min 5min 15min 30min 1h 4h 6h 12h 1day 3day 1week 1M 6Hutc 12Hutc 1Dutc 3Dutc 1Wutc 1Mutc'.split(' ')

table(
  'Candle granularity',
  [
    ...mixGranularities.map(
      (granularity) => [`v2 ${granularity}`, v2Mix, { ...perpetual, granularity: granularity }] as const,
    ),
    ...mixGranularities.map((granularity) => [`v3 ${granularity}`, v3, { ...unified, interval: granularity }] as const),
    ...spotGranularities.map(
      (granularity) => [`v2 spot ${granularity}`, v2Spot, { symbol: 'BTCUSDT', granularity: granularity }] as const,
    ),
  ],
  async (path, query) => {
    const found = await rows(path, query)
    expect(found.length).toBeGreaterThan(0)
    const running = found.at(-1) ?? []
    expect(Number(running[0])).toBeLessThanOrEqual(at.venue.now())
    expect(running.every((cell) => /^\d+(\.\d+)?$/.test(cell))).toBe(true)
  },
)

table(
  { rule: 'Candle granularity', decision: 'days of UTC+8 from six hours on, of UTC in the utc forms' },
  [
    //        interval  start of the running one, milliseconds into the day of UTC
    ['1D', '1D', 16 * hour],
    ['1Dutc', '1Dutc', 0],
    ['12H', '12H', 4 * hour],
    ['12Hutc', '12Hutc', 0],
  ],
  async (interval, into) => {
    const [candle = []] = await rows(v3, { ...unified, interval, limit: 1 })
    expect((Number(candle[0]) - into) % (interval.startsWith('1D') ? day : 12 * hour)).toBe(0)
  },
)

table(
  {
    rule: 'Candle window',
    decision: 'candles begin before endTime; the newest of too many; with startTime alone the first',
  },
  [
    // query                                                        minutes after the first candle
    ['endTime is exclusive', { startTime: 0, endTime: 2 }, [0, 1]],
    ['the newest before endTime', { startTime: 0, endTime: 3, limit: 2 }, [1, 2]],
    ['startTime alone', { startTime: 1, limit: 2 }, [1, 2]],
    ['within a candle', { startTime: 0.5, endTime: 1.5 }, [0, 1]],
    ['nothing before the first trade', { startTime: -5, endTime: 1 }, [0]],
    ['from the future', { startTime: 100_000 }, []],
  ],
  async (window: { startTime?: number; endTime?: number; limit?: number }, expected: readonly number[]) => {
    const moment = (minutes: number | undefined) => (minutes === undefined ? undefined : first + minutes * minute)
    const { startTime, endTime, limit } = window
    const query = Object.fromEntries(
      Object.entries({ startTime: moment(startTime), endTime: moment(endTime), limit }).filter(
        (granularity): granularity is [string, number] => granularity[1] !== undefined,
      ),
    )
    for (const [path, more] of [
      [v2Mix, { ...perpetual, granularity: '1m' }],
      [v3, { ...unified, interval: '1m' }],
    ] as const) {
      expect((await rows(path, { ...more, ...query })).map(([start]) => (Number(start) - first) / minute)).toEqual(
        expected,
      )
    }
  },
)

table(
  'Candle limit',
  [
    // path                 query                                             default, maximum
    ['v2 candles', v2Mix, { ...perpetual, granularity: '1m' }, 100, 1000],
    ['v2 history-candles', v2MixPast, { ...perpetual, granularity: '1m' }, 100, 200],
    ['v2 history-mark-candles', v2Mark, { ...perpetual, granularity: '1m' }, 100, 200],
    ['v2 history-index-candles', v2Index, { ...perpetual, granularity: '1m' }, 100, 200],
    ['v2 spot candles', v2Spot, { symbol: 'BTCUSDT', granularity: '1min' }, 100, 1000],
    ['v2 spot history-candles', v2SpotPast, { symbol: 'BTCUSDT', granularity: '1min' }, 100, 200],
    ['v3 candles', v3, { ...unified, interval: '1m' }, 100, 1000],
    ['v3 history-candles', v3Past, { ...unified, interval: '1m' }, 100, 100],
  ],
  async (path, query: Record<string, string>, usual, most) => {
    await at.venue.advance(1_100 * minute)
    const asked = { ...query, endTime: at.venue.now() }
    expect(await rows(path, asked)).toHaveLength(usual)
    expect(await rows(path, { ...asked, limit: most })).toHaveLength(most)
    refuses(await at.venue.get(path, { ...asked, limit: most + 1 }), 'a parameter')
    refuses(await at.venue.get(path, { ...asked, limit: 0 }), 'a parameter')
  },
)

table(
  'Candle parameters',
  [
    // what                        path         query                                                            refused as
    ['no granularity', v2Mix, { ...perpetual }, 'a missing parameter'],
    ['no interval', v3, { ...unified }, 'a missing parameter'],
    ['an unknown granularity', v2Mix, { ...perpetual, granularity: '7m' }, 'a parameter'],
    ['an unknown interval', v3, { ...unified, interval: '1y' }, 'a parameter'],
    ['no product type', v2Mix, { symbol: 'BTCUSDT', granularity: '1m' }, 'a missing parameter'],
    ['an unknown symbol', v2Mix, { ...perpetual, symbol: 'NOSUCH', granularity: '1m' }, 'an unknown symbol'],
    ['an unknown symbol', v3, { ...unified, symbol: 'NOSUCH', interval: '1m' }, 'an unknown symbol'],
    ['an unknown pair', v2Spot, { symbol: 'NOSUCH', granularity: '1min' }, 'an unknown symbol'],
    ['an unknown price', v3, { ...unified, interval: '1m', type: 'premium' }, 'a parameter'],
    ['start after end', v3, { ...unified, interval: '1m', startTime: 2, endTime: 1 }, 'a time window'],
    [
      'a span over 90 days',
      v2MixPast,
      { ...perpetual, granularity: '1m', startTime: 1, endTime: 91 * day },
      'a time window',
    ],
    ['a span over 90 days', v3Past, { ...unified, interval: '1D', startTime: 1, endTime: 91 * day }, 'a time window'],
  ],
  async (path, query, expected) => {
    refuses(await at.venue.get(path, query), expected)
  },
)

const pastPaths = [
  ['v2 spot', v2SpotPast, { symbol: 'BTCUSDT', granularity: '1min' }],
  ['v2 contract', v2MixPast, { ...perpetual, granularity: '1m' }],
  ['v2 mark price', v2Mark, { ...perpetual, granularity: '1m' }],
  ['v2 index', v2Index, { ...perpetual, granularity: '1m' }],
  ['v3', v3Past, { ...unified, interval: '1m' }],
] as const

table('Candle history without times reaches until now', pastPaths, async (path, query) => {
  const found = await rows(path, query)
  expect(found).toEqual(await rows(path, { ...query, endTime: at.venue.now() + 1 }))
  expect(found).not.toEqual([])
})

table('design §4.42: 90 days of candles, and a minute', pastPaths, async (path, query) => {
  const endTime = at.venue.now()
  succeeds(await at.venue.get(path, { ...query, startTime: endTime - 90 * day - minute, endTime }))
  refuses(await at.venue.get(path, { ...query, startTime: endTime - 90 * day - minute - 1, endTime }), '40705')
})

row('Candle parameters', 'any case but that of 1m and 1M', async () => {
  const query = { symbol: 'btcusdt', category: 'usdt-futures', type: 'MARKET', limit: 1 }
  const [month = []] = await rows(v3, { ...query, interval: '1M' })
  const [single = []] = await rows(v3, { ...query, interval: '1m' })
  expect(month[0]).not.toBe(single[0])
  expect(await rows(v3, { ...query, interval: '1d' })).toEqual(await rows(v3, { ...query, interval: '1D' }))
})

table(
  'Mark and index candles',
  [
    // price    v2 paths                        v3 type
    ['mark', 'mark', v2Mark, 'MARK'],
    ['index', 'index', v2Index, 'INDEX'],
  ],
  async (kLineType, past, type) => {
    await at.venue.advance(hour - (at.venue.now() % hour))
    const startTime = at.venue.now()
    await at.venue.setIndexPrices({ ETH: '3300' })
    await at.venue.advance(30_000)
    await at.venue.setIndexPrices({ ETH: '3600' })
    await at.venue.advance(30_000)
    await at.venue.setIndexPrices({ ETH: '3000' })
    await at.venue.advance(10_000)
    const ether = { symbol: 'ETHUSDT', productType: 'USDT-FUTURES', granularity: '1m', startTime }
    const recent = await rows(v2Mix, { ...ether, kLineType })
    expect(await rows(past, ether)).toEqual(recent)
    expect(await rows(v3, { category: 'USDT-FUTURES', symbol: 'ETHUSDT', interval: '1m', startTime, type })).toEqual(
      recent,
    )
    const [before = [], after = []] = recent
    expect(before).toEqual([String(startTime), '3000', '3600', '3000', '3600', '0', '0'])
    expect(after).toEqual([String(startTime + minute), '3600', '3600', '3000', '3000', '0', '0'])
  },
)

row('Candles', 'are what they were after a crash, and so is the ticker', async () => {
  const asked = async () => [
    await rows(v3, { ...unified, interval: '1m', limit: 1000 }),
    await rows(v3, { ...unified, interval: '4H' }),
    await rows(v3, { ...unified, interval: '1H', type: 'MARK' }),
    await rows(v2Mix, { ...perpetual, granularity: '1Dutc' }),
    // The manual clock goes back to the last command.
    { ...succeeds(await at.venue.get('/api/v2/mix/market/ticker', perpetual)).list()[0], ts: '' },
    { ...succeeds(await at.venue.get('/api/v3/market/tickers', unified)).list()[0], ts: '' },
  ]
  const before = await asked()
  await at.venue.restart('kill')
  expect(await asked()).toEqual(before)
})

row('Candles', '90 days go by: the clock turned, prices stand, and the day of the trades is still there', async () => {
  await at.venue.advance(85 * day)
  const [candle = []] = await rows(v3, { ...unified, interval: '1Dutc', startTime: first, limit: 1 })
  expect(candle.slice(1, 5)).toEqual(['60000', '60010', '59990', '59990'])
  expect(candle[5]).toBe('1.75')
  const weeks = await rows(v2Mix, { ...perpetual, granularity: '1Wutc' })
  expect(weeks.length).toBeGreaterThanOrEqual(12)
  const [ticker] = succeeds(await at.venue.get('/api/v2/mix/market/ticker', perpetual)).list()
  expect(ticker).toMatchObject({
    lastPr: '59990',
    high24h: '59990',
    low24h: '59990',
    baseVolume: '0',
    openUtc: '59990',
  })
})
