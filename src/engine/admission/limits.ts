/**
 * Order-entry limits: refusals that follow from who asks and what already exists.
 *
 * Source  design.md §4.6, §4.18, §4.20; wire/rate-limits-and-filters.md §4
 */
import { type Category, type Instrument, openOrdersMax } from '../catalog/catalog.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { findOrder, findTrigger } from '../records/records.ts'
import type { Account, Reading } from '../state/state.ts'
import { noRow } from '../storage/storage.ts'
import type { OrderCause, OrderId } from '../vocabulary.ts'
import { directionOf } from './direction.ts'

/**
 * Order-entry limits; `resting` is how many more orders would stay open.
 * Refusals in order: client order id in use, orders of the day, open orders
 */
export function refuseByLimits(
  reading: Reading,
  account: Account,
  instrument: Instrument,
  { clientOid, resting }: { readonly clientOid: string; readonly resting: number },
): Refusal | undefined {
  const futures = instrument.kind !== 'spot'
  const taken = clientOid === '' ? undefined : orderWithClientOid(reading, account, clientOid)
  if (taken !== undefined) return { kind: 'duplicate-client-order-id', orderId: taken }
  const { dailyOrdersRestriction } = reading.settings
  if (dailyOrdersRestriction > 0 && reading.accounts.ordersToday(account, reading.at) >= dailyOrdersRestriction) {
    return { kind: 'daily-orders-max', maximum: dailyOrdersRestriction }
  }
  if (resting > 0 && (futures ? account.openFutures : account.openSpot) + resting > openOrdersMax) {
    return { kind: 'open-orders-max', maximum: openOrdersMax }
  }
  return undefined
}

/** A copy trader opens in announced symbols only; a position in any other may still be closed. */
export function refuseUnannounced(
  { copyTrader, holdMode }: Account,
  instrument: Instrument,
  order: Parameters<typeof directionOf>[0],
): Refusal | undefined {
  if (instrument.kind === 'spot' || copyTrader === undefined || copyTrader.includes(instrument.id)) return undefined
  return onlyReduces({ holdMode }, instrument, order) ? undefined : { kind: 'instrument-not-announced' }
}

/** Whether a futures order cannot open anything, by the account's hold mode. */
export function onlyReduces(
  { holdMode }: Pick<Account, 'holdMode'>,
  { kind, category }: Instrument,
  order: Parameters<typeof directionOf>[0],
): boolean {
  return kind !== 'spot' && directionOf(order, holdMode[category] === 'hedge_mode')?.reduces !== undefined
}

/** Whether an account asks for the order itself: then it is held to the order-entry limits, and counted. */
export function isAskedFor(cause: OrderCause): boolean {
  return cause === 'user' || cause === 'replace' || cause === 'reverse'
}

/** Whether the instrument trades in the category; MARGIN trades marginable spot pairs. */
export function tradedAs(instrument: Instrument, category: Category): boolean {
  return category === 'MARGIN' ? instrument.kind === 'spot' && instrument.marginable : instrument.category === category
}

/** Whether the order may rest, and so counts among the open orders. */
export function staysOpen({ orderType, timeInForce }: PlaceOrder): boolean {
  return orderType === 'limit' && (timeInForce === 'gtc' || timeInForce === 'post_only')
}

/** The order that has a client order id: one that was given, or one that the venue made (the order's number). */
function orderWithClientOid(reading: Reading, account: Account, clientOid: string): OrderId | undefined {
  const given = account.clientOids?.get(clientOid)
  if (given !== undefined) return given
  const row = findOrder(reading, account, { orderId: undefined, clientOid })
  if (row !== noRow) return reading.orders.id.at(row)
  const trigger = findTrigger(reading, account, { orderId: undefined, clientOid })
  return trigger === noRow ? undefined : reading.triggers.id.at(trigger)
}
