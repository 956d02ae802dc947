/**
 * Finding orders: one by its name, live or ended, one that is to be canceled, and the open ones that pass the filters of a list.
 *
 * Holds     what was acknowledged before the read began is found: the engine has live orders, and an order that has left
 *           it is in the history before the history answers (design §4.27)
 */
import type { Category, InstrumentId } from '../../engine/catalog/catalog.ts'
import type { OrderReference } from '../../engine/protocol/command.ts'
import type { OrderRecord } from '../../engine/protocol/event.ts'
import type { PrivateContext } from '../endpoint.ts'
import type { Family } from '../errors/errors.ts'
import { checkOwn } from '../own-orders.ts'
import { checkTimes } from '../parsing/time-window.ts'
import { orderReference } from './lookups.ts'

/** An order of the account, by number or client order id. */
export async function findOrder(
  context: PrivateContext,
  named: { readonly orderId?: number; readonly clientOid?: string },
): Promise<OrderRecord | undefined> {
  const { uid } = context.account
  const order = orderReference(named)
  const live = context.core.query({ kind: 'order', uid, order })
  if (live !== undefined) return live
  const { orderId, clientOid } = order
  return context.history.order(orderId === undefined ? { uid, clientOid } : { uid, orderId })
}

/** The order that a request cancels, which has to be one of v2. */
export function ownReference(
  context: PrivateContext,
  family: Family,
  named: { readonly orderId?: number | string; readonly clientOid?: string },
): OrderReference {
  const order = orderReference(named)
  checkOwn(context, 'v2', order, family)
  return order
}

interface OrderFilter {
  readonly orderId?: number
  readonly clientOid?: string
  readonly status?: OrderRecord['status']
  readonly idLessThan?: number
  readonly startTime?: number
  readonly endTime?: number
  readonly limit: number
}

/** The newest open orders of a category that pass the filters; an order number wins over a client order id. */
export function openOrders(
  context: PrivateContext,
  category: Category,
  instrument: InstrumentId | undefined,
  filter: OrderFilter,
): readonly OrderRecord[] {
  checkTimes(filter)
  const { uid } = context.account
  const open = context.core.query({ kind: 'open-orders', uid, interface: 'v2', category, instrument })
  return open.filter((order) => passes(order, filter)).slice(0, filter.limit)
}

function passes(order: OrderRecord, filter: OrderFilter): boolean {
  const { orderId, clientOid, status, idLessThan, startTime, endTime } = filter
  if (orderId !== undefined ? order.orderId !== orderId : order.clientOid !== (clientOid ?? order.clientOid))
    return false
  return (
    (status === undefined || order.status === status) &&
    (idLessThan === undefined || order.orderId < idLessThan) &&
    (startTime === undefined || order.createdAt >= startTime) &&
    (endTime === undefined || order.createdAt <= endTime)
  )
}

/** The `endId` of a page: the number of its last entry. */
export function endId(number: number | undefined): string {
  return number === undefined ? '' : String(number)
}
