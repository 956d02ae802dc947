/**
 * The log of several cores in NATS JetStream. This is the door of the room; nothing of it is loaded by a venue of one machine.
 *
 *   jetstream-log.ts   the log; stream.ts and servers.ts say what it needs, connection.ts how long it waits
 */
export { ClusterWrong, NatsLink } from './connection.ts'
export { type DamagedServer, JetStreamLog, type LogBounds, type LogCopy } from './jetstream-log.ts'
export { assertServers } from './servers.ts'
export { isVenueName, makeStream, removeStream, streamOf } from './stream.ts'
