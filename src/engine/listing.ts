/**
 * Listing coins and instruments, and changing what may change of them.
 *
 * Holds     scales, coins and categories of a listed instrument never change; status, tiers, fees and bands may
 * Source    interface.md "Contract configuration values"; design.md §6; risk-engine.md §1.2, §3
 */
import {
  coinByName,
  type Instrument,
  instrumentBySymbol,
  type InstrumentId,
  isFutures,
  type MaintenanceTier,
} from './catalog/catalog.ts'
import { scheduleFunding } from './futures/futures.ts'
import { scanRisk } from './liquidation/liquidation.ts'
import { type Rate, rateOne } from './numbers/numbers.ts'
import { fireTriggers } from './orders/orders.ts'
import { announcePrices } from './pricing/pricing.ts'
import type { ListCoin, ListInstrument, SetInstrument } from './protocol/command.ts'
import { done, type Refusal, refused, type Reply } from './protocol/reply.ts'
import { collateralFault } from './risk-changes.ts'
import type { Reading, Venue } from './state/state.ts'

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

/**
 * Records come from outside with their names in any order: they are kept in one, so that equal catalogues have equal
 * bytes, and a command read back from the journal leaves the state that it left when it was new.
 */
function inOrder<T>(value: T): T {
  if (Array.isArray(value)) return value.map(inOrder) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, inOrder(one)]),
  ) as T
}

function wrong(field: string, rule: string): Reply {
  return refused({ kind: 'instrument-record-wrong', field, rule })
}

/** The first rule that a new record breaks. */
function recordFault(venue: Reading, instrument: Instrument): Refusal | undefined {
  const fault = (field: string, rule: string): Refusal => ({ kind: 'instrument-record-wrong', field, rule })
  const { coins } = venue.catalog
  const { priceDecimals, quantityDecimals, priceStep, quantityStep, base, quote } = instrument
  if (coins[base] === undefined) return fault('baseCoin', 'is not listed')
  if (instrument.kind !== 'inverse' && coins[quote] === undefined) return fault('quoteCoin', 'is not listed')
  if (!within(priceDecimals, 0, 8)) return fault('pricePrecision', 'lies between 0 and 8')
  if (!within(quantityDecimals, 0, 8)) return fault('quantityPrecision', 'lies between 0 and 8')
  if (instrument.kind !== 'inverse' && priceDecimals + quantityDecimals > 8) {
    return fault('quantityPrecision', 'price and quantity decimals together are at most 8')
  }
  if (!within(priceStep, 1, 1_000_000_000)) return fault('priceMultiplier', 'is a positive number of price decimals')
  if (!within(quantityStep, 1, 1_000_000_000))
    return fault('sizeMultiplier', 'is a positive number of quantity decimals')
  if (instrument.quantityMin < 1) return fault('minOrderQty', 'is at least one step')
  if (base === quote) return fault('quoteCoin', 'is another coin than the base coin')
  const rates =
    feeFault(instrument.makerFeeRate, instrument.takerFeeRate) ?? bandFault(instrument.limitBand, instrument.marketBand)
  if (rates !== undefined) return rates
  if (!isFutures(instrument)) return undefined
  if (coins[instrument.settle] === undefined) return fault('settleCoin', 'is not listed')
  if (instrument.kind === 'linear' && instrument.settle !== quote) return fault('settleCoin', 'is the quote coin')
  if (instrument.kind === 'inverse' && instrument.settle !== base) return fault('settleCoin', 'is the base coin')
  const { leverageMin, leverageMax, leverageDefault } = instrument
  if (!within(leverageMin, 1, leverageMax)) return fault('minLeverage', 'lies between 1 and maxLeverage')
  if (!within(leverageDefault, leverageMin, leverageMax)) {
    return fault('defaultLeverage', 'lies between minLeverage and maxLeverage')
  }
  if (![1, 2, 4, 8].includes(instrument.fundingIntervalHours)) return fault('fundInterval', 'is 1, 2, 4 or 8 hours')
  return tierFault(instrument.tiers, instrument.takerFeeRate)
}

/** Of one match the house never pays: a rebate is at most what the other side is charged. */
function feeFault(makerFeeRate: Rate, takerFeeRate: Rate): Refusal | undefined {
  for (const [field, one] of [
    ['makerFeeRate', makerFeeRate],
    ['takerFeeRate', takerFeeRate],
  ] as const) {
    if (one >= rateOne || one <= -rateOne)
      return { kind: 'instrument-record-wrong', field, rule: 'lies between -1 and 1' }
  }
  if (makerFeeRate + takerFeeRate >= 0n) return undefined
  return { kind: 'instrument-record-wrong', field: 'makerFeeRate', rule: 'with takerFeeRate is not below zero' }
}

function bandFault(limitBand: Rate, marketBand: Rate): Refusal | undefined {
  const fault = (field: string): Refusal => ({ kind: 'instrument-record-wrong', field, rule: 'lies between 0 and 1' })
  if (limitBand < 0n || limitBand > rateOne) return fault('limitPriceRatio')
  if (marketBand < 0n || marketBand > rateOne) return fault('marketPriceRatio')
  return undefined
}

/** Maintenance with the fee of closing is never above initial margin: nobody is liquidated for having just opened (§20.5). */
function tierFault(tiers: readonly MaintenanceTier[], takerFeeRate: Rate): Refusal | undefined {
  const fault = (rule: string): Refusal => ({ kind: 'instrument-record-wrong', field: 'tiers', rule })
  let from = 0n
  let lowest = 0n
  for (const tier of tiers) {
    if (tier.from !== from || tier.to <= tier.from) return fault('each begins where the one before ends')
    if (tier.leverageMax < 1 || tier.maintenanceRate < 0n) return fault('need a leverage of at least 1 and a rate')
    if (tier.maintenanceRate < lowest) return fault('have maintenance rates that do not fall')
    if ((tier.maintenanceRate + takerFeeRate) * BigInt(tier.leverageMax) > rateOne) {
      return fault('need a maintenance rate that with the taker fee is at most 1 / maxLeverage')
    }
    from = tier.to
    lowest = tier.maintenanceRate
  }
  return tiers.length === 0
    ? { kind: 'instrument-record-wrong', field: 'tiers', rule: 'there is at least one' }
    : undefined
}

function within(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most
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
