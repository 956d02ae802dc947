/**
 * What the events of one command mean to one account: its orders as they stood at each step, its fills, trigger orders
 * and closed positions, in the order in which they happened.
 *
 * Orders   events have fills, cuts and ends, a query has what rests; as the state is asked right after the command, an order
 *          that changed in steps is shown at each of them by taking the later steps back again
 * Tpsl     a take-profit and a stop-loss that wait together are shown with each other; what is left when one ends is shown too
 * Source   design.md §1 (events in the order of things); wire/websocket.md §4
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import { amount, type Lots } from '../engine/numbers/numbers.ts'
import type { Event, FillEvent, OrderRecord } from '../engine/protocol/event.ts'
import type { Core } from '../runtime/core.ts'
import { averagePriceE8 } from './averages.ts'
import type { AccountUpdate } from './socket-protocol.ts'

type OrderId = OrderRecord['orderId']

/** `events`: those of one command that concern the account, in order. */
export function accountUpdatesOf(
  events: readonly Event[],
  uid: number,
  core: Pick<Core, 'query'>,
  instrumentOf: (id: Instrument['id']) => Instrument,
): AccountUpdate[] {
  const ended = new Map<OrderId, OrderRecord>()
  const later = new Map<OrderId, Step[]>()
  // A take-profit that grows with several fills is accepted with each, and shown once, as it stands.
  const lastAccepted = new Map<OrderId, number>()
  for (const [index, event] of events.entries()) {
    if (event.kind === 'trigger-accepted') lastAccepted.set(event.orderId, index)
    if (event.kind === 'order-ended') ended.set(event.order.orderId, event.order)
    if (event.kind === 'fill' || event.kind === 'order-cut') {
      later.set(event.orderId, [...(later.get(event.orderId) ?? []), event])
    }
  }
  const standing = (orderId: OrderId) =>
    ended.get(orderId) ?? core.query({ kind: 'order', uid, order: { orderId, clientOid: '' } })
  const waiting = (orderId: OrderId | 0) =>
    orderId === 0 ? undefined : core.query({ kind: 'trigger', uid, order: { orderId, clientOid: '' } })
  const updates: AccountUpdate[] = []
  const amended = new Set<OrderId>()
  for (const [index, event] of events.entries()) {
    switch (event.kind) {
      case 'fill': {
        later.get(event.orderId)?.shift()
        const order = standing(event.orderId)
        if (order !== undefined) {
          const then = before(order, later.get(event.orderId) ?? [], instrumentOf(order.instrument))
          updates.push({ kind: 'order', order: then, fill: event })
        }
        updates.push({ kind: 'fill', fill: event })
        break
      }
      case 'order-amended': {
        const order = standing(event.orderId)
        if (order === undefined) break
        const then = before(order, later.get(event.orderId) ?? [], instrumentOf(order.instrument))
        updates.push({ kind: 'order', order: asOpen(then), fill: undefined, requestId: event.requestId })
        amended.add(event.orderId)
        break
      }
      case 'order-cut': {
        later.get(event.orderId)?.shift()
        const order = standing(event.orderId)
        if (order === undefined) break
        const then = before(order, later.get(event.orderId) ?? [], instrumentOf(order.instrument))
        updates.push({ kind: 'order', order: asOpen(then), fill: undefined })
        break
      }
      case 'order-accepted': {
        // Back in its book with other terms, which were shown.
        if (amended.has(event.orderId)) break
        const order = standing(event.orderId)
        // One that filled on its way in was shown with its fills, one that has ended since is shown by its end.
        if (order?.status !== 'live') break
        const then = before(order, later.get(event.orderId) ?? [], instrumentOf(order.instrument))
        updates.push({ kind: 'order', order: asOpen(then), fill: undefined })
        break
      }
      case 'order-ended':
        if (event.order.status !== 'canceled') break
        updates.push({ kind: 'order', order: event.order, fill: undefined, requestId: event.requestId ?? '' })
        break
      case 'trigger-accepted': {
        const trigger = waiting(event.orderId)
        if (trigger === undefined || lastAccepted.get(event.orderId) !== index) break
        const partner = waiting(trigger.partner)
        const partnerFollows = partner !== undefined && (lastAccepted.get(partner.orderId) ?? -1) > index
        updates.push({ kind: 'trigger', trigger, partner, partnerFollows })
        break
      }
      case 'trigger-ended': {
        const { trigger } = event
        updates.push({ kind: 'trigger', trigger, partner: undefined, partnerFollows: false })
        const left = waiting(trigger.partner)
        if (left !== undefined) updates.push({ kind: 'partner-ended', trigger: left })
        break
      }
      case 'position-closed':
        updates.push({ kind: 'position-closed', position: event })
        break
      default:
    }
  }
  return updates
}

/** What changes an order while it is open. */
type Step = Extract<Event, { kind: 'fill' | 'order-cut' }>

/** An order as it stood before these steps of it. */
function before(order: OrderRecord, steps: readonly Step[], instrument: Instrument): OrderRecord {
  if (steps.length === 0) return order.status === 'canceled' ? partly(order) : order
  const fills = steps.filter((step) => step.kind === 'fill')
  const cuts = steps.filter((step) => step.kind === 'order-cut')
  const sum = (of: (fill: FillEvent) => bigint) => fills.reduce((total, fill) => total + of(fill), 0n)
  const filled = (order.filled - fills.reduce((total, fill) => total + fill.quantity, 0)) as Lots
  const filledNotional = amount(order.filledNotional - sum((fill) => fill.notional))
  const cut = cuts.reduce((total, step) => total + step.cut, 0)
  return partly({
    ...order,
    quantity: (order.quantity + cut) as Lots,
    cut: (order.cut - cut) as Lots,
    baseAmount: amount(cuts.reduce((total, step) => total + step.baseCut, order.baseAmount as bigint)),
    filled,
    filledNotional,
    averagePriceE8: averagePriceE8(instrument, filled, filledNotional),
    fee: amount(order.fee - sum((fill) => fill.fee)),
    realizedPnl: amount(order.realizedPnl - sum((fill) => fill.realizedPnl)),
  })
}

function partly(order: OrderRecord): OrderRecord {
  return { ...order, status: 'partially_filled', cancelReason: '' }
}

/** An order that has just changed is open, whatever became of it since. */
function asOpen(order: OrderRecord): OrderRecord {
  return { ...order, status: order.status === 'partially_filled' && order.filled === 0 ? 'live' : order.status }
}
