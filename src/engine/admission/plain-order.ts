/**
 * What an order says that asks for nothing special: the venue's own orders begin with it, and name what they mean.
 */
import type { PlaceOrder } from '../protocol/command.ts'

export const plainOrder = {
  kind: 'place-order',
  timeInForce: 'ioc',
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
} as const satisfies Partial<PlaceOrder>
