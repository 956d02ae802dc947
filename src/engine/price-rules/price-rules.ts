/**
 * Prices that are not the book's: by which rules they are made and trusted. The room's door.
 *
 * mark-candidates  the median of three                 premium       of the book over the index
 * funding-rate     a funding rate from its premiums    basis         how far the book stands from the index
 * index-halts      which updates are taken, and which instruments are halted while a coin has no trusted price
 * Not here         taking updates and samples, computing marks (pricing/)
 * Source           risk-engine.md §12, §13; reliability.md F6
 */
export { basisMs, basisOf, isBasisSettled, nextSampleAt } from './basis.ts'
export { fundingIntervalMs, fundingRateOf, meanPremium, nextFundingAt, runningRate } from './funding-rate.ts'
export { coinHalt, confirms, haltOf, type Halts, halts, isCoinHalted, isHalted, jumps } from './index-halts.ts'
export { basisFraction, candidatesOf, fundingFraction, isMadeOfSame, markFrom, standsFor } from './mark-candidates.ts'
export { premiumNow } from './premium.ts'
