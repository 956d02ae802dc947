/**
 * Public v3 endpoints: time, instruments, tickers, books, trades, funding.
 *
 * Caller   anybody; authentication headers are ignored, limits count by address (design §4.2)
 * MARGIN   trades on the spot pairs' books: their data, under its own name; only tickers are asked for as SPOT
 * Source   interface.md E8, E10; wire/v3-endpoints.md §1
 */
import Type from 'typebox'
import {
  type Category,
  type FuturesInstrument,
  type Instrument,
  type ProductLine,
  productLines,
} from '../../engine/catalog/catalog.ts'
import type { CatalogIndex } from '../catalog-index.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { missingParameter, unknownSymbol, wrongParameter } from '../errors/errors.ts'
import { objectText } from '../json-text.ts'
import { KeptTexts } from '../kept-texts.ts'
import { LevelTexts, singleLevels } from '../level-texts.ts'
import * as field from '../parsing/fields.ts'
import * as wire from './dictionary.ts'
import { TickerTexts } from '../ticker-texts.ts'
import * as records from './records.ts'

const access = 'public'
const limit = { perSecond: 20, per: 'ip' } as const
const source = 'wire/v3-endpoints §1'

/** The named instrument, or everything of the category. */
export function instrumentsAsked<C extends Category>(catalog: CatalogIndex, category: C, symbol: string | undefined) {
  if (symbol === undefined) return catalog.list(category)
  return [namedInstrument(catalog, category, symbol)]
}

export function namedInstrument<C extends Category>(catalog: CatalogIndex, category: C, symbol: string) {
  const instrument = catalog.find(category, symbol)
  if (instrument === undefined) throw unknownSymbol(symbol)
  return instrument
}

const time = defineEndpoint({
  method: 'GET',
  path: '/api/v3/public/time',
  summary: "The venue's time",
  source,
  access,
  limit,
  request: field.nothing,
  response: field.texts('serverTime'),
  handle: ({ now }) => ({ serverTime: String(now) }),
})

const instruments = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/instruments',
  summary: 'What is traded, with every rule that an order has to meet',
  source,
  access,
  limit,
  request: Type.Object({ category: field.category(), symbol: Type.Optional(field.symbol()) }),
  response: Type.Array(Type.Union([records.FuturesInstrument, records.MarginInstrument, records.SpotInstrument])),
  handle: ({ catalog, core }, { category, symbol }) => {
    const { risk } = core.query({ kind: 'settings' })
    return instrumentsAsked<Category>(catalog, category, symbol).map((instrument) => {
      if (instrument.kind !== 'spot') return wire.futuresInstrumentRecord(instrument, catalog, risk)
      return category === 'MARGIN'
        ? wire.marginInstrumentRecord(instrument, catalog)
        : wire.spotInstrumentRecord(instrument, catalog)
    })
  },
})

// Pairs are listed as SPOT here, so that each instrument has one category.
const tickerTexts = new TickerTexts((instrument: Instrument, { day: ticker, best: depth, prices, now }) => {
  const picture = { category: instrument.category, ticker, depth, prices, now }
  return instrument.kind === 'spot'
    ? wire.spotTickerRecord(instrument, picture)
    : wire.futuresTickerRecord(instrument, picture)
})

const tickerCategories = ['SPOT', ...productLines] as const

const tickers = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/tickers',
  summary: 'Best prices and the last 24 hours',
  source,
  access,
  limit,
  request: Type.Object({ category: field.oneOf(tickerCategories), symbol: Type.Optional(field.symbol()) }),
  response: Type.Array(Type.Union([records.FuturesTicker, records.SpotTicker])),
  handle: (context, { category, symbol }) =>
    tickerTexts.listOf(context, instrumentsAsked<Category>(context.catalog, category, symbol)),
})

const levelTexts = new LevelTexts(wire.orderBookLevel)

const orderbook = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/orderbook',
  summary: 'Levels of a book, best first',
  source,
  access,
  limit,
  request: Type.Object({ category: field.category(), symbol: field.symbol(), limit: field.limit(5, 200) }),
  response: records.OrderBook,
  handle: ({ catalog, core }, input) => {
    const instrument = namedInstrument<Category>(catalog, input.category, input.symbol)
    const depth = core.query({ kind: 'depth', instrument: instrument.id, limit: input.limit })
    const side = (levels: typeof depth.asks) => levelTexts.listOf(instrument, singleLevels(levels))
    return objectText({ a: side(depth.asks), b: side(depth.bids), ts: String(depth.at) })
  },
})

