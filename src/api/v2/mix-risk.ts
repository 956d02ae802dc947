/**
 * Questions of v2 about risk: the queue of auto-deleveraging, and what a margin opens.
 *
 * adlRank     one to five lights, five for the first fifth of the queue; `rank` is the place in it, nearer to 1 the sooner
 * Open count  of the margin that is named, whatever the account has: positions and orders do not count
 * Source      wire/client-endpoints.md §4; risk-engine.md §11, §15
 */
import Type from 'typebox'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { coin, decimal, productType, symbol, texts, whole } from '../parsing/fields.ts'
import { parseAmount, parsePrice } from '../parsing/orders.ts'
import * as dictionary from './dictionary.ts'
import { checkMarginCoin, contractNamed } from './lookups.ts'

const access = { permission: 'contract_trade', level: 'read' } as const

const adlRank = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/position/adlRank',
  summary: 'Where positions stand in the queue of auto-deleveraging',
  source: 'wire/rate-limits-and-filters §3; risk-engine §15',
  access,
  limit: { perSecond: 5, per: 'uid' },
  request: Type.Object({ productType: productType() }),
  response: Type.Array(texts('symbol', 'marginCoin', 'adlRank', 'rank', 'holdSide')),
  handle: ({ account, catalog: { catalog }, core }, { productType: line }) =>
    core.query({ kind: 'adl-ranks', uid: account.uid, interface: 'v2', line }).map((rank) => {
      const instrument = dictionary.instrumentOf(catalog, rank)
      return {
        symbol: instrument.symbol,
        marginCoin: dictionary.settleName(catalog, instrument),
        adlRank: String(rank.indicator),
        rank: dictionary.rateText(rank.rank),
        holdSide: rank.side,
      }
    }),
})

const leverageDefault = 20

const openCount = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/account/open-count',
  summary: 'Size that an amount of margin opens, fee included; the account’s positions and orders do not count',
  source: 'wire/client-endpoints §4; risk-engine §11',
  access,
  limit: { perSecond: 10, per: 'uid' },
  request: Type.Object({
    symbol: symbol(),
    productType: productType(),
    marginCoin: coin(),
    openAmount: decimal({ description: 'Margin' }),
    openPrice: decimal(),
    leverage: Type.Optional(whole(1, 1000, { description: `Absent: ${leverageDefault}, or the maximum below it` })),
  }),
  response: texts('size'),
  handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    checkMarginCoin(context, contract, input.marginCoin)
    const price = parsePrice(input.openPrice, contract, 'openPrice')
    const lots = context.core.query({
      kind: 'open-count',
      instrument: contract.id,
      amount: parseAmount(input.openAmount, 'v2', 'openAmount'),
      price,
      leverage: input.leverage ?? Math.min(leverageDefault, contract.leverageMax),
    })
    const inBase =
      contract.kind === 'inverse'
        ? dictionary.contractsInBase(contract, lots, dictionary.priceE8(contract, price))
        : undefined
    return { size: inBase === undefined ? dictionary.quantityText(contract, lots) : dictionary.amountText(inBase) }
  },
})

export const mixRiskEndpoints: readonly Endpoint[] = [adlRank, openCount]
