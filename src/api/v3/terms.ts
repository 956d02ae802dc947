/**
 * Public terms of the venue in v3: what counts as collateral, how far positions may go, what an index is made of.
 *
 * Open interest  a contract has no limit over all accounts; one account reaches the end of its last position tier
 * Index          the operator's feed is its only source
 * Source         wire/v3-endpoints.md §1; bitget-api's types of these answers
 */
import Type from 'typebox'
import { type FuturesInstrument, productLines } from '../../engine/catalog/catalog.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { unknownSymbol } from '../errors/errors.ts'
import * as field from '../parsing/fields.ts'
import * as wire from './dictionary.ts'
import { instrumentsAsked } from './market.ts'
import * as records from './records.ts'

const source = 'wire/v3-endpoints §1'
const perAddress = (perSecond: number) => ({ perSecond, per: 'ip' }) as const

const discountRate = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/discount-rate',
  summary: 'The share of each coin that counts as collateral of a unified account, by value in USD',
  source,
  access: 'public',
  limit: perAddress(20),
  request: field.nothing,
  response: Type.Array(records.DiscountRate),
  handle: ({ catalog }) => catalog.catalog.coins.map(wire.discountRecord),
})

const openInterestLimit = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/oi-limit',
  summary: 'The largest position value of one account',
  source,
  access: 'public',
  limit: perAddress(10),
  request: Type.Object({ category: field.productType(), symbol: Type.Optional(field.symbol()) }),
  response: Type.Array(records.OpenInterestLimit),
  handle: ({ catalog }, { category, symbol }) =>
    instrumentsAsked(catalog, category, symbol).map(wire.openInterestLimitRecord),
})

const indexComponents = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/index-components',
  summary: 'What the index of a contract is made of',
  source,
  access: 'public',
  limit: perAddress(10),
  request: Type.Object({ symbol: field.symbol() }),
  response: records.IndexComponents,
  handle: ({ catalog, core }, { symbol }) => {
    const found = productLines
      .map((line): FuturesInstrument | undefined => catalog.find(line, symbol))
      .find((contract) => contract !== undefined)
    if (found === undefined) throw unknownSymbol(symbol)
    return wire.indexComponentsRecord(found, core.query({ kind: 'prices', instrument: found.id }), catalog)
  },
})

export const termEndpoints: readonly Endpoint[] = [discountRate, openInterestLimit, indexComponents]
