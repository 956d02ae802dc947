/**
 * Listing coins and instruments, and changing what may change of them.
 *
 * Holds     scales, coins and categories of a listed instrument never change; status, tiers, fees, bands and the least
 *           quantity may
 * Source    interface.md "Contract configuration values"; design.md §6; risk-engine.md §1.2, §3
 */
import { type InstrumentId, isFutures } from '../catalog/catalog.ts'
import { scanRisk } from '../liquidation/liquidation.ts'
import { activateTriggers } from '../orders/orders.ts'
import { scheduleFunding } from '../positions/positions.ts'
import { publishPrices } from '../pricing/pricing.ts'
import type { ListCoin, ListInstrument, SetInstrument, SetOrderMinimum } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import {
  admitInstrument,
  admitInstrumentChange,
  admitOrderMinimum,
  inOrder,
  refuseCoin,
} from '../venue-rules/venue-rules.ts'

export function listCoin(state: State, command: ListCoin): Reply {
  const refusal = refuseCoin(state, command)
  if (refusal !== undefined) return refused(refusal)

  const { catalog } = state
  const { coin } = command
  const id = catalog.coins.length
  const listed = inOrder({ ...coin, id })
  state.catalog = { ...catalog, version: catalog.version + 1, coins: [...catalog.coins, listed] }
  state.prices.addCoin(coin.listingPriceE8, state.at)
  state.emit({ kind: 'catalog-changed' })
  return { kind: 'listed', id }
}

export function listInstrument(state: State, command: ListInstrument): Reply {
  const decided = admitInstrument(state, command)
  if ('kind' in decided) return refused(decided)

  const { id, instrument } = decided
  const { catalog } = state
  state.catalog = { ...catalog, version: catalog.version + 1, instruments: [...catalog.instruments, instrument] }
  state.openBook(id)
  state.prices.addInstrument(instrument)
  if (isFutures(instrument)) scheduleFunding(state, instrument)
  state.emit({ kind: 'catalog-changed' })
  publishPrices(state, [id])
  return { kind: 'listed', id }
}

export function setInstrument(state: State, command: SetInstrument): Reply {
  const decided = admitInstrumentChange(state, command)
  if ('kind' in decided) return refused(decided)

  const { instrument, changed, maintains } = decided
  const { catalog } = state
  const instruments = catalog.instruments.map((listed) => (listed.id === instrument.id ? changed : listed))
  state.catalog = { ...catalog, version: catalog.version + 1, instruments }
  state.prices.unsettleMark(instrument.id)
  state.emit({ kind: 'catalog-changed' })
  if (changed.status !== instrument.status) activateTriggers(state, instrument.id)
  if (maintains || changed.status !== instrument.status) recheckPositions(state, instrument.id)
  return done
}

export function setOrderMinimum(state: State, command: SetOrderMinimum): Reply {
  const decided = admitOrderMinimum(state, command)
  if ('kind' in decided) return refused(decided)

  const { changed } = decided
  const { catalog } = state
  const instruments = catalog.instruments.map((listed) => (listed.id === changed.id ? changed : listed))
  state.catalog = { ...catalog, version: catalog.version + 1, instruments }
  state.emit({ kind: 'catalog-changed' })
  return done
}

/** Maintenance has changed, or positions can be closed again: all are checked, however far their liquidation prices were. */
function recheckPositions(state: State, id: InstrumentId): void {
  for (const { account, long, short } of state.futures.ofInstrument(id)) {
    if (long !== undefined || short !== undefined) state.ledger.touch(account)
  }
  scanRisk(state, [id])
}
