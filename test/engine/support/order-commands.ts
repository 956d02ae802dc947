/**
 * Orders in words (test/support/order-language.ts) as commands of the engine.
 *
 * Defaults   the market of the table; v2 for classic accounts, v3 for the others; gtc; autoLoan
 * Steps      a quantity of the market's base coin must be whole lots, a price whole ticks
 */
import type { Catalog, Instrument } from '../../../src/engine/catalog/catalog.ts'
import type { Lots, Ticks } from '../../../src/engine/numbers/numbers.ts'
import type { PlaceOrder } from '../../../src/engine/protocol/command.ts'
import type { AccountMode, OrderQuantity } from '../../../src/engine/vocabulary.ts'
import { parseOrder } from '../../support/order-language.ts'
import { scaled, units } from './figures.ts'
import { type MarketName, markets } from './listings.ts'

export interface Trader {
  readonly uid: number
  readonly mode: AccountMode
}

export function placeOrder(
  line: string,
  venue: { readonly catalog: Catalog; readonly market: MarketName; readonly trader: (who: string) => Trader },
): PlaceOrder {
  const order = parseOrder(line)
  const { price, quantity, coin } = order
  const { uid, mode } = venue.trader(order.who ?? '')
  const id = Object.keys(markets).indexOf(order.market ?? venue.market)
  const instrument = venue.catalog.instruments[id]
  if (instrument === undefined) throw new Error(`${line}: no such market`)
  return {
    kind: 'place-order',
    uid,
    interface: order.version ?? (mode === 'classic' ? 'v2' : 'v3'),
    category: order.onMargin ? 'MARGIN' : instrument.category,
    instrument: id,
    side: order.side,
    orderType: price === undefined ? 'market' : 'limit',
    price: price === undefined ? 0 : ticksOf(instrument, price),
    quantity: quantityOf(instrument, quantity, coin),
    timeInForce: order.timeInForce ?? 'gtc',
    positionSide: order.positionSide,
    tradeSide: order.tradeSide,
    reduceOnly: order.reduceOnly,
    marginMode: order.marginMode,
    marginCoin: undefined,
    stpMode: order.stpMode,
    clientOid: order.clientOid ?? '',
    takeProfit: undefined,
    stopLoss: undefined,
    loanType: order.loanType ?? 'autoLoan',
    channelCode: order.channelCode ?? '',
  }
}

export function ticksOf(instrument: Instrument, price: string): Ticks {
  const value = scaled(price, instrument.priceDecimals)
  if (value % BigInt(instrument.priceStep) !== 0n) throw new Error(`${price} is not a whole number of ticks`)
  return Number(value / BigInt(instrument.priceStep)) as Ticks
}

export function lotsOf(instrument: Instrument, quantity: string): Lots {
  const value = scaled(quantity, instrument.quantityDecimals)
  if (value % BigInt(instrument.quantityStep) !== 0n) throw new Error(`${quantity} is not a whole number of lots`)
  return Number(value / BigInt(instrument.quantityStep)) as Lots
}

function quantityOf(instrument: Instrument, quantity: string, coin: string | undefined): OrderQuantity {
  if (coin === undefined) return { unit: 'lots', lots: lotsOf(instrument, quantity) }
  return { unit: instrument.kind === 'spot' ? 'quote' : 'base', amount: units(quantity) }
}
