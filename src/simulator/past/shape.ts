/**
 * What the past of the demo venue's market looks like, in one place (docs/market.md).
 *
 * Units   bps are 1e-4 of a price; money is US dollars; sigmas are deviations of a log price
 */
import { defaultParameters } from '../parameters.ts'
import { takeNotionalWidth } from '../taker.ts'

/** The coin whose movement is the whole market's: the others follow it, a part of it a minute later. */
export const leadingCoin = 'BTC'

/** How much of another coin's movement is the leading coin's; of that, what comes in the same minute and in the next one. */
export const correlation = 0.75
export const atOnce = 0.98
export const afterwards = 0.2

/**
 * Log of how nervous an hour is: the whole market's and a coin's own part, how far each wanders and how much an hour keeps. They
 * come to an end as calm as the simulated market begins.
 */
export const marketNerves = { deviation: 0.32, keeps: 0.97, atEnd: -0.32 } as const
export const ownNerves = { deviation: 0.28, keeps: 0.92, atEnd: -0.24 } as const
/** Within an hour: of ten minutes, and of one. */
export const burstNerves = 0.45
export const minuteNerves = 0.3

/** Hours in which the market jumps, and how many times the usual movement it then makes. */
export const jumpShare = 1 / 250
export const jumpTimes = 2.5

/** How busy the hours of a day (UTC) are, on average 1: quiet before Asia wakes, busiest while Europe and America trade. */
export const busyHours = [
  0.97, 0.93, 0.88, 0.82, 0.76, 0.74, 0.8, 0.9, 1, 1.02, 0.97, 0.97, 1.06, 1.27, 1.42, 1.44, 1.32, 1.16, 1.04, 0.97,
  0.93, 0.9, 0.87, 0.86,
] as const
/** Saturdays and Sundays, of other days. */
export const weekendShare = 0.75

/** How far a book strays from its index: by the hour, how much an hour keeps, and at most. */
export const basisBps = { futures: 5, spot: 1, keeps: 0.95, max: 12 } as const
/** How far last trades lie from what the book is worth. */
export const bounceBps = 0.5

/** Value of one trade, and what trades of a minute with a given activity vary by (a power of e). */
export const tradeNotional = 1_500
export const volumeSpread = 0.4

/** What a usual minute trades, of what takers do in a minute as calm as the first one: nerves, arbitrage and leverage trade, too. */
const tradedTimes = 2.9

/**
 * Value that is traded in a usual minute on one book of a coin: about as much as the simulated market trades.
 * @param bases the base coins of all books
 */
export function usualNotional(coin: string, bases: readonly string[]): number {
  const { popularity, takesPerS, takeNotional } = defaultParameters
  const weightOf = (base: string) => popularity[base] ?? 1
  const weights = bases.reduce((sum, base) => sum + weightOf(base), 0)
  const perMinute = 60 * takesPerS * takeNotional * Math.exp(takeNotionalWidth ** 2 / 2)
  return (tradedTimes * perMinute * weightOf(coin)) / weights
}
