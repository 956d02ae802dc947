/** Where the account's own orders and positions lie on the instrument in view: for the book and the chart. */
import { stepsOf } from '../numbers/decimal.ts'
import type { Instrument } from '../venue/instruments.ts'
import { orders, sharesBook } from './account.ts'
import type { Order } from '../venue/account-records.ts'

export function ownOrders(one: Instrument): Order[] {
  return [...orders.value.values()].filter(
    ({ category, symbol, orderType }) => symbol === one.symbol && orderType === 'limit' && sharesBook(category, one),
  )
}

/** Own quantity by level of a side, levels gathered like the book's. */
export function ownLevels(one: Instrument, side: 'bid' | 'ask', by: number): Map<number, number> {
  const levels = new Map<number, number>()
  for (const order of ownOrders(one)) {
    if ((order.side === 'buy') !== (side === 'bid')) continue
    const steps = stepsOf(order.price, one.pricePrecision)
    const level = (side === 'bid' ? Math.floor(steps / by) : Math.ceil(steps / by)) * by
    const left = Number(order.quantity) - Number(order.filled)
    levels.set(level, (levels.get(level) ?? 0) + left)
  }
  return levels
}
