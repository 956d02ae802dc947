/**
 * How an order leaves: out of the book, its hold back to the last unit, its unused loan repaid, its record told.
 *
 * Holds    after this the order holds nothing, occupies nothing, and its row may be used again
 * Source   design.md §4.6; risk-engine.md §11 (drained books leave zero held), §17 (unused loan repaid)
 */
import { dequeue } from '../book/book.ts'
import type { SpotInstrument } from '../catalog/catalog.ts'
import { updateHold } from '../futures/futures.ts'
import { debtOf, type MarginWallet, payDebt } from '../loans/loans.ts'
import { type Amount, minAmount } from '../numbers/numbers.ts'
import { bookChanged } from '../pricing/pricing.ts'
import { addClosing, type Exposure, type Reading, removeOpening, type Venue } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import { endPartner } from '../triggers/triggers.ts'
import type { CancelReason } from '../vocabulary.ts'
import { recordOf } from './record.ts'

export function endOrder(venue: Venue, row: Row, status: 'filled' | 'canceled', reason: CancelReason): void {
  const { orders } = venue
  const account = venue.accounts.byHandle(orders.accountOf(row))
  const instrument = venue.instrument(orders.instrument.at(row))
  if (orders.resting.at(row) === 1) {
    const book = venue.book(instrument.id)
    dequeue(book, orders, row, orders.sideOf(row), orders.price.at(row), orders.remaining.at(row))
    orders.resting.set(row, 0)
    bookChanged(venue, instrument.id)
  }
  orders.updatedAt.set(row, venue.at)
  const record = recordOf(venue, row, status, reason)

  if (instrument.kind === 'spot') {
    releaseSpot(venue, row, orders.hold.at(row) as Amount)
    account.openSpot--
  } else {
    giveBackFutures(venue, row)
    account.openFutures--
  }
  const before = orders.accountPrevious.at(row)
  const after = orders.accountNext.at(row)
  if (before === 0) account.firstOrder = after
  else orders.accountNext.set(before, after)
  if (after !== 0) orders.accountPrevious.set(after, before)
  const id = orders.id.at(row)
  const clientOid = orders.clientOid[row]
  if (clientOid !== '' && account.clientOids?.get(clientOid) === id)
    venue.accounts.retireClientOid(account, clientOid, venue.at)
  orders.clientOid[row] = ''
  orders.channelCode[row] = ''
  orders.leave(row)
  venue.emit({ kind: 'order-ended', order: record })
  if (venue.triggers.waiting.size > 0) endPartner(venue, id, status)
}

/** Gives back what a spot or margin order holds and does not spend; what it borrowed of that is repaid. */
export function releaseSpot(venue: Venue, row: Row, unspent: Amount): void {
  if (unspent === 0n) return
  const { orders, ledger } = venue
  const instrument = venue.instrument(orders.instrument.at(row)) as SpotInstrument
  const account = venue.accounts.byHandle(orders.accountOf(row))
  const wallet = orders.walletOf(row) as MarginWallet
  const coin = orders.sideOf(row) === 'buy' ? instrument.quote : instrument.base
  const slot = ledger.slot(account.handle, wallet, coin)
  ledger.release(slot, unspent)
  orders.hold.set(row, orders.hold.at(row) - unspent)
  ledger.updatedAt[slot] = venue.at
  const { loan } = orders.extrasOf(row)
  if (loan === 0n) return
  // Of a unified wallet, losses of its futures may have taken what the order held.
  const unlost = minAmount(unspent, ledger.freeOf(slot))
  const unusedLoan = minAmount(minAmount(unlost, loan as Amount), debtOf(venue, slot))
  if (unusedLoan <= 0n) return
  payDebt(venue, account, wallet, coin, unusedLoan, 'order-ended')
  orders.change(row, { loan: loan - unusedLoan })
}

function giveBackFutures(venue: Venue, row: Row): void {
  const { orders } = venue
  const lots = orders.remaining.at(row)
  // With its last fill an order has given back all of it.
  if (lots === 0 && orders.registered.at(row) === 1) return
  const exposure = exposureOf(venue, row)
  if (exposure === undefined) return
  leaveExposure(venue, exposure, row, lots, orders.hold.at(row) as Amount)
  orders.hold.set(row, 0n)
  updateHold(venue, exposure)
}

export function exposureOf({ orders, futures }: Reading, row: Row): Exposure | undefined {
  return futures.find(orders.accountOf(row), orders.walletOf(row), orders.instrument.at(row))
}

/** Lots of an order that count no more among its exposure's orders, with the margin they asked for. */
export function leaveExposure({ orders }: Reading, exposure: Exposure, row: Row, lots: number, freeze: Amount): void {
  if (orders.registered.at(row) === 0) return
  if (orders.onlyReduces(row)) addClosing(exposure, orders.reducedSide(row), -lots)
  else removeOpening(exposure, orders.sideOf(row), lots, freeze)
}
