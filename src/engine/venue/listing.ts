/**
 * Listing coins and instruments, and changing what may change of them.
 *
 * Holds     scales, coins and categories of a listed instrument never change; status, tiers, fees and bands may
 * Source    interface.md "Contract configuration values"; design.md §6; risk-engine.md §1.2, §3
 */
import { coinByName, type Instrument, instrumentBySymbol, type InstrumentId, isFutures } from '../catalog/catalog.ts'
import { scanRisk } from '../liquidation/liquidation.ts'
import { fireTriggers } from '../orders/orders.ts'
import { scheduleFunding } from '../positions/positions.ts'
import { announcePrices } from '../pricing/pricing.ts'
import type { ListCoin, ListInstrument, SetInstrument } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import { bandFault, collateralFault, feeFault, inOrder, recordFault, tierFault } from '../venue-rules/venue-rules.ts'

export function listCoin(state: State, command: ListCoin): Reply {
  const { catalog } = state
  const { coin } = command
  if (coinByName(catalog, coin.name) !== undefined) return refused({ kind: 'coin-listed-already' })
  if (coin.listingPriceE8 <= 0n) return wrong('listingPrice', 'must be above zero')
  const fault = collateralFault(coin)
  if (fault !== undefined) return refused(fault)
  if (catalog.coins.length >= 256) return wrong('coin', 'a venue lists at most 256 coins')

  const id = catalog.coins.length
  const listed = inOrder({ ...coin, id })
  state.catalog = { ...catalog, version: catalog.version + 1, coins: [...catalog.coins, listed] }
  state.prices.addCoin(coin.listingPriceE8, state.at)
  state.emit({ kind: 'catalog-changed' })
  return { kind: 'listed', id }
}

export function listInstrument(state: State, command: ListInstrument): Reply {
  const { catalog } = state
  const id = catalog.instruments.length
  const instrument = inOrder({ ...command.instrument, id, listedAt: state.at }) as Instrument
  if (instrumentBySymbol(catalog, instrument.category, instrument.symbol) !== undefined) {
    return refused({ kind: 'instrument-listed-already' })
  }
  const fault = recordFault(state, instrument)
  if (fault !== undefined) return refused(fault)

  state.catalog = { ...catalog, version: catalog.version + 1, instruments: [...catalog.instruments, instrument] }
  state.openBook(id)
  state.prices.addInstrument(instrument)
  if (isFutures(instrument)) scheduleFunding(state, instrument)
  state.emit({ kind: 'catalog-changed' })
  announcePrices(state, [id])
  return { kind: 'listed', id }
}

function wrong(field: string, rule: string): Reply {
  return refused({ kind: 'instrument-record-wrong', field, rule })
}

export function setInstrument(state: State, command: SetInstrument): Reply {
  const instrument = state.catalog.instruments[command.instrument]
  if (instrument === undefined) return refused({ kind: 'instrument-unknown' })
  if (command.tiers !== undefined) {
    if (!isFutures(instrument)) return wrong('tiers', 'belong to futures')
  }
  const makerFeeRate = command.makerFeeRate ?? instrument.makerFeeRate
  const takerFeeRate = command.takerFeeRate ?? instrument.takerFeeRate
  const limitBand = command.limitBand ?? instrument.limitBand
  const marketBand = command.marketBand ?? instrument.marketBand
  const tiers = isFutures(instrument) ? (command.tiers ?? instrument.tiers) : undefined
  const maintains = command.tiers !== undefined || takerFeeRate !== instrument.takerFeeRate
  const fault =
    feeFault(makerFeeRate, takerFeeRate) ??
    bandFault(limitBand, marketBand) ??
    (maintains && tiers !== undefined ? tierFault(tiers, takerFeeRate) : undefined)
  if (fault !== undefined) return refused(fault)

  const changed = inOrder({
    ...instrument,
    status: command.status ?? instrument.status,
    makerFeeRate,
    takerFeeRate,
    limitBand,
    marketBand,
    ...(tiers === undefined ? {} : { tiers }),
  }) as Instrument
  const { catalog } = state
  const instruments = catalog.instruments.map((one) => (one.id === instrument.id ? changed : one))
  state.catalog = { ...catalog, version: catalog.version + 1, instruments }
  state.prices.unsettleMark(instrument.id)
  state.emit({ kind: 'catalog-changed' })
  if (changed.status !== instrument.status) fireTriggers(state, instrument.id)
  if (maintains || changed.status !== instrument.status) lookAgain(state, instrument.id)
  return done
}

/** Maintenance has changed, or what could not be closed can be: every position is looked at again, however far its price was. */
function lookAgain(state: State, id: InstrumentId): void {
  for (const { account, long, short } of state.futures.ofInstrument(id)) {
    if (long !== undefined || short !== undefined) state.ledger.touch(account)
  }
  scanRisk(state, [id])
}
