/**
 * Candles of v3: of trades, of the mark price and of the index.
 *
 * Spot     has no mark of its own: its mark is its index
 * Source   wire/v3-endpoints.md §1
 */
import Type from 'typebox'
import type { Category } from '../../engine/catalog/catalog.ts'
import { intervals } from '../../market/market.ts'
import { CandleTexts } from '../candle-texts.ts'
import { checkPastSpan } from '../candles.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import * as field from '../parsing/fields.ts'
import * as wire from './dictionary.ts'
import { namedInstrument } from './market.ts'
import * as records from './records.ts'

const common = {
  method: 'GET',
  source: 'wire/v3-endpoints §1',
  access: 'public',
  limit: { perSecond: 20, per: 'ip' },
  response: Type.Array(records.Candle),
} as const

const requestFields = {
  category: field.category(),
  symbol: field.symbol(),
  interval: field.oneOf(intervals),
  startTime: Type.Optional(field.timestamp()),
  endTime: Type.Optional(field.timestamp()),
  type: field.oneOfOr(['market', 'mark', 'index'], 'market'),
}

const texts = new CandleTexts(wire.candleRow)

const candles = defineEndpoint({
  ...common,
  path: '/api/v3/market/candles',
  summary: 'Candles: of trades, of the mark price or of the index',
  request: Type.Object({ ...requestFields, limit: field.limit(100, 1000) }),
  handle: (context, { category, symbol, type: priceKind, ...asked }) =>
    texts.listOf(context, namedInstrument<Category>(context.catalog, category, symbol), { ...asked, priceKind }),
})

const pastCandles = defineEndpoint({
  ...common,
  path: '/api/v3/market/history-candles',
  summary: 'Candles over at most 90 days',
  request: Type.Object({ ...requestFields, limit: field.limit(100, 100) }),
  handle: (context, { category, symbol, type: priceKind, ...asked }) => {
    const instrument = namedInstrument<Category>(context.catalog, category, symbol)
    checkPastSpan(context, asked)
    return texts.listOf(context, instrument, { ...asked, priceKind })
  },
})

export const candleEndpoints: readonly Endpoint[] = [candles, pastCandles]
