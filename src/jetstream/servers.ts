/**
 * The NATS servers, as they say of themselves on their monitor ports: a stream is only as safe as the servers that keep it.
 *
 * Silent    a monitor port that does not answer says nothing of its server, which may be away. It is told apart from what is wrong
 * Synced    each server of the stream writes to disk before it acknowledges (`sync_interval: always`). With the server's own
 *           setting a loss of power takes what was acknowledged in the last two minutes
 * Version   before 2.10.23 whole streams were lost when a server was killed
 * Members   servers that begin in the same moment may miss one another for good: their routes stand, and the one that leads JetStream
 *           does not know each of them. Seen with 2.10.27 in one of ten beginnings. Ending such a server and starting it anew helps
 */
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import { text as textOf } from 'node:stream/consumers'
import { ClusterWrong, type ServersTrust } from './connection.ts'
import { payloadBytesMin } from './stream.ts'

const versionMin = [2, 10, 23] as const
const monitorMsMax = 5_000

/** What `/varz` of a monitor port says, of that what is asked. */
interface Varz {
  readonly server_name?: string
  readonly version?: string
  readonly max_payload?: number
  readonly jetstream?: { readonly config?: { readonly sync_always?: boolean }; readonly meta?: Meta }
}

/** The cluster of JetStream. Only the server that leads it names the others. */
interface Meta {
  readonly name?: string
  readonly leader?: string
  readonly replicas?: readonly { readonly name: string }[]
}

/** What the monitor ports told. */
export interface ServersSeen {
  /** What is wrong with servers that answer, with how they know one another, and servers of which no port was named. */
  readonly wrong: readonly string[]
  /** Ports that do not answer, each with its reason. */
  readonly silent: readonly string[]
  /** Whether more than half of the servers of the stream answered. */
  readonly isMost: boolean
}

/** `peers` are the names of the servers of a stream. */
export async function seeServers(
  monitors: readonly string[],
  peers: readonly string[],
  tls?: ServersTrust,
): Promise<ServersSeen> {
  const wrong: string[] = []
  const silent: string[] = []
  const seen = new Map<string, Meta | undefined>()
  for (const told of await Promise.all(monitors.map((monitor) => varzOf(monitor, tls)))) {
    if (typeof told === 'string') {
      silent.push(told)
      continue
    }
    const { server_name: name = 'without a name', version, max_payload: payload, jetstream } = told
    seen.set(name, jetstream?.meta)
    const of = `of the NATS server ${name}`
    wrong.push(...versionFaults(version, of), ...payloadFaults(payload, of))
    if (jetstream?.config?.sync_always !== true) wrong.push(`sync_interval ${of} must be "always"`)
  }
  const unseen = peers.filter((peer) => !seen.has(peer))
  // Those that do not answer may be ports of just these.
  if (unseen.length > silent.length) {
    for (const peer of unseen) wrong.push(`--nats-monitor names no monitor port of the NATS server ${peer}`)
  }
  wrong.push(...memberFaults(seen))
  return { wrong, silent, isMost: (peers.length - unseen.length) * 2 > peers.length }
}

/** Every fault of the servers of a stream, and who does not answer. */
export async function serverFaults(
  monitors: readonly string[],
  peers: readonly string[],
  tls?: ServersTrust,
): Promise<string[]> {
  const { wrong, silent } = await seeServers(monitors, peers, tls)
  return [...silent, ...wrong]
}

function memberFaults(servers: ReadonlyMap<string, Meta | undefined>): string[] {
  const found: string[] = []
  for (const [leader, meta] of servers) {
    if (meta?.leader !== leader) continue
    const members = new Set([leader, ...(meta.replicas ?? []).map(({ name }) => name)])
    for (const [name, own] of servers) {
      if (own?.name !== meta.name || members.has(name)) continue
      found.push(
        `the NATS server ${leader}, which leads JetStream, does not know ${name}: end that one and start it anew`,
      )
    }
  }
  return found
}

/** Rejects with ClusterWrong, which names every fault of the servers, before there is a stream. */
export async function assertServers(monitors: readonly string[], tls?: ServersTrust): Promise<void> {
  const faults = await serverFaults(monitors, [], tls)
  if (faults.length > 0) throw new ClusterWrong(faults.join('; '))
}

export function versionFaults(version: string | undefined, of: string): string[] {
  const parts = (version ?? '').split(/[.-]/, 3).map(Number)
  const place = versionMin.findIndex((least, index) => parts[index] !== least)
  if (place < 0 || parts[place] > versionMin[place]) return []
  return [`version ${of} is ${version ?? 'unknown'}, and must be ${versionMin.join('.')} or later`]
}

export function payloadFaults(bytes: number | undefined, of: string): string[] {
  if ((bytes ?? 0) >= payloadBytesMin) return []
  return [`max_payload ${of} is ${bytes ?? 'unknown'}, and must be ${payloadBytesMin} or more`]
}

async function varzOf(monitor: string, tls: ServersTrust | undefined): Promise<Varz | string> {
  const url = new URL('/varz', monitor)
  try {
    const signal = AbortSignal.timeout(monitorMsMax)
    const request = url.protocol === 'https:' ? https.get(url, { ...tls?.(), signal }) : http.get(url, { signal })
    const [answer] = (await once(request, 'response', { signal })) as [http.IncomingMessage]
    if (answer.statusCode !== 200) throw new ClusterWrong(`it answers ${answer.statusCode}`)
    return JSON.parse(await textOf(answer)) as Varz
  } catch (cause) {
    const { message, cause: deeper } = cause as Error
    return `the monitor port ${url.host} does not answer: ${deeper instanceof Error ? deeper.message : message}`
  }
}
