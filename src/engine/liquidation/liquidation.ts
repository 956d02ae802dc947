/**
 * Liquidation: the watch over accounts, and a breached account taken apart. The room's door.
 *
 * scan      finds the breached after marks or accounts changed            liquidation-steps  cancel, net, reduce, close
 * takeover  the insurance fund or auto-deleveraging takes the rest        delivery           a contract ends
 * adl-queue the queue as it is made, in bounded steps                     loan-liquidation   a wallet with debt is taken apart
 * debtor-watch  accounts that borrowed are checked when index prices move
 * Source    risk-engine.md §5-§8, §14-§17; design.md §4.26
 */
export { measurePrices, watchDebtors } from './debtor-watch.ts'
export { deliver } from './delivery.ts'
export { measureUnified, scanRisk, touchUnified } from './scan.ts'
