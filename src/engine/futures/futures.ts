/**
 * Futures: positions, their margin, and the settings of contracts. The room's door.
 *
 * exposure   what one account has in one contract      margin     what a margin domain has and needs
 * positions  booking fills                              risk       maintenance, liquidation and break-even prices
 * settings   leverage, margin mode, hold mode           funding    settlement of funding
 * Source     risk-engine.md; design.md §3, §4.9-§4.12, §4.16
 */
export {
  entryPriceE8,
  type Exposure,
  type Position,
  Futures,
  leverageOf,
  positionOf,
  positionQuantity,
  closingOf,
} from './exposure.ts'
export { scheduleFunding, settleFunding } from './funding.ts'
export {
  domainAvailable,
  domainTransferable,
  isHedged,
  orderFreeze,
  requiredHold,
  tierLeverageMax,
  unrealizedPnl,
  updateHold,
  walletSpendable,
} from './margin.ts'
export { bankruptcyPrice, maintenanceFine, maintenanceMargin, steepestRate } from './risk.ts'
export { closeLeg, insure, type Leg, moveMargin, openLeg, tellInsurance } from './positions.ts'
export { setAutoMargin, setPositionMargin } from './position-margin.ts'
export { unionStanding } from './union.ts'
export { inUse, setAllLeverage, setHoldMode, setLeverage, setMarginMode } from './settings.ts'
export { futuresAssets, positionViews, symbolSettings } from './views.ts'
