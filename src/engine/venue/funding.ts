/**
 * Funding settled when it is due, or now.
 *
 * Source  risk-engine.md §13
 */
import type { FuturesInstrument, InstrumentId } from '../catalog/catalog.ts'
import { scanRisk } from '../liquidation/liquidation.ts'
import type { Millis, Rate } from '../numbers/numbers.ts'
import { cancelUncoveredOrders } from '../orders/orders.ts'
import { scheduleFunding, settleFunding } from '../positions/positions.ts'
import { isHalted, runningRate } from '../price-rules/price-rules.ts'
import { takeDueRate } from '../pricing/pricing.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import { contractToSettle } from '../venue-rules/venue-rules.ts'

/** The timer of a contract's funding. */
export function fundingDue(state: State, id: InstrumentId, dueAt: Millis): void {
  const instrument = state.instrument(id) as FuturesInstrument
  const fundingRate = takeDueRate(state, instrument)
  scheduleFunding(state, instrument)
  if (isHalted(state, id)) return
  fund(state, id, fundingRate, dueAt)
}

/** Settles one contract now, at the rate as it runs; its boundary stays where it is. */
export function settleFundingNow(state: State, id: InstrumentId): Reply {
  const decided = contractToSettle(state, id)
  if ('kind' in decided) return refused(decided)

  const { instrument } = decided
  return { kind: 'funding-settled', positions: fund(state, id, runningRate(state, instrument), state.at) }
}

/** Orders that funding left without collateral are canceled, and accounts that it left short are looked for. */
function fund(state: State, id: InstrumentId, fundingRate: Rate, at: Millis): number {
  const positions = settleFunding(state, id, fundingRate, at)
  for (const exposure of state.futures.ofInstrument(id)) cancelUncoveredOrders(state, exposure)
  scanRisk(state, [id])
  return positions
}
