/**
 * The stream that is the log: how it is made, and what it must be like before a core writes to it.
 *
 * Kept      in files of three servers or five, for ever: nothing goes by age, number or size. A single message cannot be deleted;
 *           what is before a position can be purged (`Log.removeBefore`)
 * Fence     is the last sequence of the stream, so it has one subject, and nothing else flows in or out
 * Answers   come from the server that leads it: another may be behind
 * Made      by `tidemark cluster init` alone. A core that finds another stream refuses it, and names the settings
 * Venue     has an id that no other has, in the metadata of the stream
 */
import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { ClusterWrong, type NatsLink } from './connection.ts'

/** A submission of 4 MiB goes in one message, and is read as text. */
export const payloadBytesMin = 8 * 1024 * 1024

/** In the metadata of the stream. */
const venueIdKey = 'tidemark_venue_id'

/** Of JetStream: no suitable servers for a stream, and more than one copy without a cluster. */
const tooFewServers: readonly number[] = [10005, 10074]

/** Servers that have just met need a while to agree on who keeps it. */
const makingMsMax = 10_000

export function streamOf(venue: string): string {
  return `TIDEMARK_${venue}`
}

export function subjectOf(venue: string): string {
  return `tidemark.${venue}.log`
}

/** Which venue's log it is, beyond its name. */
export function venueIdOf({ metadata }: Partial<StreamConfig>): string | undefined {
  return metadata?.[venueIdKey]
}

/** Letters, digits, `-` and `_`: what a stream's name may have. */
export function isVenueName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name)
}

/** Settings that are this and nothing else. */
const fixed = {
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  discard: DiscardPolicy.New,
  max_age: 0,
  max_msgs: -1,
  max_bytes: -1,
  max_msg_size: -1,
  max_msgs_per_subject: -1,
  deny_delete: true,
  deny_purge: false,
  allow_direct: false,
  mirror_direct: false,
  allow_rollup_hdrs: false,
  no_ack: false,
  sealed: false,
} as const satisfies Partial<StreamConfig>

/** Settings that must not be there. */
const absent = ['mirror', 'sources', 'republish', 'subject_transform', 'allow_msg_ttl', 'allow_msg_counter'] as const

const replicasAllowed = [3, 5]

/** Every setting that is not as it must be: what it is, and what it must be. Not there is what the server takes as off. */
export function faultsOf(config: Partial<StreamConfig>, venue: string): string[] {
  const found: string[] = []
  const told = config as Readonly<Record<string, unknown>>
  const note = (setting: string, wanted: string) =>
    found.push(`${setting} is ${JSON.stringify(told[setting]) ?? 'not set'}, and must be ${wanted}`)
  for (const [setting, wanted] of Object.entries(fixed)) {
    const off = typeof wanted === 'boolean' ? false : wanted
    if ((told[setting] ?? off) !== wanted) note(setting, JSON.stringify(wanted))
  }
  const subject = subjectOf(venue)
  if (config.subjects?.length !== 1 || config.subjects[0] !== subject) note('subjects', JSON.stringify([subject]))
  if (!replicasAllowed.includes(config.num_replicas ?? 1)) note('num_replicas', replicasAllowed.join(' or '))
  if ((told['persist_mode'] ?? 'default') === 'async') note('persist_mode', '"default"')
  for (const setting of absent) {
    const value = told[setting]
    if (value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)) note(setting, 'absent')
  }
  if (!venueIdOf(config))
    found.push('it does not say which venue it belongs to: tidemark cluster init makes one that does')
  return found
}

/** Rejects with ClusterWrong, where the cluster has no such stream. */
export async function streamInfo({ manager }: NatsLink, venue: string): Promise<StreamInfo> {
  try {
    return await manager.streams.info(streamOf(venue))
  } catch (cause) {
    if (!(cause instanceof JetStreamApiError) || cause.code !== JetStreamApiCodes.StreamNotFound) throw cause
    throw new ClusterWrong(`there is no stream ${streamOf(venue)}: tidemark cluster init makes it`, { cause })
  }
}

/** Makes the stream of a new venue. Rejects where one of its name is there already. */
export async function makeStream({ nats }: NatsLink, venue: string, venueId: string): Promise<void> {
  const manager = await jetstreamManager(nats, { timeout: makingMsMax, checkAPI: false })
  const name = streamOf(venue)
  const wanted = {
    ...fixed,
    name,
    subjects: [subjectOf(venue)],
    num_replicas: replicasAllowed[0],
    metadata: { [venueIdKey]: venueId },
  }
  const isThere = await manager.streams.info(name).then(
    () => true,
    (error: unknown) => {
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return false
      throw error
    },
  )
  if (isThere) throw new ClusterWrong(`there is a stream ${name} already`)
  try {
    await manager.streams.add(wanted)
  } catch (cause) {
    if (!(cause instanceof JetStreamApiError) || !tooFewServers.includes(cause.code)) throw cause
    throw new ClusterWrong(`JetStream knows fewer than ${wanted.num_replicas} NATS servers: ${cause.message}`, {
      cause,
    })
  }
}

/** With all that is in it. */
export async function removeStream({ nats }: NatsLink, venue: string): Promise<void> {
  const manager = await jetstreamManager(nats, { timeout: makingMsMax, checkAPI: false })
  await manager.streams.delete(streamOf(venue))
}
