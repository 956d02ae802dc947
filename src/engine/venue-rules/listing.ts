/**
 * Rules of a listed coin, pair or contract.
 *
 * Source  interface.md "Contract configuration values"; design.md §6; risk-engine.md §1.2, §3, §20.5
 */
import {
  coinByName,
  countedLotsMax,
  type Instrument,
  instrumentBySymbol,
  type InstrumentId,
  isFutures,
  type MaintenanceTier,
} from '../catalog/catalog.ts'
import { type Rate, rateOne } from '../numbers/numbers.ts'
import type { ListCoin, ListInstrument, SetInstrument, SetOrderMinimum } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Reading } from '../state/state.ts'
import { collateralFault, wrong } from './risk-settings.ts'

/** What a place in the ledger has room for. */
export const coinsMax = 256

/** The first rule that a new coin breaks. */
export function refuseCoin(reading: Reading, command: ListCoin): undefined | Refusal {
  const { catalog } = reading
  const { coin } = command
  if (coinByName(catalog, coin.name) !== undefined) return { kind: 'coin-listed-already' }
  if (coin.listingPriceE8 <= 0n) return wrong('listingPrice', 'must be above zero')
  const fault = collateralFault(coin)
  if (fault !== undefined) return fault
  if (catalog.coins.length >= coinsMax) return wrong('coin', `a venue lists at most ${coinsMax} coins`)
  return undefined
}

/** The new instrument as it is kept. */
export function admitInstrument(
  reading: Reading,
  command: ListInstrument,
): { readonly id: InstrumentId; readonly instrument: Instrument } | Refusal {
  const { catalog } = reading
  const id = catalog.instruments.length
  const instrument = inOrder({ ...command.instrument, id, listedAt: reading.at }) as Instrument
  if (instrumentBySymbol(catalog, instrument.category, instrument.symbol) !== undefined) {
    return { kind: 'instrument-listed-already' }
  }
  const fault = recordFault(reading, instrument)
  if (fault !== undefined) return fault
  return { id, instrument }
}

/** What an instrument becomes, and whether its maintenance changes. */
export function admitInstrumentChange(
  reading: Reading,
  command: SetInstrument,
): { readonly instrument: Instrument; readonly changed: Instrument; readonly maintains: boolean } | Refusal {
  const instrument = reading.catalog.instruments[command.instrument]
  if (instrument === undefined) return { kind: 'instrument-unknown' }
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
  if (fault !== undefined) return fault

  const changed = inOrder({
    ...instrument,
    status: command.status ?? instrument.status,
    makerFeeRate,
    takerFeeRate,
    limitBand,
    marketBand,
    ...(tiers === undefined ? {} : { tiers }),
  }) as Instrument
  return { instrument, changed, maintains }
}

/** The instrument with another least quantity. */
export function admitOrderMinimum(
  reading: Reading,
  { instrument: id, quantityMin }: SetOrderMinimum,
): { readonly changed: Instrument } | Refusal {
  const instrument = reading.catalog.instruments[id]
  if (instrument === undefined) return { kind: 'instrument-unknown' }
  const maxima = [instrument.quantityMax, instrument.marketQuantityMax, countedLotsMax].filter((maximum) => maximum > 0)
  if (!within(quantityMin, 1, Math.min(...maxima)))
    return wrong('minOrderQty', 'lies between one step and the largest order')
  return { changed: inOrder({ ...instrument, quantityMin }) }
}

/** The first rule that a new record breaks. */
function recordFault(reading: Reading, instrument: Instrument): Refusal | undefined {
  const fault = (field: string, rule: string): Refusal => ({ kind: 'instrument-record-wrong', field, rule })
  const { coins } = reading.catalog
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

/** The house never pays for a match: a rebate is at most what the other side is charged. */
function feeFault(makerFeeRate: Rate, takerFeeRate: Rate): Refusal | undefined {
  for (const [field, feeRate] of [
    ['makerFeeRate', makerFeeRate],
    ['takerFeeRate', takerFeeRate],
  ] as const) {
    if (feeRate >= rateOne || feeRate <= -rateOne)
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

/** Maintenance with the fee of closing is never above initial margin: nobody is liquidated for just having opened (§20.5). */
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

/**
 * A record with its fields in the order of their names. Records come from outside in any order; so kept, equal catalogues
 * have equal bytes, and a command read back from the journal leaves the same state as when it was new.
 */
export function inOrder<T>(value: T): T {
  if (Array.isArray(value)) return value.map(inOrder) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, inOrder(field)]),
  ) as T
}
