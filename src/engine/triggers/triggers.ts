/**
 * Trigger orders that wait: the table of them, how they come and go. The room's door.
 *
 * table     rows by price and by account            record    one as the world sees it, and how they are found
 * rows      setting one                             ending    canceled on request, with a position, with a partner
 * Not here  what is allowed, and what comes of one when its price is reached (orders/placing-triggers.ts, firing.ts)
 */
export {
  cancelTrigger,
  cancelTriggers,
  endGuards,
  endPartner,
  endTrigger,
  removeTrigger,
  unknownKind,
} from './ending.ts'
export { findTrigger, nearestGuards, quantityOf, triggerRecord, triggersOf } from './record.ts'
export { guardRow, newRow, partner, spotGuardRow, startWaiting, writePresets, writeQuantity } from './rows.ts'
