/**
 * Every public method of the published clients against a venue, with nothing changed but their address.
 *
 * Source  design §6 (test/clients); wire/client-endpoints.md §2; wire/v3-endpoints.md §8
 */
import type { bitget } from 'ccxt'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Venue } from '../support/venue.ts'
import { clientV2, clientV3, dataOf } from './support/bitget-api.ts'
import { callsOf } from './support/calls.ts'
import { ccxtAt, ccxtModes } from './support/ccxt.ts'
import { contracts, markets, startMarket } from './support/market.ts'

let venue: Venue
const startedMs = Date.now()

beforeAll(async () => {
  venue = await startMarket()
})
afterAll(async () => {
  await venue?.remove()
})

const minuteMs = 60_000
/** Every contract pays at 00, 08 and 16 UTC. */
const fundingMs = 8 * 60 * minuteMs

describe.each(ccxtModes)('ccxt, %s', (mode) => {
  const { works } = callsOf('ccxt', mode)
  let exchange: bitget

  beforeAll(async () => {
    exchange = ccxtAt(venue, mode)
    await exchange.loadMarkets()
  })

  works('fetchTime', async () => {
    expect(Math.abs(((await exchange.fetchTime()) ?? 0) - Date.now())).toBeLessThan(10_000)
  })

  works('loadMarkets', async () => {
    const found = await ccxtAt(venue, mode).loadMarkets()
    expect(found['BTC/USDT']).toMatchObject({ id: 'BTCUSDT', type: 'spot', spot: true, active: true })
    expect(found['BTC/USDT:USDT']).toMatchObject({ id: 'BTCUSDT', type: 'swap', linear: true, settle: 'USDT' })
    expect(found['BTC/USDC:USDC']).toMatchObject({ id: 'BTCPERP', type: 'swap', linear: true, settle: 'USDC' })
    expect(found['BTC/USD:BTC']).toMatchObject({ id: 'BTCUSD', type: 'swap', inverse: true, settle: 'BTC' })
    for (const { symbol } of markets) {
      const { precision, taker, maker } = found[symbol] ?? {}
      expect(precision?.price).toBeGreaterThan(0)
      expect(precision?.amount).toBeGreaterThan(0)
      expect(taker).toBeGreaterThan(0)
      expect(maker).toBeGreaterThan(0)
    }
  })

  works('fetchCurrencies', async () => {
    expect(Object.keys((await exchange.fetchCurrencies()) ?? {})).toEqual(expect.arrayContaining(['BTC', 'USDT']))
  })

  for (const { kind, symbol } of markets) {
    works(`fetchTicker, ${kind}`, async () => {
      const ticker = await exchange.fetchTicker(symbol)
      expect(ticker).toMatchObject({ symbol, last: 60000, bid: 59900, ask: 60100, high: 60000, low: 60000 })
      expect(ticker.baseVolume).toBeCloseTo(1, 6)
      expect(ticker.quoteVolume).toBe(60000)
      expect(ticker.percentage).toBe(0)
    })

    works(`fetchOrderBook, ${kind}`, async () => {
      const book = await exchange.fetchOrderBook(symbol)
      expect(book.asks.map(([price]) => price)).toEqual([60100, 60200])
      expect(book.bids.map(([price]) => price)).toEqual([59900, 59800])
      expect((await exchange.fetchOrderBook(symbol, 1)).asks).toHaveLength(1)
    })

    works(`fetchTrades, ${kind}`, async () => {
      const trades = await exchange.fetchTrades(symbol)
      expect(trades).toHaveLength(1)
      expect(trades[0]).toMatchObject({ symbol, price: 60000, side: 'buy' })
      expect(Math.abs((trades[0]?.timestamp ?? 0) - Date.now())).toBeLessThan(10 * minuteMs)
      expect(await exchange.fetchTrades(symbol, Date.now() - 10 * minuteMs, 5)).toHaveLength(1)
    })

    works(`fetchOHLCV, ${kind}, every timeframe`, async () => {
      const timeframes = (exchange.options['fetchOHLCV'] as { timeframes: Record<string, object> }).timeframes
      const words = timeframes[mode === 'uta' ? 'uta' : kind === 'spot' ? 'spot' : 'swap'] ?? {}
      expect(Object.keys(words).length).toBeGreaterThan(10)
      for (const timeframe of Object.keys(words)) {
        const candles = await exchange.fetchOHLCV(symbol, timeframe)
        expect(candles.length, timeframe).toBeGreaterThan(0)
        const [start, ...prices] = candles[0] ?? []
        expect(start, timeframe).toBeLessThanOrEqual(Date.now())
        expect(prices.slice(0, 4), timeframe).toEqual([60000, 60000, 60000, 60000])
        // ccxt counts the volume of an inverse contract in USD.
        const volume = candles.reduce((sum, candle) => sum + Number(candle[5]), 0)
        expect(volume, timeframe).toBeCloseTo(kind === 'inverse' ? 60000 : 1, 6)
      }
    })

    works(`fetchOHLCV since and until, ${kind}`, async () => {
      const since = Date.now() - 40 * 86_400_000
      expect(await exchange.fetchOHLCV(symbol, '1h', since, 10)).toEqual([])
      const candles = await exchange.fetchOHLCV(symbol, '1m', Date.now() - 5 * minuteMs, 10, { until: Date.now() })
      expect(candles.length).toBeGreaterThan(0)
    })
  }

  works('fetchTickers, spot', async () => {
    expect(Object.keys(await exchange.fetchTickers(['BTC/USDT', 'ETH/USDT'])).sort()).toEqual(['BTC/USDT', 'ETH/USDT'])
    expect(Object.keys(await exchange.fetchTickers()).length).toBeGreaterThan(2)
  })

  works('fetchTickers, contracts', async () => {
    const tickers = await exchange.fetchTickers(['BTC/USDT:USDT', 'ETH/USDT:USDT'])
    expect(Object.keys(tickers).sort()).toEqual(['BTC/USDT:USDT', 'ETH/USDT:USDT'])
  })

  for (const { kind, symbol } of contracts) {
    works(`fetchMarkPrice, ${kind}`, async () => {
      expect((await exchange.fetchMarkPrice(symbol)).markPrice).toBeCloseTo(60010, -2)
    })

    works(`fetchMarkOHLCV, ${kind}`, async () => {
      const candles = await exchange.fetchMarkOHLCV(symbol, '1m')
      expect(candles.at(-1)?.[4]).toBeCloseTo(60010, -2)
      expect((await exchange.fetchMarkOHLCV(symbol, '1h', Date.now() - 86_400_000)).length).toBeGreaterThan(0)
    })

    works(`fetchIndexOHLCV, ${kind}`, async () => {
      expect((await exchange.fetchIndexOHLCV(symbol, '1m')).at(-1)?.[4]).toBe(60010)
    })

    works(`fetchFundingRate, ${kind}`, async () => {
      const rate = await exchange.fetchFundingRate(symbol)
      expect(rate).toMatchObject({ symbol, interval: '8h' })
      expect(rate.fundingRate).toBeTypeOf('number')
      expect(Number(rate.fundingTimestamp ?? rate.nextFundingTimestamp)).toBeGreaterThan(Date.now())
    })

    works(`fetchFundingRateHistory, ${kind}`, async () => {
      const rates = await exchange.fetchFundingRateHistory(symbol)
      const isFundingTime = Math.floor(Date.now() / fundingMs) > Math.floor(startedMs / fundingMs)
      expect(rates).toHaveLength(isFundingTime ? 2 : 1)
      expect(rates[0]).toMatchObject({ symbol, fundingRate: expect.any(Number), timestamp: expect.any(Number) })
    })

    works(`fetchFundingInterval, ${kind}`, async () => {
      expect((await exchange.fetchFundingInterval(symbol)).interval).toBe('8h')
    })

    works(`fetchOpenInterest, ${kind}`, async () => {
      const { openInterestAmount } = await exchange.fetchOpenInterest(symbol)
      // An inverse contract is counted in base coin by v2 and in USD by v3.
      expect(openInterestAmount).toBeCloseTo(kind === 'inverse' && mode === 'uta' ? 60000 : 1, 3)
    })

    works(`fetchMarketLeverageTiers, ${kind}`, async () => {
      const [first, ...others] = await exchange.fetchMarketLeverageTiers(symbol)
      expect(first).toMatchObject({ tier: 1, minNotional: 0 })
      expect(first?.maxLeverage).toBeGreaterThan(1)
      expect(first?.maintenanceMarginRate).toBeGreaterThan(0)
      expect(others.length).toBeGreaterThan(0)
    })
  }

  works('fetchFundingRates', async () => {
    const rates = await exchange.fetchFundingRates(['BTC/USDT:USDT'])
    expect(rates['BTC/USDT:USDT']?.fundingRate).toBeTypeOf('number')
  })

  works('fetchFundingIntervals', async () => {
    const rates = await exchange.fetchFundingIntervals(['BTC/USDT:USDT'])
    expect(rates['BTC/USDT:USDT']?.interval).toBe('8h')
  })

  works('fetchDepositWithdrawFees', async () => {
    expect(await exchange.fetchDepositWithdrawFees(['BTC'])).toHaveProperty('BTC')
  })

  if (mode === 'classic') {
    works('fetchTradingFees', async () => {
      expect((await exchange.fetchTradingFees())['BTC/USDT']).toMatchObject({ taker: 0.001 })
    })
  }

  works('fetchLongShortRatioHistory', async () => {
    const ratios = await exchange.fetchLongShortRatioHistory('BTC/USDT:USDT', '5m')
    expect(ratios.at(-1)).toMatchObject({ symbol: 'BTC/USDT:USDT', longShortRatio: expect.any(Number) })
  })
})

