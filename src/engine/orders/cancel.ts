/**
 * Cancelling on request: one order, or all of a category or instrument.
 *
 * Halted   a halted or cancel-only instrument still lets its orders be cancelled
 * Source   interface.md E7; design.md §4.13, §6
 */
import type { CancelOrder, CancelOrders } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import { findOrder, readingWallet } from '../records/records.ts'
import { orderCodes, type State } from '../state/state.ts'
import type { OrderId } from '../vocabulary.ts'
import { endOrder } from './order-end.ts'

export function cancelOrder(state: State, command: CancelOrder): Reply {
  const account = state.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  const { orders } = state
  const row = findOrder(state, account, command.order)
  if (row === 0) return refused({ kind: 'order-unknown' })
  if (command.category !== undefined && orderCodes.category[orders.category.at(row)] !== command.category) {
    return refused({ kind: 'order-unknown' })
  }
  if (command.instrument !== undefined && orders.instrument.at(row) !== command.instrument) {
    return refused({ kind: 'order-unknown' })
  }

  const canceled = { orderId: orders.id.at(row), clientOid: orders.clientOidOf(row) }
  endOrder(state, row, 'canceled', 'user')
  return { kind: 'canceled', orders: [canceled] }
}

export function cancelOrders(state: State, command: CancelOrders): Reply {
  const account = state.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  const { orders } = state
  const wallet = readingWallet(account, command.interface, command.category)
  const canceled: { orderId: OrderId; clientOid: string }[] = []
  const rows = [...orders.of(account.firstOrder)].filter(
    (row) =>
      orderCodes.category[orders.category.at(row)] === command.category &&
      orders.walletOf(row) === wallet &&
      (command.instrument === undefined || orders.instrument.at(row) === command.instrument),
  )

  for (const row of rows) {
    canceled.push({ orderId: orders.id.at(row), clientOid: orders.clientOidOf(row) })
    endOrder(state, row, 'canceled', 'user')
  }
  return { kind: 'canceled', orders: canceled }
}
