/**
 * One venue over several processes. This is the door of the room.
 *
 *   an order's way   remote-core.ts (gateway) → core-links.ts (core that leads) → log-writer.ts (log) → the engine of the core,
 *                    and back as a committed batch → the engine of the gateway → the reply
 *   who leads        replicated-core.ts: follow, claim, lead; follower.ts applies what others wrote
 *   what is shared   log.ts (the port), message.ts (what stands in it), log-check.ts (what every reader holds against it)
 *
 * Holds   one order of messages, and one writer at a time, whatever the processes believe · what was answered stands in the log
 *         · what was refused as never sequenced does not, and never will
 *   one machine      core-service.ts (the only core, and its socket), linked-journal.ts, origin-file.ts; wire.ts, socket-link.ts
 *
 * Not here the engine, which knows nothing of it; `tidemark start`, which loads nothing of it
 */
export type { FrameDown, FrameUp, SavedState } from './frames.ts'
export { CoreLinks } from './core-links.ts'
export { coreSocketFile, CoreService, type CoreServicePorts } from './core-service.ts'
export { ReplicaOdd } from './follower.ts'
export { Fenced, type Log, LogBroken, LogDown, type LogEntry, LogUnknown } from './log.ts'
export { logStart, readNext } from './log-check.ts'
export { LogWriter } from './log-writer.ts'
export { decodeMessage, encodeMessage, type Message } from './message.ts'
export { type LinkUp, RemoteCore } from './remote-core.ts'
export { ReplicatedCore } from './replicated-core.ts'
export { SocketLink } from './socket-link.ts'
export type { Timers } from './timers.ts'
export type { WireFrame } from './wire.ts'
