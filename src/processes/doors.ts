/**
 * The doors of a venue: the interface with its sockets, on one port, and what is seen there besides.
 *
 * Same     for one process, for a gateway and for a laboratory: what differs is handed in
 * Closes   by `closeAtEnd`, sockets before the port
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type ApiOptions, createApi, type KeyIssuer, referencePages, type SharedReads } from '../api/api.ts'
import type { DoorsRuntime } from '../gateway/gateway.ts'
import type { History } from '../history/history.ts'
import type { Page } from '../http/http.ts'
import type { Way } from '../lab/lab.ts'
import type { Market } from '../market/market.ts'
import {
  type Configuration,
  type Degradations,
  demoKeysFile,
  endpointLimitsOf,
  type Health,
  healthPage,
  isHealthy,
  loggingAnswers,
  MarketCounts,
  Metrics,
  metricsPage,
  openStatusListener,
  type VenueCertificate,
  watchDailyOrders,
} from '../operator/operator.ts'
import { CommandNotSequenced } from '../runtime/runtime.ts'
import { channelPages, isStreamPath, Stream } from '../stream/stream.ts'
import { terminalPages } from '../terminal/terminal.ts'

/** Where whoever watches the process is told. */
export async function openStatus({ status }: Configuration, pages: readonly Page[], closeAtEnd: Inside['closeAtEnd']) {
  if (status !== '') closeAtEnd(await openStatusListener(status, pages))
}

/** What clients see besides the interface. */
export function clientPages(configuration: Configuration, isDemo: boolean, isSecured: boolean): Page[] {
  const keysShown = isDemo ? readFileSync(join(configuration.data, demoKeysFile), 'utf8') : ''
  return terminalPages({
    demoKeys: isDemo ? () => keysShown : undefined,
    over: isSecured ? 'https' : 'http',
    demoKeysTo: configuration.demoKeysOverHttp,
    docs: configuration.docs === 'on',
  })
}

export type CountShared = NonNullable<ApiOptions['rateLimits']['shared']>

/** What the doors of a venue open on, wherever that keeps its state. */
export interface Inside {
  readonly configuration: Configuration
  /** Absent: clients speak as they are. */
  readonly certificate?: VenueCertificate | undefined
  readonly runtime: DoorsRuntime
  readonly history: History
  readonly market: Market
  readonly keys: KeyIssuer
  readonly health: () => Health
  /** What /health says besides. */
  readonly more?: () => object
  readonly degradations: Degradations
  /** Of the metrics, where there are several processes. */
  readonly labels?: Readonly<Record<string, string>>
  readonly connectionsMax: number
  readonly log: Logger
  readonly closeAtEnd: (close: () => Promise<void> | void) => void
  /** Its limits follow the venue's clock, and what it makes up comes from here; absent: the system's. */
  readonly byVenue?: Pick<ApiOptions, 'random' | 'loadShedder' | 'mark'>
  /** What stands around calls and messages; absent: nothing. */
  readonly way?: Way
  /** Counts calls for all gateways together; absent: there is no other. */
  readonly countShared?: CountShared
  /** Reads that pass at other gateways. */
  readonly reads?: SharedReads
  /** Of signed requests, by their hash. */
  readonly seenByAny?: ApiOptions['seenByAny']
  /** The last proof of reserves; absent: there is no other gateway. */
  readonly sharedProof?: ApiOptions['sharedProof']
  /** What ids of requests begin with; absent: when it began. */
  readonly run?: ApiOptions['run']
  /** Others listen on the same port. */
  readonly reusePort?: boolean
  /** Besides the reference, /health and /metrics. */
  readonly pages: readonly Page[]
  /** Adds routes of another kind. */
  readonly extra?: (app: FastifyInstance) => void
}

/** Longer than a venue takes that lives for a test. */
const documentsAfterMs = 10_000

/** The interface with its sockets, open on one port. */
export async function openDoors(inside: Inside) {
  const { configuration, certificate, runtime, history, market, keys, health, degradations } = inside
  const {
    connectionsMax,
    log,
    closeAtEnd,
    byVenue,
    way,
    pages,
    extra,
    countShared,
    reads,
    seenByAny,
    sharedProof,
    run,
    reusePort,
    more,
  } = inside
  const documents = configuration.docs === 'on' ? [referencePages(), channelPages] : []
  const counts = new MarketCounts()
  runtime.addConsumer(counts)
  const sources = { runtime, history, healthy: () => isHealthy(health()), degradations, counts }
  const metrics = new Metrics(sources, inside.labels)
  const api = createApi({
    core: watchDailyOrders(runtime, configuration, log),
    history,
    market,
    keys,
    rateLimits: {
      enabled: !configuration.noRateLimits,
      perSecond: endpointLimitsOf(configuration),
      perAddressPerMinute: configuration.callsPerAddressPerMinuteMax,
      shared: countShared,
      reads,
    },
    proxies: configuration.trustedProxies,
    timestampWindowMs: configuration.timestampWindowMs,
    systemClock: () => runtime.clock.systemNow(),
    refuseRepeatedRequests: configuration.refuseReplays,
    seenByAny,
    sharedProof,
    run,
    dailyOrdersWarning: configuration.dailyOrdersWarning,
    v3Dialect: configuration.v3Dialect,
    onTrouble: (trouble, endpoint, requestId) => {
      // A laboratory made it up.
      if ((trouble as { readonly isPretended?: true }).isPretended) return
      const of = { endpoint: endpoint?.path, requestId }
      // No defect, and there may be thousands a second: why is told once, by health.
      if (trouble instanceof CommandNotSequenced) {
        return log.warn({ ...of, reason: trouble.message }, 'a request was refused: nothing was sequenced')
      }
      log.error({ err: trouble, ...of }, 'a request met trouble')
    },
    onAnswered: loggingAnswers(log, metrics.answered),
    upgrades: isStreamPath,
    connectionsMax,
    tls: certificate?.tls,
    connectionsPerAddressMax: configuration.connectionsPerAddressMax,
    pages: [
      ...documents.flatMap((document) => document.pages),
      healthPage(health, byVenue ? () => ({ lab: true }) : more),
      ...(configuration.metrics === 'public' ? [metricsPage(metrics)] : []),
      ...pages,
    ],
    ...(byVenue && { clock: 'venue', ...byVenue }),
    ...(way && { around: way }),
    ...(extra && { extra }),
  })
  closeAtEnd(() => api.close())
  const stream = new Stream({
    api: { ...api, server: api.app.server },
    core: runtime,
    history,
    market,
    keys,
    connectionsPerAddressMax: configuration.streamConnectionsPerAddressMax,
    bounds: {
      subscriptionsMax: configuration.streamSubscriptionsMax,
      bytesBufferedMax: configuration.streamBytesBufferedMax,
      limited: !configuration.noRateLimits,
    },
    ...(byVenue && { clock: 'venue' }),
    ...(way && { around: way }),
    v3Dialect: configuration.v3Dialect,
    onTrouble: (trouble) => log.error({ err: trouble }, 'a stream met trouble'),
  })
  runtime.addConsumer(stream)
  closeAtEnd(() => stream.close())
  metrics.addStream(stream.counts)
  if (certificate !== undefined) metrics.addCertificate(() => certificate.expiresAt)
  const url = await api.listen({ host: configuration.host, port: configuration.port, ...(reusePort && { reusePort }) })
  // Before somebody asks: to make one holds orders up.
  const making = setTimeout(() => {
    for (const document of documents) void document.make()
  }, documentsAfterMs).unref()
  closeAtEnd(() => clearTimeout(making))
  return { url, api, stream, metrics }
}
