/**
 * Rules that hold for the whole venue, and that the operator may change: of risk, of margin levels, of pricing, of conversions.
 *
 * Defaults  what is not configured is as risk-engine.md gives it
 * Source    risk-engine.md §6, §11, §12, §14.3, §15, §17
 */
import { type Amount, type Millis, oneCoin, type Rate, rate, rateOne } from '../numbers/numbers.ts'

/** Levels of cross margin and the fee of its liquidation (`set-margin-levels`); ratios of 1e-12. */
export interface MarginLevels {
  readonly transfer: Rate
  readonly borrow: Rate
  readonly call: Rate
  readonly liquidation: Rate
  /** Of what is sold, to the insurance fund. */
  readonly liquidationFee: Rate
}

export const defaultLevels: MarginLevels = {
  transfer: rate(2n * rateOne),
  borrow: rate((3n * rateOne) / 2n),
  call: rate((13n * rateOne) / 10n),
  liquidation: rate((11n * rateOne) / 10n),
  liquidationFee: rate(rateOne / 50n),
}

/** What the operator may change (`configure-pricing`). */
export interface PricingSettings {
  /** An index update further away than this factor, either way, is held back. */
  jumpFactor: Rate
  /** A short isolated payer of funding pays all the same (`full`), or down to its maintenance margin (`cap`). */
  fundingShortfall: 'full' | 'cap'
  /** Later premiums of an interval count more, or all the same. */
  premiumMean: 'weighted' | 'plain'
  /** The interest part of an 8-hour funding rate, and how far it may pull the rate from the premium. */
  fundingInterestRate: Rate
  fundingClamp: Rate
  /** By coin: its index is stale when the last update is older; 0: never. */
  indexAgeMsMax: Millis[]
  /** By instrument: value that impact prices are the average of; quote units, of inverse contracts USD of 1e-8. */
  impactNotional: Amount[]
}

/** The interest part of an 8-hour rate, and how far it may pull the rate from the premium. */
export interface FundingTerms {
  readonly fundingInterestRate: Rate
  readonly fundingClamp: Rate
}

export const defaultFundingTerms: FundingTerms = {
  fundingInterestRate: rate(rateOne / 10_000n),
  fundingClamp: rate((rateOne * 5n) / 10_000n),
}

/** What the operator may change (`set-risk`). */
export interface RiskSettings {
  /** Auto-deleveraging starts when the insurance fund is below this share of its highest, and ends above that one. */
  readonly adlStartShare: Rate
  readonly adlEndShare: Rate
  /** k1 and k2: what an opening order holds beyond its margin and its fee, as a share of them. */
  readonly orderMarginMarkup: Rate
  readonly orderFeeMarkup: Rate
  /** Whether unrealized profit of cross positions counts as available for new risk; it never leaves the wallet. */
  readonly profitAsMargin: boolean
  /** Tiers that one step of a cross liquidation takes a position down; 0: it is closed whole. */
  readonly reduceTiers: number
}

export const defaultRiskSettings: RiskSettings = {
  adlStartShare: rate((rateOne * 7n) / 10n),
  adlEndShare: rate((rateOne * 9n) / 10n),
  orderMarginMarkup: rate(0n),
  orderFeeMarkup: rate(0n),
  profitAsMargin: false,
  reduceTiers: 2,
}

/** What the operator may change (`set-conversion`). */
export interface ConversionSettings {
  /** What the house takes of the index price, as a share of it. */
  readonly spread: Rate
  /** How long a quote holds. */
  readonly quoteMs: Millis
  /** What one conversion may be worth at index prices, in USD of 1e-8. */
  readonly leastUsd: bigint
  readonly mostUsd: bigint
}

export const defaultConversionSettings: ConversionSettings = {
  spread: rate(rateOne / 1_000n),
  quoteMs: 8_000,
  leastUsd: oneCoin,
  mostUsd: 100_000n * oneCoin,
}
