/**
 * Coins, spot pairs and futures contracts as they are listed, with their steps, fees, bands and tiers.
 *
 * Scales      a price is `ticks × priceStep / 10^priceDecimals`, a quantity `lots × quantityStep / 10^quantityDecimals`
 *             base coin (spot, linear) or USD contracts (inverse)
 * Holds       priceDecimals + quantityDecimals <= 8 for spot and linear, so that notional is exact in units
 * Source      interface.md "Contract configuration values"; wire/rate-limits-and-filters.md §5-§7
 */
import type { Amount, Lots, Rate } from '../numbers/numbers.ts'
import type { CoinChain } from './networks.ts'

export const productLines = ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const
export type ProductLine = (typeof productLines)[number]

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
  /** Initial and maintenance margin of a unified account's debt in this coin, as shares of the debt. */
  readonly debtInitialRate: Rate
  readonly debtMaintenanceRate: Rate
  /** Its networks, as they were set; undefined: the usual ones (chains.ts). */
  readonly chains?: readonly CoinChain[]
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

/** The place of a category is how tables save it. */
export const categories = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const
export type Category = (typeof categories)[number]

export function isFutures(instrument: Instrument): instrument is FuturesInstrument {
  return instrument.kind !== 'spot'
}
