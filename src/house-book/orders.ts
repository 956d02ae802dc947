/**
 * Orders of the house and the money that they take.
 *
 * Money  is deposited, as much as an order lacks: its worth twice over, at the least leverage
 */
import { type CoinId, type Instrument, isFutures } from '../engine/catalog/catalog.ts'
import { type Amount, amount, type Lots, lots, type Ticks } from '../engine/numbers/numbers.ts'
import type { Command, PlaceOrder } from '../engine/protocol/command.ts'
import type { OrderRecord } from '../engine/protocol/event.ts'
import type { Answer, Query, QueryKind } from '../engine/protocol/query.ts'
import type { Interface, Side, Uid } from '../engine/vocabulary.ts'

/** Whoever can be asked: a copy of the engine, or the venue itself. */
export interface Askable {
  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K>
}

/** Newest first. */
export function restingOf(of: Askable, uid: Uid, { category, id }: Instrument): readonly OrderRecord[] {
  return of.query({ kind: 'open-orders', uid, interface: 'v3', category, instrument: id })
}

export interface Wanted {
  readonly side: Side
  readonly price: Ticks
  readonly quantity: Lots
}

/** What these orders lack. */
export function deposits(of: Askable, uid: Uid, instrument: Instrument, wanted: readonly Wanted[]): Command[] {
  const needs = new Map<CoinId, bigint>()
  for (const order of wanted) {
    const [coin, units] = needOf(instrument, order)
    needs.set(coin, (needs.get(coin) ?? 0n) + units)
  }
  const balances = of.query({ kind: 'balances', uid, wallet: 'uta' })
  return [...needs].flatMap(([coin, units]): Command[] => {
    const lacking = units - (balances.find((balance) => balance.coin === coin)?.available ?? 0n)
    return lacking > 0n ? [{ kind: 'deposit', uid, wallet: 'uta', coin, amount: amount(lacking) }] : []
  })
}

/** Which coin an order takes, and how much of it at most. */
function needOf(instrument: Instrument, { side, price, quantity }: Wanted): [coin: CoinId, units: Amount] {
  if (isFutures(instrument)) return [instrument.settle, worth(instrument, price, quantity)]
  const { base, quote, quantityStep, quantityDecimals } = instrument
  if (side === 'buy') return [quote, worth(instrument, price, quantity)]
  const units = BigInt(quantity) * BigInt(quantityStep) * 10n ** BigInt(8 - quantityDecimals)
  return [base, amount(units * 2n)]
}

/** A limit order of the house. */
export function limitOrder(
  uid: Uid,
  instrument: Instrument,
  { side, price, quantity }: Wanted,
  timeInForce: PlaceOrder['timeInForce'],
): PlaceOrder {
  const limit = { orderType: 'limit', price, quantity: { unit: 'lots', lots: quantity } } as const
  return orderOf(uid, 'v3', instrument, { ...limit, side, timeInForce })
}

/** In as many orders as the instrument asks for, or `atMost` does. */
export function parts({ quantityMax }: Instrument, quantity: number, atMost = quantity): Lots[] {
  const most = Math.min(quantityMax || quantity, atMost)
  const found: Lots[] = []
  for (let left = quantity; left > 0; left -= most) found.push(lots(Math.min(left, most)))
  return found
}

/** The fewest lots that an order can have at a price. */
export function leastAt(
  { notionalMin, quantityMin, quantityStep, quantityDecimals, priceStep, priceDecimals, kind }: Instrument,
  price: Ticks,
): number {
  if (kind === 'inverse') return Math.max(1, quantityMin)
  // Of 1e-8 of the quote, for one lot.
  const perLot = price * priceStep * quantityStep * 10 ** (8 - priceDecimals - quantityDecimals)
  return Math.max(1, quantityMin, Math.ceil(Number(notionalMin) / perLot))
}

/** Twice what lots are worth at a price, in units of the settlement coin (spot: of the quote): margin at the least leverage, fees and losses. */
export function worth(instrument: Instrument, price: Ticks, quantity: number): Amount {
  const { priceStep, priceDecimals, quantityStep, quantityDecimals, kind } = instrument
  const size = BigInt(quantity) * BigInt(quantityStep) * 10n ** BigInt(8 - quantityDecimals)
  const priceE8 = BigInt(price) * BigInt(priceStep) * 10n ** BigInt(8 - priceDecimals)
  const units = kind === 'inverse' ? (size * 10n ** 8n) / priceE8 : (size * priceE8) / 10n ** 8n
  return amount(units * 2n + 100_000_000n)
}

/** A plain order. */
export function orderOf(
  uid: Uid,
  speaker: Interface,
  instrument: Instrument,
  chosen: Pick<PlaceOrder, 'side' | 'orderType' | 'price' | 'quantity' | 'timeInForce'> &
    Partial<Pick<PlaceOrder, 'positionSide'>>,
): PlaceOrder {
  return {
    kind: 'place-order',
    uid,
    interface: speaker,
    category: instrument.category,
    instrument: instrument.id,
    positionSide: undefined,
    tradeSide: undefined,
    reduceOnly: false,
    marginMode: undefined,
    marginCoin: speaker === 'v2' && isFutures(instrument) ? instrument.settle : undefined,
    stpMode: undefined,
    clientOid: '',
    takeProfit: undefined,
    stopLoss: undefined,
    loanType: 'normal',
    channelCode: '',
    ...chosen,
  }
}

/** A price in the quote of an instrument, in USD of 1e-8. */
export function inDollars(of: Askable, { quote }: Pick<Instrument, 'quote'>, priceE8: bigint): bigint {
  const dollars = quote === -1 ? priceE8 : (priceE8 * of.query({ kind: 'index-prices' })[quote]) / 100_000_000n
  return dollars > 0n ? dollars : 1n
}
