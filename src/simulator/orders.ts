/** The orders that agents send: those of a v3 client with nothing special about it. */
import type { Instrument } from '../engine/catalog/catalog.ts'
import type { CancelOrder, OrderId, PlaceOrder } from '../engine/command.ts'

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
