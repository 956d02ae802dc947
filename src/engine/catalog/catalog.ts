/**
 * What the venue trades: coins, spot pairs (also traded on margin) and futures contracts. The room's door.
 *
 * instrument  coins and instruments as they are listed     scale     what a lot at a price is worth
 * settings    what the operator may change, with defaults  limits    how many orders and positions an account may have
 * price-range which prices a book carries
 * chains      networks of a coin, with its terms       networks  the simulated networks and their blocks
 * addresses   whose an address is
 * Instrument  one book. SPOT and MARGIN share the book of the pair; futures belong to one product line
 * Source      interface.md "Contract configuration values", E2 rules 1 and 2; wire/rate-limits-and-filters.md §5-§7
 */
import type { Category, Coin, CoinId, Instrument, InstrumentId } from './instrument.ts'

export { addressOwner, depositAddress, isAddress, isTag, senderAddress, transactionId } from './addresses.ts'
export {
  chainNamed,
  chainsOf,
  confirmationsMax,
  tokenChain,
  withdrawalReviewMs,
  withdrawnUsdPerDayDefault,
} from './chains.ts'
export {
  type CoinChain,
  confirmationsAt,
  confirmedAt,
  heightAt,
  type NetworkName,
  networkNames,
  networks,
} from './networks.ts'
export {
  categories,
  type Category,
  type Coin,
  type CoinId,
  type CollateralSlice,
  type FuturesInstrument,
  type Instrument,
  type InstrumentId,
  type InstrumentStatus,
  isFutures,
  type MaintenanceTier,
  type ProductLine,
  productLines,
  type SpotInstrument,
} from './instrument.ts'
export { countedLotsMax, openOrdersMax, positionsMax } from './limits.ts'
export { carriedTicks, indexFraction, listedTicksMax, listingRangeFault } from './price-range.ts'
export {
  averagePriceE8,
  averageStepE8,
  baseFeeOf,
  baseOf,
  e12PerUnit,
  feeOf,
  initialMarginOf,
  lotWorthMax,
  notionalCeil,
  notionalE12,
  notionalFloor,
  type Scale,
  scaleOf,
  shareOf,
  tierValue,
  valueCeil,
  valueFloor,
} from './scale.ts'
export {
  type ConversionSettings,
  defaultConversionSettings,
  defaultFundingTerms,
  defaultLevels,
  defaultRiskSettings,
  type FundingTerms,
  type MarginLevels,
  type PricingSettings,
  type RiskSettings,
} from './settings.ts'

/** The catalogue at one moment, immutable: a change replaces it as a whole. */
export interface Catalog {
  readonly version: number
  readonly coins: readonly Coin[]
  readonly instruments: readonly Instrument[]
}

export const emptyCatalog: Catalog = { version: 0, coins: [], instruments: [] }

export function coinByName(catalog: Catalog, name: string): Coin | undefined {
  return catalog.coins.find((coin) => coin.name === name)
}

/** The instrument of a category and symbol; MARGIN answers the spot pair when it is marginable. */
export function instrumentBySymbol(catalog: Catalog, category: Category, symbol: string): Instrument | undefined {
  const wanted = category === 'MARGIN' ? 'SPOT' : category
  const found = indexOf(catalog).get(`${wanted}:${symbol}`)
  return found?.kind === 'spot' && category === 'MARGIN' && !found.marginable ? undefined : found
}

/** Instruments by category and symbol, made once for each catalogue. */
const indexes = new WeakMap<Catalog, ReadonlyMap<string, Instrument>>()

function indexOf(catalog: Catalog): ReadonlyMap<string, Instrument> {
  let index = indexes.get(catalog)
  if (index === undefined) {
    index = new Map(
      catalog.instruments.map((instrument) => [`${instrument.category}:${instrument.symbol}`, instrument]),
    )
    indexes.set(catalog, index)
  }
  return index
}

/** Instruments by coin, made once for each catalogue. */
const users = new WeakMap<Catalog, readonly InstrumentId[][]>()

/** Instruments in which any of these coins is base or quote (and so settlement) coin, in the order of the catalogue. */
export function instrumentsUsing(catalog: Catalog, coins: readonly CoinId[]): readonly InstrumentId[] {
  let usersOf = users.get(catalog)
  if (usersOf === undefined) {
    usersOf = catalog.coins.map(() => [])
    for (const { id, base, quote } of catalog.instruments) {
      usersOf[base].push(id)
      if (quote !== -1) usersOf[quote].push(id)
    }
    users.set(catalog, usersOf)
  }
  if (coins.length === 1) return usersOf[coins[0]]
  const all = new Set<InstrumentId>()
  for (const coin of coins) for (const id of usersOf[coin]) all.add(id)
  return [...all].sort((a, b) => a - b)
}
