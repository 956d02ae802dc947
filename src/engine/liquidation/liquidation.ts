/**
 * Liquidation: who is watched, who is breached, and how a breached account is taken apart. The room's door.
 *
 * equity    what stands against what is needed, as exact fractions       watch   from which prices on to look again
 * scan      finds the breached after marks or accounts changed            ladder  cancel, net, reduce, close
 * takeover  the insurance fund or auto-deleveraging takes the rest        delivery  a contract ends
 * report    what is told of a liquidation, its facts as they stood          backing   what stands behind a position of a pool
 * debtors   who is looked at when index prices move                       margin-ladder  a wallet with debt is taken apart
 * lights    where positions stand in the queue of auto-deleveraging
 * Source    risk-engine.md §5-§8, §14-§17; design.md §4.26
 */
export { crossBacking } from './backing.ts'
export { measurePrices, watchDebtors } from './debtors.ts'
export { deliver } from './delivery.ts'
export { everyCoin, type Pool, poolsOf, standingOf } from './equity.ts'
export { adlRanks } from './lights.ts'
export { rankedNow, scorePartsOf } from './ranking.ts'
export { measureUnions, scanRisk, touchUnions } from './scan.ts'
export { isDeleveraging } from './takeover.ts'
