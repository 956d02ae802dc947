/**
 * `tidemark gateway`: clients speak to it, and it to a core. Put together in the order in which an order meets the rooms.
 *
 * Begins   anew, as a process, when what it has told does not go on
 * Asks     the core until that one serves: a start outlives the core that it asks
 */
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { SharedReads } from '../api/api.ts'
import { Engine } from '../engine/engine.ts'
import {
  CoreConnection,
  type DoorsRuntime,
  GatewayRuntime,
  hearReads,
  LinkWatch,
  MarketInTurn,
  proofOfCore,
  type ReadsTold,
  remoteHistory,
  RemoteKeys,
  Standstill,
  tellReads,
  whileCoresChange,
} from '../gateway/gateway.ts'
import { openMarket } from '../market/market.ts'
import {
  addLink,
  CannotStart,
  type Configuration,
  connectionsAllowed,
  Degradations,
  demoKeysFile,
  healthOf,
  healthPage,
  IndexHalts,
  isLoopbackAddress,
  linkOf,
  linkTroubles,
  loadKeysInPostgres,
  loadPostgres,
  masterKeyFile,
  masterSeal,
  metricsPage,
  openFilesLeft,
  processLabels,
  type ProcessParts,
  recordedPrices,
  simulatedPast,
  simulatorUids,
  VenueCertificate,
} from '../operator/operator.ts'
import { type Core, monotonicNow } from '../runtime/runtime.ts'
import { Simulator } from '../simulator/simulator.ts'
import { aboutProcess, placeOfCore, unlessStrange } from './core-place.ts'
import { clientPages, type CountShared, openDoors, openStatus } from './doors.ts'

/** How often it is looked whether a gateway still hears something new. */
const standstillEveryMs = 100

/** `tidemark gateway`: clients speak to it, and it to the core whose data directory it is told. Resolves when it takes requests. */
export async function startGateway(configuration: Configuration, { log, onFatal, masterKey }: ProcessParts) {
  const place = placeOfCore(configuration)
  await using opened = new AsyncDisposableStack()
  const closeAtEnd = (close: () => Promise<void> | void) => opened.defer(close)
  const connectionsMax = connectionsAllowed(configuration.connectionsMax, log)
  const certificate = VenueCertificate.open(configuration, log)
  const inPostgres = await keysOfGateway(configuration, masterKey, log)
  closeAtEnd(() => inPostgres?.close())
  const session = randomInt(2 ** 47) + 1
  const runtime = new GatewayRuntime({
    engineClass: Engine,
    about: aboutProcess('gateway', configuration),
    session,
    replyTimeoutMs: configuration.replyTimeoutMs,
    leaderWaitMs: configuration.leaderWait,
    clockLeapMsMax: configuration.clockLeapMsMax,
    log,
    onLost: (reason) => onFatal(new Error(`this gateway begins anew: ${reason}`)),
    onOdd: onFatal,
    onUnfit: onFatal,
    onCommand: (command, at) => {
      if (command.kind === 'record-key-change') inPostgres?.heard(command, at)
    },
    settled: () => inPostgres?.settled(),
  })
  closeAtEnd(() => runtime.stop())
  let serves = false
  const ask: CoreConnection['ask'] = (what, ...args) => {
    const asking = () => connection.ask(what, ...args)
    return serves ? asking() : whileCoresChange(asking)
  }
  const remoteKeys = new RemoteKeys(ask)
  const reads = new SharedReads()
  const told = (what: string, value: unknown) => {
    if (what === 'keys') remoteKeys.take(value as never)
    else if (what === 'reads') hearReads(reads, session, value as ReadsTold)
    else runtime.hear(what, value)
  }
  const connection = new CoreConnection(place, runtime.remote, told, (trouble) =>
    log.error({ err: trouble }, 'what the core said could not be taken'),
  )
  closeAtEnd(() => connection.close())
  connection.open()
  await unlessStrange(Promise.race([runtime.begun, connection.refused]))
  await assertVenue(configuration, ask)
  await assertKeysThere(configuration, ask)
  const recordings = await marketToRun(configuration, runtime, ask)
  await inPostgres?.load((await ask('revokedKeys')) as readonly string[])
  const keys = inPostgres ?? remoteKeys
  const history = await historyOfGateway(configuration, runtime, ask)
  closeAtEnd(() => history.close())
  const past = simulatedPast(runtime, (await ask('past')) as Parameters<typeof simulatedPast>[1])
  const market = await openMarket(runtime, history, { past })
  const indexHalts = new IndexHalts(runtime, log)
  runtime.addConsumer(indexHalts)
  const watch = new LinkWatch(runtime.remote)
  closeAtEnd(() => watch.stop())
  const link = linkOf({ runtime, connection, watch })
  const more = () => linkTroubles(link)
  const degradations = new Degradations({ runtime, history, indexHalts, more, filesLeft: openFilesLeft, log })
  closeAtEnd(() => degradations.stop())
  const health = () => healthOf(runtime.health(), history.health(), degradations.sentences())
  const isDemo = existsSync(join(configuration.data, demoKeysFile))
  serves = true
  const doors = await openDoors({
    configuration,
    certificate,
    runtime,
    history,
    market,
    keys,
    health,
    degradations,
    labels: processLabels('gateway', configuration),
    connectionsMax,
    log,
    closeAtEnd,
    pages: clientPages(configuration, isDemo, certificate !== undefined),
    countShared: (endpoint, uid, copyTrader) =>
      ask('count', `${endpoint.method} ${endpoint.path}`, uid, copyTrader) as ReturnType<CountShared>,
    reads,
    seenByAny: (hash) => ask('seen', hash) as Promise<boolean>,
    sharedProof: proofOfCore(ask),
    run: session,
    reusePort: true,
    more: () => ({
      stale: runtime.staleness !== 'none',
      ...(simulated === undefined ? {} : { simulator: simulated.state }),
    }),
  })
  closeAtEnd(tellReads(reads, session, ask))
  let simulated: MarketInTurn | undefined
  if (recordings !== undefined) {
    const { seed } = configuration
    const open = (core: Core) => new Simulator({ core, seed, ...simulatorUids(core), ...recordings, log })
    simulated = new MarketInTurn({ ask, session, core: runtime, open, now: monotonicNow, log })
    closeAtEnd(() => simulated?.stop())
  }
  addLink(doors.metrics, link)
  await openStatus(configuration, [healthPage(health), metricsPage(doors.metrics)], closeAtEnd)
  const { stream } = doors
  const standstill = new Standstill(
    { staleness: () => runtime.staleness, warn: () => stream.warnStale(), end: () => stream.endStale(), log },
    standstillEveryMs,
  )
  closeAtEnd(() => standstill.stop())
  const renewCertificate = certificate && (() => certificate.renew(() => {}))
  const closing = opened.move()
  let stopped: Promise<void> | undefined
  return { url: doors.url, renewCertificate, stop: () => (stopped ??= closing.disposeAsync()) }
}

