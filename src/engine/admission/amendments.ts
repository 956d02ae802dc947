/**
 * Other terms of a resting order, and the order that takes its place: what they would be.
 *
 * Source  wire/v3-endpoints.md §2; wire/client-endpoints.md §4 (`modify-order`, `cancel-replace-order`)
 */
import { big, type Lots, type Ticks } from '../numbers/numbers.ts'
import type { PlaceOrder, Presets, ReplaceOrder } from '../protocol/command.ts'
import { presetsOf } from '../records/records.ts'
import { orderCodes, type Reading } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { OrderQuantity, Preset } from '../vocabulary.ts'
import { plainOrder } from './plain-order.ts'

/** What the order is to be. */
export interface Terms {
  readonly price: Ticks
  readonly quantity: Lots
  /** Undefined: they stay. */
  readonly presets: Presets | undefined
  readonly requestId: string
}

/** Undefined when they are what the order has, or it only reduces what there is. */
export function changedPresets(reading: Reading, row: Row, asked: Presets | undefined): Presets | undefined {
  const { orders } = reading
  if (asked === undefined || orders.onlyReduces(row)) return undefined
  const { takeProfit, stopLoss } = presetsOf(reading, row)
  return same(takeProfit, asked.takeProfit) && same(stopLoss, asked.stopLoss) ? undefined : asked
}

function same(one: Preset | undefined, other: Preset | undefined): boolean {
  return one?.trigger === other?.trigger && one?.execute === other?.execute && one?.by === other?.by
}

/** A resting order as one would ask for it now: by its side of the book and, in hedge mode, by its position. */
export function orderAsKnown(reading: Reading, row: Row): PlaceOrder {
  const { orders } = reading
  const positionSide = orderCodes.positionSide[orders.positionSide.at(row)]
  return {
    ...plainOrder,
    uid: reading.accounts.byHandle(orders.accountOf(row)).uid,
    interface: 'v3',
    category: orderCodes.category[orders.category.at(row)],
    instrument: orders.instrument.at(row),
    side: orders.sideOf(row),
    orderType: 'limit',
    price: orders.price.at(row) as Ticks,
    quantity: { unit: 'lots', lots: orders.remaining.at(row) as Lots },
    timeInForce: orderCodes.timeInForce[orders.timeInForce.at(row)],
    positionSide: positionSide === 'net' ? undefined : positionSide,
    reduceOnly: orders.reduceOnly.at(row) === 1,
    stpMode: orderCodes.stpMode[orders.stpMode.at(row)],
    loanType: orderCodes.loanType[orders.loanType.at(row)],
    ...presetsOf(reading, row),
  }
}

export function isAsBefore(reading: Reading, row: Row, { price, quantity, presets }: ReplaceOrder): boolean {
  const { orders } = reading
  if (presets !== undefined || (price !== undefined && price !== orders.price.at(row))) return false
  return quantity === undefined || amountOf(quantity) === ownAmount(reading, row, quantity.unit)
}

function amountOf(quantity: OrderQuantity): bigint {
  return quantity.unit === 'lots' ? big(quantity.lots) : quantity.amount
}

/** What the old order has left, counted as the new one counts; zero if it was never counted so. */
function ownAmount(reading: Reading, row: Row, unit: OrderQuantity['unit']): bigint {
  const { orders } = reading
  if (unit === 'lots') return big(orders.remaining.at(row))
  return orders.remaining.at(row) === orders.quantity.at(row) ? orders.extrasOf(row).baseAmount : 0n
}

/** In hedge mode by the direction of its position, as the second version of the interface names it (design §4.11). */
export function successor(reading: Reading, row: Row, command: ReplaceOrder): PlaceOrder {
  const { orders } = reading
  const intent = orderCodes.intent[orders.intent.at(row)]
  const positionSide = orderCodes.positionSide[orders.positionSide.at(row)]
  const hedged = intent === 'open' || intent === 'close'
  return {
    ...plainOrder,
    uid: command.uid,
    interface: command.interface,
    category: orderCodes.category[orders.category.at(row)],
    instrument: orders.instrument.at(row),
    side: hedged ? (positionSide === 'long' ? 'buy' : 'sell') : orders.sideOf(row),
    orderType: 'limit',
    price: command.price ?? (orders.price.at(row) as Ticks),
    quantity: command.quantity ?? { unit: 'lots', lots: orders.remaining.at(row) as Lots },
    timeInForce: orderCodes.timeInForce[orders.timeInForce.at(row)],
    tradeSide: hedged ? intent : undefined,
    reduceOnly: orders.reduceOnly.at(row) === 1,
    stpMode: orderCodes.stpMode[orders.stpMode.at(row)],
    loanType: orderCodes.loanType[orders.loanType.at(row)],
    clientOid: command.clientOid,
    ...(command.presets ?? presetsOf(reading, row)),
    channelCode: command.channelCode,
  }
}
