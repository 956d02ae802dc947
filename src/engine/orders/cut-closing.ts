/**
 * Closing orders are cut to what their position has left, as soon as it has shrunk.
 *
 * Cut       what no longer fits is taken off the oldest first. The order keeps its place in the queue with less
 * Gone      one that would be cut to nothing is canceled; so are all of them when the position has closed
 * When      after the fills of an order, and after each fill that the venue makes without the book
 * Size      the order has that much less from then on, as if its owner had asked for less: filled and left make its size
 * Not here  a newer closing order that displaces older ones (admission/reduce-only.ts)
 * Source    design.md §4.39; risk-engine.md §18
 */
import { closingOrders } from '../admission/admission.ts'
import { shrink } from '../book/book.ts'
import { type Amount, amount, big, divFloor, type Lots } from '../numbers/numbers.ts'
import { bookChanged } from '../pricing/pricing.ts'
import { closingOf, type ExposureRow, positionQuantity, type State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import { closeOrder } from './order-end.ts'

export function cutClosingOrders(state: State, exposure: ExposureRow): void {
  for (const side of ['long', 'short'] as const) {
    const closing = closingOf(exposure, side)
    if (closing === 0) continue
    let excess = closing - positionQuantity(exposure, side)
    if (excess <= 0) continue
    for (const row of closingOrders(state, exposure, side)) {
      const left = state.orders.remaining.at(row)
      if (left > excess) cutOrder(state, exposure, row, excess as Lots)
      else closeOrder(state, row, 'canceled', 'reduce-only')
      excess -= left
      if (excess <= 0) break
    }
  }
}

function cutOrder(state: State, exposure: ExposureRow, row: Row, cut: Lots): void {
  const { orders } = state
  const instrument = orders.instrument.at(row)
  shrink(state.book(instrument), orders.sideOf(row), orders.price.at(row), cut)
  bookChanged(state, instrument)
  exposure.addClosing(orders.reducedSide(row), -cut)
  const baseCut = cutBaseAmount(state, row, cut)
  orders.quantity.set(row, orders.quantity.at(row) - cut)
  orders.remaining.set(row, orders.remaining.at(row) - cut)
  orders.updatedAt.set(row, state.at)
  orders.change(row, { cut: orders.extrasOf(row).cut + cut })
  const { uid } = state.accounts.byHandle(orders.accountOf(row))
  state.emit({ kind: 'order-cut', uid, orderId: orders.id.at(row), cut, baseCut })
}

/** A size in base coin shrinks by the share of the contracts that are cut. */
function cutBaseAmount({ orders }: State, row: Row, cut: Lots): Amount {
  const { baseAmount } = orders.extrasOf(row)
  const quantity = orders.quantity.at(row)
  const left = divFloor(baseAmount * big(quantity - cut), big(quantity))
  if (baseAmount !== 0n) orders.change(row, { baseAmount: left })
  return amount(baseAmount - left)
}
