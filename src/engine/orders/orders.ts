/**
 * Orders: from a command to its fills and what rests of it. The room's door; read place.ts first.
 *
 * place      the way of an order                     order-end   how an order leaves
 * amend      a resting order with other terms        replace     a new order in the place of a resting one
 * cancel     on request                              countdown   cancels everything unless it is set anew
 * close      positions closed and turned round       forced      fills that the venue makes without the book
 * trailing   trailing orders set and changed
 * trigger    trigger orders set and changed          activation  trigger orders become orders
 * cancel-uncovered  cancels orders that have lost their margin or their position
 * Not here   what may be (admission/), what a match does (settlement/)
 */
export { activateTraded, activateTriggers } from './activation.ts'
export { amendOrder } from './amend.ts'
export { cancelUncoveredOrders } from './cancel-uncovered.ts'
export { cancelOrder, cancelOrders } from './cancel.ts'
export { closePositions, reversePosition } from './close.ts'
export { cancelAfterCountdown, setCountdown } from './countdown.ts'
export { fillForced } from './forced.ts'
export { closeOrder } from './order-end.ts'
export { placeOrder } from './place.ts'
export { replaceOrder } from './replace.ts'
export { modifyTrailing, placePositionTrailing, placeTrailing } from './trailing.ts'
export { modifyTrigger, placePositionTriggers, placeTrigger } from './trigger.ts'
