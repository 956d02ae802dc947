/**
 * The hold in the ledger for the opening orders of an exposure.
 *
 * Source  risk-engine.md §11
 */
import type { FuturesInstrument } from '../catalog/catalog.ts'
import { isHedged, requiredHold } from '../margin/margin.ts'
import { amount } from '../numbers/numbers.ts'
import type { ExposureRow, State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'

/** Brings the ledger's hold to what the exposure's orders ask for. */
export function updateHold(state: State, exposure: ExposureRow): void {
  const required = requiredHold(exposure, isHedged(state, exposure))
  if (required === exposure.held) return
  const { settle } = state.instrument(exposure.instrument) as FuturesInstrument
  const slot = state.ledger.slot(exposure.account, exposure.wallet, settle)
  // The ledger first: it stops at what is beyond 64 bits, and then the exposure must not change.
  state.ledger.hold(slot, amount(required - exposure.held))
  exposure.held = required
}

/** The exposure that a futures order counts in; undefined: of a spot order. */
export function exposureOf({ orders, futures }: State, row: Row): ExposureRow | undefined {
  return futures.find(orders.accountOf(row), orders.walletOf(row), orders.instrument.at(row))
}
