/**
 * How an order leaves: out of the book, its hold released to the last unit, its unused loan repaid, its record published.
 *
 * Holds    after this the order holds nothing, occupies nothing, and its row may be used again
 * Source   design.md §4.6; risk-engine.md §11 (drained books leave zero held), §17 (unused loan repaid)
 */
import { dequeue, sideOf } from '../book/book.ts'
import type { Amount } from '../numbers/numbers.ts'
import { bookChanged } from '../pricing/pricing.ts'
import { recordOf } from '../records/records.ts'
import { giveBackFutures, releaseSpot } from '../settlement/settlement.ts'
import type { State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import { endPartner } from '../triggers/triggers.ts'
import type { CancelReason } from '../vocabulary.ts'

/** Closes an open order; `reason` is empty for a filled one. `requestId`: of the change that ends it. */
export function closeOrder(
  state: State,
  row: Row,
  status: 'filled' | 'canceled',
  reason: CancelReason,
  requestId = '',
): void {
  const { orders } = state
  const account = state.accounts.byHandle(orders.accountOf(row))
  const instrument = state.instrument(orders.instrument.at(row))
  if (orders.resting.at(row) === 1) {
    const book = state.book(instrument.id)
    dequeue(sideOf(book, orders.sideOf(row)), orders, row, orders.price.at(row), orders.remaining.at(row))
    orders.resting.set(row, 0)
    bookChanged(state, instrument.id)
  }
  orders.updatedAt.set(row, state.at)
  const record = recordOf(state, row, status, reason)

  if (instrument.kind === 'spot') {
    releaseSpot(state, row, orders.hold.at(row) as Amount)
    account.openSpot--
  } else {
    giveBackFutures(state, row)
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
    state.accounts.retireClientOid(account, clientOid, state.at)
  orders.clientOid[row] = ''
  orders.channelCode[row] = ''
  orders.leave(row)
  state.emit(
    requestId === '' ? { kind: 'order-ended', order: record } : { kind: 'order-ended', order: record, requestId },
  )
  if (state.triggers.waiting.size > 0) endPartner(state, id, status)
}
