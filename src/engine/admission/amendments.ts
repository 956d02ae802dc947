/**
 * New terms for a resting order, and the order that replaces one: whether they are allowed, and what follows.
 *
 * Whole      the new terms are admitted as if the order were not there
 * Place      less at the same price keeps the place in the queue; another price, or more, is admitted anew
 * Quantity   counts what is filled already: as much as that ends the order as filled, whatever the minimums; less is refused
 * Never      a reduce-only order cannot be amended
 * Source     wire/v3-endpoints.md §2; wire/client-endpoints.md §4 (`modify-order`, `cancel-replace-order`)
 */
import type { Instrument } from '../catalog/catalog.ts'
import { big, type Lots, type Ticks } from '../numbers/numbers.ts'
import type { AmendOrder, PlaceOrder, AttachedTpsl, ReplaceOrder } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { findOrder, attachedTpslOf, tradingWallet } from '../records/records.ts'
import { orderCodes, type Reading } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import type { OrderCause, OrderQuantity, TpslTerms } from '../vocabulary.ts'
import type { Admitted } from './admitted.ts'
import { refuseNotional, refuseAttachedTpsl, refuseQuantity } from './checks.ts'
import { refuseUnannounced } from './limits.ts'
import { admitNeeds } from './order.ts'
import { plainOrder } from './plain-order.ts'

/** The terms that the order shall have. */
export interface Terms {
  readonly price: Ticks
  readonly quantity: Lots
  /** Undefined: it stays as it is. */
  readonly attachedTpsl: AttachedTpsl | undefined
  readonly requestId: string
}

/** An amendment that is allowed. */
export interface Amendment {
  readonly instrument: Instrument
  readonly terms: Terms
  /** The order admitted anew, for the back of the queue. Undefined: it keeps its place, with as much or less. */
  readonly requoted: Admitted | undefined
}

/** The resting order that the command names; refused when it has none of that category and instrument. */
export function amendedOrder(reading: Reading, command: AmendOrder): Row | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const { orders } = reading
  const row = findOrder(reading, account, command.order)
  const meant =
    row !== noRow &&
    (command.category === undefined || orderCodes.category[orders.category.at(row)] === command.category) &&
    (command.instrument === undefined || orders.instrument.at(row) === command.instrument)
  return meant ? row : { kind: 'order-unknown' }
}

/**
 * Whether a resting order may have other terms, and whether it keeps its place.
 * Refusals in order: unchanged, reduce-only, instrument closed, below what is filled, take-profit or stop-loss, then as for
 * an order that comes now.
 */
export function admitAmendment(reading: Reading, row: Row, command: AmendOrder): Amendment | Refusal {
  const { orders } = reading
  const instrument = reading.instrument(orders.instrument.at(row))
  const terms: Terms = {
    price: command.price ?? (orders.price.at(row) as Ticks),
    quantity: command.quantity ?? (orders.quantity.at(row) as Lots),
    attachedTpsl: changedAttachedTpsl(reading, row, command.attachedTpsl),
    requestId: command.requestId,
  }
  const samePrice = terms.price === orders.price.at(row)
  if (samePrice && terms.quantity === orders.quantity.at(row) && terms.attachedTpsl === undefined) {
    return { kind: 'order-unchanged' }
  }
  if (orders.reduceOnly.at(row) === 1) return { kind: 'order-only-reduces' }
  if (instrument.status !== 'online') return { kind: 'instrument-closed', status: instrument.status }
  const filled = orders.quantity.at(row) - orders.remaining.at(row)
  if (terms.quantity < filled) return { kind: 'quantity-below-filled', filled: filled as Lots }
  const tpslRefusal = terms.attachedTpsl === undefined ? undefined : refuseAttachedTpsl(terms.attachedTpsl)
  if (tpslRefusal !== undefined) return tpslRefusal
  const nothingMore = filled > 0 && terms.quantity === filled
  if (!nothingMore && !(samePrice && terms.quantity <= orders.quantity.at(row))) {
    const requoted = admitRequote(reading, row, instrument, terms)
    return 'kind' in requoted ? requoted : { instrument, terms, requoted }
  }
  const kept = samePrice ? terms : { ...terms, price: orders.price.at(row) as Ticks }
  return (
    (nothingMore ? undefined : refuseReduction(reading, row, instrument, kept)) ?? {
      instrument,
      terms: kept,
      requoted: undefined,
    }
  )
}

