/**
 * Funding settled when it is due, or now.
 *
 * Source  risk-engine.md §13
 */
import { type FuturesInstrument, type InstrumentId, isFutures } from '../catalog/catalog.ts'
import { scanRisk } from '../liquidation/liquidation.ts'
import type { Millis, Rate } from '../numbers/numbers.ts'
import { shedOrders } from '../orders/orders.ts'
import { scheduleFunding, settleFunding } from '../positions/positions.ts'
import { isFrozen, runningRate } from '../price-rules/price-rules.ts'
import { takeDueRate } from '../pricing/pricing.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import type { Venue } from '../state/state.ts'

/** The timer of a contract's funding. */
export function fundingDue(venue: Venue, id: InstrumentId, dueAt: Millis): void {
  const instrument = venue.instrument(id) as FuturesInstrument
  const fundingRate = takeDueRate(venue, instrument)
  scheduleFunding(venue, instrument)
  if (isFrozen(venue, id)) return
  fund(venue, id, fundingRate, dueAt)
}

/** Settles one contract now, at the rate as it runs; its boundary stays where it is. */
export function settleFundingNow(venue: Venue, id: InstrumentId): Reply {
  const instrument = venue.catalog.instruments[id]
  if (instrument === undefined || !isFutures(instrument)) return refused({ kind: 'instrument-unknown' })
  if (isFrozen(venue, id)) return refused({ kind: 'index-stale' })

  return { kind: 'funding-settled', positions: fund(venue, id, runningRate(venue, instrument), venue.at) }
}

/** Orders that funding left without collateral go, and whom it left short is looked for. */
function fund(venue: Venue, id: InstrumentId, fundingRate: Rate, at: Millis): number {
  const positions = settleFunding(venue, id, fundingRate, at)
  for (const exposure of venue.futures.ofInstrument(id)) shedOrders(venue, exposure)
  scanRisk(venue, [id])
  return positions
}
