/**
 * Positions: opened, reduced and closed by fills, and what they pay. The room's door.
 *
 * legs     booking fills               shortfall  who pays what a wallet cannot
 * funding  settlement of funding       hold       what an exposure's orders hold
 * Source   risk-engine.md §4, §5, §8, §10, §11, §13, §14
 */
export { scheduleFunding, settleFunding } from './funding.ts'
export { exposureOf, updateHold } from './hold.ts'
export { closeLeg, type Leg, type LegFill, moveMargin, openLeg } from './legs.ts'
