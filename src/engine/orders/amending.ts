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
import type { Account } from '../accounts/accounts.ts'
import { dequeue, shrink } from '../book/book.ts'
import { type Instrument, notionalFloor } from '../catalog/catalog.ts'
import { updateHold } from '../futures/futures.ts'
import { amount, type Amount, assert, big, divFloor, type Lots, type Ticks } from '../numbers/numbers.ts'
import { bookChanged } from '../pricing/pricing.ts'
import type { AmendOrder, PlaceOrder, Presets } from '../protocol/command.ts'
import { type Refusal, refused, type Reply } from '../protocol/reply.ts'
import { type Exposure, orderCodes, type Reading, type Venue } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { Preset } from '../vocabulary.ts'
import { refuseNotional, refusePresets, refuseQuantity } from './checks.ts'
import { endOrder, exposureOf, leaveExposure, releaseSpot } from './ending.ts'
import { admitFutures } from './futures-orders.ts'
import { type Admitted, refuseUnannounced, stopAtOnce, trade } from './placing.ts'
import { plainOrder } from './plain-order.ts'
import { leaveGuards, presetsOf, setPresets } from './presets.ts'
import { findOrder } from './record.ts'
import { admitSpot } from './spot-orders.ts'

export function amendOrder(venue: Venue, command: AmendOrder): Reply {
  const account = venue.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  const { orders } = venue
  const row = findOrder(venue, account, command.order)
  const meant =
    row !== 0 &&
    (command.category === undefined || orderCodes.category[orders.category.at(row)] === command.category) &&
    (command.instrument === undefined || orders.instrument.at(row) === command.instrument)
  if (!meant) return refused({ kind: 'order-unknown' })

  const named = { orderId: orders.id.at(row), clientOid: orders.clientOidOf(row) }
  const refusal = amend(venue, account, row, command)
  if (refusal === undefined) return { kind: 'modified', ...named }
  // Who asks for the terms that it has anyway wants to keep it.
  if (!command.autoCancel || refusal.kind === 'order-unchanged') return refused(refusal)
  endOrder(venue, row, 'canceled', 'user')
  return { kind: 'canceled-instead', refusal, ...named }
}

/** What the order is to be. */
interface Terms {
  readonly price: Ticks
  readonly quantity: Lots
  /** Undefined: they stay. */
  readonly presets: Presets | undefined
  readonly requestId: string
}

function amend(venue: Venue, account: Account, row: Row, command: AmendOrder): Refusal | undefined {
  const { orders } = venue
  const instrument = venue.instrument(orders.instrument.at(row))
  const terms: Terms = {
    price: command.price ?? (orders.price.at(row) as Ticks),
    quantity: command.quantity ?? (orders.quantity.at(row) as Lots),
    presets: changedPresets(venue, row, command.presets),
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
    return lessen(venue, row, instrument, samePrice ? terms : { ...terms, price: orders.price.at(row) as Ticks })
  }
  return readmit(venue, account, row, instrument, terms)
}

/** Undefined when they are what the order has, or it only reduces what there is. */
function changedPresets(venue: Reading, row: Row, asked: Presets | undefined): Presets | undefined {
  const { orders } = venue
  if (asked === undefined || orders.onlyReduces(row)) return undefined
  const { takeProfit, stopLoss } = presetsOf(venue, row)
  return same(takeProfit, asked.takeProfit) && same(stopLoss, asked.stopLoss) ? undefined : asked
}

function same(one: Preset | undefined, other: Preset | undefined): boolean {
  return one?.trigger === other?.trigger && one?.execute === other?.execute && one?.by === other?.by
}

/** As much or less at the price that it has: it keeps its place, and the part of what it holds that is not needed goes. */
function lessen(venue: Venue, row: Row, instrument: Instrument, terms: Terms): Refusal | undefined {
  const { orders } = venue
  const cut = orders.quantity.at(row) - terms.quantity
  const order = { price: terms.price, orderType: 'limit' } as const
  const reduces = orders.onlyReduces(row)
  const shape =
    cut === 0
      ? undefined
      : (refuseQuantity(instrument, order, terms.quantity, reduces) ??
        (reduces ? undefined : refuseNotional(venue, instrument, venue.scale(instrument.id), order, terms.quantity)))
  if (shape !== undefined) return shape

  takeTerms(venue, row, terms)
  if (cut > 0) {
    shrink(venue.book(instrument.id), orders.sideOf(row), orders.price.at(row), cut)
    bookChanged(venue, instrument.id)
    if (instrument.kind === 'spot') lessenSpot(venue, row, cut)
    else lessenFutures(venue, row, cut)
  }
  announce(venue, row, terms.requestId)
  if (orders.remaining.at(row) === 0) endOrder(venue, row, 'filled', '')
  return undefined
}

