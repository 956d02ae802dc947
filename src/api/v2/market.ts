/**
 * Public market data of v2: the time, tickers, books, trades and funding.
 *
 * Sizes     inverse contracts in base coin, at the price that they trade or are offered at
 * Books     `type` and `precision` merge levels: each step ten times as wide as the one before
 * Source    wire/client-endpoints.md §4; wire/client-needs.md; wire/rate-limits-and-filters.md §3-§6
 */
import Type from 'typebox'
import type { Instrument } from '../../engine/catalog/catalog.ts'
import type { TradeEvent } from '../../engine/protocol/event.ts'
import { type Context, type Endpoint, defineEndpoint } from '../endpoint.ts'
import { wrongParameter } from '../errors/errors.ts'
import { objectText } from '../json-text.ts'
import { KeptTexts } from '../kept-texts.ts'
import { LevelTexts } from '../level-texts.ts'
import { id, limit, nothing, oneOfOr, page, productType, symbol, text, timestamp } from '../parsing/fields.ts'
import { openWindow } from '../parsing/time-window.ts'
import { TickerTexts } from '../ticker-texts.ts'
import * as dictionary from './dictionary.ts'
import { contractNamed, pairNamed } from './lookups.ts'
import * as records from './records.ts'

const perSecond = (calls: number) => ({ perSecond: calls, per: 'ip' }) as const
const contractRequest = Type.Object({ symbol: symbol(), productType: productType() })

const time = defineEndpoint({
  method: 'GET',
  path: '/api/v2/public/time',
  summary: "The venue's time",
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(20),
  request: nothing,
  response: records.ServerTime,
  handle: ({ now }) => ({ serverTime: String(now) }),
})

// tickers

const pairTickers = new TickerTexts(dictionary.spotTicker)
const contractTickers = new TickerTexts(dictionary.mixTicker)

const spotTickers = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/market/tickers',
  summary: 'Tickers of one spot pair or all',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(20),
  request: Type.Object({ symbol: Type.Optional(symbol()) }),
  response: Type.Array(records.SpotTicker),
  handle(context, input) {
    const pairs = input.symbol === undefined ? context.catalog.list('SPOT') : [pairNamed(context, 'SPOT', input.symbol)]
    return pairTickers.listOf(context, pairs)
  },
})

const mixTicker = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/ticker',
  summary: 'Ticker of a contract, as a list of one',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(20),
  request: contractRequest,
  response: Type.Array(records.MixTicker),
  handle(context, input) {
    return contractTickers.listOf(context, [contractNamed(context, input.productType, input.symbol)])
  },
})

const mixTickers = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/tickers',
  summary: 'Tickers of a product line',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(20),
  request: Type.Object({ productType: productType() }),
  response: Type.Array(records.MixTicker),
  handle: (context, { productType: line }) => contractTickers.listOf(context, context.catalog.list(line)),
})

const symbolPrice = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/symbol-price',
  summary: 'Last, index and mark price of a contract, as a list of one',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(20),
  request: contractRequest,
  response: Type.Array(records.SymbolPrice),
  handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    const prices = context.core.query({ kind: 'prices', instrument: contract.id })
    return [dictionary.symbolPrice(contract, prices, context.now)]
  },
})

// books

/** A merged level may be made of many: so many are looked at for each side. */
const mergedLevelsMax = 2000

const pairLevels = new LevelTexts(dictionary.bookLevel)
const contractLevels = new LevelTexts(dictionary.numberLevel)

function book<Shown>(
  context: Context,
  instrument: Instrument,
  { step, limit: levels, texts }: { readonly step: number; readonly limit: number; readonly texts: LevelTexts<Shown> },
) {
  const merged = 10 ** step
  const depth = context.core.query({
    kind: 'depth',
    instrument: instrument.id,
    limit: merged === 1 ? levels : mergedLevelsMax,
  })
  const shape = { merged, limit: levels }
  return {
    asks: texts.listOf(instrument, dictionary.mergedLevels(depth.asks, 'ask', shape)),
    bids: texts.listOf(instrument, dictionary.mergedLevels(depth.bids, 'bid', shape)),
    ts: String(context.now),
  }
}

const spotBook = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/market/orderbook',
  summary: 'Order book of a spot pair',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(20),
  request: Type.Object({
    symbol: symbol(),
    type: oneOfOr(['step0', 'step1', 'step2', 'step3', 'step4', 'step5'], 'step0'),
    limit: limit(150, 150),
  }),
  response: records.SpotBook,
  handle(context, input) {
    const pair = pairNamed(context, 'SPOT', input.symbol)
    const asked = { step: Number(input.type.slice(-1)), limit: input.limit, texts: pairLevels }
    return objectText(book(context, pair, asked))
  },
})

const mixLevelsMax = 1000

const mergeFields = {
  precision: oneOfOr(['scale0', 'scale1', 'scale2', 'scale3'], 'scale0'),
  limit: Type.Optional(text(8, { description: `a number up to ${mixLevelsMax}, or max; 100 if absent` })),
}

const mixBook = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/merge-depth',
  summary: 'Order book of a contract',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(20),
  request: Type.Object({
    symbol: symbol(),
    productType: productType(),
    ...mergeFields,
  }),
  response: records.MixBook,
  handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    return mergedBook(context, contract, { ...input, texts: contractLevels })
  },
})

const spotMergedBook = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/market/merge-depth',
  summary: 'Order book of a spot pair, its levels merged',
  source: 'wire/rate-limits-and-filters §3',
  access: 'public',
  limit: perSecond(20),
  request: Type.Object({ symbol: symbol(), ...mergeFields }),
  response: records.SpotMergedBook,
  handle(context, input) {
    const pair = pairNamed(context, 'SPOT', input.symbol)
    return mergedBook(context, pair, { ...input, texts: pairLevels })
  },
})

