/**
 * Liquidation: who is watched, who is breached, and how a breached account is taken apart. The room's door.
 *
 * equity    what stands against what is needed, as exact fractions       watch   from which prices on to look again
 * scan      finds the breached after marks or accounts changed            ladder  cancel, net, reduce, close
 * takeover  the insurance fund or auto-deleveraging takes the rest        delivery  a contract ends
 * debtors   who is looked at when index prices move                       margin-ladder  a wallet with debt is taken apart
 * Source    risk-engine.md §5-§8, §14-§17; design.md §4.26
 */
export { deliver } from './delivery.ts'
export { measurePrices, watchDebtors } from './debtors.ts'
export { measureUnions, scanRisk } from './scan.ts'
export { LiquidationState } from './state.ts'
