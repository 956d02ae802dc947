/** Where a gateway, and who writes the history, find a core, and what each says of itself there. */
import { join } from 'node:path'
import { releaseName } from '../api/api.ts'
import { Engine } from '../engine/engine.ts'
import type { CorePlace } from '../gateway/gateway.ts'
import { CannotStart, clusterTrust, type Configuration, placeOf, processLabels } from '../operator/operator.ts'
import { coreSocketFile, handshakeOf, type ProcessAbout, StrangerRefused } from '../replication/replication.ts'

/** As cores hear of it. */
export function aboutProcess(role: 'gateway' | 'history', configuration: Configuration): ProcessAbout {
  const { status, data } = configuration
  const at = role === 'gateway' ? processLabels(role, configuration)['node'] : status || data
  return { process: `${role} ${at}`, release: releaseName(), rules: Engine.range }
}

/** Where the core listens: the socket of the same data directory, unless an address is named. */
export function placeOfCore(configuration: Configuration): CorePlace {
  const { data, cores } = configuration
  if (cores.length === 0) return join(data, coreSocketFile)
  const handshake = handshakeOf(clusterTrust(configuration))
  const doors = cores.map((core) => ({ ...placeOf(core), handshake }))
  return doors.length > 1 ? doors : doors[0]
}

/** A core that does not take whoever speaks to it is one clear line. */
export async function unlessStrange<Begun>(beginning: Promise<Begun>): Promise<Begun> {
  try {
    return await beginning
  } catch (cause) {
    if (!(cause instanceof StrangerRefused)) throw cause
    throw new CannotStart(`--cores: ${cause.message}`, { cause })
  }
}
