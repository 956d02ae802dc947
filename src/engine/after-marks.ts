/**
 * What follows new marks, in this order: trigger orders fire, then accounts that are short are looked for.
 *
 * Frozen  instruments wait until their index can be believed again
 * Source  risk-engine.md §14 (a-d)
 */
import type { InstrumentId } from './catalog/catalog.ts'
import { measureUnions, scanRisk } from './liquidation/liquidation.ts'
import { fireTriggers } from './orders/orders.ts'
import { isFrozen } from './pricing/pricing.ts'
import type { Venue } from './venue.ts'

export function afterMarks(venue: Venue, instruments: readonly InstrumentId[]): void {
  const live = instruments.filter((id) => !isFrozen(venue, id))
  measureUnions(venue)
  for (const id of live) fireTriggers(venue, id)
  scanRisk(venue, live)
}