/** What is left holds what it would hold if it were placed now. */
function lessenSpot(venue: Venue, row: Row, cut: number): void {
  const { orders } = venue
  const hold = orders.hold.at(row)
  const left = orders.remaining.at(row) - cut
  orders.remaining.set(row, left)
  const scale = venue.scale(orders.instrument.at(row))
  const needed =
    orders.sideOf(row) === 'buy'
      ? notionalFloor(scale, left as Lots, orders.price.at(row) as Ticks)
      : amount(big(left) * scale.baseUnit)
  releaseSpot(venue, row, amount(hold - needed))
}

/** The part of the freeze that belongs to these lots goes with them, as it does with a fill. */
function lessenFutures(venue: Venue, row: Row, cut: number): void {
  const { orders } = venue
  const hold = orders.hold.at(row)
  const freed = amount(divFloor(hold * big(cut), big(orders.remaining.at(row))))
  const exposure = exposureOf(venue, row) as Exposure
  leaveExposure(venue, exposure, row, cut, freed)
  orders.hold.set(row, hold - freed)
  orders.remaining.set(row, orders.remaining.at(row) - cut)
  updateHold(venue, exposure)
}

/** Another price, or more: admitted as if it came now, behind those that wait at its price. */
function readmit(venue: Venue, account: Account, row: Row, instrument: Instrument, terms: Terms): Refusal | undefined {
  const { orders } = venue
  const filled = orders.quantity.at(row) - orders.remaining.at(row)
  const order: PlaceOrder = {
    ...orderAsKnown(venue, row),
    price: terms.price,
    quantity: { unit: 'lots', lots: (terms.quantity - filled) as Lots },
  }
  const wallet = orders.walletOf(row)
  const special = { replaced: row, filled }
  const admitted =
    refuseUnannounced(account, instrument, order) ??
    (instrument.kind === 'spot'
      ? admitSpot(venue, order, account, wallet, instrument, 'user', special)
      : admitFutures(venue, order, account, wallet, instrument, 'user', special))
  if ('kind' in admitted) return admitted
  assert(admitted.displaced.length === 0, 'a closing order fits into its own place')

  const stopped = stopAtOnce(venue, order, admitted)
  if (stopped !== undefined) {
    endOrder(venue, row, 'canceled', stopped)
    return undefined
  }
  requeue(venue, row, instrument, admitted)
  takeTerms(venue, row, terms)
  orders.remaining.set(row, admitted.quantity)
  announce(venue, row, terms.requestId)
  trade(venue, order, account, instrument, admitted, row)
  return undefined
}

/** Out of the book, and out of what its exposure's orders ask for. */
function requeue(venue: Venue, row: Row, instrument: Instrument, admitted: Admitted): void {
  const { orders } = venue
  dequeue(venue.book(instrument.id), orders, row, orders.sideOf(row), orders.price.at(row), orders.remaining.at(row))
  orders.resting.set(row, 0)
  bookChanged(venue, instrument.id)
  if (instrument.kind === 'spot') return
  const exposure = exposureOf(venue, row) as Exposure
  leaveExposure(venue, exposure, row, orders.remaining.at(row), orders.hold.at(row) as Amount)
  orders.hold.set(row, 0n)
  orders.leverage.set(row, admitted.leverage)
}

function takeTerms(venue: Venue, row: Row, { price, quantity, presets }: Terms): void {
  const { orders } = venue
  if (quantity !== orders.quantity.at(row) && orders.extrasOf(row).baseAmount !== 0n)
    orders.change(row, { baseAmount: 0n })
  orders.price.set(row, price)
  orders.quantity.set(row, quantity)
  orders.updatedAt.set(row, venue.at)
  if (presets === undefined) return
  setPresets(venue, row, presets)
  leaveGuards(venue, row)
}

function announce(venue: Venue, row: Row, requestId: string): void {
  const { uid } = venue.accounts.byHandle(venue.orders.accountOf(row))
  venue.emit({ kind: 'order-amended', uid, orderId: venue.orders.id.at(row), requestId })
}

/** A resting order as one would ask for it now: by its side of the book and, in hedge mode, by its position. */
function orderAsKnown(venue: Reading, row: Row): PlaceOrder {
  const { orders } = venue
  const positionSide = orderCodes.positionSide[orders.positionSide.at(row)]
  return {
    ...plainOrder,
    uid: venue.accounts.byHandle(orders.accountOf(row)).uid,
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
    ...presetsOf(venue, row),
  }
}
