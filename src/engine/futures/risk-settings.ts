/**
 * Rules of margin and liquidation that hold for the whole venue, and that the operator may change.
 *
 * Defaults  those of the formulas: what is not configured is as risk-engine.md has it
 * Source    risk-engine.md §6, §11, §14.3, §15
 */
import { type Rate, rate, rateOne } from '../numbers/numbers.ts'

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
