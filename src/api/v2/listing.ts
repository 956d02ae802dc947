/**
 * What can be traded, as v2 lists it: coins, pairs, contracts, tiers and margin pairs.
 *
 * Others    product types that the venue does not have (demo contracts of clients) list nothing
 * Source    wire/client-endpoints.md §4; wire/client-needs.md; wire/rate-limits-and-filters.md §3, §5, §6
 */
import Type from 'typebox'
import { type Category, productLines } from '../../engine/catalog/catalog.ts'
import { type Endpoint, defineEndpoint } from '../endpoint.ts'
import { coin, nothing, oneOf, productType, symbol } from '../parsing/fields.ts'
import * as dictionary from './dictionary.ts'
import { coinNamed, contractNamed, pairNamed } from './lookups.ts'
import * as records from './records.ts'

const perSecond = (calls: number) => ({ perSecond: calls, per: 'ip' }) as const

const coins = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/public/coins',
  summary: 'Coins',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(3),
  request: Type.Object({ coin: Type.Optional(coin()) }),
  response: Type.Array(records.CoinRecord),
  handle(context, input) {
    const listed = input.coin === undefined ? context.catalog.catalog.coins : [coinNamed(context, input.coin)]
    return listed.map(dictionary.coinRecord)
  },
})

const spotSymbols = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/public/symbols',
  summary: 'Spot pairs',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(20),
  request: Type.Object({ symbol: Type.Optional(symbol()) }),
  response: Type.Array(records.SpotSymbol),
  handle(context, input) {
    const pairs = input.symbol === undefined ? context.catalog.list('SPOT') : [pairNamed(context, 'SPOT', input.symbol)]
    return pairs.map((pair) => dictionary.spotSymbol(context.catalog.catalog, pair))
  },
})

const simulatedLines = ['SUSDT-FUTURES', 'SCOIN-FUTURES', 'SUSDC-FUTURES'] as const

const contracts = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/contracts',
  summary: 'Contracts of a product line',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(20),
  request: Type.Object({
    symbol: Type.Optional(symbol()),
    productType: oneOf(['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES', ...simulatedLines]),
  }),
  response: Type.Array(records.Contract),
  handle(context, input) {
    const line = productLines.find((known) => known === input.productType)
    if (line === undefined) return []
    const listed =
      input.symbol === undefined ? context.catalog.list(line) : [contractNamed(context, line, input.symbol)]
    const { risk } = context.core.query({ kind: 'settings' })
    return listed.map((contract) => {
      const { markPrice } = context.core.query({ kind: 'prices', instrument: contract.id })
      return dictionary.contract(context.catalog.catalog, contract, { risk, markPrice })
    })
  },
})

const positionTiers = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/query-position-lever',
  summary: 'Maintenance margin and highest leverage by position value',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(10),
  request: Type.Object({ symbol: symbol(), productType: productType() }),
  response: Type.Array(records.PositionTier),
  handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    return contract.tiers.map((tier, index) => dictionary.positionTier(contract, tier, index))
  },
})

const discountRates = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/discount-rate',
  summary: 'The share of each coin that counts as collateral of a unified account, by value in USD',
  source: 'wire/rate-limits-and-filters §3',
  access: 'public',
  limit: perSecond(5),
  request: nothing,
  response: Type.Array(records.DiscountRates),
  handle: ({ catalog }) => catalog.catalog.coins.map(dictionary.discountRates),
})

const feeLevels = (path: `/api/v2/${string}`, categories: readonly Category[]) =>
  defineEndpoint({
    method: 'GET',
    path,
    summary: 'Levels of fees: one, the same for everybody',
    source: 'wire/rate-limits-and-filters §3',
    access: 'public',
    limit: perSecond(10),
    request: nothing,
    response: Type.Array(records.FeeLevel),
    handle: ({ catalog }) => [dictionary.feeLevel(categories.flatMap((category) => catalog.list(category)))],
  })

const spotFeeLevels = feeLevels('/api/v2/spot/market/vip-fee-rate', ['SPOT'])
const mixFeeLevels = feeLevels('/api/v2/mix/market/vip-fee-rate', productLines)

const openInterestLimits = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/oi-limit',
  summary: 'The largest position value of one account',
  source: 'wire/rate-limits-and-filters §3',
  access: 'public',
  limit: perSecond(10),
  request: Type.Object({ symbol: Type.Optional(symbol()), productType: productType() }),
  response: Type.Array(records.OpenInterestLimit),
  handle(context, { symbol: name, productType: line }) {
    const listed = name === undefined ? context.catalog.list(line) : [contractNamed(context, line, name)]
    return listed.map(dictionary.openInterestLimit)
  },
})

const marginCurrencies = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/currencies',
  summary: 'Pairs that are traded on margin',
  source: 'wire/client-endpoints §4',
  access: 'public',
  limit: perSecond(10),
  request: nothing,
  response: Type.Array(records.MarginCurrency),
  handle: ({ catalog }) => catalog.list('MARGIN').map((pair) => dictionary.marginCurrency(catalog.catalog, pair)),
})

export const listingEndpoints: readonly Endpoint[] = [
  coins,
  spotSymbols,
  contracts,
  positionTiers,
  discountRates,
  spotFeeLevels,
  mixFeeLevels,
  openInterestLimits,
  marginCurrencies,
]
