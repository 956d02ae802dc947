/**
 * A new order in the place of a resting one, in one command: the old one is canceled, and nothing comes between.
 *
 * Whole     the new order is admitted as if the old one were not there; refused, the old one stays as it is
 * New       number, client order id and place in the queue; it is an order of the day, and takes no further place among the
 *           open ones. What was filled stays with the old one
 * Same      side, time in force, position, reduce-only and self-trade prevention, and whatever was not named anew
 * Source    wire/client-endpoints.md §4 (`modify-order`, `cancel-replace-order`)
 */
import { tradingWallet } from '../accounts/accounts.ts'
import { big, type Lots, type Ticks } from '../numbers/numbers.ts'
import type { PlaceOrder, ReplaceOrder } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import { orderCodes, type Reading, type Venue } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { OrderQuantity } from '../vocabulary.ts'
import { placeOrder } from './placing.ts'
import { plainOrder } from './plain-order.ts'
import { presetsOf } from './presets.ts'
import { findOrder } from './record.ts'

export function replaceOrder(venue: Venue, command: ReplaceOrder): Reply {
  const account = venue.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  const { orders } = venue
  const row = findOrder(venue, account, command.order)
  if (row === 0 || orders.instrument.at(row) !== command.instrument) return refused({ kind: 'order-unknown' })
  const category = orderCodes.category[orders.category.at(row)]
  if (!command.categories.includes(category)) return refused({ kind: 'order-unknown' })
  // An order of another wallet cannot leave what it holds to one of this.
  const wallet = tradingWallet(account, command.interface, category)
  if (wallet !== orders.walletOf(row)) return refused({ kind: 'order-unknown' })
  const futures = venue.instrument(command.instrument).kind !== 'spot'
  if (futures && isAsBefore(venue, row, command)) return refused({ kind: 'order-unchanged' })
  return placeOrder(venue, successor(venue, row, command), futures ? 'replace' : 'user', { replaced: row })
}

function isAsBefore(venue: Reading, row: Row, { price, quantity, presets }: ReplaceOrder): boolean {
  const { orders } = venue
  if (presets !== undefined || (price !== undefined && price !== orders.price.at(row))) return false
  return quantity === undefined || amountOf(quantity) === ownAmount(venue, row, quantity.unit)
}

function amountOf(quantity: OrderQuantity): bigint {
  return quantity.unit === 'lots' ? big(quantity.lots) : quantity.amount
}

/** What the old order has left, counted as the new one counts; zero if it was never counted so. */
function ownAmount(venue: Reading, row: Row, unit: OrderQuantity['unit']): bigint {
  const { orders } = venue
  if (unit === 'lots') return big(orders.remaining.at(row))
  return orders.remaining.at(row) === orders.quantity.at(row) ? orders.extrasOf(row).baseAmount : 0n
}

/** In hedge mode by the direction of its position, as the second version of the interface names it (design §4.11). */
function successor(venue: Reading, row: Row, command: ReplaceOrder): PlaceOrder {
  const { orders } = venue
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
    ...(command.presets ?? presetsOf(venue, row)),
    channelCode: command.channelCode,
  }
}
