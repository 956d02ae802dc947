/**
 * What an order holds and does not spend is released, to the last unit; what it borrowed of that is repaid.
 *
 * Source  risk-engine.md §11 (drained books leave zero held), §17 (unused loan repaid)
 */
import type { SpotInstrument } from '../catalog/catalog.ts'
import { payDebt } from '../loans/loans.ts'
import { type Amount, minAmount } from '../numbers/numbers.ts'
import { exposureOf, updateHold } from '../positions/positions.ts'
import { debtOf, type MarginWallet } from '../records/records.ts'
import type { ExposureRow, State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'

/** Releases `unspent` units of a spot or margin order's hold; what it borrowed of them is repaid. */
export function releaseSpot(state: State, row: Row, unspent: Amount): void {
  if (unspent === 0n) return
  const { orders, ledger } = state
  const instrument = state.instrument(orders.instrument.at(row)) as SpotInstrument
  const account = state.accounts.byHandle(orders.accountOf(row))
  const wallet = orders.walletOf(row) as MarginWallet
  const coin = orders.sideOf(row) === 'buy' ? instrument.quote : instrument.base
  const slot = ledger.slot(account.handle, wallet, coin)
  ledger.release(slot, unspent)
  orders.hold.set(row, orders.hold.at(row) - unspent)
  ledger.updatedAt[slot] = state.at
  const { loan } = orders.extrasOf(row)
  if (loan === 0n) return
  // In a unified wallet, losses of its futures may have taken what the order held.
  const unlost = minAmount(unspent, ledger.freeOf(slot))
  const unusedLoan = minAmount(minAmount(unlost, loan as Amount), debtOf(state, slot))
  if (unusedLoan <= 0n) return
  payDebt(state, account, wallet, { coin, units: unusedLoan, cause: 'order-ended' })
  orders.change(row, { loan: loan - unusedLoan })
}

/** Releases all that a futures order still holds, and takes it out of its exposure. */
export function giveBackFutures(state: State, row: Row): void {
  const { orders } = state
  const lots = orders.remaining.at(row)
  // With its last fill an order has given back all of it.
  if (lots === 0 && orders.registered.at(row) === 1) return
  const exposure = exposureOf(state, row)
  if (exposure === undefined) return
  leaveExposure(state, exposure, row, lots, orders.hold.at(row) as Amount)
  orders.hold.set(row, 0n)
  updateHold(state, exposure)
}

/** Takes lots of an order out of its exposure's orders, with the part of its hold that belongs to them. */
export function leaveExposure({ orders }: State, exposure: ExposureRow, row: Row, lots: number, freed: Amount): void {
  if (orders.registered.at(row) === 0) return
  if (orders.onlyReduces(row)) exposure.addClosing(orders.reducedSide(row), -lots)
  else exposure.removeOpening(orders.sideOf(row), lots, freed)
}
