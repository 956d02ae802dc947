/**
 * What the operator may list and set: the first rule that a record breaks, by its field. The room's door.
 *
 * Source  interface.md "Contract configuration values"; design.md §6; risk-engine.md §1.2, §3, §6, §11-§17
 */
export { admitConversionSettings } from './conversions.ts'
export { admitCoinChain } from './coin-chains.ts'
export { admitInstrument, admitInstrumentChange, admitOrderMinimum, inOrder, refuseCoin } from './listing.ts'
export { admitLoanTerms, admitMarginLevels } from './loan-terms.ts'
export { admitIndexPrices, contractToSettle, givenPricesFault } from './prices.ts'
export { configurationFault } from './pricing-settings.ts'
export { admitCollateralTerms, admitRiskSettings } from './risk-settings.ts'