const perpetual = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' } as const

describe('bitget-api, RestClientV2', () => {
  const { works, notOffered } = callsOf('bitget-api', 'RestClientV2')
  const client = () => clientV2(venue, venue.as('classic-main').key)
  const window = () => ({ startTime: String(Date.now() - 3_600_000), endTime: String(Date.now()) })

  works('getServerTime', async () => {
    expect(Number((await dataOf(client().getServerTime())).serverTime)).toBeGreaterThan(1_700_000_000_000)
  })

  const lists: readonly (readonly [method: string, call: () => Promise<{ code: string; data: unknown }>])[] = [
    ['getSpotCoinInfo', () => client().getSpotCoinInfo()],
    ['getSpotSymbolInfo', () => client().getSpotSymbolInfo()],
    ['getSpotTicker', () => client().getSpotTicker({ symbol: 'BTCUSDT' })],
    ['getSpotCandles', () => client().getSpotCandles({ symbol: 'BTCUSDT', granularity: '1min' })],
    [
      'getSpotHistoricCandles',
      () => client().getSpotHistoricCandles({ symbol: 'BTCUSDT', granularity: '1min', endTime: String(Date.now()) }),
    ],
    ['getSpotRecentTrades', () => client().getSpotRecentTrades({ symbol: 'BTCUSDT' })],
    ['getSpotHistoricTrades', () => client().getSpotHistoricTrades({ symbol: 'BTCUSDT', ...window() })],
    ['getFuturesDiscountRate', () => client().getFuturesDiscountRate()],
    ['getFuturesTicker', () => client().getFuturesTicker(perpetual)],
    ['getFuturesAllTickers', () => client().getFuturesAllTickers({ productType: 'COIN-FUTURES' })],
    ['getFuturesRecentTrades', () => client().getFuturesRecentTrades(perpetual)],
    ['getFuturesHistoricTrades', () => client().getFuturesHistoricTrades({ ...perpetual, ...window() })],
    ['getFuturesCandles', () => client().getFuturesCandles({ ...perpetual, granularity: '1m' })],
    ['getFuturesHistoricCandles', () => client().getFuturesHistoricCandles({ ...perpetual, granularity: '1m' })],
    [
      'getFuturesHistoricIndexPriceCandles',
      () => client().getFuturesHistoricIndexPriceCandles({ ...perpetual, granularity: '1m' }),
    ],
    [
      'getFuturesHistoricMarkPriceCandles',
      () => client().getFuturesHistoricMarkPriceCandles({ ...perpetual, granularity: '1m' }),
    ],
    ['getFuturesNextFundingTime', () => client().getFuturesNextFundingTime(perpetual)],
    ['getFuturesSymbolPrice', () => client().getFuturesSymbolPrice(perpetual)],
    ['getFuturesHistoricFundingRates', () => client().getFuturesHistoricFundingRates(perpetual)],
    ['getFuturesCurrentFundingRate', () => client().getFuturesCurrentFundingRate(perpetual)],
    ['getFuturesContractConfig', () => client().getFuturesContractConfig({ productType: 'USDC-FUTURES' })],
    ['getFuturesOiLimit', () => client().getFuturesOiLimit({ productType: 'USDT-FUTURES' })],
    ['getFuturesPositionTier', () => client().getFuturesPositionTier(perpetual)],
    ['getMarginCurrencies', () => client().getMarginCurrencies()],
  ]
  for (const [method, call] of lists) {
    works(method, async () => {
      expect(await dataOf(call())).toEqual(expect.arrayContaining([expect.anything()]))
    })
  }

  // Books of pairs are texts, sizes with all decimals; those of contracts are numbers.
  const text = (price: number) => [String(price), '1.000000']
  const number = (price: number) => [price, 1]
  type Call = () => Promise<{ code: string; data: unknown }>
  const books: readonly (readonly [method: string, call: Call, level: typeof text | typeof number])[] = [
    ['getSpotOrderBookDepth', () => client().getSpotOrderBookDepth({ symbol: 'BTCUSDT' }), text],
    ['getSpotMergeDepth', () => client().getSpotMergeDepth({ symbol: 'BTCUSDT' }), text],
    ['getFuturesMergeDepth', () => client().getFuturesMergeDepth({ ...perpetual, limit: 'max' }), number],
  ]
  for (const [method, call, level] of books) {
    works(method, async () => {
      expect(await dataOf(call())).toMatchObject({
        asks: [level(60_100), level(60_200)],
        bids: [level(59_900), level(59_800)],
      })
    })
  }

  works('getFuturesOpenInterest', async () => {
    const data = await dataOf(client().getFuturesOpenInterest(perpetual))
    expect(data).toMatchObject({ openInterestList: [{ symbol: 'BTCUSDT', size: '1' }] })
  })

  const oneLevel = 'one level, the same for everybody'
  works(
    'getSpotVIPFeeRate',
    async () =>
      expect(await dataOf(client().getSpotVIPFeeRate())).toMatchObject([{ level: '0', takerFeeRate: '0.001' }]),
    oneLevel,
  )
  works(
    'getFuturesVIPFeeRate',
    async () =>
      expect(await dataOf(client().getFuturesVIPFeeRate())).toMatchObject([{ level: '0', takerFeeRate: '0.0006' }]),
    oneLevel,
  )
  works('getFuturesInterestExchangeRate', async () => {
    const rates = (await dataOf(client().getFuturesInterestExchangeRate())) as unknown as { coin: string }[]
    expect(rates.map(({ coin }) => coin)).toContain('BTC')
  })
  works('getFuturesActiveTakerBuySellVolumeData, getFuturesActiveLongShortAccountData', async () => {
    const symbol = 'BTCUSDT'
    expect(await dataOf(client().getFuturesActiveTakerBuySellVolumeData({ symbol }))).not.toEqual([])
    expect(await dataOf(client().getFuturesActiveLongShortAccountData({ symbol, period: '1h' }))).not.toEqual([])
  })
  works('getAnnouncements', async () => {
    expect(await dataOf(client().getAnnouncements({ language: 'en_US' }))).not.toEqual([])
  })
  notOffered('getFuturesLongShortRatio', 'statistics of the accounts are not kept', () =>
    client().getFuturesLongShortRatio({ symbol: 'BTCUSDT' }),
  )
})

