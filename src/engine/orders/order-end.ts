/**
 * How an order leaves: out of the book, its hold back to the last unit, its unused loan repaid, its record told.
 *
 * Holds    after this the order holds nothing, occupies nothing, and its row may be used again
 * Source   design.md §4.6; risk-engine.md §11 (drained books leave zero held), §17 (unused loan repaid)
 */
import { dequeue } from '../book/book.ts'
import type { Amount } from '../numbers/numbers.ts'
import { bookChanged } from '../pricing/pricing.ts'
import { recordOf } from '../records/records.ts'
import { giveBackFutures, releaseSpot } from '../settlement/settlement.ts'
import type { Venue } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import { endPartner } from '../triggers/triggers.ts'
import type { CancelReason } from '../vocabulary.ts'

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
