/**
 * v3 questions about risk: the queue of auto-deleveraging, how much can be opened, and what a leverage would take.
 *
 * adlRank    one to five lights, five for the first fifth of the queue; `rank` is the place in it, nearer to 1 the sooner
 * Sizes      in the instrument's own unit: base coin, or USD contracts of COIN-FUTURES, as orders have them
 * maxOpen    futures: the largest order of the side asked for; margin: what may be spent with what may be borrowed for it
 * Preview    requiredMargin: of the contract's positions and orders at the leverage asked for; marginChange: how much more
 *            than now; estMaxOpen: what could then still be opened at the mark. Of a coin: the equity that all debt needs
 *            behind it. Refused as set-leverage would be, but not for want of money
 * Source     wire/v3-endpoints.md §3; risk-engine.md §11, §15
 */
import Type, { type Static } from 'typebox'
import {
  type Category,
  type FuturesInstrument,
  type ProductLine,
  productLines,
  type SpotInstrument,
} from '../../engine/catalog/catalog.ts'
import { zero } from '../../engine/numbers/numbers.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { missingParameter, refusalError, unknownCoin, unknownSymbol, wrongParameter } from '../errors/errors.ts'
import { formatAmount, formatLots, formatRate } from '../figures.ts'
import * as field from '../parsing/fields.ts'
import { parsePrice, parseQuantity } from '../parsing/orders.ts'
import { namedInstrument } from './market.ts'
import * as records from './records.ts'

const leverageMaxConceivable = 1000

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
    core.query({ kind: 'adl-ranks', uid: account.uid, interface: 'v3', line: undefined }).map((rank) => {
      const contract = catalog.instrument(rank.instrument) as FuturesInstrument
      return {
        symbol: contract.symbol,
        marginCoin: catalog.coinName(contract.settle),
        adlRank: String(rank.indicator),
        rank: formatRate(rank.rank),
        holdSide: rank.side,
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
  const available = balances.find((balance) => balance.coin === coin)?.available ?? zero
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

const PreviewRequest = Type.Object({
  category: field.oneOf(['MARGIN', ...productLines]),
  symbol: Type.Optional(field.symbol({ description: 'Required for futures' })),
  coin: Type.Optional(field.coin({ description: 'Required for MARGIN' })),
  marginMode: field.oneOf(['isolated', 'cross']),
  leverage: Type.Optional(field.whole(1, leverageMaxConceivable)),
  longLeverage: Type.Optional(field.whole(1, leverageMaxConceivable)),
  shortLeverage: Type.Optional(field.whole(1, leverageMaxConceivable)),
})
type PreviewRequest = Static<typeof PreviewRequest>

const preSetLeverage = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/pre-set-leverage',
  summary: 'What a leverage would take and allow, before it is set',
  source: 'wire/v3-endpoints §4',
  access: { permission: 'uta_mgt', level: 'read' },
  limit: { perSecond: 10, per: 'uid' },
  request: PreviewRequest,
  response: records.LeveragePreview,
  handle: (context, input) =>
    input.category === 'MARGIN' ? borrowingPreview(context, input) : futuresPreview(context, input.category, input),
})

function futuresPreview({ account, catalog, core }: PrivateContext, line: ProductLine, input: PreviewRequest) {
  const { symbol, marginMode, leverage } = input
  if (symbol === undefined) throw missingParameter('symbol')
  const instrument = namedInstrument<ProductLine>(catalog, line, symbol)
  const [setting] = core.query({
    kind: 'symbol-settings',
    uid: account.uid,
    interface: 'v3',
    instrument: instrument.id,
  })
  // As set-leverage has it: a side's own before the common one, and what is not named stays.
  const twoSided = marginMode === 'isolated' && account.holdMode[line] === 'hedge_mode'
  const long = input.longLeverage ?? leverage ?? (twoSided ? setting?.leverageLong : input.shortLeverage)
  const short = input.shortLeverage ?? leverage ?? (twoSided ? setting?.leverageShort : input.longLeverage)
  const isNamed = (leverage ?? input.longLeverage ?? input.shortLeverage) !== undefined
  if (long === undefined || short === undefined || !isNamed) throw missingParameter('leverage')
  if (!twoSided && long !== short) {
    throw wrongParameter('v3', 'shortLeverage', 'differs from longLeverage only in isolated hedge mode')
  }
  const wish = { uid: account.uid, interface: 'v3', instrument: instrument.id, marginMode, long, short } as const
  const found = core.query({ kind: 'leverage-preview', ...wish })
  if ('kind' in found) throw refusalError(found, 'v3', { catalog, instrument })
  return {
    estMaxOpen: formatLots(found.maxOpen, instrument),
    estMaxBorrowable: '',
    requiredMargin: formatAmount(found.required),
    marginChange: formatAmount(found.change),
  }
}

function borrowingPreview({ account, catalog, core }: PrivateContext, input: PreviewRequest) {
  const { coin: name, leverage, marginMode } = input
  if (name === undefined) throw missingParameter('coin')
  if (leverage === undefined) throw missingParameter('leverage')
  if (marginMode === 'isolated') throw wrongParameter('v3', 'marginMode', 'should be cross in category MARGIN')
  const coin = catalog.coinNamed(name)
  if (coin === undefined) throw unknownCoin(name)
  const found = core.query({ kind: 'coin-leverage-preview', uid: account.uid, coin: coin.id, leverage })
  if ('kind' in found) throw refusalError(found, 'v3')
  return {
    estMaxOpen: '',
    estMaxBorrowable: formatAmount(found.borrowable),
    requiredMargin: formatAmount(found.required),
    marginChange: formatAmount(found.change),
  }
}

export const riskEndpoints: readonly Endpoint[] = [adlRank, maxOpenAvailable, preSetLeverage]