describe('bitget-api, RestClientV3', () => {
  const { works, notOffered } = callsOf('bitget-api', 'RestClientV3')
  const client = () => clientV3(venue, venue.as('unified-main').key)
  const asked = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const

  works('getServerTime', async () => {
    expect(Number((await dataOf(client().getServerTime())).serverTime)).toBeGreaterThan(1_700_000_000_000)
  })

  const lists: readonly (readonly [method: string, call: () => Promise<{ code: string; data: unknown }>])[] = [
    ['getInstruments', () => client().getInstruments({ category: 'SPOT' })],
    ['getTickers', () => client().getTickers({ category: 'COIN-FUTURES' })],
    ['getFills', () => client().getFills(asked)],
    ['getCandles', () => client().getCandles({ ...asked, interval: '1m' })],
    ['getCandles of the mark price', () => client().getCandles({ ...asked, interval: '1H', type: 'MARK' })],
    ['getHistoryCandles', () => client().getHistoryCandles({ ...asked, interval: '1D' })],
    ['getCurrentFundingRate', () => client().getCurrentFundingRate({ symbol: 'BTCUSDT' })],
    ['getDiscountRate', () => client().getDiscountRate()],
    ['getPositionTier', () => client().getPositionTier(asked)],
    ['getContractsOi', () => client().getContractsOi({ category: 'USDT-FUTURES' })],
  ]
  for (const [method, call] of lists) {
    works(method, async () => {
      expect(await dataOf(call())).toEqual(expect.arrayContaining([expect.anything()]))
    })
  }

  works('getOrderBook', async () => {
    expect(await dataOf(client().getOrderBook({ ...asked, limit: '1' }))).toMatchObject({
      a: [[60100, 1]],
      b: [[59900, 1]],
    })
  })

  works('getHistoryFundingRate', async () => {
    const data = await dataOf(client().getHistoryFundingRate(asked))
    expect(data).toMatchObject({ resultList: [{ symbol: 'BTCUSDT' }] })
  })

  works('getOpenInterest', async () => {
    const data = await dataOf(client().getOpenInterest(asked))
    expect(data).toMatchObject({ list: [{ symbol: 'BTCUSDT', openInterest: '1' }] })
  })

  works('getMarginLoans', async () => {
    expect(await dataOf(client().getMarginLoans({ coin: 'USDT' }))).toHaveProperty('dailyInterest')
  })

  works('getIndexComponents', async () => {
    expect(await dataOf(client().getIndexComponents({ symbol: 'BTCUSDT' }))).toMatchObject({
      componentList: [{ equivalentPrice: '60010', weight: '1' }],
    })
  })

  notOffered('getFuturesLongShort', 'statistics of the accounts are not kept', () =>
    client().getFuturesLongShort({ symbol: 'BTCUSDT' }),
  )
})
