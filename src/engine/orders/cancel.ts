/**
 * Cancels on request: one order, or all of a category or instrument. Which are meant: admission/cancellations.ts.
 *
 * Source   interface.md E7; design.md §4.13, §6
 */
import { ordersToCancel, orderToCancel } from '../admission/admission.ts'
import type { CancelOrder, CancelOrders } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import type { OrderId } from '../vocabulary.ts'
import { closeOrder } from './order-end.ts'

export function cancelOrder(state: State, command: CancelOrder): Reply {
  const row = orderToCancel(state, command)
  if (typeof row === 'object') return refused(row)

  const { orders } = state
  const canceled = { orderId: orders.id.at(row), clientOid: orders.clientOidOf(row) }
  closeOrder(state, row, 'canceled', 'user')
  return { kind: 'canceled', orders: [canceled] }
}

export function cancelOrders(state: State, command: CancelOrders): Reply {
  const decided = ordersToCancel(state, command)
  if ('kind' in decided) return refused(decided)

  const { rows } = decided
  const { orders } = state
  const canceled: { orderId: OrderId; clientOid: string }[] = []
  for (const row of rows) {
    canceled.push({ orderId: orders.id.at(row), clientOid: orders.clientOidOf(row) })
    closeOrder(state, row, 'canceled', 'user')
  }
  return { kind: 'canceled', orders: canceled }
}
