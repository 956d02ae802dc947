/**
 * Waiting trigger orders: how they come and go. The room's door.
 *
 * rows         filled in, numbered and put where they wait
 * trigger-end  canceled on request, with a position, with a partner
 * Not here     what is allowed (admission/), setting and changing them on request (orders/trigger.ts), what comes of one
 *              when its price is reached (orders/activation.ts)
 */
export {
  asTrailing,
  partner,
  planRow,
  spotTpslRow,
  startTrailing,
  startWaiting,
  tpslRow,
  writeAttachedTpsl,
  writeQuantity,
} from './rows.ts'
export { cancelTrigger, cancelTriggers, endPartner, endTpsl, endTrigger, removeTrigger } from './trigger-end.ts'
