/**
 * Prices that are not the book's: index, mark, premium and funding rate. The room's door.
 *
 * prices   the state of all of it            feed      index updates, the jump breaker, staleness, what is frozen
 * marks    the median of three               samples   what time alone adds: basis and premium samples, staleness
 * waiting  accounts that wait for prices to move
 * premium  what the book says of the index   rate      a funding rate from its premiums
 * Not here settlement of funding (futures/funding.ts), commands (price-changes.ts)
 * Source   risk-engine.md §12, §13; reliability.md F6
 */
export {
  announceFreezes,
  freezeOf,
  freezes,
  isCoinFrozen,
  isFrozen,
  judgeFreshness,
  takeIndexPrice,
  watchFreshness,
} from './feed.ts'
export {
  announcePrices,
  basisFraction,
  bookChanged,
  fundingFraction,
  markFrom,
  refreshMarks,
  refreshWithSamples,
} from './marks.ts'
export { fundingRateOf, nextFundingAt } from './rate.ts'
export { catchUp, meanPremium, runningRate, takeDueRate } from './samples.ts'
