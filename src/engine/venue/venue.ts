/**
 * The venue as its operator runs it: what is listed, its prices and its rules. The room's door.
 *
 * listing        coins and instruments           index-prices      updates, and marks by timer
 * risk-settings  margin and liquidation          pricing-settings  how prices are made
 * loan-terms     lending and margin levels       funding           settled when due, or now
 * after-marks    what follows new marks          coin-chains       networks of coins
 * given-prices   marks and rates from elsewhere
 * Source         design.md §6; risk-engine.md §12-§17
 */
export { setConversion } from './conversions.ts'
export { setCoinChain } from './coin-chains.ts'
export { fundingDue, settleFundingNow } from './funding.ts'
export { endGivenPrices, setGivenPrices } from './given-prices.ts'
export { checkIndex, refreshMarksNow, setIndexPrices } from './index-prices.ts'
export { listCoin, listInstrument, setInstrument, setOrderMinimum } from './listing.ts'
export { setLoanTerms, setMarginLevels } from './loan-terms.ts'
export { configurePricing } from './pricing-settings.ts'
export { setCollateral, setRisk } from './risk-settings.ts'
