/**
 * The venue over several processes of one machine: one core, and gateways that clients speak to. This is the door of the room.
 *
 *   gateway   core-connection.ts → gateway-runtime.ts (commands to the core, an engine of its own), remote-keys.ts, remote-history.ts,
 *             market-in-turn.ts (the simulated market of a venue of several cores); standstill.ts: what sockets are told when
 *             nothing new comes; told-reads.ts: what passed at the others;
 *             shared-proof.ts: one proof of reserves for all
 *   core      core-answers.ts: what it tells gateways beside the batches
 *   history   history-process.ts writes it into PostgreSQL; row-answers.ts: what it lacks out of the core's history
 *   link      link-watch.ts: how quick it is; while-cores-change.ts: a start outlives the core that it asks
 *   all       supervisor.ts starts them, and starts anew what died
 *
 * Holds     nothing on a gateway has to survive
 * Source    scale.md §5 to §7
 */
export { CoreConnection, type CorePlace } from './core-connection.ts'
export { coreAnswers } from './core-answers.ts'
export { type DoorsRuntime, GatewayRuntime } from './gateway-runtime.ts'
export { MarketInTurn } from './market-in-turn.ts'
export { type HistoryProcess, openHistoryProcess } from './history-process.ts'
export { LinkWatch } from './link-watch.ts'
export { proofOfCore } from './shared-proof.ts'
export { remoteHistory } from './remote-history.ts'
export { RemoteKeys } from './remote-keys.ts'
export { Standstill } from './standstill.ts'
export { hearReads, type ReadsTold, tellReads } from './told-reads.ts'
export { ChildFailed, freePort, supervise } from './supervisor.ts'
export { whileCoresChange } from './while-cores-change.ts'
