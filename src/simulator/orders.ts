/** The commands that agents send: orders of a v3 client with nothing special about it, and what goes before and after. */
import type { Category, CoinId, Instrument } from '../engine/catalog/catalog.ts'
import type { CancelOrder, Command, PlaceOrder } from '../engine/protocol/command.ts'
import type { PositionView } from '../engine/protocol/query.ts'
import type { OrderId } from '../engine/vocabulary.ts'
import { unitsOf } from './scale.ts'

type Chosen = Pick<PlaceOrder, 'side' | 'orderType' | 'price' | 'quantity' | 'timeInForce'>

export function orderFor(uid: number, instrument: Instrument, chosen: Chosen): PlaceOrder {
  return {
    kind: 'place-order',
    uid,
    interface: 'v3',
    category: instrument.category,
    instrument: instrument.id,
    ...chosen,
    positionSide: undefined,
    tradeSide: undefined,
    reduceOnly: false,
    marginMode: undefined,
    marginCoin: undefined,
    stpMode: undefined,
    clientOid: '',
    takeProfit: undefined,
    stopLoss: undefined,
    loanType: 'normal',
    channelCode: '',
  }
}

export function cancelOf(uid: number, orderId: OrderId): CancelOrder {
  return {
    kind: 'cancel-order',
    uid,
    order: { orderId, clientOid: '' },
    category: undefined,
    instrument: undefined,
  }
}

/** Closes a position at market. */
export function closingOrder(uid: number, instrument: Instrument, { side, quantity }: PositionView): PlaceOrder {
  const order = orderFor(uid, instrument, {
    side: side === 'long' ? 'sell' : 'buy',
    orderType: 'market',
    price: 0,
    quantity: { unit: 'lots', lots: quantity },
    timeInForce: 'ioc',
  })
  return { ...order, reduceOnly: true }
}

/** The next position of an account without one is isolated and has this leverage. */
export function isolateAt(uid: number, { id }: Instrument, leverage: number): Command[] {
  const shared = { uid, interface: 'v3', instrument: id, marginMode: 'isolated' } as const
  return [
    { kind: 'set-margin-mode', ...shared },
    { kind: 'set-leverage', ...shared, leverage, positionSide: undefined },
  ]
}

/** Money from outside; at least the smallest unit. */
export function depositOf(uid: number, coin: CoinId, coins: number): Command {
  return { kind: 'deposit', uid, wallet: 'uta', coin, amount: unitsOf(coins) }
}

/** Takes away the orders of an account: of a category, or of one of its instruments. */
export function withdrawalOf(uid: number, category: Category, instrument: number | undefined): Command {
  return { kind: 'cancel-orders', uid, interface: 'v3', category, instrument }
}
