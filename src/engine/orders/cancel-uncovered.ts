/**
 * Cancels opening orders that are no longer covered, newest first.
 *
 * Margin    the wallet no longer covers what its orders hold. Losses took it, or a position is gone: an order that would have
 *           reduced it now opens
 * Tier      the orders of a side would open more than its leverage allows
 * When      after the fills of an order, and after funding
 * Not here  closing orders whose position has shrunk (cut-closing.ts)
 * Source    risk-engine.md §3, §11
 */
import { beyondTier, newest } from '../admission/admission.ts'
import type { FuturesInstrument } from '../catalog/catalog.ts'
import { marginAccountAvailable, isHedged, sideHold } from '../margin/margin.ts'
import type { ExposureRow, State } from '../state/state.ts'
import { noRow } from '../storage/storage.ts'
import type { Side } from '../vocabulary.ts'
import { closeOrder } from './order-end.ts'

/** Cancels opening orders that tier or margin no longer covers, newest first. */
export function cancelUncoveredOrders(state: State, exposure: ExposureRow): void {
  cancelBeyondTier(state, exposure, 'buy')
  cancelBeyondTier(state, exposure, 'sell')
  cancelBeyondMargin(state, exposure)
}

function cancelBeyondTier(state: State, exposure: ExposureRow, side: Side): void {
  while (beyondTier(state, exposure, side)) {
    const row = newest(state, exposure, (other, bookSide) => other.index === exposure.index && bookSide === side)
    closeOrder(state, row, 'canceled', 'system')
  }
}

function cancelBeyondMargin(state: State, exposure: ExposureRow): void {
  const { account, wallet } = exposure
  const { settle } = state.instrument(exposure.instrument) as FuturesInstrument
  const slot = state.ledger.find(account, wallet, settle)
  while (state.ledger.freeOf(slot) < 0n && marginAccountAvailable(state, account, wallet, settle) < 0n) {
    const row = newest(state, exposure, (other, side) => {
      const instrument = state.instrument(other.instrument) as FuturesInstrument
      return instrument.settle === settle && sideHold(other, side, isHedged(state, other)) > 0n
    })
    if (row === noRow) return
    closeOrder(state, row, 'canceled', 'system')
  }
}
