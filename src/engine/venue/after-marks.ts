/**
 * What follows new marks, in this order: trigger orders are activated, then breached accounts are looked for.
 *
 * Halted  instruments wait until their index is trusted again
 * Source  risk-engine.md §14 (a-d)
 */
import type { CoinId, InstrumentId } from '../catalog/catalog.ts'
import { measureUnified, scanRisk } from '../liquidation/liquidation.ts'
import { activateTriggers } from '../orders/orders.ts'
import { isHalted } from '../price-rules/price-rules.ts'
import type { State } from '../state/state.ts'

/** Instruments whose mark has changed, or that are halted no more, and coins whose index was set. */
interface Changed {
  readonly marked?: readonly InstrumentId[]
  readonly free?: readonly InstrumentId[]
  readonly coins?: readonly CoinId[]
}

/** The end of every command and timer that moves marks. */
export function afterMarks(state: State, { marked = [], free = [], coins = [] }: Changed): void {
  const live = [...new Set([...marked, ...free])].filter((id) => !isHalted(state, id))
  measureUnified(state, marked, coins)
  for (const id of live) activateTriggers(state, id)
  scanRisk(state, live)
}
