/**
 * Opening orders that are no longer covered by leverage or margin: which of them go.
 *
 * Not here  canceling them (orders/cancel-uncovered.ts)
 * Source    risk-engine.md §3, §11
 */
import type { FuturesInstrument } from '../catalog/catalog.ts'
import { isHedged, tierLeverageMax } from '../margin/margin.ts'
import type { Lots } from '../numbers/numbers.ts'
import { type Exposure, leverageOf, openingQuantity, positionQuantity, type Reading } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import type { Side } from '../vocabulary.ts'

/** Whether the opening orders of a side would open more than the leverage allows at that size. */
export function beyondTier(reading: Reading, exposure: Exposure, side: Side): boolean {
  const quantity = openingQuantity(exposure, side)
  if (quantity === 0) return false
  const hedged = isHedged(reading, exposure)
  const opens = side === 'buy' ? 'long' : 'short'
  const opening = quantity - (hedged ? 0 : positionQuantity(exposure, side === 'buy' ? 'short' : 'long'))
  if (opening <= 0) return false
  const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
  const after = (positionQuantity(exposure, opens) + opening) as Lots
  const scale = reading.scale(instrument.id)
  const mark = reading.prices.markPrice(instrument.id)
  return leverageOf(exposure, opens, hedged) > tierLeverageMax(instrument, scale, after, mark)
}

/** The newest opening order of the account in this wallet whose exposure and side `meant` accepts. */
export function newest(
  reading: Reading,
  { account, wallet }: Exposure,
  meant: (exposure: Exposure, side: Side) => boolean,
): Row {
  const { orders } = reading
  for (const row of orders.of(reading.accounts.byHandle(account).firstOrder)) {
    if (orders.registered.at(row) === 0 || orders.onlyReduces(row) || orders.walletOf(row) !== wallet) continue
    const exposure = reading.futures.find(account, wallet, orders.instrument.at(row))
    if (exposure !== undefined && meant(exposure, orders.sideOf(row))) return row
  }
  return noRow
}
