/**
 * Opening orders that have outlived what they were admitted with: they go, newest first, until the rest has it.
 *
 * Margin    the wallet no longer covers what its orders hold: losses took it, or a position closed that an order would
 *           only have reduced and now opens
 * Tier      what would open in one place is more than its leverage allows there
 * When      after the fills of an order, and after funding
 * Source    risk-engine.md §3, §11
 */
import { beyondTier, newest, oldestBeyond } from '../admission/admission.ts'
import type { FuturesInstrument } from '../catalog/catalog.ts'
import { domainAvailable, isHedged, sideHold } from '../margin/margin.ts'
import { closingOf, type ExposureRow, positionQuantity, type Venue } from '../state/state.ts'
import { noRow } from '../storage/storage.ts'
import type { Side } from '../vocabulary.ts'
import { endOrder } from './order-end.ts'

/** After a fill: closing orders that the shrunken position cannot serve any more go. */
export function trimClosingOrders(venue: Venue, exposure: ExposureRow): void {
  for (const side of ['long', 'short'] as const) {
    const closing = closingOf(exposure, side)
    if (closing === 0) continue
    const position = positionQuantity(exposure, side)
    if (closing <= position) continue
    for (const row of oldestBeyond(venue, exposure, side, position)) endOrder(venue, row, 'canceled', 'reduce-only')
  }
}

export function shedOrders(venue: Venue, exposure: ExposureRow): void {
  shedByTier(venue, exposure, 'buy')
  shedByTier(venue, exposure, 'sell')
  shedByMargin(venue, exposure)
}

function shedByTier(venue: Venue, exposure: ExposureRow, side: Side): void {
  while (beyondTier(venue, exposure, side)) {
    const row = newest(venue, exposure, (other, bookSide) => other.index === exposure.index && bookSide === side)
    endOrder(venue, row, 'canceled', 'system')
  }
}

function shedByMargin(venue: Venue, exposure: ExposureRow): void {
  const { account, wallet } = exposure
  const { settle } = venue.instrument(exposure.instrument) as FuturesInstrument
  const slot = venue.ledger.find(account, wallet, settle)
  while (venue.ledger.freeOf(slot) < 0n && domainAvailable(venue, account, wallet, settle) < 0n) {
    const row = newest(venue, exposure, (other, side) => {
      const instrument = venue.instrument(other.instrument) as FuturesInstrument
      return instrument.settle === settle && sideHold(other, side, isHedged(venue, other)) > 0n
    })
    if (row === noRow) return
    endOrder(venue, row, 'canceled', 'system')
  }
}
