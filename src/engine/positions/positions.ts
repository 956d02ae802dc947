/**
 * Positions: fills open, reduce and close them, funding is paid on them. The room's door.
 *
 * legs     booking fills               shortfall  who pays what a wallet cannot
 * funding  settlement of funding       hold       what an exposure's orders hold
 * Not here admission (admission/), moving positions and margin on request (accounts/)
 * Source   risk-engine.md §4, §5, §8, §10, §11, §13, §14
 */
export { scheduleFunding, settleFunding } from './funding.ts'
export { exposureOf, updateHold } from './hold.ts'
export { closeLeg, type Leg, type LegFill, moveMargin, openLeg } from './legs.ts'
