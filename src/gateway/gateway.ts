/**
 * The venue over several processes of one machine: one core, and gateways that clients speak to. This is the door of the room.
 *
 *   gateway   core-connection.ts → gateway-runtime.ts (commands to the core, an engine of its own), remote-keys.ts, remote-history.ts
 *   core      core-answers.ts: what it tells gateways beside the batches
 *   both      supervisor.ts starts them, and starts anew what died
 *
 * Holds     nothing on a gateway has to survive
 * Source    scale.md §5 to §7
 */
export { CoreConnection } from './core-connection.ts'
export { coreAnswers } from './core-answers.ts'
export { type DoorsRuntime, GatewayRuntime } from './gateway-runtime.ts'
export { remoteHistory } from './remote-history.ts'
export { RemoteKeys } from './remote-keys.ts'
export { ChildFailed, freePort, supervise } from './supervisor.ts'
