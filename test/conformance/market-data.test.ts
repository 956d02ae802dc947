/**
 * Public data of both versions: what is traded, tickers, books, trades, funding, tiers and terms, in every kind of market.
 *
 * Fields and types are held to the table of endpoints by every answer (support/documented.ts); these rows are about what
 * the fields say, and about what is refused.
 * Source  wire/client-endpoints.md §2, §4; wire/v3-endpoints.md §1; wire/rate-limits-and-filters.md §3-§7
 */
import { beforeAll, expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import { btcInverse, btcPerpetual, btcSpot, btcUsdc, type Market, takenInBatch } from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage({ clock: 'manual' })
const funds = { uta: { USDT: '10000000', BTC: '100', USDC: '10000000' } } as const
const hour = 3_600_000

/** Of every market: how much of it is 1 BTC at 60000. */
const markets: readonly (readonly [name: string, market: Market, lot: string])[] = [
  ['spot', btcSpot, '1'],
  ['linear', btcPerpetual, '1'],
  ['USDC', btcUsdc, '1'],
  ['inverse', btcInverse, '60000'],
]
const contracts = markets.filter(([name]) => name !== 'spot')

/** One trade at 60000, and a book around it. */
beforeAll(async () => {
  const bob = await at.venue.person('Bob', { funds })
  const alice = await at.venue.person('Alice', { funds })
  for (const [, market, lot] of markets) {
    await takenInBatch(bob, `sell ${lot} @ 60000`, market)
    await takenInBatch(alice, `buy ${lot} @ 60000`, market)
    for (const price of ['60100', '60109', '60200']) await takenInBatch(bob, `sell ${lot} @ ${price}`, market)
    for (const price of ['59900', '59891', '59800']) await takenInBatch(bob, `buy ${lot} @ ${price}`, market)
  }
})

async function data(path: string, query: Record<string, string> = {}): Promise<unknown> {
  return succeeds(await at.venue.get(path, query)).data
}

async function first(path: string, query: Record<string, string> = {}): Promise<Fields> {
  return ((await data(path, query)) as Fields[])[0] ?? {}
}

const v2Query = ({ category, symbol }: Market) => (category === 'SPOT' ? { symbol } : { symbol, productType: category })
const v2Room = ({ category }: Market) => (category === 'SPOT' ? 'spot' : 'mix')
const v3Query = ({ category, symbol }: Market) => ({ category, symbol })

table(
  'Market data v2 ticker',
  markets.map(([name, market]) => [`${name}: prices, best levels and 24 hours`, market] as const),
  async (market) => {
    const path = market.category === 'SPOT' ? '/api/v2/spot/market/tickers' : '/api/v2/mix/market/ticker'
    const ticker = await first(path, v2Query(market))
    expect(ticker).toMatchObject({
      symbol: market.symbol,
      lastPr: '60000',
      bidPr: '59900',
      askPr: '60100',
      high24h: '60000',
      low24h: '60000',
      openUtc: '60000',
      change24h: '0',
      baseVolume: '1',
      quoteVolume: '60000',
    })
    if (market.category !== 'SPOT') expect(ticker).toMatchObject({ markPrice: expect.any(String), holdingAmount: '1' })
  },
)

table(
  'Market data v3 ticker',
  markets.map(([name, market, lot]) => [`${name}: prices, best levels and 24 hours`, market, lot] as const),
  async (market, lot) => {
    expect(await first('/api/v3/market/tickers', v3Query(market))).toMatchObject({
      ...v3Query(market),
      lastPrice: '60000',
      bid1Price: '59900',
      ask1Price: '60100',
      bid1Size: lot,
      openPrice24h: '60000',
      price24hPcnt: '0',
      volume24h: '1',
      turnover24h: '60000',
    })
  },
)

row('Market data tickers', 'an instrument that never traded shows its mark price', async () => {
  const query = { symbol: 'SOLUSDT', productType: 'USDT-FUTURES' }
  const { lastPr, markPrice, bidPr } = await first('/api/v2/mix/market/ticker', query)
  expect({ lastPr, bidPr }).toEqual({ lastPr: markPrice, bidPr: '' })
  const { lastPrice } = await first('/api/v3/market/tickers', { symbol: 'SOLUSDT', category: 'USDT-FUTURES' })
  expect(lastPrice).toBe(markPrice)
  expect((await first('/api/v3/market/tickers', { symbol: 'SOLUSDT', category: 'SPOT' }))['lastPrice']).not.toBe('0')
})

row('Market data tickers', 'the day of UTC begins anew at midnight, the 24 hours go on', async () => {
  await at.venue.advance(24 * hour - (at.venue.now() % (24 * hour)) + 23 * hour)
  const people = [await at.person('Bob', { funds }), await at.person('Alice', { funds })] as const
  const tradeAt = async (price: string) => {
    await takenInBatch(people[0], `sell 0.1 @ ${price}`, btcUsdc)
    await takenInBatch(people[1], `buy 0.1 @ ${price}`, btcUsdc)
  }
  await tradeAt('60050')
  await at.venue.advance(2 * hour)
  await tradeAt('60080')
  const ticker = await first('/api/v2/mix/market/ticker', v2Query(btcUsdc))
  expect(ticker).toMatchObject({ open24h: '60050', openUtc: '60080', lastPr: '60080' })
  expect(ticker).toMatchObject({ change24h: '0.0005', changeUtc24h: '0' })
})

table(
  'Market data books',
  [
    // path                                       query                                    best level of each side, levels
    ['v2 spot', '/api/v2/spot/market/orderbook', v2Query(btcSpot), ['60100', '59900'], 3],
    ['v2 spot, limit', '/api/v2/spot/market/orderbook', { ...v2Query(btcSpot), limit: '2' }, ['60100', '59900'], 2],
    ['v2 spot, merge-depth', '/api/v2/spot/market/merge-depth', v2Query(btcSpot), ['60100', '59900'], 3],
    ['v2 contract', '/api/v2/mix/market/merge-depth', v2Query(btcPerpetual), [60100, 59900], 3],
    [
      'v2 contract, any number',
      '/api/v2/mix/market/merge-depth',
      { ...v2Query(btcPerpetual), limit: '7' },
      [60100, 59900],
      3,
    ],
    ['v2 contract, max', '/api/v2/mix/market/merge-depth', { ...v2Query(btcInverse), limit: 'max' }, [60100, 59900], 3],
    [
      'v2 contract, merged by 100 ticks',
      '/api/v2/mix/market/merge-depth',
      { ...v2Query(btcPerpetual), precision: 'scale2' },
      [60100, 59900],
      3,
    ],
    [
      'v2 contract, merged by 1000 ticks',
      '/api/v2/mix/market/merge-depth',
      { ...v2Query(btcPerpetual), precision: 'scale3' },
      [60100, 59900],
      2,
    ],
  ],
  async (path, query, best, levels) => {
    const { asks, bids } = (await data(path, query)) as { asks: unknown[][]; bids: unknown[][] }
    expect([asks[0]?.[0], bids[0]?.[0]]).toEqual(best)
    expect([asks.length, bids.length]).toEqual([levels, levels])
  },
)

table(
  'Market data v3 book',
  [
    ['five levels a side unless told', {}, 3],
    ['as many as asked', { limit: '1' }, 1],
  ],
  async (more, levels) => {
    const book = (await data('/api/v3/market/orderbook', { ...v3Query(btcPerpetual), ...more })) as Record<
      'a' | 'b',
      number[][]
    >
    expect([book.a.length, book.b.length]).toEqual([levels, levels])
    expect([book.a[0], book.b[0]]).toEqual([
      [60100, 1],
      [59900, 1],
    ])
  },
)

table(
  'Market data book sizes: texts of pairs with all decimals of a quantity, numbers of contracts',
  [
    ['v2 spot', '/api/v2/spot/market/orderbook', v2Query(btcSpot), ['60100', '1.000000']],
    ['v2 spot, merged', '/api/v2/spot/market/merge-depth', v2Query(btcSpot), ['60100', '1.000000']],
    ['v2 contract', '/api/v2/mix/market/merge-depth', v2Query(btcPerpetual), [60100, 1]],
  ],
  async (path, query, best) => {
    const { asks } = (await data(path, query)) as { asks: unknown[][] }
    expect(asks[0]).toEqual(best)
  },
)

table(
  'Market data limits',
  [
    // path                                            query                          default of it is fine, one above its most is not
    ['v2 spot orderbook', '/api/v2/spot/market/orderbook', v2Query(btcSpot), 150],
    ['v2 spot merge-depth', '/api/v2/spot/market/merge-depth', v2Query(btcSpot), 1000],
    ['v2 merge-depth', '/api/v2/mix/market/merge-depth', v2Query(btcPerpetual), 1000],
    ['v2 spot fills', '/api/v2/spot/market/fills', v2Query(btcSpot), 500],
    ['v2 fills', '/api/v2/mix/market/fills', v2Query(btcPerpetual), 100],
    ['v2 spot fills-history', '/api/v2/spot/market/fills-history', v2Query(btcSpot), 1000],
    ['v2 fills-history', '/api/v2/mix/market/fills-history', v2Query(btcPerpetual), 1000],
    ['v3 orderbook', '/api/v3/market/orderbook', v3Query(btcPerpetual), 200],
    ['v3 fills', '/api/v3/market/fills', v3Query(btcPerpetual), 100],
  ],
  async (path, query, most) => {
    succeeds(await at.venue.get(path, query))
    succeeds(await at.venue.get(path, { ...query, limit: String(most) }))
    for (const limit of [String(most + 1), '0', '-1', '1.5', 'all']) {
      refuses(await at.venue.get(path, { ...query, limit }), 'a parameter')
    }
  },
)

table(
  'Market data v2 trades',
  markets.map(([name, market]) => [`${name}: recent and past ones are the same`, market] as const),
  async (market) => {
    const recent = (await data(`/api/v2/${v2Room(market)}/market/fills`, v2Query(market))) as Fields[]
    const past = (await data(`/api/v2/${v2Room(market)}/market/fills-history`, v2Query(market))) as Fields[]
    // The history spells the side with a capital.
    expect(past).toEqual(recent.map((trade) => ({ ...trade, side: trade['side'] === 'buy' ? 'Buy' : 'Sell' })))
    expect(recent.at(-1)).toMatchObject({ symbol: market.symbol, price: '60000', size: '1', side: 'buy' })
    const older = await data(`/api/v2/${v2Room(market)}/market/fills-history`, {
      ...v2Query(market),
      idLessThan: recent.at(-1)?.['tradeId'] ?? '',
    })
    expect(older).toEqual([])
  },
)

const day = 24 * hour
/** Milliseconds from the only trade on; undefined: not sent. */
const windows: readonly (readonly [
  what: string,
  from: number | undefined,
  to: number | undefined,
  expected: string,
])[] = [
  ['7 days', -7 * day, 0, 'ok'],
  ['a millisecond more', -7 * day - 1, 0, '00001'],
  ['7 days long ago', -100 * day, -93 * day, 'nothing'],
  ['a start alone', -7 * day, undefined, 'ok'],
  ['a start alone, more than 7 days before the trade', -7 * day - 1, undefined, 'nothing'],
  ['an end alone', undefined, 7 * day, 'ok'],
  ['an end alone, more than 7 days after the trade', undefined, 7 * day + 1, 'nothing'],
  ['its moment', 0, 0, 'ok'],
  ['the moment after it', 1, 1, 'nothing'],
  ['an end before the start', 0, -1, '40707'],
]

table(
  {
    rule: 'Market data v2 trades, window (wire/rate-limits-and-filters §4)',
    decision: 'a span of 7 days at most; of one end alone the 7 days beside it',
  },
  [btcSpot, btcPerpetual].flatMap((market) =>
    windows.map(([what, ...rest]) => [`${v2Room(market)}: ${what}`, market, ...rest] as const),
  ),
  async (market, from, to, expected) => {
    const trade = await first(`/api/v2/${v2Room(market)}/market/fills`, v2Query(market))
    const after = (ms: number | undefined) => (ms === undefined ? undefined : Number(trade['ts']) + ms)
    const query = { ...v2Query(market), startTime: after(from), endTime: after(to) }
    const answer = await at.venue.get(`/api/v2/${v2Room(market)}/market/fills-history`, query)
    if (expected !== 'ok' && expected !== 'nothing') refuses(answer, expected)
    else expect(succeeds(answer).list().length > 0).toBe(expected === 'ok')
  },
)

table(
  'Market data funding and open interest',
  contracts.map(([name, market, lot]) => [name, market, lot] as const),
  async (market, lot) => {
    const v2 = await first('/api/v2/mix/market/current-fund-rate', v2Query(market))
    expect(await first('/api/v3/market/current-fund-rate', { symbol: market.symbol })).toEqual(v2)
    expect(Number(v2['nextUpdate'])).toBeGreaterThan(at.venue.now())
    expect(await first('/api/v2/mix/market/funding-time', v2Query(market))).toEqual({
      symbol: market.symbol,
      nextFundingTime: v2['nextUpdate'],
      ratePeriod: v2['fundingRateInterval'],
    })
    const { openInterestList } = (await data('/api/v2/mix/market/open-interest', v2Query(market))) as {
      openInterestList: Fields[]
    }
    expect(openInterestList[0]?.['symbol']).toBe(market.symbol)
    const { list } = (await data('/api/v3/market/open-interest', v3Query(market))) as { list: Fields[] }
    expect(Number(list[0]?.['openInterest'])).toBeGreaterThanOrEqual(Number(lot))
    const prices = await first('/api/v2/mix/market/symbol-price', v2Query(market))
    expect(Number(prices['price'])).toBeGreaterThanOrEqual(60000)
  },
)

table(
  'Market data tiers',
  contracts.map(
    ([name, market]) =>
      [`${name}: the same on both versions, each beginning where the one before ends`, market] as const,
  ),
  async (market) => {
    const v2 = (await data('/api/v2/mix/market/query-position-lever', v2Query(market))) as Fields[]
    const v3 = (await data('/api/v3/market/position-tier', v3Query(market))) as Fields[]
    expect(
      v3.map((tier) => [tier['tier'], tier['minTierValue'], tier['maxTierValue'], tier['leverage'], tier['mmr']]),
    ).toEqual(
      v2.map((tier) => [tier['level'], tier['startUnit'], tier['endUnit'], tier['leverage'], tier['keepMarginRate']]),
    )
    for (const [index, tier] of v2.entries()) {
      expect(tier['startUnit']).toBe(index === 0 ? '0' : v2[index - 1]?.['endUnit'])
    }
    const limit = await first('/api/v3/market/oi-limit', v3Query(market))
    expect(limit).toEqual({ symbol: market.symbol, notionalValue: v3.at(-1)?.['maxTierValue'], totalNotionalValue: '' })
    expect(await first('/api/v2/mix/market/oi-limit', v2Query(market))).toEqual(limit)
  },
)

row('Market data collateral', 'the same shares on both versions', async () => {
  const v3 = (await data('/api/v3/market/discount-rate')) as { coin: string; list: Fields[] }[]
  const v2 = (await data('/api/v2/mix/market/discount-rate')) as { coin: string; discountRateList: Fields[] }[]
  expect(v3.map(({ coin }) => coin)).toEqual(expect.arrayContaining(['BTC', 'ETH', 'USDT', 'USDC']))
  expect(v3).toEqual(
    v2.map(({ coin, discountRateList }) => ({
      coin,
      list: discountRateList.map((tier) => ({ tierStartValue: tier['minAmount'], discountRate: tier['discountRate'] })),
    })),
  )
})

table(
  { rule: 'v2 vip-fee-rate', decision: 'one level, the same for everybody, with the highest fees of its market' },
  [
    ['spot', '/api/v2/spot/market/vip-fee-rate', { takerFeeRate: '0.001', makerFeeRate: '0.001' }],
    ['contracts', '/api/v2/mix/market/vip-fee-rate', { takerFeeRate: '0.0006', makerFeeRate: '0.0002' }],
  ],
  async (path, rates) => {
    const bounds = { btcWithdrawAmount: '92233720368.54775807', usdtWithdrawAmount: '92233720368.54775807' }
    expect(await data(path)).toEqual([{ level: '0', dealAmount: '0', assetAmount: '0', ...rates, ...bounds }])
  },
)

table(
  'A maximum is never zero: what the instrument says, else what the venue counts',
  [
    // record                path                               query                  fields
    ['v2 pair', '/api/v2/spot/public/symbols', { symbol: 'BTCUSDT' }, { maxTradeAmount: '4503599627.370496' }],
    ['v2 margin pair', '/api/v2/margin/currencies', {}, { maxTradeAmount: '4503599627.370496' }],
    [
      'v2 contract',
      '/api/v2/mix/market/contracts',
      v2Query(btcPerpetual),
      { maxOrderQty: '450359962737.0496', maxMarketOrderQty: '450359962737.0496', isRwa: 'NO' },
    ],
    [
      'v2 inverse contract: base coin at the mark price',
      '/api/v2/mix/market/contracts',
      v2Query(btcInverse),
      {
        maxOrderQty: expect.stringMatching(/^7505\d{7}\.\d{4}$/),
        maxMarketOrderQty: expect.stringMatching(/^7505\d{7}/),
      },
    ],
    [
      'v3 pair',
      '/api/v3/market/instruments',
      { category: 'SPOT', symbol: 'BTCUSDT' },
      { maxOrderQty: '4503599627.370496', maxMarketOrderQty: '4503599627.370496', isRwa: 'NO' },
    ],
    [
      'v3 contract',
      '/api/v3/market/instruments',
      v3Query(btcPerpetual),
      { maxOrderQty: '450359962737.0496', quotePrecision: '', isRwa: 'NO' },
    ],
  ],
  async (path, query, fields) => {
    expect(await first(path, query)).toMatchObject(fields)
  },
)

row('Market data index', 'the operator’s feed is its only component', async () => {
  expect(await data('/api/v3/market/index-components', { symbol: 'btcusdt' })).toEqual({
    symbol: 'BTCUSDT',
    componentList: [{ exchange: 'operator', spotPair: 'BTC/USDT', equivalentPrice: '60000', weight: '1' }],
  })
})

row('Market data lists', 'every product type lists its own; demo contracts of clients list nothing', async () => {
  const symbols = async (productType: string) =>
    ((await data('/api/v2/mix/market/contracts', { productType })) as Fields[]).map((contract) => contract['symbol'])
  expect(await symbols('USDT-FUTURES')).toEqual(expect.arrayContaining(['BTCUSDT', 'DOGEUSDT']))
  expect(await symbols('coin-futures')).toEqual(['BTCUSD', 'ETHUSD'])
  expect(await symbols('USDC-FUTURES')).toEqual(['BTCPERP', 'ETHPERP'])
  for (const line of ['SUSDT-FUTURES', 'SCOIN-FUTURES', 'SUSDC-FUTURES']) expect(await symbols(line)).toEqual([])
  for (const category of ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES']) {
    const listed = (await data('/api/v3/market/instruments', { category })) as Fields[]
    expect(listed.length).toBeGreaterThan(1)
    expect(new Set(listed.map((instrument) => instrument['category']))).toEqual(new Set([category]))
  }
})

table(
  'Market data parameters',
  [
    // what                       path                                        query                                     refused as
    ['an unknown pair', '/api/v2/spot/market/tickers', { symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['an unknown pair', '/api/v2/spot/public/symbols', { symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['an unknown pair', '/api/v2/spot/market/merge-depth', { symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['an unknown coin', '/api/v2/spot/public/coins', { coin: 'NOSUCH' }, 'an unknown coin'],
    ['no symbol', '/api/v2/spot/market/orderbook', {}, 'a missing parameter'],
    ['MARGIN has no tickers', '/api/v3/market/tickers', { category: 'MARGIN' }, '400172'],
    ['nor a ticker', '/api/v3/market/tickers', { category: 'margin', symbol: 'BTCUSDT' }, '400172'],
    ['no product type', '/api/v2/mix/market/tickers', {}, 'a missing parameter'],
    ['an unknown product type', '/api/v2/mix/market/tickers', { productType: 'OPTIONS' }, 'a parameter'],
    [
      'an unknown contract',
      '/api/v2/mix/market/funding-time',
      { ...v2Query(btcUsdc), symbol: 'NO' },
      'an unknown symbol',
    ],
    ['an unknown contract', '/api/v2/mix/market/oi-limit', { ...v2Query(btcUsdc), symbol: 'NO' }, 'an unknown symbol'],
    ['an unknown contract', '/api/v3/market/index-components', { symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['no symbol', '/api/v3/market/index-components', {}, 'a missing parameter'],
    ['SPOT has no open interest', '/api/v3/market/oi-limit', { category: 'SPOT' }, 'a parameter'],
    ['SPOT has no tiers', '/api/v3/market/position-tier', { category: 'SPOT' }, 'a parameter'],
    ['MARGIN tiers need a coin', '/api/v3/market/position-tier', { category: 'MARGIN' }, 'a missing parameter'],
    ['an unknown scale', '/api/v2/mix/market/merge-depth', { ...v2Query(btcUsdc), precision: 'scale9' }, 'a parameter'],
    ['an unknown coin', '/api/v3/market/margin-loans', { coin: 'NOSUCH' }, 'an unknown coin'],
  ],
  async (path, query, expected) => {
    refuses(await at.venue.get(path, query), expected)
  },
)
