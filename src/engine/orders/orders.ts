/**
 * Orders: from a command to fills and a resting rest. The room's door; read placing.ts first.
 *
 * placing   the way of an order                        spot / futures  admission and settlement of either kind
 * matching  who trades with whom, STP, FOK             ending          how an order leaves, and what it gives back
 * record    an order as the world sees it              reduce-only     closing orders against the position
 * amending  a resting order with other terms           replacing     a new order in the place of a resting one
 * closing   positions closed and turned round          countdown     cancels everything unless it is set anew
 * max-open  how much an account can open
 * triggers  placing-triggers sets trigger orders, firing makes orders of them, presets makes guards of presets
 */
export { amendOrder } from './amending.ts'
export { cancelOrder, cancelOrders } from './canceling.ts'
export { closePositions, reversePosition } from './closing.ts'
export { cancelAfterCountdown, setCountdown } from './countdown.ts'
export { endOrder } from './ending.ts'
export { fireTraded, fireTriggers } from './firing.ts'
export { fillForced } from './forced.ts'
export { leveragePreview, maxOpen, openCount } from './max-open.ts'
export { modifyTrigger, placePositionTriggers, placeTrigger } from './placing-triggers.ts'
export { placeOrder } from './placing.ts'
export { plainOrder } from './plain-order.ts'
export { findOrder, findOrderById, openOrders, recordOf } from './record.ts'
export { replaceOrder } from './replacing.ts'
export { shedOrders } from './shedding.ts'
