/**
 * Estimates of v2 before an order is placed: the largest that would be accepted, and where its position would be liquidated.
 *
 * Side      of the position: in one-way mode `long` is a buy, and closes a short first
 * Price     `openPrice` of a limit order, else the mark price
 * Amount    as `size` of an order: base coin. An inverse contract is converted at that price
 * Source    fidelity §2; risk-engine.md §5, §6, §11
 */
import Type, { type Static } from 'typebox'
import type { FuturesInstrument } from '../../engine/catalog/catalog.ts'
import type { Lots, Ticks } from '../../engine/numbers/numbers.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { missingParameter, unknownSymbol, wrongParameter } from '../errors/errors.ts'
import { coin, decimal, oneOf, productType, symbol, texts } from '../parsing/fields.ts'
import { parseBaseAmount, parsePrice, parseQuantity } from '../parsing/orders.ts'
import * as dictionary from './dictionary.ts'
import { checkMarginCoin, contractNamed } from './lookups.ts'

const access = { permission: 'contract_trade', level: 'read' } as const
const source = 'fidelity §2'
const limit = { perSecond: 20, per: 'uid' } as const

const orderFields = {
  symbol: symbol(),
  productType: productType(),
  marginCoin: coin(),
  posSide: oneOf(['long', 'short']),
  orderType: oneOf(['limit', 'market']),
  openPrice: Type.Optional(decimal({ description: 'Required for limit orders' })),
}
const Order = Type.Object(orderFields)

function contractOf(context: PrivateContext, input: Static<typeof Order>): FuturesInstrument {
  const contract = contractNamed(context, input.productType, input.symbol)
  checkMarginCoin(context, contract, input.marginCoin)
  return contract
}

/** Zero: at market. */
function limitPrice(contract: FuturesInstrument, { orderType, openPrice }: Static<typeof Order>): Ticks | 0 {
  if (orderType === 'market') return 0
  if (openPrice === undefined) throw missingParameter('openPrice')
  return parsePrice(openPrice, contract, 'openPrice')
}

function markPrice({ core }: PrivateContext, contract: FuturesInstrument): Ticks {
  return core.query({ kind: 'prices', instrument: contract.id }).markPrice
}

const maxOpen = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/account/max-open',
  summary: 'The largest order of a side that would be accepted, in base coin',
  source,
  access,
  limit,
  request: Order,
  response: texts('maxOpen'),
  handle(context, input) {
    const contract = contractOf(context, input)
    const price = limitPrice(contract, input)
    const { account, core } = context
    const found = core.query({
      kind: 'max-open',
      uid: account.uid,
      interface: 'v2',
      instrument: contract.id,
      price,
      size: undefined,
    })
    if (found === undefined) throw unknownSymbol(input.symbol)
    const { most } = input.posSide === 'long' ? found.buy : found.sell
    if (contract.kind !== 'inverse') return { maxOpen: dictionary.quantityText(contract, most) }
    const atPriceE8 = dictionary.priceE8(contract, price === 0 ? markPrice(context, contract) : price)
    return { maxOpen: dictionary.amountText(dictionary.contractsInBase(contract, most, atPriceE8)) }
  },
})

const liqPrice = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/account/liq-price',
  summary: 'Where the position would be liquidated once an order has filled; 0: nowhere',
  source,
  access,
  limit,
  request: Type.Object({ ...orderFields, openAmount: decimal({ description: 'Base coin' }) }),
  response: texts('liqPrice'),
  handle(context, input) {
    const contract = contractOf(context, input)
    const price = limitPrice(contract, input) || markPrice(context, contract)
    const { account, core } = context
    const estimate = core.query({
      kind: 'estimated-liquidation',
      uid: account.uid,
      interface: 'v2',
      instrument: contract.id,
      side: input.posSide,
      lots: lotsOf(contract, input.openAmount, price),
      price,
    })
    if (estimate === undefined) throw unknownSymbol(input.symbol)
    return { liqPrice: dictionary.priceText(contract, estimate) }
  },
})

/** Lots of a size in base coin; those of an inverse contract are rounded down, as an order's are. */
function lotsOf(contract: FuturesInstrument, openAmount: string, price: Ticks): Lots {
  if (contract.kind !== 'inverse') return parseQuantity(openAmount, contract, 'openAmount')
  const base = parseBaseAmount(openAmount, contract, 'openAmount')
  const lots = dictionary.lotsOfBase(contract, base, price)
  if (lots === 0) throw wrongParameter('v2', 'openAmount', 'should be at least one contract')
  return lots
}

export const mixEstimateEndpoints: readonly Endpoint[] = [maxOpen, liqPrice]
