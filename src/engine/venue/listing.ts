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
import type { Venue } from '../state/state.ts'
import { bandFault, collateralFault, feeFault, inOrder, recordFault, tierFault } from '../venue-rules/venue-rules.ts'

export function listCoin(venue: Venue, command: ListCoin): Reply {
  const { catalog } = venue
  const { coin } = command
  if (coinByName(catalog, coin.name) !== undefined) return refused({ kind: 'coin-listed-already' })
  if (coin.listingPriceE8 <= 0n) return wrong('listingPrice', 'must be above zero')
  const fault = collateralFault(coin)
  if (fault !== undefined) return refused(fault)
  if (catalog.coins.length >= 256) return wrong('coin', 'a venue lists at most 256 coins')

  const id = catalog.coins.length
  const listed = inOrder({ ...coin, id })
  venue.catalog = { ...catalog, version: catalog.version + 1, coins: [...catalog.coins, listed] }
  venue.prices.addCoin(coin.listingPriceE8, venue.at)
  venue.emit({ kind: 'catalog-changed' })
  return { kind: 'listed', id }
}

export function listInstrument(venue: Venue, command: ListInstrument): Reply {
  const { catalog } = venue
  const id = catalog.instruments.length
  const instrument = inOrder({ ...command.instrument, id, listedAt: venue.at }) as Instrument
  if (instrumentBySymbol(catalog, instrument.category, instrument.symbol) !== undefined) {
    return refused({ kind: 'instrument-listed-already' })
  }
  const fault = recordFault(venue, instrument)
  if (fault !== undefined) return refused(fault)

  venue.catalog = { ...catalog, version: catalog.version + 1, instruments: [...catalog.instruments, instrument] }
  venue.openBook(id)
  venue.prices.addInstrument(instrument)
  if (isFutures(instrument)) scheduleFunding(venue, instrument)
  venue.emit({ kind: 'catalog-changed' })
  announcePrices(venue, [id])
  return { kind: 'listed', id }
}

function wrong(field: string, rule: string): Reply {
  return refused({ kind: 'instrument-record-wrong', field, rule })
}

export function setInstrument(venue: Venue, command: SetInstrument): Reply {
  const instrument = venue.catalog.instruments[command.instrument]
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
  const { catalog } = venue
  const instruments = catalog.instruments.map((one) => (one.id === instrument.id ? changed : one))
  venue.catalog = { ...catalog, version: catalog.version + 1, instruments }
  venue.prices.unsettleMark(instrument.id)
  venue.emit({ kind: 'catalog-changed' })
  if (changed.status !== instrument.status) fireTriggers(venue, instrument.id)
  if (maintains || changed.status !== instrument.status) lookAgain(venue, instrument.id)
  return done
}

/** Maintenance has changed, or what could not be closed can be: every position is looked at again, however far its price was. */
function lookAgain(venue: Venue, id: InstrumentId): void {
  for (const { account, long, short } of venue.futures.ofInstrument(id)) {
    if (long !== undefined || short !== undefined) venue.ledger.touch(account)
  }
  scanRisk(venue, [id])
}
