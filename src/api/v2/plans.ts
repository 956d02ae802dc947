/**
 * Finding trigger orders that wait: one by its name, and those that pass the filters of a list.
 */
import type { Category, InstrumentId } from '../../engine/catalog/catalog.ts'
import type { TriggerRecord } from '../../engine/protocol/event.ts'
import type { PrivateContext } from '../endpoint.ts'
import { isOfOtherVersion } from '../own-orders.ts'
import { checkTimes } from '../parsing/time-window.ts'
import { orderReference } from './lookups.ts'

export function findTrigger(
  context: PrivateContext,
  named: { readonly orderId?: number; readonly clientOid?: string },
): TriggerRecord | undefined {
  const found = context.core.query({ kind: 'trigger', uid: context.account.uid, order: orderReference(named) })
  return found === undefined || isOfOtherVersion(context.account, 'v2', found) ? undefined : found
}

export interface PlanFilter {
  readonly orderId?: number
  readonly clientOid?: string
  readonly idLessThan?: number
  readonly startTime?: number
  readonly endTime?: number
}

/** Trigger orders of a category that wait and pass the filter, newest first. */
export function waitingTriggers(
  context: PrivateContext,
  category: Category,
  instrument: InstrumentId | undefined,
  filter: PlanFilter,
): TriggerRecord[] {
  checkTimes(filter)
  const ask = { kind: 'triggers', uid: context.account.uid, interface: 'v2', category, instrument, kinds: [] } as const
  return context.core.query(ask).filter((trigger) => passesFilter(trigger, filter))
}

/** An order number wins over a client order id. */
export function passesFilter(trigger: TriggerRecord, filter: PlanFilter): boolean {
  const { orderId, clientOid, idLessThan, startTime, endTime } = filter
  if (orderId !== undefined ? trigger.orderId !== orderId : trigger.clientOid !== (clientOid ?? trigger.clientOid))
    return false
  return (
    (idLessThan === undefined || trigger.orderId < idLessThan) &&
    (startTime === undefined || trigger.createdAt >= startTime) &&
    (endTime === undefined || trigger.createdAt <= endTime)
  )
}
