/**
 * Which side traders stand on, from the venue's own accounts and trades.
 *
 * Accounts   that hold the contract long and short, as each period ended
 * Positions  lots that takers opened long and short in the period
 * Trades     what takers bought and sold in the period: as volume, and as shares
 * Margin     what is lent of the quote coin (long) over what is lent of the base coin (short), at index prices: as it stands now.
 *            Of nothing at all it is 1; over nothing what is above in US dollars, as if one dollar stood below
 * Shares     of nothing at all are 0.5; a ratio over nothing is the number above, as if one stood below
 * Periods    at most thirty, oldest first, the last one runs; they begin anew with the server
 * Source     fidelity §2
 */
import Type, { type Static } from 'typebox'
import { type FuturesInstrument, productLines } from '../../engine/catalog/catalog.ts'
import { divFloor, divHalfUp, formatDecimal, type Lots, oneCoin } from '../../engine/numbers/numbers.ts'
import { positioningPeriods, type PositioningRow } from '../../market/market.ts'
import { type Context, defineEndpoint, type Endpoint } from '../endpoint.ts'
import { unknownSymbol } from '../errors/errors.ts'
import { oneOf, oneOfOr, symbol, texts } from '../parsing/fields.ts'
import * as dictionary from './dictionary.ts'
import { pairNamed } from './lookups.ts'

const source = 'fidelity §2'
const limit = { perSecond: 1, per: 'ip' } as const

const Request = Type.Object({
  symbol: symbol(),
  period: oneOfOr(positioningPeriods, '5m'),
  productType: Type.Optional(oneOf(productLines, { description: 'Absent: the first line that has the symbol' })),
})

function periodsOf(context: Context, { symbol: name, period, productType }: Static<typeof Request>) {
  for (const line of productType === undefined ? productLines : [productType]) {
    const contract = context.catalog.find(line, name)
    if (contract === undefined) continue
    return { contract, rows: context.market.positioning(contract.id, period, context.now) }
  }
  throw unknownSymbol(name)
}

const decimals = 4
/** In units of a coin times its index price. */
const oneDollar = oneCoin ** 2n

/** Both shares and their ratio. */
function ratios(long: number, short: number) {
  const [ofLong, ofShort] = long + short === 0 ? [1n, 1n] : [BigInt(long), BigInt(short)]
  const one = 10n ** BigInt(decimals)
  const share = divHalfUp(ofLong * one, ofLong + ofShort)
  return {
    long: formatDecimal(share, decimals),
    short: formatDecimal(one - share, decimals),
    ratio: formatDecimal(divFloor(ofLong * one, ofShort === 0n ? 1n : ofShort), decimals),
  }
}

const accountLongShort = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/account-long-short',
  summary: 'Accounts that hold a contract long and short, period by period',
  source,
  access: 'public',
  limit,
  request: Request,
  response: Type.Array(texts('longAccountRatio', 'shortAccountRatio', 'longShortAccountRatio', 'ts')),
  handle: (context, input) =>
    periodsOf(context, input).rows.map(({ at, holders }) => {
      const { long, short, ratio } = ratios(holders.long, holders.short)
      return { longAccountRatio: long, shortAccountRatio: short, longShortAccountRatio: ratio, ts: String(at) }
    }),
})

const positionLongShort = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/position-long-short',
  summary: 'What takers opened long and short, period by period',
  source,
  access: 'public',
  limit,
  request: Request,
  response: Type.Array(texts('longPositionRatio', 'shortPositionRatio', 'longShortPositionRatio', 'ts')),
  handle: (context, input) =>
    periodsOf(context, input).rows.map(({ at, longOpened, shortOpened }) => {
      const { long, short, ratio } = ratios(longOpened, shortOpened)
      return { longPositionRatio: long, shortPositionRatio: short, longShortPositionRatio: ratio, ts: String(at) }
    }),
})

const longShort = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/long-short',
  summary: 'Shares of what takers bought and sold, period by period',
  source,
  access: 'public',
  limit,
  request: Request,
  response: Type.Array(texts('longRatio', 'shortRatio', 'longShortRatio', 'ts')),
  handle: (context, input) =>
    periodsOf(context, input).rows.map(({ at, bought, sold }) => {
      const { long, short, ratio } = ratios(bought, sold)
      return { longRatio: long, shortRatio: short, longShortRatio: ratio, ts: String(at) }
    }),
})

const takerBuySell = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/taker-buy-sell',
  summary: 'What takers bought and sold, period by period: base coin, of coin-margined contracts USD',
  source,
  access: 'public',
  limit,
  request: Request,
  response: Type.Array(texts('buyVolume', 'sellVolume', 'ts')),
  handle: (context, input) => {
    const { contract, rows } = periodsOf(context, input)
    return rows.map((row) => volumesOf(contract, row))
  },
})

function volumesOf(contract: FuturesInstrument, { at, bought, sold }: PositioningRow) {
  return {
    buyVolume: dictionary.quantityText(contract, bought as Lots),
    sellVolume: dictionary.quantityText(contract, sold as Lots),
    ts: String(at),
  }
}

const marginLongShort = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/market/long-short-ratio',
  summary: 'What is lent of a pair’s quote coin over what is lent of its base coin',
  source,
  access: 'public',
  limit,
  request: Type.Object({ symbol: symbol(), period: oneOfOr(['24h', '30d'], '24h') }),
  response: Type.Array(texts('longShortRatio', 'ts')),
  handle(context, input) {
    const { core, now } = context
    const { base, quote } = pairNamed(context, 'MARGIN', input.symbol)
    const prices = core.query({ kind: 'index-prices' })
    const lent = (which: number) => core.query({ kind: 'lending', coin: which }).lent * prices[which]
    const [long, short] = [lent(quote), lent(base)]
    const [above, below] = long + short === 0n ? [1n, 1n] : [long, short === 0n ? oneDollar : short]
    const ratio = divFloor(above * 10n ** BigInt(decimals), below)
    return [{ longShortRatio: formatDecimal(ratio, decimals), ts: String(now) }]
  },
})

export const sideEndpoints: readonly Endpoint[] = [
  accountLongShort,
  positionLongShort,
  longShort,
  takerBuySell,
  marginLongShort,
]