interface MergeAsked<Shown> {
  readonly precision: string
  readonly limit?: string
  readonly texts: LevelTexts<Shown>
}

function mergedBook<Shown>(
  context: Context,
  instrument: Instrument,
  { precision, limit: levels = '100', texts }: MergeAsked<Shown>,
) {
  const step = Number(precision.slice(-1))
  return objectText({
    ...book(context, instrument, { step, limit: levelsAsked(levels), texts }),
    scale: dictionary.scaleText(instrument, 10 ** step),
    precision,
    isMaxPrecision: step === 0 ? 'YES' : 'NO',
  })
}

/** Clients send any number here, or `max`. */
function levelsAsked(asked: string): number {
  if (/^max$/i.test(asked)) return mixLevelsMax
  const levels = Number(asked)
  if (/^[0-9]+$/.test(asked) && levels >= 1 && levels <= mixLevelsMax) return levels
  throw wrongParameter('v2', 'limit', `should be between 1 and ${mixLevelsMax}, or max`)
}

// trades

const tradeTexts = new KeptTexts((trade: TradeEvent, instrument: Instrument) =>
  dictionary.publicTrade(instrument, trade),
)

const spotFills = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/market/fills',
  summary: 'Recent trades of a spot pair',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(10),
  request: Type.Object({ symbol: symbol(), limit: limit(100, 500) }),
  response: Type.Array(records.PublicTrade),
  handle(context, input) {
    const pair = pairNamed(context, 'SPOT', input.symbol)
    const trades = context.market.recentTrades([pair.id], input.limit)
    return tradeTexts.listOf(trades, pair)
  },
})

const mixFills = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/fills',
  summary: 'Recent trades of a contract',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(20),
  request: Type.Object({ symbol: symbol(), productType: productType(), limit: limit(100, 100) }),
  response: Type.Array(records.PublicTrade),
  handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    const trades = context.market.recentTrades([contract.id], input.limit)
    return tradeTexts.listOf(trades, contract)
  },
})

const pastTradesFields = {
  symbol: symbol(),
  limit: limit(500, 1000),
  idLessThan: Type.Optional(id()),
  startTime: Type.Optional(timestamp()),
  endTime: Type.Optional(timestamp()),
}

const pastTradesSpanDays = 7

interface PastTradesAsked {
  readonly limit: number
  readonly idLessThan?: number
  readonly startTime?: number
  readonly endTime?: number
}

async function pastTrades(context: Context, instrument: Instrument, asked: PastTradesAsked) {
  const { rows } = await context.history.trades({
    instrument: instrument.id,
    ...openWindow(asked, { spanDays: pastTradesSpanDays }),
    beforeMatchId: asked.idLessThan,
    limit: asked.limit,
  })
  return rows.map((trade) => dictionary.pastTrade(instrument, trade))
}

const spotFillsHistory = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/market/fills-history',
  summary: 'Past trades of a spot pair',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(10),
  request: Type.Object(pastTradesFields),
  response: Type.Array(records.PublicTrade),
  handle: (context, input) => pastTrades(context, pairNamed(context, 'SPOT', input.symbol), input),
})

const mixFillsHistory = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/fills-history',
  summary: 'Past trades of a contract',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(10),
  request: Type.Object({ ...pastTradesFields, productType: productType() }),
  response: Type.Array(records.PublicTrade),
  handle: (context, input) => pastTrades(context, contractNamed(context, input.productType, input.symbol), input),
})

// funding and open interest

const currentFundingRate = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/current-fund-rate',
  summary: 'Funding rate of the running interval',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(20),
  request: Type.Object({ symbol: Type.Optional(symbol()), productType: productType() }),
  response: Type.Array(records.CurrentFundingRate),
  handle(context, { productType: line, symbol: name }) {
    const listed = name === undefined ? context.catalog.list(line) : [contractNamed(context, line, name)]
    return listed.map((contract) =>
      dictionary.currentFundingRate(contract, context.core.query({ kind: 'prices', instrument: contract.id })),
    )
  },
})

const fundingTime = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/funding-time',
  summary: 'When a contract settles funding next, as a list of one',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(20),
  request: contractRequest,
  response: Type.Array(records.FundingTime),
  handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    return [dictionary.fundingTime(contract, context.core.query({ kind: 'prices', instrument: contract.id }))]
  },
})

const pastPagesMax = 100

const pastFundingRates = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/history-fund-rate',
  summary: 'Settled funding rates, newest first',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(20),
  request: Type.Object({
    symbol: symbol(),
    productType: productType(),
    pageSize: limit(20, 100),
    pageNo: page(pastPagesMax),
  }),
  response: Type.Array(records.PastFundingRate),
  async handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    const settled = await context.market.records(context.history, context.now).fundingRates({
      instrument: contract.id,
      offset: (input.pageNo - 1) * input.pageSize,
      limit: input.pageSize,
    })
    return settled.map((settlement) => dictionary.pastFundingRate(contract, settlement))
  },
})

const openInterest = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/open-interest',
  summary: 'Open interest of a contract',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(20),
  request: contractRequest,
  response: records.OpenInterest,
  handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    const prices = context.core.query({ kind: 'prices', instrument: contract.id })
    return dictionary.openInterest(contract, prices, context.now)
  },
})

export const marketEndpoints: readonly Endpoint[] = [
  time,
  spotTickers,
  mixTicker,
  mixTickers,
  symbolPrice,
  spotBook,
  spotMergedBook,
  mixBook,
  spotFills,
  mixFills,
  spotFillsHistory,
  mixFillsHistory,
  currentFundingRate,
  fundingTime,
  pastFundingRates,
  openInterest,
]
