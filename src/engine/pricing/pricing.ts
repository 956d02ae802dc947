/**
 * Prices that are not the book's, as they change: index updates, samples, marks. The room's door.
 *
 * index-feed  index updates, the jump breaker, staleness, halts      marks  computed anew
 * samples     what time alone adds: basis and premium samples, staleness
 * Not here    the formulas (price-rules/), settlement of funding (positions/), commands (venue/)
 * Source      risk-engine.md §12, §13; reliability.md F6
 */
export { judgeFreshness, publishHalts, takeIndexPrice, watchFreshness } from './index-feed.ts'
export { bookChanged, publishPrices, refreshMarks, refreshWithSamples } from './marks.ts'
export { catchUp, takeDueRate } from './samples.ts'
