/**
 * One order in one line of a table: `alice: sell 15 reduce-only @ 99`.
 *
 * Line       WHO: SIDE QUANTITY WORDS [@ PRICE]; without a price it is a market order
 * Words      a market (SOLUSDT, SOL/USDT) · a coin, for a quantity in it (a spot buy by quote amount, a v2 inverse size)
 *            · ioc fok post-only · reduce-only · open close · long short · isolated cross · on-margin · v2 v3
 *            · stp:cancel-maker · loan:autoRepay (else autoLoan) · oid:abc · channel:code
 * Defaults   the market of the table; v2 for classic accounts, v3 for the others
 */
import type { Catalog, Instrument } from '../../../src/engine/catalog/catalog.ts'
import type { Lots, Ticks } from '../../../src/engine/numbers/numbers.ts'
import type { PlaceOrder } from '../../../src/engine/protocol/command.ts'
import type { AccountMode, LoanType, OrderQuantity, StpMode, TimeInForce } from '../../../src/engine/vocabulary.ts'
import { scaled, units } from './figures.ts'
import { type MarketName, markets } from './listings.ts'

export interface Speaker {
  readonly uid: number
  readonly mode: AccountMode
}

const linePattern = /^(\w+): (buy|sell) ([\d.]+)((?: [^@ ]+)*)(?: @ ([\d.]+))?$/

export function orderOf(
  line: string,
  venue: { readonly catalog: Catalog; readonly market: MarketName; readonly speaker: (who: string) => Speaker },
): PlaceOrder {
  const parts = linePattern.exec(line)
  if (parts === null) throw new Error(`not an order: ${line}`)
  const [, who, side, quantity, rest, price] = parts as unknown as [
    string,
    string,
    'buy' | 'sell',
    string,
    string,
    string?,
  ]
  const words = rest.split(' ').filter((word) => word !== '')
  const take = (...wanted: string[]): string | undefined => {
    const at = words.findIndex((word) => wanted.includes(word))
    return at < 0 ? undefined : words.splice(at, 1)[0]
  }
  const tagged = (tag: string): string | undefined => {
    const at = words.findIndex((word) => word.startsWith(`${tag}:`))
    return at < 0 ? undefined : words.splice(at, 1)[0]?.slice(tag.length + 1)
  }
  const { uid, mode } = venue.speaker(who)
  const market = (take(...Object.keys(markets)) as MarketName | undefined) ?? venue.market
  const id = Object.keys(markets).indexOf(market)
  const instrument = venue.catalog.instruments[id]
  const coin = take(...venue.catalog.coins.map((one) => one.name))
  const order: PlaceOrder = {
    kind: 'place-order',
    uid,
    interface: (take('v2', 'v3') as 'v2' | 'v3' | undefined) ?? (mode === 'classic' ? 'v2' : 'v3'),
    category: take('on-margin') === undefined ? instrument.category : 'MARGIN',
    instrument: id,
    side,
    orderType: price === undefined ? 'market' : 'limit',
    price: price === undefined ? 0 : ticksOf(instrument, price),
    quantity: quantityOf(instrument, quantity, coin),
    timeInForce: (take('ioc', 'fok', 'post-only')?.replace('-', '_') as TimeInForce | undefined) ?? 'gtc',
    positionSide: take('long', 'short') as PlaceOrder['positionSide'],
    tradeSide: take('open', 'close') as PlaceOrder['tradeSide'],
    reduceOnly: take('reduce-only') !== undefined,
    marginMode: take('isolated', 'cross') as PlaceOrder['marginMode'],
    marginCoin: undefined,
    stpMode: tagged('stp')?.replace('-', '_') as StpMode | undefined,
    clientOid: tagged('oid') ?? '',
    takeProfit: undefined,
    stopLoss: undefined,
    loanType: (tagged('loan') as LoanType | undefined) ?? 'autoLoan',
    channelCode: tagged('channel') ?? '',
  }
  if (words.length > 0) throw new Error(`${line}: what is ${words.join(' ')}?`)
  return order
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
