/**
 * A core of one machine, in place of doors: gateways have those, and it has a socket for them.
 */
import { releaseName } from '../api/api.ts'
import { Engine } from '../engine/engine.ts'
import { coreAnswers } from '../gateway/gateway.ts'
import {
  addGateways,
  clusterTrust,
  endpointLimitsOf,
  isHealthy,
  MarketCounts,
  Metrics,
  placeOf,
  processLabels,
  type SealedKeyStore,
  type simulatedPast,
} from '../operator/operator.ts'
import { CoreService, handshakeOf, TwinHashes } from '../replication/replication.ts'
import type { Core, Runtime } from '../runtime/runtime.ts'
import type { Inside } from './doors.ts'

export function newCoreService(dataDirectory: string): CoreService {
  return new CoreService(dataDirectory, { process: 'core', release: releaseName(), rules: Engine.range })
}

interface ToGateways extends Pick<Inside, 'configuration' | 'certificate' | 'history' | 'health' | 'degradations'> {
  readonly runtime: Runtime
  /** Undefined: gateways read them in PostgreSQL. */
  readonly keys: SealedKeyStore | undefined
  readonly revokedKeys: () => readonly string[]
  /** What gateways submit goes to. */
  readonly core: Core
  readonly closeAtEnd: Inside['closeAtEnd']
  readonly past: Parameters<typeof simulatedPast>[1]
  readonly venue: string
  readonly historyFile: string
}

/** In place of doors: gateways have those, at the address that clients are told. */
export async function openToGateways(service: CoreService, parts: ToGateways) {
  const { configuration, certificate, runtime, history, keys, health, degradations, closeAtEnd, core } = parts
  const counts = new MarketCounts()
  runtime.addConsumer(counts)
  const sources = { runtime, history, healthy: () => isHealthy(health()), degradations, counts }
  const metrics = new Metrics(sources, processLabels('core', configuration))
  addGateways(metrics, () => service.gateways)
  const rateLimits = { enabled: !configuration.noRateLimits, perSecond: endpointLimitsOf(configuration) }
  runtime.addConsumer(service.consumer)
  closeAtEnd(() => service.close())
  if (keys !== undefined) closeAtEnd(keys.watch((uid) => service.tell('keys', keys.of(uid))))
  const submitAll: Core['submitAll'] = (commands, trace) => core.submitAll(commands, trace)
  const linked = {
    submitAll,
    savedState: () => runtime.savedState(),
    get sequence() {
      return runtime.sequence
    },
  }
  const { listen } = configuration
  const door = listen === '' ? undefined : { ...placeOf(listen), handshake: handshakeOf(clusterTrust(configuration)) }
  const { timestampWindowMs } = configuration
  const tell = (what: string, value: unknown) => service.tell(what, value)
  const answers = coreAnswers({ ...parts, rateLimits, timestampWindowMs, tell, now: () => runtime.now() })
  const { hashEvery, clock } = configuration
  const greeting = () => ({ ...answers.greeting(), hashEvery, clock })
  const tellHash = (sequence: number, hash: string) => service.tell('settledHash', { sequence, hash })
  runtime.addConsumer(new TwinHashes(configuration.hashEvery, (sequence) => runtime.snapshot(sequence), tellHash))
  await service.open({ runtime: linked, ...answers, greeting }, door)
  const { host, port } = configuration
  return { url: `${certificate === undefined ? 'http' : 'https'}://${host}:${port}`, metrics }
}
