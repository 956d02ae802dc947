/**
 * A venue of several cores with one log, put together. This is the door of the room; nothing of it is loaded by a venue of one
 * machine.
 *
 *   core.ts      one core: core-runtime.ts follows and leads, log-place.ts says where it stands, log-watch.ts
 *                how it stands to the log, copies-watch.ts how the NATS servers keep up, clock-watch.ts whether its clock is
 *                right, peers.ts hears the others, market-turn.ts which gateway runs the simulated market, rules-upgrade.ts
 *                has the venue go by later rules, old-messages.ts removes from the log what nobody needs any more. It begins with
 *                what it has (state-opened.ts), or with the state of another core (state-given.ts, state-taken.ts, state-files.ts)
 *   authority.ts makes the certificates by which its processes know one another
 *   beginning.ts makes a venue's log and what belongs to it; import.ts brings a venue into it, which imported.ts reads
 *   upkeep.ts    what a person does: status, resign, and looking after the log
 */
export { askCore, askCores } from './peers.ts'
export type { RulesUpgraded } from './rules-upgrade.ts'
export { startCore } from './core.ts'
export { asCannotStart } from './log-address.ts'
export { makeCertificates } from './authority.ts'
export { initCluster } from './beginning.ts'
export { importVenue } from './import.ts'
export { logStatus, rebuildLog, repairLog, verifyLog } from './upkeep.ts'
