/** How far a deposit or withdrawal has come. */
import { confirmationsAt } from '../catalog/catalog.ts'
import type { ChainTransfer } from '../protocol/event.ts'
import type { Reading } from '../state/state.ts'

/** Confirmations so far, at most those that are needed. */
export function confirmed({ at }: Reading, { network, block, confirmations }: ChainTransfer): number {
  return network === '' || block === 0 ? 0 : Math.min(confirmations, confirmationsAt(network, block, at))
}
