/**
 * Futures: positions, their margin, and the settings of contracts. The room's door.
 *
 * exposure   what one account has in one contract      margin     what a margin domain has and needs
 * exposures  all of them, and their positions           rows       where they are kept
 * positions  booking fills                              risk       maintenance, liquidation and break-even prices
 * settings   leverage, margin mode, hold mode           funding    settlement of funding
 * shortfall  who pays what a wallet cannot              bounds     what the venue's numbers carry
 * debt       of unified wallets, by what futures lose   insurance  what the fund pays and gets
 * union      a unified wallet as one collateral         position-margin  added, taken out, by itself
 * collateral  which coins back a unified account, as it chose
 * risk-settings  what of all this the operator sets
 * Source     risk-engine.md; design.md §3, §4.9-§4.12, §4.16
 */
export { carriedAt, mayFreeze } from './bounds.ts'
export { collateralCoins, setCollateralType } from './collateral.ts'
export { negativeToLoan, payWithIncoming, reduceDebt } from './debt.ts'
export { dueOf, scheduleFunding, settleFunding } from './funding.ts'
export { insure, tellInsurance } from './insurance.ts'
export { maintenanceFraction, marginFraction, marginRatio, pnlFraction, valueFraction } from './margin-ratio.ts'
export {
  crossMargin,
  domainAvailable,
  domainEquity,
  domainStanding,
  domainTransferable,
  futuresLoss,
  isHedged,
  openLoss,
  orderCost,
  orderFreeze,
  requiredHold,
  sideHold,
  tierLeverageMax,
  updateHold,
  walletSpendable,
} from './margin.ts'
export { setAutoMargin, setPositionMargin } from './position-margin.ts'
export { closeLeg, type Leg, moveMargin, openLeg } from './positions.ts'
export {
  bankruptcyFraction,
  bankruptcyPrice,
  breakEvenFraction,
  breakEvenPrice,
  liquidationPrice,
  liquidationRoot,
  maintenanceFine,
  maintenanceMargin,
  sliceAt,
  slicesOf,
  steepestRate,
} from './risk.ts'
export {
  inUse,
  leverageNeed,
  type LeverageWish,
  setAllLeverage,
  setHoldMode,
  setLeverage,
  setMarginMode,
  setSideLeverages,
} from './settings.ts'
export {
  carriesRisk,
  collateralValue,
  isCollateral,
  lastGross,
  needsOf,
  unionAvailable,
  unionLiquidationPrice,
  unionStanding,
  usdCeil,
} from './union.ts'
export { futuresAssets, positionViews, ratioParts, riskBook, symbolSettings } from './views.ts'
