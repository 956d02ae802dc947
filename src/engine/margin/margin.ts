/**
 * Margin of futures: what positions and orders need, what an account has against it, where it is liquidated. The room's
 * door.
 *
 * account-margin   equity, availability and maintenance of a margin account     order-margin  what an opening order holds
 * unified-margin   every coin of a unified account as collateral                maintenance   tiers and maintenance margin
 * liquidation-price  bankruptcy, liquidation and break-even prices              margin-ratio  maintenance over equity
 * unified-liquidation-price  the mark at which a unified account is liquidated
 * funding-due      what a position pays or gets at a settlement                 bounds        what the venue's numbers carry
 * Source           risk-engine.md §3-§8, §11, §13, §16, §21
 */
export {
  accountMargin,
  crossMargin,
  futuresLoss,
  isHedged,
  marginAccountAvailable,
  marginAccountEquity,
  marginAccountTransferable,
  riskBook,
  walletSpendable,
  winnersOf,
} from './account-margin.ts'
export { canHold, carriedAt, isCarried, refuseOneMorePosition } from './bounds.ts'
export { dueOf, payable, type Share, sharesOf } from './funding-due.ts'
export {
  bankruptcyFraction,
  bankruptcyPrice,
  breakEvenFraction,
  breakEvenPrice,
  liquidationPrice,
  liquidationRoot,
} from './liquidation-price.ts'
export {
  maintenanceE12,
  maintenanceMargin,
  maintenanceRate,
  sliceAt,
  slicesOf,
  steepestRate,
  tierLeverageMax,
} from './maintenance.ts'
export {
  maintenanceFraction,
  marginFraction,
  marginRatio,
  pnlFraction,
  poolRatio,
  ratioParts,
  valueFraction,
} from './margin-ratio.ts'
export { openLoss, orderCost, orderHold, requiredHold, sideHold } from './order-margin.ts'
export { unifiedLiquidationPrice } from './unified-liquidation-price.ts'
export {
  carriesRisk,
  collateralCoins,
  collateralValue,
  isCollateral,
  lastGross,
  needsOf,
  unifiedAvailable,
  unifiedMargin,
  usdCeil,
} from './unified-margin.ts'
