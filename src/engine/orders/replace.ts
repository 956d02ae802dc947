/**
 * A new order in place of a resting one, in one command: the old one is canceled, and nothing comes between.
 *
 * Whole     the new order is admitted as if the old one were not there
 * Refused   the old one rests on as it is. An accepted order that is canceled at once (place.ts) leaves neither resting
 * New       number, client order id and place in the queue. It counts as an order of the day, and takes no further place
 *           among the open ones; what was filled stays with the old one
 * Same      side, time in force, position, reduce-only, self-trade prevention, and whatever was not named anew
 * Source    wire/client-endpoints.md §4 (`modify-order`, `cancel-replace-order`)
 */
import { admitReplacement } from '../admission/admission.ts'
import type { ReplaceOrder } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import { placeOrder } from './place.ts'

export function replaceOrder(state: State, command: ReplaceOrder): Reply {
  const decided = admitReplacement(state, command)
  if ('kind' in decided) return refused(decided)

  const { order, cause, replaced } = decided
  return placeOrder(state, order, cause, { replaced })
}
