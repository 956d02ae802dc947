/**
 * What the operator may list and set: the first rule that a record breaks, by its field. The room's door.
 *
 * Source  interface.md "Contract configuration values"; design.md §6; risk-engine.md §1.2, §3, §6, §11-§17
 */
export { bandFault, feeFault, inOrder, recordFault, tierFault } from './listing.ts'
export { levelsFault, termsFault } from './loan-terms.ts'
export { configurationFault } from './pricing-settings.ts'
export { collateralFault, riskFault } from './risk-settings.ts'
