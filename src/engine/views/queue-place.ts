/**
 * Where a resting order stands in the queue of its price level.
 *
 * Cost    the orders of the level, one by one
 * Source  lab.md §4.7
 */
import { firstAt, quantityAt } from '../book/book.ts'
import { lots, ticks } from '../numbers/numbers.ts'
import type { QueuePlaceView } from '../protocol/query.ts'
import { findOrderById } from '../records/records.ts'
import { orderCodes, type Reading } from '../state/state.ts'
import { noRow } from '../storage/storage.ts'
import type { OrderId } from '../vocabulary.ts'

export function queuePlace(reading: Reading, orderId: OrderId): QueuePlaceView | undefined {
  const { orders } = reading
  const row = findOrderById(reading, orderId)
  if (row === noRow || orders.resting.at(row) === 0) return undefined
  const [instrument, price] = [orders.instrument.at(row), orders.price.at(row)]
  const bookSide = orderCodes.side[orders.bookSide.at(row)]
  const book = reading.book(instrument)
  let [ahead, aheadOrders] = [0, 0]
  let before = firstAt(book, bookSide, price)
  for (; before !== row; before = orders.next.at(before)) {
    ahead += orders.remaining.at(before)
    aheadOrders += 1
  }
  let behindOrders = 0
  for (let after = orders.next.at(row); after !== noRow; after = orders.next.at(after)) behindOrders += 1
  const [level, remaining] = [quantityAt(book, bookSide, price), orders.remaining.at(row)]
  return {
    uid: reading.accounts.byHandle(orders.accountOf(row)).uid,
    instrument,
    bookSide,
    price: ticks(price),
    remaining: lots(remaining),
    ahead: lots(ahead),
    aheadOrders,
    behind: lots(level - ahead - remaining),
    behindOrders,
    level: lots(level),
  }
}
