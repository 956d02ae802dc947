/**
 * An order as clients and history see it, and how open orders are found.
 *
 * Source  interface.md "Futures order"; design.md §4.33
 */
import { averagePriceE8, type Category, e12PerUnit, type InstrumentId } from '../catalog/catalog.ts'
import { type Amount, amount, amountMax, big, divHalfUp, type Lots, type Ticks } from '../numbers/numbers.ts'
import type { OrderReference, AttachedTpsl } from '../protocol/command.ts'
import type { OrderRecord } from '../protocol/event.ts'
import { type Account, entryPriceE8, type Exposure, orderCodes, positionOf, type Reading } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import type { CancelReason, Interface, OrderId, OrderStatus, PositionSide } from '../vocabulary.ts'
import { readingWallet } from './wallets.ts'

/** The record of an order in the table; without a status, as it stands. */
export function recordOf(
  reading: Reading,
  row: Row,
  status?: OrderStatus,
  cancelReason: CancelReason = '',
): OrderRecord {
  const { orders } = reading
  const instrument = reading.instrument(orders.instrument.at(row))
  const bookSide = orders.sideOf(row)
  const { quoteAmount, baseAmount, takeProfit, stopLoss, cut } = orders.extrasOf(row)
  const filled = orders.filledOf(row)
  return {
    orderId: orders.id.at(row),
    clientOid: orders.clientOidOf(row),
    uid: reading.accounts.byHandle(orders.accountOf(row)).uid,
    wallet: orders.walletOf(row),
    category: orderCodes.category[orders.category.at(row)],
    instrument: instrument.id,
    side: orderCodes.side[orders.side.at(row)],
    bookSide,
    orderType: orderCodes.orderType[orders.orderType.at(row)],
    timeInForce: orderCodes.timeInForce[orders.timeInForce.at(row)],
    price: orders.price.at(row) as Ticks | 0,
    quantity: orders.quantity.at(row) as Lots,
    cut: cut as Lots,
    quoteAmount: quoteAmount as Amount,
    baseAmount: baseAmount as Amount,
    filled: filled as Lots,
    filledNotional: orders.filledNotional.at(row) as Amount,
    averagePriceE8: averageOf(reading, row, filled),
    fee: orders.fee.at(row) as Amount,
    feeCoin: instrument.kind === 'spot' ? (bookSide === 'buy' ? instrument.base : instrument.quote) : instrument.settle,
    realizedPnl: orders.realizedPnl.at(row) as Amount,
    status: status ?? (filled > 0 ? 'partially_filled' : 'live'),
    cancelReason,
    cause: orderCodes.cause[orders.cause.at(row)],
    intent: orderCodes.intent[orders.intent.at(row)],
    positionSide: orderCodes.positionSide[orders.positionSide.at(row)],
    reduceOnly: orders.reduceOnly.at(row) === 1,
    holdMode: orderCodes.holdMode[orders.holdMode.at(row)],
    marginMode: orderCodes.marginMode[orders.marginMode.at(row)],
    leverage: orders.leverage.at(row),
    stpMode: orderCodes.stpMode[orders.stpMode.at(row)],
    loanType: orderCodes.loanType[orders.loanType.at(row)],
    takeProfit,
    stopLoss,
    positionEntryE8: orders.positionEntryE8.at(row),
    channelCode: orders.channelCode[row],
    createdAt: orders.createdAt.at(row),
    updatedAt: orders.updatedAt.at(row),
  }
}

/** Average price of the fills, 1e-8 of the quote, to the nearest; zero before the first. */
function averageOf(reading: Reading, row: Row, filled: number): bigint {
  const { orders } = reading
  if (filled === 0) return 0n
  const scale = reading.scale(orders.instrument.at(row))
  if (!scale.inverse) return averagePriceE8(scale, orders.filledNotional.at(row), filled, scale.averageStepE8)
  const { filledFine } = orders.extrasOf(row)
  const e12 = filledFine < amountMax ? filledFine : orders.filledNotional.at(row) * e12PerUnit
  return e12 === 0n ? 0n : divHalfUp(big(filled) * scale.usdUnit * 1_000_000_000_000n, e12)
}

/** A live order of the account: by number first, else by client order id; noRow when there is none. */
export function findOrder(reading: Reading, account: Account, reference: OrderReference): Row {
  const { orders } = reading
  const id = reference.orderId ?? account.clientOids?.get(reference.clientOid) ?? madeId(reference.clientOid)
  if (id === undefined) return noRow
  const row = orders.find(id)
  return row !== noRow && orders.account.at(row) === account.handle ? row : noRow
}

/** A live order of any account by its number; noRow when there is none. */
export function findOrderById(reading: Reading, orderId: OrderId): Row {
  return reading.orders.find(orderId)
}

/** A client order id that the venue made is the order's number. */
function madeId(clientOid: string): number | undefined {
  return /^[0-9]{16}$/.test(clientOid) ? Number(clientOid) : undefined
}

/** Open orders of the wallet that a read shows, newest first. */
export function openOrders(
  reading: Reading,
  account: Account,
  version: Interface,
  category: Category | undefined,
  instrument: InstrumentId | undefined,
): OrderRecord[] {
  const { orders } = reading
  const found: OrderRecord[] = []
  for (const row of orders.of(account.firstOrder)) {
    const orderCategory = orderCodes.category[orders.category.at(row)]
    if (category !== undefined && orderCategory !== category) continue
    if (instrument !== undefined && orders.instrument.at(row) !== instrument) continue
    if (orders.walletOf(row) !== readingWallet(account, version, orderCategory)) continue
    found.push(recordOf(reading, row))
  }
  return found
}

/** The take-profit and stop-loss that an order asks for. */
export function attachedTpslOf(reading: Reading, row: Row): AttachedTpsl {
  const { takeProfit, stopLoss } = reading.orders.extrasOf(row)
  return { takeProfit, stopLoss }
}

/** Units that the fills of a spot or margin order brought in, less its fees. */
export function receivedBy(reading: Reading, row: Row): Amount {
  const { orders } = reading
  if (orders.sideOf(row) === 'sell') return amount(orders.filledNotional.at(row) - orders.fee.at(row))
  return amount(big(orders.filledOf(row)) * reading.scale(orders.instrument.at(row)).baseUnit - orders.fee.at(row))
}

/** Whether it is a spot or margin order. */
export function isSpotOrder({ orders }: Reading, row: Row): boolean {
  return orderCodes.intent[orders.intent.at(row)] === 'spot'
}

/** Average entry price of the position of a side as records show it, 1e-8; zero: none. */
export function entryOf(reading: Reading, exposure: Exposure, side: PositionSide): bigint {
  const position = positionOf(exposure, side)
  if (position === undefined) return 0n
  const scale = reading.scale(exposure.instrument)
  return entryPriceE8(scale, position, scale.averageStepE8)
}
