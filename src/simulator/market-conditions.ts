/** What a scenario does to one coin in one step; `normalConditions` without one. */
import type { Side } from '../engine/vocabulary.ts'
import type { PriceConditions } from './prices.ts'

export interface MarketConditions extends PriceConditions {
  /** Times the usual orders of takers; makers look after their books as much more often, but never less. */
  readonly activity: number
  /** What takers prefer: 1 all buy, -1 all sell. */
  readonly takerBias: number
  /** Leveraged traders crowd in on this side and stay. */
  readonly crowdedSide: Side | undefined
  /** Nobody sets the coin's index price. */
  readonly isHidden: boolean
}

export const normalConditions: MarketConditions = {
  volatility: 1,
  drift: 0,
  activity: 1,
  takerBias: 0,
  crowdedSide: undefined,
  isHidden: false,
}
