/** Events of a house of bare numbers: the engine's own, field by field, with money as bigint. What it cannot know is a constant. */
import { type Amount, big, type Lots, type Ticks, zero } from '../../src/engine/numbers/numbers.ts'
import type { Event, FillEvent, OrderRecord } from '../../src/engine/protocol/event.ts'
import type { OrderId, Side, Uid } from '../../src/engine/vocabulary.ts'

export interface Order {
  readonly orderId: OrderId
  readonly uid: Uid
  readonly side: Side
  readonly price: number
  readonly lots: number
}

export interface Match {
  readonly number: number
  readonly price: number
  readonly lots: number
  readonly value: number
  readonly fee: number
}

const at = 1_767_225_600_000
const money = (units: number) => big(units) as Amount

export function accepted({ uid, orderId }: Order): Event {
  return { kind: 'order-accepted', uid, orderId }
}

export function filled(order: Order, scope: 'maker' | 'taker', match: Match, balance: number): FillEvent {
  return {
    kind: 'fill',
    execId: match.number * 2 + (scope === 'maker' ? 1 : 0),
    matchId: match.number,
    orderId: order.orderId,
    clientOid: '',
    uid: order.uid,
    wallet: 'uta',
    category: 'USDT-FUTURES',
    instrument: 0,
    side: order.side,
    bookSide: order.side,
    orderType: 'limit',
    scope,
    cause: 'user',
    holdMode: 'one_way_mode',
    effect: 'open',
    positionSide: 'net',
    price: match.price as Ticks,
    quantity: match.lots as Lots,
    notional: money(match.value),
    fee: money(match.fee),
    feeCoin: 0,
    realizedPnl: zero,
    balance: money(balance),
    paidCoin: undefined,
    paidBalance: zero,
    baseAmount: zero,
    at,
  }
}

export function traded(taker: Order, { number, price, lots }: Match): Event {
  return {
    kind: 'trade',
    matchId: number,
    instrument: 0,
    price: price as Ticks,
    quantity: lots as Lots,
    side: taker.side,
    at,
  }
}

export function ended(order: Order, left: number, status: OrderRecord['status']): Event {
  const filledLots = order.lots - left
  const record: OrderRecord = {
    orderId: order.orderId,
    clientOid: '',
    uid: order.uid,
    wallet: 'uta',
    category: 'USDT-FUTURES',
    instrument: 0,
    side: order.side,
    bookSide: order.side,
    orderType: 'limit',
    timeInForce: 'gtc',
    price: order.price as Ticks,
    quantity: order.lots as Lots,
    cut: 0 as Lots,
    quoteAmount: zero,
    baseAmount: zero,
    filled: filledLots as Lots,
    filledNotional: money(filledLots * order.price),
    averagePriceE8: big(filledLots === 0 ? 0 : order.price),
    fee: money(filledLots),
    feeCoin: 0,
    realizedPnl: zero,
    status,
    cancelReason: status === 'canceled' ? 'user' : '',
    cause: 'user',
    intent: 'single',
    positionSide: 'net',
    reduceOnly: false,
    holdMode: 'one_way_mode',
    marginMode: 'cross',
    leverage: 20,
    stpMode: 'none',
    loanType: 'normal',
    takeProfit: undefined,
    stopLoss: undefined,
    positionEntryE8: big(order.price),
    channelCode: '',
    createdAt: at,
    updatedAt: at,
  }
  return { kind: 'order-ended', order: record }
}
