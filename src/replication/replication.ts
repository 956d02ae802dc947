/**
 * One venue over several processes. This is the door of the room.
 *
 *   an order's way   remote-core.ts (gateway) → core-links.ts (core that leads) → log-writer.ts (log) → the engine of the core,
 *                    and back as a committed batch → the engine of the gateway → the reply
 *   who leads        replicated-core.ts: follow, claim, lead; follower.ts applies what others wrote
 *   what is shared   log.ts (the port), told-log.ts (where who leads tells it), message.ts (what stands in it), log-check.ts (what every reader holds against it)
 *
 * Holds   one order of messages, and one writer at a time, whatever the processes believe · what was answered stands in the log
 *         · what was refused as never sequenced does not, and never will
 *   removed          log-removal.ts: what nobody needs any more
 *   compared         hash-comparison.ts, state-hashes.ts: whoever computed something else than the others ends
 *   connections      link-server.ts, socket-link.ts, wire.ts; handshake.ts (token-handshake.ts, tls-handshake.ts, trust.ts)
 *                    where others could reach the port
 *   one core         core-service.ts (the only core, and where it listens), linked-journal.ts, origin-file.ts
 *
 * Not here the engine, which knows nothing of it; `tidemark start`, which loads nothing of it
 */
export type { FrameDown, FrameUp, ProcessAbout, SavedState } from './frames.ts'
export { asked, Asking } from './asking.ts'
export { LinkCounts, LogCounts } from './counts.ts'
export { CoreLinks } from './core-links.ts'
export { coreSocketFile, CoreService, type CoreServicePorts } from './core-service.ts'
export { type CommandHearer, ReplicaOdd } from './follower.ts'
export { type Handshake, StrangerRefused, type TcpDoor } from './handshake.ts'
export { FollowedHashes, HashComparison, type HashVote, StateDiffers } from './hash-comparison.ts'
export { LiveHashes, TwinHashes } from './state-hashes.ts'
export { Fenced, type Log, LogBroken, LogDown, type LogEntry, LogUnknown } from './log.ts'
export { type LogEnd, logStart, readNext } from './log-check.ts'
export { type HolderTold, type LogHolder, LogRemoval } from './log-removal.ts'
export { LogWriter } from './log-writer.ts'
export { decodeMessage, encodeMessage, importNote, importNoteOf, type Message, type ReadMessage } from './message.ts'
export { RemoteCore } from './remote-core.ts'
export { type CoreState, type CoreTold, ReplicatedCore } from './replicated-core.ts'
export { type Alive, coreAsk, LinkServer } from './link-server.ts'
export { SocketLink } from './socket-link.ts'
export { systemTimers, type Timers } from './timers.ts'
export { ToldLog } from './told-log.ts'
export { handshakeOf, type Trust } from './trust.ts'
export type { WireFrame } from './wire.ts'
