/**
 * An order as the world sees it, and how open orders are found.
 *
 * Source  interface.md "Futures order"; design.md §4.33
 */
import { type Account, readingWallet } from '../accounts/accounts.ts'
import type { Category, InstrumentId } from '../catalog/catalog.ts'
import type { Interface, OrderId, OrderReference } from '../command.ts'
import type { CancelReason, OrderRecord, OrderStatus } from '../event.ts'
import { type Amount, amountMax, divHalfUp, type Lots, oneCoin, type Ticks } from '../numbers/numbers.ts'
import type { Row } from '../state/state.ts'
import type { Venue } from '../venue.ts'
import { orderCodes } from './order-table.ts'

export function recordOf(venue: Venue, row: Row, status?: OrderStatus, cancelReason: CancelReason = ''): OrderRecord {
  const { orders } = venue
  const instrument = venue.instrument(orders.instrument[row])
  const bookSide = orders.sideOf(row)
  const { quoteAmount, baseAmount, takeProfit, stopLoss } = orders.extrasOf(row)
  const filled = orders.filledOf(row)
  return {
    orderId: orders.id[row],
    clientOid: orders.clientOidOf(row),
    uid: venue.accounts.byHandle(orders.accountOf(row)).uid,
    wallet: orders.walletOf(row),
    category: orderCodes.category[orders.category[row]],
    instrument: instrument.id,
    side: orderCodes.side[orders.side[row]],
    bookSide,
    orderType: orderCodes.orderType[orders.orderType[row]],
    timeInForce: orderCodes.timeInForce[orders.timeInForce[row]],
    price: orders.price[row] as Ticks | 0,
    quantity: orders.quantity[row] as Lots,
    quoteAmount: quoteAmount as Amount,
    baseAmount: baseAmount as Amount,
    filled: filled as Lots,
    filledNotional: orders.filledNotional[row] as Amount,
    averagePriceE8: averagePriceE8(venue, row, filled),
    fee: orders.fee[row] as Amount,
    feeCoin: instrument.kind === 'spot' ? (bookSide === 'buy' ? instrument.base : instrument.quote) : instrument.settle,
    realizedPnl: orders.realizedPnl[row] as Amount,
    status: status ?? (filled > 0 ? 'partially_filled' : 'live'),
    cancelReason,
    cause: orderCodes.cause[orders.cause[row]],
    intent: orderCodes.intent[orders.intent[row]],
    positionSide: orderCodes.positionSide[orders.positionSide[row]],
    reduceOnly: orders.reduceOnly[row] === 1,
    holdMode: orderCodes.holdMode[orders.holdMode[row]],
    marginMode: orderCodes.marginMode[orders.marginMode[row]],
    leverage: orders.leverage[row],
    stpMode: orderCodes.stpMode[orders.stpMode[row]],
    loanType: orderCodes.loanType[orders.loanType[row]],
    takeProfit,
    stopLoss,
    positionEntryE8: orders.positionEntryE8[row],
    channelCode: orders.channelCode[row],
    createdAt: orders.createdAt[row],
    updatedAt: orders.updatedAt[row],
  }
}

function averagePriceE8(venue: Venue, row: Row, filled: number): bigint {
  const { orders } = venue
  if (filled === 0) return 0n
  const scale = venue.scale(orders.instrument[row])
  const quantity = BigInt(filled)
  if (!scale.inverse) return divHalfUp(orders.filledNotional[row] * oneCoin, quantity * scale.baseUnit)
  const { filledFine } = orders.extrasOf(row)
  const fine = filledFine < amountMax ? filledFine : orders.filledNotional[row] * 10_000n
  return fine === 0n ? 0n : divHalfUp(quantity * scale.usdUnit * 1_000_000_000_000n, fine)
}

/** A live order of the account: by number first, else by client order id; 0 when there is none. */
export function findOrder(venue: Venue, account: Account, reference: OrderReference): Row {
  const { orders } = venue
  const id = reference.orderId ?? account.clientOids.get(reference.clientOid) ?? madeId(reference.clientOid)
  if (id === undefined) return 0
  const row = orders.find(id)
  return row !== 0 && orders.account[row] === account.handle ? row : 0
}

/** A live order by its number, whoever's it is; 0 when there is none. */
export function findOrderById(venue: Venue, orderId: OrderId): Row {
  return venue.orders.find(orderId)
}

/** A client order id that the venue made is the order's number. */
function madeId(clientOid: string): number | undefined {
  return /^[0-9]{16}$/.test(clientOid) ? Number(clientOid) : undefined
}

/** Open orders, newest first. */
export function openOrders(
  venue: Venue,
  account: Account,
  version: Interface,
  category: Category | undefined,
  instrument: InstrumentId | undefined,
): OrderRecord[] {
  const { orders } = venue
  const found: OrderRecord[] = []
  for (const row of orders.of(account.firstOrder)) {
    const orderCategory = orderCodes.category[orders.category[row]]
    if (category !== undefined && orderCategory !== category) continue
    if (instrument !== undefined && orders.instrument[row] !== instrument) continue
    if (orders.walletOf(row) !== readingWallet(account, version, orderCategory)) continue
    found.push(recordOf(venue, row))
  }
  return found
}
