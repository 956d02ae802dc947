/**
 * The NATS servers, as they say of themselves on their monitor ports: a stream is only as safe as the servers that keep it.
 *
 * Synced    each server of the stream writes to disk before it acknowledges (`sync_interval: always`). With the server's own
 *           setting a loss of power takes what was acknowledged in the last two minutes
 * Version   before 2.10.23 whole streams were lost when a server was killed
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
  readonly jetstream?: { readonly config?: { readonly sync_always?: boolean } }
}

/** Every fault of the servers of a stream; `peers` are their names. */
export async function serverFaults(
  monitors: readonly string[],
  peers: readonly string[],
  tls?: ServersTrust,
): Promise<string[]> {
  const found: string[] = []
  const seen = new Set<string>()
  for (const monitor of monitors) {
    const told = await varzOf(monitor, tls)
    if (typeof told === 'string') {
      found.push(told)
      continue
    }
    const { server_name: name = monitor, version, max_payload: payload, jetstream } = told
    seen.add(name)
    const of = `of the NATS server ${name}`
    found.push(...versionFaults(version, of), ...payloadFaults(payload, of))
    if (jetstream?.config?.sync_always !== true) found.push(`sync_interval ${of} must be "always"`)
  }
  for (const peer of peers) {
    if (!seen.has(peer)) found.push(`--nats-monitor names no monitor port of the NATS server ${peer}`)
  }
  return found
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
