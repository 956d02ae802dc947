/**
 * Futures: positions, their margin, and the settings of contracts. The room's door.
 *
 * exposure   what one account has in one contract      margin     what a margin domain has and needs
 * positions  booking fills                              risk       maintenance, liquidation and break-even prices
 * settings   leverage, margin mode, hold mode           funding    settlement of funding
 * shortfall  who pays what a wallet cannot              bounds     what the venue's numbers carry
 * debt       of unified wallets, by what futures lose and bring
 * Source     risk-engine.md; design.md §3, §4.9-§4.12, §4.16
 */
export {
  entryPriceE8,
  type Exposure,
  Futures,
  leverageOf,
  positionOf,
  positionQuantity,
  closingOf,
} from './exposure.ts'
export { settleFunding, scheduleFunding, currentFundingRate, nextFundingAt } from './funding.ts'
export { carriedPrices, mayFreeze } from './bounds.ts'
export { negativeToLoan, reduceDebt } from './debt.ts'
export {
  domainAvailable,
  domainEquity,
  domainTransferable,
  isHedged,
  openLoss,
  orderFreeze,
  requiredHold,
  sideHold,
  tierLeverageMax,
  unrealizedPnl,
  updateHold,
} from './margin.ts'
export { closeLeg, type Leg, openLeg } from './positions.ts'
export { inUse, setAllLeverage, setHoldMode, setLeverage, setMarginMode } from './settings.ts'
export { futuresAssets, positionViews, symbolSettings } from './views.ts'
