/**
 * Whether an order may be placed, and what it would do. The room's door.
 *
 * It decides and changes nothing; orders/ and settlement/ write what it decided.
 *
 * limits       order-entry limits: who asks, how many     checks      minimums, maximums, price bands
 * spot         what a spot or margin order holds          futures     which position, what margin
 * direction    which side of which position               futures-margin  tier, leverage and margin of an opening
 * matching     who trades with whom, STP, FOK             solvency    whether an account can absorb a fill
 * reduce-only  closing orders against the position        uncovered   orders that have outlived their margin
 * amendments   other terms of a resting order             closing     orders that close a position
 * trailing     trailing orders as they are set
 * triggers     trigger orders as they are set             triggered-orders  the orders that come of them
 * max-open     the largest order that is admitted         cancellations  which orders a request to cancel means
 * intake       what is decided on, as one value           admitted       what was decided, as one value
 * order        the way in: read it first                  plain-order    an order that asks for nothing special
 * Source       interface.md E2, E3; design.md §4; risk-engine.md §11, §18, §19
 */
export { type Admitted, noOrders } from './admitted.ts'
export { admitAmendment, admitReplacement, amendedOrder, type Amendment, type Terms } from './amendments.ts'
export { countdownAccount, ordersToCancel, orderToCancel, triggersToCancel, triggerToCancel } from './cancellations.ts'
export { hasAttachedTpsl } from './checks.ts'
export { admitReversal, closing, positionsToClose } from './closing.ts'
export { type Placing, plainly } from './intake.ts'
export { isAskedFor, staysOpen } from './limits.ts'
export { largest, manyLots, maxOpen, quotient } from './max-open.ts'
export { admitOrder } from './order.ts'
export { plainOrder } from './plain-order.ts'
export { closingOrders } from './reduce-only.ts'
export { admitPositionTrailing, admitTrailing, admitTrailingChange, trailingRises } from './trailing.ts'
export { closingOrder, planOrder, spotTpslOrder, tpslQuantity, trailingOrder } from './triggered-orders.ts'
export { type AdmittedPlan, admitPositionTriggers, admitTrigger, admitTriggerChange, reference } from './triggers.ts'
export { beyondTier, newest } from './uncovered.ts'
