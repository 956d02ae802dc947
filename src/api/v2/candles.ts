/**
 * Candles of v2: of trades, and of contracts also of the mark price and the index.
 *
 * Granularity  each family has spellings of its own; `1m` is a minute and `1M` a month
 * Source       wire/client-endpoints.md §4; wire/rate-limits-and-filters.md §3, §4
 */
import Type from 'typebox'
import type { Interval, PriceKind } from '../../market/market.ts'
import { CandleTexts } from '../candle-texts.ts'
import { checkPastSpan } from '../candles.ts'
import { type Context, type Endpoint, defineEndpoint } from '../endpoint.ts'
import { limit, oneOf, oneOfOr, productType, symbol, timestamp } from '../parsing/fields.ts'
import * as dictionary from './dictionary.ts'
import { contractNamed, pairNamed } from './lookups.ts'
import * as records from './records.ts'

const perAddress = { perSecond: 20, per: 'ip' } as const
const source = 'wire/client-endpoints §4'

const spotGranularity = {
  '1min': '1m',
  '3min': '3m',
  '5min': '5m',
  '15min': '15m',
  '30min': '30m',
  '1h': '1H',
  '4h': '4H',
  '6h': '6H',
  '12h': '12H',
  '1day': '1D',
  '3day': '3D',
  '1week': '1W',
  '1M': '1M',
  '6Hutc': '6Hutc',
  '12Hutc': '12Hutc',
  '1Dutc': '1Dutc',
  '3Dutc': '3Dutc',
  '1Wutc': '1Wutc',
  '1Mutc': '1Mutc',
} as const satisfies Record<string, Interval>

type SpotGranularity = keyof typeof spotGranularity
const spotGranularities = Object.keys(spotGranularity) as SpotGranularity[]

const spotFields = {
  symbol: symbol(),
  granularity: oneOf(spotGranularities),
  startTime: Type.Optional(timestamp()),
  endTime: Type.Optional(timestamp()),
}

const pairTexts = new CandleTexts(dictionary.spotCandle)
const contractTexts = new CandleTexts(dictionary.mixCandle)

const spotCandles = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/market/candles',
  summary: 'Candles of a spot pair',
  source,
  access: 'public',
  limit: perAddress,
  request: Type.Object({ ...spotFields, limit: limit(100, 1000) }),
  response: Type.Array(records.SpotCandle),
  handle(context, { granularity, ...asked }) {
    const pair = pairNamed(context, 'SPOT', asked.symbol)
    return pairTexts.listOf(context, pair, { ...asked, interval: spotGranularity[granularity], priceKind: 'market' })
  },
})

const spotPastCandles = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/market/history-candles',
  summary: 'Candles of a spot pair, at most 90 days',
  source,
  access: 'public',
  limit: perAddress,
  request: Type.Object({ ...spotFields, limit: limit(100, 200) }),
  response: Type.Array(records.SpotCandle),
  handle(context, { granularity, ...asked }) {
    const pair = pairNamed(context, 'SPOT', asked.symbol)
    checkPastSpan(context, asked)
    return pairTexts.listOf(context, pair, { ...asked, interval: spotGranularity[granularity], priceKind: 'market' })
  },
})

const mixGranularities = [
  ...(['1m', '3m', '5m', '15m', '30m', '1H', '2H', '4H', '6H', '12H', '1D', '3D', '1W', '1M'] as const),
  ...(['6Hutc', '12Hutc', '1Dutc', '3Dutc', '1Wutc', '1Mutc'] as const),
] as const satisfies readonly Interval[]

const mixFields = {
  symbol: symbol(),
  productType: productType(),
  granularity: oneOf(mixGranularities),
  startTime: Type.Optional(timestamp()),
  endTime: Type.Optional(timestamp()),
}

const mixCandles = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/candles',
  summary: 'Candles of a contract: of trades, of the mark price or of the index',
  source,
  access: 'public',
  limit: perAddress,
  request: Type.Object({
    ...mixFields,
    kLineType: oneOfOr(['market', 'mark', 'index'], 'market'),
    limit: limit(100, 1000),
  }),
  response: Type.Array(records.MixCandle),
  handle(context, { granularity: interval, kLineType: priceKind, ...asked }) {
    const contract = contractNamed(context, asked.productType, asked.symbol)
    return contractTexts.listOf(context, contract, { ...asked, interval, priceKind })
  },
})

const pastRequest = Type.Object({ ...mixFields, limit: limit(100, 200) })

function pastCandles(
  context: Context,
  priceKind: PriceKind,
  { granularity: interval, ...asked }: Type.Static<typeof pastRequest>,
) {
  const contract = contractNamed(context, asked.productType, asked.symbol)
  checkPastSpan(context, asked)
  return contractTexts.listOf(context, contract, { ...asked, interval, priceKind })
}

function mixPastCandles(path: `/api/v2/mix/market/${string}`, priceKind: PriceKind, summary: string): Endpoint {
  return defineEndpoint({
    method: 'GET',
    path,
    summary,
    source,
    access: 'public',
    limit: perAddress,
    request: pastRequest,
    response: Type.Array(records.MixCandle),
    handle: (context, input) => pastCandles(context, priceKind, input),
  })
}

export const candleEndpoints: readonly Endpoint[] = [
  spotCandles,
  spotPastCandles,
  mixCandles,
  mixPastCandles('/api/v2/mix/market/history-candles', 'market', 'Candles of a contract, at most 90 days'),
  mixPastCandles('/api/v2/mix/market/history-mark-candles', 'mark', 'Candles of a mark price, at most 90 days'),
  mixPastCandles('/api/v2/mix/market/history-index-candles', 'index', 'Candles of an index, at most 90 days'),
]
