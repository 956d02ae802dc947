/**
 * Opening orders that have outlived what they were admitted with: they go, newest first, until the rest has it.
 *
 * Margin    the wallet no longer covers what its orders hold: losses took it, or a position closed that an order would
 *           only have reduced and now opens
 * Tier      what would open in one place is more than its leverage allows there
 * When      after the fills of an order, and after funding
 * Source    risk-engine.md §3, §11
 */
import type { FuturesInstrument } from '../catalog/catalog.ts'
import { domainAvailable, isHedged, sideHold, tierLeverageMax } from '../futures/futures.ts'
import type { Lots } from '../numbers/numbers.ts'
import {
  type Exposure,
  leverageOf,
  openingQuantity,
  positionQuantity,
  type Reading,
  type Venue,
} from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import type { Side } from '../vocabulary.ts'
import { endOrder } from './ending.ts'

export function shedOrders(venue: Venue, exposure: Exposure): void {
  shedByTier(venue, exposure, 'buy')
  shedByTier(venue, exposure, 'sell')
  shedByMargin(venue, exposure)
}

function shedByTier(venue: Venue, exposure: Exposure, side: Side): void {
  while (beyondTier(venue, exposure, side)) {
    const row = newest(venue, exposure, (other, bookSide) => other.index === exposure.index && bookSide === side)
    endOrder(venue, row, 'canceled', 'system')
  }
}

/** Whether the orders of a side would open more than the leverage allows. */
function beyondTier(venue: Reading, exposure: Exposure, side: Side): boolean {
  const quantity = openingQuantity(exposure, side)
  if (quantity === 0) return false
  const hedged = isHedged(venue, exposure)
  const opens = side === 'buy' ? 'long' : 'short'
  const opening = quantity - (hedged ? 0 : positionQuantity(exposure, side === 'buy' ? 'short' : 'long'))
  if (opening <= 0) return false
  const instrument = venue.instrument(exposure.instrument) as FuturesInstrument
  const after = (positionQuantity(exposure, opens) + opening) as Lots
  const scale = venue.scale(instrument.id)
  const mark = venue.prices.markPrice(instrument.id)
  return leverageOf(exposure, opens, hedged) > tierLeverageMax(instrument, scale, after, mark)
}

function shedByMargin(venue: Venue, exposure: Exposure): void {
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

/** The newest opening order of the account in this wallet whose exposure and side are meant. */
function newest(
  venue: Reading,
  { account, wallet }: Exposure,
  meant: (exposure: Exposure, side: Side) => boolean,
): Row {
  const { orders } = venue
  for (const row of orders.of(venue.accounts.byHandle(account).firstOrder)) {
    if (orders.registered.at(row) === 0 || orders.onlyReduces(row) || orders.walletOf(row) !== wallet) continue
    const exposure = venue.futures.find(account, wallet, orders.instrument.at(row))
    if (exposure !== undefined && meant(exposure, orders.sideOf(row))) return row
  }
  return noRow
}
