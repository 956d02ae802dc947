/**
 * What the venue trades: coins, spot pairs (also traded on margin) and futures contracts.
 *
 * Instrument  one book. SPOT and MARGIN share the book of the pair; futures belong to one product line.
 * Scales      a price is `ticks × priceStep / 10^priceDecimals`, a quantity `lots × quantityStep / 10^quantityDecimals`
 *             base coin (spot, linear) or USD contracts (inverse)
 * Holds       priceDecimals + quantityDecimals <= 8 for spot and linear, so that notional is exact in units
 * Source      interface.md "Contract configuration values", E2 rules 1 and 2; wire/rate-limits-and-filters.md §5-§7
 */
import type { Amount, Lots, Rate } from '../numbers/numbers.ts'

export { openOrdersMax, positionsMax } from './limits.ts'
export {
  averagePriceE8,
  averageStepE8,
  baseFeeOf,
  baseOf,
  feeOf,
  finePerUnit,
  initialMarginOf,
  lotWorthMax,
  notionalCeil,
  notionalFine,
  notionalFloor,
  type Scale,
  scaleOf,
  shareOf,
  tierValue,
  valueCeil,
  valueFloor,
} from './scale.ts'
export {
  defaultFundingTerms,
  defaultLevels,
  defaultRiskSettings,
  type FundingTerms,
  type MarginLevels,
  type PricingSettings,
  type RiskSettings,
} from './settings.ts'

export type ProductLine = 'USDT-FUTURES' | 'COIN-FUTURES' | 'USDC-FUTURES'
export const productLines: readonly ProductLine[] = ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES']

/** Index of an instrument in the catalogue; never reused. */
export type InstrumentId = number
/** Index of a coin in the catalogue; never reused. */
export type CoinId = number

/** Value of a coin up to a bound, and the share of it that counts as collateral of a unified account. */
export interface CollateralSlice {
  /** USD of 1e-8, exclusive; slices follow one another from zero. */
  readonly to: Amount
  readonly ratio: Rate
}

export interface Coin {
  readonly id: CoinId
  readonly name: string
  /** Listing price in USD, 1e-8: the index until the first price command. */
  readonly listingPriceE8: bigint
  readonly borrowable: boolean
  /** Interest per day on borrowed principal. */
  readonly dailyInterestRate: Rate
  /** What one account may owe at most, and what the lending pool holds in all; units of the coin. */
  readonly borrowLimit: Amount
  readonly lendingPoolLimit: Amount
  /** Highest leverage of cross margin borrowing in this coin. */
  readonly marginLeverageMax: number
  readonly collateral: readonly CollateralSlice[]
  /** Initial and maintenance margin of a unified account's debt in this coin. */
  readonly debtInitialRate: Rate
  readonly debtMaintenanceRate: Rate
}

/** One bracket of position value; value in quote units of 1e-8 (linear) or USD of 1e-8 (inverse). */
export interface MaintenanceTier {
  readonly from: Amount
  /** Exclusive upper bound. */
  readonly to: Amount
  readonly leverageMax: number
  readonly maintenanceRate: Rate
}

export type InstrumentStatus = 'online' | 'cancel_only' | 'halted'

interface InstrumentBase {
  readonly id: InstrumentId
  readonly symbol: string
  readonly base: CoinId
  readonly quote: CoinId | -1 // -1: US dollar, the quote of inverse contracts
  readonly priceDecimals: number
  readonly priceStep: number
  readonly quantityDecimals: number
  readonly quantityStep: number
  readonly quantityMin: Lots
  /** Zero: no maximum. */
  readonly quantityMax: Lots
  readonly marketQuantityMax: Lots
  /** Least order value: quote units (spot, linear), USD of 1e-8 (inverse). */
  readonly notionalMin: Amount
  readonly makerFeeRate: Rate
  readonly takerFeeRate: Rate
  /** A limit price may lie at most this share above (buy) or below (sell) the reference price; zero: no limit. */
  readonly limitBand: Rate
  /** A market order takes liquidity up to this share from the mark (futures) or last (spot) price. */
  readonly marketBand: Rate
  readonly status: InstrumentStatus
  readonly listedAt: number
}

export interface SpotInstrument extends InstrumentBase {
  readonly kind: 'spot'
  readonly category: 'SPOT'
  /** Decimals of a market buy's quote amount. */
  readonly quoteDecimals: number
  /** Traded on margin as well (category MARGIN). */
  readonly marginable: boolean
}

export interface FuturesInstrument extends InstrumentBase {
  readonly kind: 'linear' | 'inverse'
  readonly category: ProductLine
  /** Margin and settlement coin. */
  readonly settle: CoinId
  /** Decimals of a v2 size in base coin (inverse: shown sizes are rounded down to it; linear: quantityDecimals). */
  readonly sizeDecimals: number
  readonly leverageMin: number
  readonly leverageMax: number
  readonly leverageDefault: number
  readonly tiers: readonly MaintenanceTier[]
  readonly fundingIntervalHours: number
  /** Bounds of one funding rate. */
  readonly fundingRateCap: Rate
}

export type Instrument = SpotInstrument | FuturesInstrument

/** Immutable picture of the catalogue; a change replaces it as a whole. */
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

const indexes = new WeakMap<Catalog, ReadonlyMap<string, Instrument>>()

function indexOf(catalog: Catalog): ReadonlyMap<string, Instrument> {
  let index = indexes.get(catalog)
  if (index === undefined) {
    index = new Map(catalog.instruments.map((one) => [`${one.category}:${one.symbol}`, one]))
    indexes.set(catalog, index)
  }
  return index
}

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

export type Category = 'SPOT' | 'MARGIN' | ProductLine

export function isFutures(instrument: Instrument): instrument is FuturesInstrument {
  return instrument.kind !== 'spot'
}