const fillTexts = new KeptTexts(wire.publicFillRecord)

const fills = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/fills',
  summary: 'Recent public fills, newest first; without a symbol those of the whole category',
  source: 'interface E8',
  access,
  limit,
  request: Type.Object({
    category: field.category(),
    symbol: Type.Optional(field.symbol()),
    limit: field.limit(100, 100),
  }),
  response: Type.Array(records.PublicFill),
  handle: ({ catalog, market }, input) => {
    const asked = instrumentsAsked<Category>(catalog, input.category, input.symbol).map((instrument) => instrument.id)
    return fillTexts.listOf(market.recentTrades(asked, input.limit), catalog)
  },
})

const fundingHistory = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/history-fund-rate',
  summary: 'Settled funding rates of a contract, newest first; the cursor is the page number',
  source: 'interface E10; design §4.15',
  access,
  limit,
  request: Type.Object({
    category: field.productType(),
    symbol: field.symbol(),
    cursor: field.page(100),
    limit: field.limit(20, 100),
  }),
  response: Type.Object({ resultList: Type.Array(records.FundingRate) }),
  handle: async ({ catalog, history, market, now }, input) => {
    const instrument = namedInstrument<ProductLine>(catalog, input.category, input.symbol)
    const settled = await market.records(history, now).fundingRates({
      instrument: instrument.id,
      offset: (input.cursor - 1) * input.limit,
      limit: input.limit,
    })
    return { resultList: settled.map((settlement) => wire.fundingRecord(settlement, catalog)) }
  },
})

const futuresCategories = ['USDT-FUTURES', 'USDC-FUTURES', 'COIN-FUTURES'] as const

const currentFunding = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/current-fund-rate',
  summary: 'The funding rate that the next settlement takes, as it stands; the category may be left out',
  source,
  access,
  limit,
  request: Type.Object({ symbol: field.symbol(), category: Type.Optional(field.productType()) }),
  response: Type.Array(records.CurrentFundingRate),
  handle: ({ catalog, core }, { symbol, category }) => {
    const found = (category === undefined ? futuresCategories : [category])
      .map((line): FuturesInstrument | undefined => catalog.find(line, symbol))
      .filter((contract) => contract !== undefined)
    if (found.length === 0) throw unknownSymbol(symbol)
    return found.map((instrument) =>
      wire.currentFundingRecord(instrument, core.query({ kind: 'prices', instrument: instrument.id })),
    )
  },
})

const openInterest = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/open-interest',
  summary: 'Quantity held in positions',
  source,
  access,
  limit,
  request: Type.Object({ category: field.productType(), symbol: Type.Optional(field.symbol()) }),
  response: records.OpenInterest,
  handle: ({ catalog, core, now }, { category, symbol }) => ({
    list: instrumentsAsked(catalog, category, symbol).map((instrument) => ({
      symbol: instrument.symbol,
      openInterest: wire.openInterestText(core.query({ kind: 'prices', instrument: instrument.id }), instrument),
    })),
    ts: String(now),
  }),
})

const positionTier = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/position-tier',
  summary: 'Position tiers of a contract, or how far a coin may be borrowed on margin',
  source,
  access,
  limit,
  request: Type.Object({
    category: field.category(),
    symbol: Type.Optional(field.symbol()),
    coin: Type.Optional(field.coin()),
  }),
  response: Type.Array(records.PositionTier),
  handle: ({ catalog }, { category, symbol, coin }) => {
    if (category === 'SPOT') throw wrongParameter('v3', 'category', 'should be MARGIN or futures')
    if (category === 'MARGIN') {
      if (coin === undefined) throw missingParameter('coin')
      const borrowed = catalog.coinNamed(coin)
      if (borrowed === undefined) throw wrongParameter('v3', 'coin', `${coin} does not exist`)
      return borrowed.borrowable ? [wire.borrowTierRecord(borrowed)] : []
    }
    if (symbol === undefined) throw missingParameter('symbol')
    return namedInstrument<ProductLine>(catalog, category, symbol).tiers.map(wire.tierRecord)
  },
})

export const marketEndpoints: readonly Endpoint[] = [
  time,
  instruments,
  tickers,
  orderbook,
  fills,
  fundingHistory,
  currentFunding,
  openInterest,
  positionTier,
]
