/**
 * The fields of an order that asks for nothing special. Orders that the venue makes start from it and name the rest.
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
