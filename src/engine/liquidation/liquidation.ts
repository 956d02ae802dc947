/**
 * Liquidation: who is watched, who is breached, and how a breached account is taken apart. The room's door.
 *
 * equity    what stands against what is needed, as exact fractions       watch   from which prices on to look again
 * scan      finds the breached after marks or accounts changed            ladder  cancel, net, reduce, close
 * takeover  the insurance fund or auto-deleveraging takes the rest        delivery  a contract ends
 * Source    risk-engine.md §5-§8, §14, §15; design.md §4.26
 */
export { deliver } from './delivery.ts'
export { scanRisk } from './scan.ts'
export { LiquidationState } from './state.ts'
