/** What a scenario does to one coin in one step; `usualWeather` without one. */
import type { Side } from '../engine/vocabulary.ts'
import type { PriceWeather } from './prices.ts'

export interface Weather extends PriceWeather {
  /** Times the usual orders of takers; makers look after their books as much more often, but never less. */
  readonly pace: number
  /** Where takers lean: 1 all buy, -1 all sell. */
  readonly lean: number
  /** Leveraged traders crowd in on this side and stay. */
  readonly herd: Side | undefined
  /** Nobody tells the venue the coin's index price. */
  readonly isHidden: boolean
}

export const usualWeather: Weather = {
  volatility: 1,
  drift: 0,
  pace: 1,
  lean: 0,
  herd: undefined,
  isHidden: false,
}
