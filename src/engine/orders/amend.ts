/**
 * A resting order with other terms: it keeps its number, its client order id and what it has filled.
 *
 * Whole      the new terms are admitted as if the order were not there, and take effect in the same command: nothing comes
 *            between. Refused, the order stays as it is, or goes if its owner wants that (`autoCancel`)
 * Place      less at the same price keeps its place in the queue, and what it holds shrinks with it; another price or more
 *            is admitted anew and goes to the back
 * Crossing   it trades as a taker, by its own time in force; a post-only order is canceled (design §4.29)
 * Quantity   is the whole of it: as much as is filled already ends it as filled, less is refused
 * Never      an order that is reduce-only; and no count of orders changes
 * Source     wire/v3-endpoints.md §2
 */
import {
  admitFutures,
  admitSpot,
  type Admitted,
  changedPresets,
  orderAsKnown,
  refuseNotional,
  refusePresets,
  refuseQuantity,
  refuseUnannounced,
  stopAtOnce,
  type Terms,
} from '../admission/admission.ts'
import { dequeue, shrink } from '../book/book.ts'
import { type Instrument, notionalFloor } from '../catalog/catalog.ts'
import { amount, type Amount, assert, big, divFloor, type Lots, type Ticks } from '../numbers/numbers.ts'
import { exposureOf, updateHold } from '../positions/positions.ts'
import { bookChanged } from '../pricing/pricing.ts'
import type { AmendOrder, PlaceOrder } from '../protocol/command.ts'
import { type Refusal, refused, type Reply } from '../protocol/reply.ts'
import { findOrder } from '../records/records.ts'
import { leaveExposure, leaveGuards, releaseSpot, setPresets } from '../settlement/settlement.ts'
import { type AccountRow, type ExposureRow, orderCodes, type State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import { endOrder } from './order-end.ts'
import { trade } from './place.ts'

export function amendOrder(state: State, command: AmendOrder): Reply {
  const account = state.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  const { orders } = state
  const row = findOrder(state, account, command.order)
  const meant =
    row !== 0 &&
    (command.category === undefined || orderCodes.category[orders.category.at(row)] === command.category) &&
    (command.instrument === undefined || orders.instrument.at(row) === command.instrument)
  if (!meant) return refused({ kind: 'order-unknown' })

  const named = { orderId: orders.id.at(row), clientOid: orders.clientOidOf(row) }
  const refusal = amend(state, account, row, command)
  if (refusal === undefined) return { kind: 'modified', ...named }
  // Who asks for the terms that it has anyway wants to keep it.
  if (!command.autoCancel || refusal.kind === 'order-unchanged') return refused(refusal)
  endOrder(state, row, 'canceled', 'user')
  return { kind: 'canceled-instead', refusal, ...named }
}

function amend(state: State, account: AccountRow, row: Row, command: AmendOrder): Refusal | undefined {
  const { orders } = state
  const instrument = state.instrument(orders.instrument.at(row))
  const terms: Terms = {
    price: command.price ?? (orders.price.at(row) as Ticks),
    quantity: command.quantity ?? (orders.quantity.at(row) as Lots),
    presets: changedPresets(state, row, command.presets),
    requestId: command.requestId,
  }
  const samePrice = terms.price === orders.price.at(row)
  if (samePrice && terms.quantity === orders.quantity.at(row) && terms.presets === undefined) {
    return { kind: 'order-unchanged' }
  }
  if (orders.reduceOnly.at(row) === 1) return { kind: 'order-only-reduces' }
  if (instrument.status !== 'online') return { kind: 'instrument-closed', status: instrument.status }
  const filled = orders.quantity.at(row) - orders.remaining.at(row)
  if (terms.quantity < filled) return { kind: 'quantity-below-filled', filled: filled as Lots }
  const presets = terms.presets === undefined ? undefined : refusePresets(terms.presets)
  if (presets !== undefined) return presets
  const nothingMore = filled > 0 && terms.quantity === filled
  if (nothingMore || (samePrice && terms.quantity <= orders.quantity.at(row))) {
    return lessen(state, row, instrument, samePrice ? terms : { ...terms, price: orders.price.at(row) as Ticks })
  }
  return readmit(state, account, row, instrument, terms)
}

/** As much or less at the price that it has: it keeps its place, and the part of what it holds that is not needed goes. */
function lessen(state: State, row: Row, instrument: Instrument, terms: Terms): Refusal | undefined {
  const { orders } = state
  const cut = orders.quantity.at(row) - terms.quantity
  const order = { price: terms.price, orderType: 'limit' } as const
  const reduces = orders.onlyReduces(row)
  const shape =
    cut === 0
      ? undefined
      : (refuseQuantity(instrument, order, terms.quantity, reduces) ??
        (reduces ? undefined : refuseNotional(state, instrument, state.scale(instrument.id), order, terms.quantity)))
  if (shape !== undefined) return shape

  takeTerms(state, row, terms)
  if (cut > 0) {
    shrink(state.book(instrument.id), orders.sideOf(row), orders.price.at(row), cut)
    bookChanged(state, instrument.id)
    if (instrument.kind === 'spot') lessenSpot(state, row, cut)
    else lessenFutures(state, row, cut)
  }
  announce(state, row, terms.requestId)
  if (orders.remaining.at(row) === 0) endOrder(state, row, 'filled', '')
  return undefined
}

/** What is left holds what it would hold if it were placed now. */
function lessenSpot(state: State, row: Row, cut: number): void {
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

/** The part of the freeze that belongs to these lots goes with them, as it does with a fill. */
function lessenFutures(state: State, row: Row, cut: number): void {
  const { orders } = state
  const hold = orders.hold.at(row)
  const freed = amount(divFloor(hold * big(cut), big(orders.remaining.at(row))))
  const exposure = exposureOf(state, row) as ExposureRow
  leaveExposure(state, exposure, row, cut, freed)
  orders.hold.set(row, hold - freed)
  orders.remaining.set(row, orders.remaining.at(row) - cut)
  updateHold(state, exposure)
}

/** Another price, or more: admitted as if it came now, behind those that wait at its price. */
function readmit(
  state: State,
  account: AccountRow,
  row: Row,
  instrument: Instrument,
  terms: Terms,
): Refusal | undefined {
  const { orders } = state
  const filled = orders.quantity.at(row) - orders.remaining.at(row)
  const order: PlaceOrder = {
    ...orderAsKnown(state, row),
    price: terms.price,
    quantity: { unit: 'lots', lots: (terms.quantity - filled) as Lots },
  }
  const wallet = orders.walletOf(row)
  const special = { replaced: row, filled }
  const admitted =
    refuseUnannounced(account, instrument, order) ??
    (instrument.kind === 'spot'
      ? admitSpot(state, order, account, wallet, instrument, 'user', special)
      : admitFutures(state, order, account, wallet, instrument, 'user', special))
  if ('kind' in admitted) return admitted
  assert(admitted.displaced.length === 0, 'a closing order fits into its own place')

  const stopped = stopAtOnce(state, order, admitted)
  if (stopped !== undefined) {
    endOrder(state, row, 'canceled', stopped)
    return undefined
  }
  requeue(state, row, instrument, admitted)
  takeTerms(state, row, terms)
  orders.remaining.set(row, admitted.quantity)
  announce(state, row, terms.requestId)
  trade(state, order, account, instrument, admitted, row)
  return undefined
}

/** Out of the book, and out of what its exposure's orders ask for. */
function requeue(state: State, row: Row, instrument: Instrument, admitted: Admitted): void {
  const { orders } = state
  dequeue(state.book(instrument.id), orders, row, orders.sideOf(row), orders.price.at(row), orders.remaining.at(row))
  orders.resting.set(row, 0)
  bookChanged(state, instrument.id)
  if (instrument.kind === 'spot') return
  const exposure = exposureOf(state, row) as ExposureRow
  leaveExposure(state, exposure, row, orders.remaining.at(row), orders.hold.at(row) as Amount)
  orders.hold.set(row, 0n)
  orders.leverage.set(row, admitted.leverage)
}

function takeTerms(state: State, row: Row, { price, quantity, presets }: Terms): void {
  const { orders } = state
  if (quantity !== orders.quantity.at(row) && orders.extrasOf(row).baseAmount !== 0n)
    orders.change(row, { baseAmount: 0n })
  orders.price.set(row, price)
  orders.quantity.set(row, quantity)
  orders.updatedAt.set(row, state.at)
  if (presets === undefined) return
  setPresets(state, row, presets)
  leaveGuards(state, row)
}

function announce(state: State, row: Row, requestId: string): void {
  const { uid } = state.accounts.byHandle(state.orders.accountOf(row))
  state.emit({ kind: 'order-amended', uid, orderId: state.orders.id.at(row), requestId })
}
