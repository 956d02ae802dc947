/**
 * v3 questions about risk: the queue of auto-deleveraging, and how much can be opened.
 *
 * adlRank    one to five lights, five for the first fifth of the queue; `rank` is the place in it, nearer to 1 the sooner
 * Sizes      in the instrument's own unit: base coin, or USD contracts of COIN-FUTURES, as orders have them
 * maxOpen    futures: the largest order of the side asked for; margin: what may be spent with what may be borrowed for it
 * Source     wire/v3-endpoints.md §3; risk-engine.md §11, §15
 */
import Type, { type Static } from 'typebox'
import type { Category, FuturesInstrument, SpotInstrument } from '../../engine/catalog/catalog.ts'
import { zero } from '../../engine/numbers/numbers.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { missingParameter, unknownSymbol } from '../errors.ts'
import { formatAmount, formatLots, formatRate } from '../figures.ts'
import * as field from '../fields.ts'
import { parsePrice, parseQuantity } from '../order-parsing.ts'
import { namedInstrument } from './market.ts'

const access = { permission: 'uta_trade', level: 'read' } as const

const adlRank = defineEndpoint({
  method: 'GET',
  path: '/api/v3/position/adlRank',
  summary: 'Where positions stand in the queue of auto-deleveraging',
  source: 'wire/v3-endpoints §3; risk-engine §15',
  access,
  limit: { perSecond: 1, per: 'uid' },
  request: field.nothing,
  response: Type.Array(field.texts('symbol', 'marginCoin', 'adlRank', 'rank', 'holdSide')),
  handle: ({ account, catalog, core }) =>
    core.query({ kind: 'adl-ranks', uid: account.uid, interface: 'v3', line: undefined }).map((one) => {
      const contract = catalog.instrument(one.instrument) as FuturesInstrument
      return {
        symbol: contract.symbol,
        marginCoin: catalog.coinName(contract.settle),
        adlRank: String(one.lights),
        rank: formatRate(one.rank),
        holdSide: one.side,
      }
    }),
})

const MaxOpenRequest = Type.Object({
  category: field.category(),
  symbol: field.symbol(),
  orderType: field.oneOf(['limit', 'market']),
  side: field.oneOf(['buy', 'sell']),
  price: Type.Optional(field.decimal({ description: 'Required for limit orders' })),
  size: Type.Optional(field.decimal({ description: 'What an order of this size would hold is told as well' })),
})
type MaxOpenRequest = Static<typeof MaxOpenRequest>

const MaxOpen = field.texts('available', 'maxOpen', 'buyOpenCost', 'sellOpenCost', 'maxBuyOpen', 'maxSellOpen')

const maxOpenAvailable = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/max-open-available',
  summary: 'What is available for an order, and the largest that would be accepted',
  source: 'wire/v3-endpoints §3; risk-engine §11',
  access,
  limit: { perSecond: 5, per: 'uid' },
  request: MaxOpenRequest,
  response: MaxOpen,
  handle: (context, input) => {
    const instrument = namedInstrument<Category>(context.catalog, input.category, input.symbol)
    if (input.orderType === 'limit' && input.price === undefined) throw missingParameter('price')
    return instrument.kind === 'spot'
      ? spotAvailable(context, instrument, input)
      : futuresMaxOpen(context, instrument, input)
  },
})

function futuresMaxOpen(
  { account, core }: PrivateContext,
  instrument: FuturesInstrument,
  { orderType, side, price, size }: MaxOpenRequest,
): Static<typeof MaxOpen> {
  const found = core.query({
    kind: 'max-open',
    uid: account.uid,
    interface: 'v3',
    instrument: instrument.id,
    price: orderType === 'limit' && price !== undefined ? parsePrice(price, instrument) : 0,
    size: size === undefined ? undefined : parseQuantity(size, instrument, 'size'),
  })
  if (found === undefined) throw unknownSymbol(instrument.symbol)
  const { available, buy, sell } = found
  return {
    available: formatAmount(available),
    maxOpen: formatLots(found[side].most, instrument),
    buyOpenCost: buy.cost === undefined ? '' : formatAmount(buy.cost),
    sellOpenCost: sell.cost === undefined ? '' : formatAmount(sell.cost),
    maxBuyOpen: formatLots(buy.most, instrument),
    maxSellOpen: formatLots(sell.most, instrument),
  }
}

/** Of the coin that the order spends: quote coin for a buy, base coin for a sell. */
function spotAvailable(
  { account, core }: PrivateContext,
  instrument: SpotInstrument,
  { category, side }: MaxOpenRequest,
): Static<typeof MaxOpen> {
  const coin = side === 'buy' ? instrument.quote : instrument.base
  const balances = core.query({ kind: 'balances', uid: account.uid, wallet: 'uta' })
  const available = balances.find((one) => one.coin === coin)?.available ?? zero
  const borrowable =
    category === 'MARGIN' && coin !== -1
      ? core.query({ kind: 'margin-account', uid: account.uid, coin }).borrowable
      : undefined
  return {
    available: formatAmount(available),
    maxOpen: borrowable === undefined ? '' : formatAmount(available + borrowable),
    buyOpenCost: '',
    sellOpenCost: '',
    maxBuyOpen: '',
    maxSellOpen: '',
  }
}

export const riskEndpoints: readonly Endpoint[] = [adlRank, maxOpenAvailable]
