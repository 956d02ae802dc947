/**
 * A resting order gets other terms: it keeps its number, its client order id and what it has filled.
 *
 * Not here   whether the new terms are allowed (admission/amendments.ts)
 * Refused    the order stays as it is, or is canceled if its owner wants that (`autoCancel`)
 * Place      less at the same price keeps the place in the queue, and its hold shrinks with it. Another price, or more, goes
 *            to the back
 * Crossing   it trades as a taker, by its own time in force; a post-only order is canceled with its new terms (design §4.29)
 * Quantity   as much as is filled already ends the order as filled
 * Count      the number of open orders and of orders of the day does not change
 * Source     wire/v3-endpoints.md §2
 */
import { admitAmendment, type Admitted, amendedOrder, type Amendment, type Terms } from '../admission/admission.ts'
import { dequeue, shrink, sideOf } from '../book/book.ts'
import { type Instrument, notionalFloor } from '../catalog/catalog.ts'
import { amount, type Amount, assert, big, divFloor, type Lots, type Ticks } from '../numbers/numbers.ts'
import { exposureOf, updateHold } from '../positions/positions.ts'
import { bookChanged } from '../pricing/pricing.ts'
import type { AmendOrder } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import { leaveExposure, leaveTpsl, releaseSpot, setAttachedTpsl } from '../settlement/settlement.ts'
import type { ExposureRow, State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import { closeOrder } from './order-end.ts'
import { trade } from './place.ts'

export function amendOrder(state: State, command: AmendOrder): Reply {
  const row = amendedOrder(state, command)
  if (typeof row === 'object') return refused(row)
  const amendment = admitAmendment(state, row, command)
  const named = { orderId: state.orders.id.at(row), clientOid: state.orders.clientOidOf(row) }
  if ('kind' in amendment) {
    // A client that asks for the terms it has already wants to keep the order.
    if (!command.autoCancel || amendment.kind === 'order-unchanged') return refused(amendment)
    closeOrder(state, row, 'canceled', 'user', command.requestId)
    return { kind: 'canceled-instead', refusal: amendment, ...named }
  }

  if (amendment.requoted === undefined) reduceInPlace(state, row, amendment)
  else requote(state, row, amendment, amendment.requoted)
  return { kind: 'modified', ...named }
}

/** As much or less at the same price: it keeps its place, and what it no longer needs to hold is released. */
function reduceInPlace(state: State, row: Row, { instrument, terms }: Amendment): void {
  const { orders } = state
  const cut = orders.quantity.at(row) - terms.quantity
  takeTerms(state, row, terms)
  if (cut > 0) {
    shrink(state.book(instrument.id), orders.sideOf(row), orders.price.at(row), cut)
    bookChanged(state, instrument.id)
    if (instrument.kind === 'spot') reduceSpotInPlace(state, row, cut)
    else reduceFuturesInPlace(state, row, cut)
  }
  publishAmended(state, row, terms.requestId)
  if (orders.remaining.at(row) === 0) closeOrder(state, row, 'filled', '')
}

/** What is left holds what it would hold if it were placed now. */
function reduceSpotInPlace(state: State, row: Row, cut: number): void {
  const { orders } = state
  const hold = orders.hold.at(row)
  const left = orders.remaining.at(row) - cut
  orders.remaining.set(row, left)
  const scale = state.scale(orders.instrument.at(row))
  const needed =
    orders.sideOf(row) === 'buy'
      ? notionalFloor(scale, left as Lots, orders.price.at(row) as Ticks)
      : amount(big(left) * scale.baseUnit)
  releaseSpot(state, row, amount(hold - needed))
}

/** The part of the hold that belongs to these lots goes with them, as it does with a fill. */
function reduceFuturesInPlace(state: State, row: Row, cut: number): void {
  const { orders } = state
  const hold = orders.hold.at(row)
  const freed = amount(divFloor(hold * big(cut), big(orders.remaining.at(row))))
  const exposure = exposureOf(state, row) as ExposureRow
  leaveExposure(state, exposure, row, cut, freed)
  orders.hold.set(row, hold - freed)
  orders.remaining.set(row, orders.remaining.at(row) - cut)
  updateHold(state, exposure)
}

/** Another price, or more: it goes behind the orders that wait at its price, or trades. */
function requote(state: State, row: Row, { instrument, terms }: Amendment, admitted: Admitted): void {
  assert(admitted.supersededReduceOnly.length === 0, 'a closing order fits into its own place')
  requeue(state, row, instrument, admitted)
  takeTerms(state, row, terms)
  state.orders.remaining.set(row, admitted.quantity)
  const { immediateCancel } = admitted
  if (immediateCancel !== undefined) return closeOrder(state, row, 'canceled', immediateCancel, terms.requestId)
  publishAmended(state, row, terms.requestId)
  trade(state, admitted, row)
}

/** Takes it out of the book, and its margin out of what the orders of its exposure hold. */
function requeue(state: State, row: Row, instrument: Instrument, admitted: Admitted): void {
  const { orders } = state
  dequeue(
    sideOf(state.book(instrument.id), orders.sideOf(row)),
    orders,
    row,
    orders.price.at(row),
    orders.remaining.at(row),
  )
  orders.resting.set(row, 0)
  bookChanged(state, instrument.id)
  if (instrument.kind === 'spot') return
  const exposure = exposureOf(state, row) as ExposureRow
  leaveExposure(state, exposure, row, orders.remaining.at(row), orders.hold.at(row) as Amount)
  orders.registered.set(row, 0)
  orders.hold.set(row, 0n)
  orders.leverage.set(row, admitted.leverage)
}

function takeTerms(state: State, row: Row, { price, quantity, attachedTpsl }: Terms): void {
  const { orders } = state
  if (quantity !== orders.quantity.at(row) && orders.extrasOf(row).baseAmount !== 0n)
    orders.change(row, { baseAmount: 0n })
  orders.price.set(row, price)
  orders.quantity.set(row, quantity)
  orders.updatedAt.set(row, state.at)
  if (attachedTpsl === undefined) return
  setAttachedTpsl(state, row, attachedTpsl)
  leaveTpsl(state, row)
}

function publishAmended(state: State, row: Row, requestId: string): void {
  const { uid } = state.accounts.byHandle(state.orders.accountOf(row))
  state.emit({ kind: 'order-amended', uid, orderId: state.orders.id.at(row), requestId })
}