/** Hears commands from the first on, and reads rows once it is known which of them count no more. */
async function keysOfGateway({ postgres, data }: Configuration, masterKey: string | undefined, log: Logger) {
  if (postgres === '') return undefined
  const { PostgresKeyStore } = await loadKeysInPostgres()
  return new PostgresKeyStore({ url: postgres, seal: masterSeal(join(data, masterKeyFile), masterKey), log })
}

/** The cores are those of the venue that this gateway is told of. */
async function assertVenue({ venueId, cores }: Configuration, ask: CoreConnection['ask']): Promise<void> {
  const found = (await ask('venue')) as string
  if (venueId === '' || venueId === found) return
  throw new CannotStart(`--venue-id ${venueId}: the venue of the cores at ${cores.join(', ')} is ${found}`)
}

/**
 * Of several cores: what the simulated market of this gateway follows, where it is told to run one. Rejects with CannotStart where it
 * cannot, and where a demo venue would be reached from elsewhere.
 */
async function marketToRun(configuration: Configuration, runtime: DoorsRuntime, ask: CoreConnection['ask']) {
  const { simulator, host } = configuration
  const venue = (await ask('marketAtGateways')) as { readonly kind: string } | undefined
  if (venue === undefined) return undefined
  const isDemo = venue.kind === 'demo'
  if (isDemo && !isLoopbackAddress(host)) {
    throw new CannotStart(`--host ${host}: a demo venue has public keys, and listens on loopback only`)
  }
  if (simulator === 'off') return undefined
  if (!isDemo) throw new CannotStart('--simulator on: only a demo venue has a simulated market, and this one is empty')
  return { recordings: await recordedPrices(configuration, runtime, isDemo) }
}

/** Core and gateways are told of one database, or all of none. */
async function assertKeysThere({ postgres }: Configuration, ask: CoreConnection['ask']): Promise<void> {
  const keysIn = await ask('keysIn')
  if (keysIn === 'postgres' && postgres === '') {
    throw new CannotStart('--postgres: the core has its keys in PostgreSQL: name the same database')
  }
  if (keysIn !== 'postgres' && postgres !== '') {
    throw new CannotStart('--postgres: the core has its keys in its directory: start it with the same --postgres')
  }
}

/** The core reads it, or the gateway itself where it is told of a database. */
async function historyOfGateway({ postgres }: Configuration, runtime: DoorsRuntime, ask: CoreConnection['ask']) {
  if (postgres === '') return remoteHistory(ask)
  const { readHistoryInPostgres } = await loadPostgres()
  const venue = (await ask('venue')) as string
  return readHistoryInPostgres({ url: postgres, venue, begins: () => runtime.sequence }, (history) =>
    runtime.addConsumer(history),
  )
}