/** A smaller order at the same price still has to meet the minimums. */
function refuseReduction(reading: Reading, row: Row, instrument: Instrument, terms: Terms): Refusal | undefined {
  const { orders } = reading
  if (terms.quantity === orders.quantity.at(row)) return undefined
  const order = { price: terms.price, orderType: 'limit' } as const
  const reduces = orders.onlyReduces(row)
  return (
    refuseQuantity(instrument, order, terms.quantity, reduces) ??
    (reduces ? undefined : refuseNotional(reading, instrument, reading.scale(instrument.id), order, terms.quantity))
  )
}

/** Another price, or more: admitted as if it came now and the resting order were not there. */
function admitRequote(reading: Reading, row: Row, instrument: Instrument, terms: Terms): Admitted | Refusal {
  const { orders } = reading
  const filled = orders.quantity.at(row) - orders.remaining.at(row)
  const account = reading.accounts.byHandle(orders.accountOf(row))
  const command: PlaceOrder = {
    ...orderAsKnown(reading, row),
    price: terms.price,
    quantity: { unit: 'lots', lots: (terms.quantity - filled) as Lots },
  }
  const unannounced = refuseUnannounced(account, instrument, command)
  if (unannounced !== undefined) return unannounced
  return admitNeeds(reading, {
    account,
    wallet: orders.walletOf(row),
    instrument,
    scale: reading.scale(instrument.id),
    command,
    cause: 'user',
    placing: { replaced: row, filled },
  })
}

/** Undefined when the order has them already, or only reduces a position. */
function changedAttachedTpsl(reading: Reading, row: Row, asked: AttachedTpsl | undefined): AttachedTpsl | undefined {
  const { orders } = reading
  if (asked === undefined || orders.onlyReduces(row)) return undefined
  const { takeProfit, stopLoss } = attachedTpslOf(reading, row)
  return same(takeProfit, asked.takeProfit) && same(stopLoss, asked.stopLoss) ? undefined : asked
}

function same(before: TpslTerms | undefined, after: TpslTerms | undefined): boolean {
  return before?.trigger === after?.trigger && before?.execute === after?.execute && before?.by === after?.by
}

/** A resting order as a client would ask for it now: by its side of the book and, in hedge mode, by its position. */
function orderAsKnown(reading: Reading, row: Row): PlaceOrder {
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
    ...attachedTpslOf(reading, row),
  }
}

/** The order that shall replace a resting one. placeOrder admits it; refused here is only what names the old order wrongly. */
export function admitReplacement(
  reading: Reading,
  command: ReplaceOrder,
): { readonly order: PlaceOrder; readonly cause: OrderCause; readonly replaced: Row } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const { orders } = reading
  const row = findOrder(reading, account, command.order)
  if (row === noRow || orders.instrument.at(row) !== command.instrument) return { kind: 'order-unknown' }
  const category = orderCodes.category[orders.category.at(row)]
  if (!command.categories.includes(category)) return { kind: 'order-unknown' }
  // An order of another wallet cannot hand over what it holds.
  const wallet = tradingWallet(account, command.interface, category)
  if (wallet !== orders.walletOf(row)) return { kind: 'order-unknown' }
  const futures = reading.instrument(command.instrument).kind !== 'spot'
  if (futures && isAsBefore(reading, row, command)) return { kind: 'order-unchanged' }
  return { order: successor(reading, row, command), cause: futures ? 'replace' : 'user', replaced: row }
}

/** Whether the replacement names nothing that the old order does not have. */
function isAsBefore(reading: Reading, row: Row, { price, quantity, attachedTpsl }: ReplaceOrder): boolean {
  const { orders } = reading
  if (attachedTpsl !== undefined || (price !== undefined && price !== orders.price.at(row))) return false
  return quantity === undefined || amountOf(quantity) === ownAmount(reading, row, quantity.unit)
}

function amountOf(quantity: OrderQuantity): bigint {
  return quantity.unit === 'lots' ? big(quantity.lots) : quantity.amount
}

/** What the old order has left, in the unit of the new one; zero if it was never counted in that unit. */
function ownAmount(reading: Reading, row: Row, unit: OrderQuantity['unit']): bigint {
  const { orders } = reading
  if (unit === 'lots') return big(orders.remaining.at(row))
  return orders.remaining.at(row) === orders.quantity.at(row) ? orders.extrasOf(row).baseAmount : 0n
}

/** The new order; in hedge mode it names the position by its direction, as v2 does (design §4.11). */
function successor(reading: Reading, row: Row, command: ReplaceOrder): PlaceOrder {
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
    ...(command.attachedTpsl ?? attachedTpslOf(reading, row)),
    channelCode: command.channelCode,
  }
}
