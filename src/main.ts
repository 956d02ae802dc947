/**
 * The venue, put together: the rooms in the order in which an order meets them, from the directory that it is kept in to
 * the line that says that it is open.
 *
 * Starts   whole or not at all: what was opened before a step failed is closed again, in reverse
 * Stops    in reverse: no new requests, then what was accepted is finished, a snapshot, history, keys, the directory
 * Process  what ends it, and with which code: operator/process.ts
 * Source   design.md §1, §5, §6
 */
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import {
  type ApiOptions,
  createApi,
  type IssuedKey,
  type KeyIssuer,
  type NewKey,
  referencePages,
  releaseName,
  SeededRandom,
  SharedReads,
} from './api/api.ts'
import { Engine } from './engine/engine.ts'
import type { CoreConnection, CorePlace, DoorsRuntime, HistoryProcess, ReadsTold } from './gateway/gateway.ts'
import { type History, openHistory, openHistoryInMemory } from './history/history.ts'
import type { Page } from './http/http.ts'
import type {
  Beginning,
  Here,
  Lab,
  LabJournal,
  LabSettings,
  LabShelves,
  shown,
  VenueAsk,
  VenueParts,
  Way,
} from './lab/lab.ts'
import { type Market, openMarket } from './market/market.ts'
import type { CoreService, ProcessAbout } from './replication/replication.ts'
import {
  acceptedLosses,
  addGateways,
  addLink,
  announce,
  assertNothingLost,
  CannotStart,
  clusterTrust,
  chooseVenue,
  clockFile,
  type Configuration,
  connectionsAllowed,
  DataDirectory,
  Degradations,
  demoKeys,
  demoKeysFile,
  endpointLimitsOf,
  EquitySampler,
  hasCommands,
  type Health,
  healthOf,
  healthPage,
  historyFile,
  HistoryStatus,
  IndexHalts,
  isHealthy,
  isLoopbackAddress,
  giveDemoKeys,
  isToken,
  type KeyBook,
  keepPruning,
  keysFile,
  type LinkSource,
  linkTroubles,
  liveAnswersOf,
  loadPostgres,
  loggingAnswers,
  MarketCounts,
  masterKeyFile,
  masterSeal,
  MemoryKeyStore,
  Metrics,
  metricsPage,
  offsetKeeper,
  openFilesLeft,
  openLog,
  openMirror,
  openOperatorListener,
  openSimulatedMarket,
  openStatusListener,
  type OperatorPorts,
  pastAsked,
  pastNoted,
  pastShown,
  placeOf,
  prepareInMemory,
  prepareVenue,
  processLabels,
  type ProcessParts,
  recordedPrices,
  rememberReached,
  rememberRules,
  removeAddresses,
  roleOfKey,
  rulesKnown,
  runUntilEnded,
  type RunningVenue,
  SealedKeyStore,
  simulatedPast,
  simulatorUids,
  secretFile,
  tailOf,
  tellStartGap,
  tokenFile,
  Trail,
  TrailFile,
  trailFile,
  VenueCertificate,
  watchDailyOrders,
  withEquity,
  writeWholeFile,
  writeAddresses,
} from './operator/operator.ts'
import type { Mirror } from './mirror/mirror.ts'
import { type Recordings, Simulator } from './simulator/simulator.ts'
import {
  checkRules,
  type Core,
  monotonicNow,
  openRuntime,
  type RecoveryProgress,
  type Runtime,
  type RuntimeOptions,
} from './runtime/runtime.ts'
import { channelPages, isStreamPath, Stream } from './stream/stream.ts'
import type { PricePath } from './tape/tape.ts'
import { terminalPages } from './terminal/terminal.ts'

interface VenueOptions extends ProcessParts {
  /** While the journal is replayed. */
  readonly onReplay?: ((progress: RecoveryProgress) => void) | undefined
  /** Told the simulated market once it is open: for soaks, which make it quieter. */
  readonly onMarket?: (simulator: Simulator) => void
  /** Told the mirror and the core that it trades in, once it follows: for soaks and tests. */
  readonly onMirror?: (mirror: Mirror, core: Core) => void
  /** It is the core of gateways: clients speak to those. */
  readonly isCore?: boolean
  /** For tests that put faults in. */
  readonly faults?: Partial<Pick<RuntimeOptions, 'disk' | 'engineClass'>>
}

/** Resolves when requests are accepted. */
export async function startVenue(configuration: Configuration, options: VenueOptions): Promise<RunningVenue> {
  const { log } = options
  if (configuration.postgres !== '' && options.isCore !== true) {
    throw new CannotStart('--postgres: needs --gateways, as one process keeps its history in its directory')
  }
  if (configuration.listen !== '' && options.isCore !== true) {
    throw new CannotStart('--listen: needs --gateways, as one process has no core apart')
  }
  await using opened = new AsyncDisposableStack()
  const closeAtEnd = (close: () => Promise<void> | void) => opened.defer(close)

  const connectionsMax = connectionsAllowed(configuration.connectionsMax, log)

  // 1. The directory is ours alone, and we know what lives in it.
  const directory = DataDirectory.open(configuration.data)
  closeAtEnd(() => directory.close())
  const { narrowed, foreign } = directory.modes
  if (narrowed.length > 0) log.warn({ files: narrowed }, 'others could read these or change them: no longer')
  if (foreign.length > 0) log.warn({ files: foreign }, 'these belong to another user, who can read and change them')
  removeAddresses(directory)
  closeAtEnd(() => removeAddresses(directory))
  const record = chooseVenue(directory, configuration)
  const isDemo = record.kind === 'demo'
  if (record.keysInPostgres === true && configuration.postgres === '') {
    throw new CannotStart('--postgres: the keys of this venue are in PostgreSQL: name the database')
  }
  const certificate = VenueCertificate.open(configuration, log)
  assertNothingLost(directory, record, options.masterKey)
  const rules = rulesKnown(directory, record, Engine.rules)
  if (hasCommands(directory.path)) await checkRules(directory.path, rules, options.faults?.disk)

  // 2. History, before the engine: what is replayed must find it.
  const history = await openHistory(directory.file(historyFile), {
    keptBytesMax: configuration.keptRowsBytesMax,
  })
  closeAtEnd(() => history.close())

  const service = options.isCore === true ? await newCoreService(directory.path) : undefined

  // 3. The runtime brings the engine back to where it stood, and takes commands from here on.
  const runtime = await openRuntime({
    dataDirectory: directory.path,
    engineClass: Engine,
    engineModule: fileURLToPath(new URL('./engine/engine.ts', import.meta.url)),
    history: withEquity(history, log),
    durability: configuration.durability,
    clock: {
      kind: configuration.clock,
      leapMsMax: configuration.clockLeapMsMax,
      keeper: offsetKeeper(directory.file(clockFile)),
    },
    snapshotEvery: configuration.snapshotEvery,
    replyTimeoutMs: configuration.replyTimeoutMs,
    log,
    onFatal: options.onFatal,
    rules,
    reached: record.reached ?? 0,
    historyLossAccepted: acceptedLosses(record).includes(historyFile),
    wrapJournal: service && ((file) => service.wrap(file)),
    ...(options.onReplay && { onProgress: options.onReplay }),
    ...options.faults,
  })
  tellStartGap(runtime, log)
  closeAtEnd(async () => {
    await runtime.stop()
    rememberReached(directory, runtime, configuration, log)
  })
  if (runtime.rules !== undefined) rememberRules(directory, runtime.rules)
  const recovered = rememberReached(directory, runtime, configuration, log)

  // 4. Market data, refilled from history and fed with events. What history need not keep goes from it, little by little.
  const past = simulatedPast(runtime, pastNoted(record))
  const market = await openMarket(runtime, history, { past })
  const pruning = keepPruning(history, () => runtime.now(), log)
  closeAtEnd(() => pruning.end())

  // 5. Keys: who may speak for which account.
  const seal = masterSeal(directory.file(masterKeyFile), options.masterKey)
  const venue = record.id ?? (service && noteId(directory))
  const inPostgres =
    configuration.postgres === ''
      ? undefined
      : await keysInPostgres({
          url: configuration.postgres,
          directory,
          record,
          venue: venue!,
          seal,
          log,
          core: runtime,
        })
  const inFile =
    inPostgres === undefined ? new SealedKeyStore(directory.file(keysFile), seal, configuration.durability) : undefined
  const keys: KeyBook & { close(): void | Promise<void> } = inPostgres?.keys ?? inFile!
  closeAtEnd(() => keys.close())
  for (const { apiKey, uid, fault } of keys.unfit()) {
    log.warn({ apiKey, uid, fault }, 'a key cannot be used: its owner needs a new one, then revoke it')
  }

  const indexHalts = new IndexHalts(runtime, log)
  runtime.addConsumer(indexHalts)

  const trail = new Trail(new TrailFile(directory.file(trailFile), log))
  closeAtEnd(() => trail.close())

  // 6. The operator's ports; a new demo venue is set up through them before anybody else can speak.
  const ports: OperatorPorts = {
    core: inPostgres?.core ?? runtime,
    history,
    keys,
    verify: () => runtime.verify(),
    snapshot: () => runtime.snapshot(),
    clock: runtime.clock,
    advanceClock: configuration.clock === 'manual' ? (ms) => advance(ms) : undefined,
    get market() {
      return simulator
    },
    get mirror() {
      return mirror
    },
    status: () => {
      const { sequence } = runtime
      const running = { version: releaseName(), address: doors.url, upForS: Math.floor(process.uptime()) }
      return { ...health(), ...running, kind: record.kind, sequence, now: runtime.now(), past: pastShown(past) }
    },
    metrics: () => doors.metrics.read(),
    course: () => doors.metrics.course.shown(),
    logTail: tailOf(log),
    trail,
  }
  let simulator: Simulator | undefined
  let mirror: Mirror | undefined
  const advance = async (ms: number) => {
    await (simulator?.advance(ms, (step) => runtime.advance(step)) ?? runtime.advance(ms))
    await pruning.moved()
  }
  const degradations = new Degradations({
    runtime,
    history,
    indexHalts,
    mirrorTrouble: () => mirror?.trouble,
    filesLeft: openFilesLeft,
    log,
  })
  closeAtEnd(() => degradations.stop())
  const health = () => healthOf(runtime.health(), history.health(), degradations.sentences())
  await prepareVenue(directory, recovered, configuration, ports)
  const recordings = await recordedPrices(configuration, runtime, isDemo)

  // 7. The interface, and sockets on the same port: what happens is pushed to whoever watches it.
  const inside = { configuration, certificate, runtime, history, market, keys, health, degradations }
  const doors =
    service === undefined
      ? await openDoors({
          ...inside,
          more: () => (mirror === undefined ? {} : { mirror: { url: configuration.mirror, state: mirror.state } }),
          connectionsMax,
          log,
          closeAtEnd,
          pages: clientPages(configuration, isDemo, certificate !== undefined),
        })
      : await openToGateways(service, {
          ...inside,
          keys: inFile,
          revokedKeys: inPostgres?.revokedKeys ?? (() => []),
          core: ports.core,
          runtime,
          closeAtEnd,
          past: past?.terms,
          venue: venue!,
          historyFile: directory.file(historyFile),
        })
  const { url } = doors

  // 8. The operator's own listener.
  const token = secretFile(directory.file(tokenFile), () => randomBytes(32).toString('hex'), isToken)
  const operator = await openOperatorListener(ports, {
    host: configuration.operatorHost,
    port: configuration.operatorPort,
    token,
    log,
    tls: certificate?.tls,
    // To a core no client speaks.
    pages: [
      ...(service === undefined ? [] : [healthPage(health)]),
      ...(service !== undefined || configuration.metrics === 'operator' ? [metricsPage(doors.metrics)] : []),
    ],
  })
  closeAtEnd(() => operator.close())
  await openStatus(configuration, [healthPage(health), metricsPage(doors.metrics)], closeAtEnd)
  runtime.addConsumer(operator.consumer)
  const operatorUrl = operator.url

  // 9. Simulated traders, through the same two ports as everyone.
  if (isDemo) simulator = await openSimulatedMarket({ configuration, recordings, runtime, closeAtEnd, log })
  if (simulator !== undefined) options.onMarket?.(simulator)

  // 10. Or another venue's markets, in their place.
  if (configuration.mirror !== '') mirror = await openMirror({ configuration, runtime, closeAtEnd, log })
  if (mirror !== undefined) {
    doors.metrics.addMirror(mirror)
    options.onMirror?.(mirror, runtime)
  }

  // 11. The doors are open.
  const role = options.isCore === true ? 'core' : undefined
  const tellAddresses = () => writeAddresses(directory, { url, operatorUrl, role, certificate: certificate?.text })
  tellAddresses()
  const renewCertificate = certificate && (() => certificate.renew(tellAddresses))
  const closing = opened.move()
  let stopped: Promise<void> | undefined
  return { url, operatorUrl, isDemo, directory, renewCertificate, stop: () => (stopped ??= closing.disposeAsync()) }
}

/** Where whoever watches the process is told. */
async function openStatus({ status }: Configuration, pages: readonly Page[], closeAtEnd: Inside['closeAtEnd']) {
  if (status !== '') closeAtEnd(await openStatusListener(status, pages))
}

/** What clients see besides the interface. */
function clientPages(configuration: Configuration, isDemo: boolean, isSecured: boolean): Page[] {
  const keysShown = isDemo ? readFileSync(join(configuration.data, demoKeysFile), 'utf8') : ''
  return terminalPages({
    demoKeys: isDemo ? () => keysShown : undefined,
    over: isSecured ? 'https' : 'http',
    demoKeysTo: configuration.demoKeysOverHttp,
    docs: configuration.docs === 'on',
  })
}

/** Known by whoever keeps something of the venue elsewhere. */
function noteId(directory: DataDirectory): string {
  const id = randomUUID()
  directory.remember({ id })
  return id
}

/** Its rooms are loaded by a core and by gateways alone. */
const loadGateways = () => import('./gateway/gateway.ts')
const loadCluster = () => import('./cluster/cluster.ts')
const loadReplication = () => import('./replication/replication.ts')

async function newCoreService(dataDirectory: string): Promise<CoreService> {
  const { CoreService: Service } = await loadReplication()
  return new Service(dataDirectory, { process: 'core', release: releaseName(), rules: Engine.range })
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
async function openToGateways(service: CoreService, parts: ToGateways) {
  const { configuration, certificate, runtime, history, keys, health, degradations, closeAtEnd, core } = parts
  const { coreAnswers } = await loadGateways()
  const counts = new MarketCounts()
  runtime.addConsumer(counts)
  const sources = { runtime, history, healthy: () => isHealthy(health()), degradations, counts }
  const metrics = new Metrics(sources, processLabels('core', configuration))
  addGateways(metrics, () => service.gateways)
  closeAtEnd(metrics.course.keep())
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
  const door = listen === '' ? undefined : { ...placeOf(listen), handshake: await handshakeOfVenue(configuration) }
  const { timestampWindowMs } = configuration
  const tell = (what: string, value: unknown) => service.tell(what, value)
  const answers = coreAnswers({ ...parts, rateLimits, timestampWindowMs, tell })
  const { hashEvery, clock } = configuration
  const greeting = () => ({ ...answers.greeting(), hashEvery, clock })
  const { TwinHashes } = await loadReplication()
  const tellHash = (sequence: number, hash: string) => service.tell('settledHash', { sequence, hash })
  runtime.addConsumer(new TwinHashes(configuration.hashEvery, (sequence) => runtime.snapshot(sequence), tellHash))
  await service.open({ runtime: linked, ...answers, greeting }, door)
  const { host, port } = configuration
  return { url: `${certificate === undefined ? 'http' : 'https'}://${host}:${port}`, metrics }
}

/** How often it is looked whether a gateway still hears something new. */
const standstillEveryMs = 100

/** `tidemark gateway`: clients speak to it, and it to the core whose data directory it is told. Resolves when it takes requests. */
async function startGateway(configuration: Configuration, { log, onFatal, masterKey }: ProcessParts) {
  const {
    CoreConnection: Connection,
    GatewayRuntime,
    LinkWatch,
    MarketInTurn: Turns,
    RemoteKeys,
    hearReads,
    Standstill,
    tellReads,
    whileCoresChange: untilHeard,
  } = await loadGateways()
  const place = await placeOfCore(configuration)
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
    return serves ? asking() : untilHeard(asking)
  }
  const remoteKeys = new RemoteKeys(ask)
  const reads = new SharedReads()
  const told = (what: string, value: unknown) => {
    if (what === 'keys') remoteKeys.take(value as never)
    else if (what === 'reads') hearReads(reads, session, value as ReadsTold)
    else runtime.hear(what, value)
  }
  const connection = new Connection(place, runtime.remote, told, (trouble) =>
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
  const { remote } = runtime
  const watch = new LinkWatch(remote)
  closeAtEnd(() => watch.stop())
  const link: LinkSource = {
    core: () => connection.core,
    epoch: () => remote.epoch,
    isUp: () => remote.isReady,
    behind: () => remote.behind,
    lagMs: () => watch.lagMs,
    hashSequence: () => runtime.hashes.agreed,
    rules: () => runtime.rules,
    rulesNewest: runtime.about.rules.newest,
    counts: runtime.linkCounts,
  }
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
    reusePort: true,
    more: () => ({
      stale: runtime.staleness !== 'none',
      ...(simulated === undefined ? {} : { simulator: simulated.state }),
    }),
  })
  closeAtEnd(tellReads(reads, session, ask))
  let simulated: InstanceType<typeof Turns> | undefined
  if (recordings !== undefined) {
    const { seed } = configuration
    const open = (core: Core) => new Simulator({ core, seed, ...simulatorUids(core), ...recordings, log })
    simulated = new Turns({ ask, session, core: runtime, open, now: monotonicNow, log })
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

/** As cores hear of it. */
function aboutProcess(role: 'gateway' | 'history', configuration: Configuration): ProcessAbout {
  const { status, data } = configuration
  const at = role === 'gateway' ? processLabels(role, configuration)['node'] : status || data
  return { process: `${role} ${at}`, release: releaseName(), rules: Engine.range }
}

/** Where the core listens: the socket of the same data directory, unless an address is named. */
async function placeOfCore(configuration: Configuration): Promise<CorePlace> {
  const { data, cores } = configuration
  const { coreSocketFile } = await loadReplication()
  if (cores.length === 0) return join(data, coreSocketFile)
  const handshake = await handshakeOfVenue(configuration)
  const doors = cores.map((core) => ({ ...placeOf(core), handshake }))
  return doors.length > 1 ? doors : doors[0]
}

async function handshakeOfVenue(configuration: Configuration) {
  const { handshakeOf } = await loadReplication()
  return handshakeOf(clusterTrust(configuration))
}

/** A core that does not take whoever speaks to it is one clear line. */
async function unlessStrange<Begun>(beginning: Promise<Begun>): Promise<Begun> {
  const { StrangerRefused } = await loadReplication()
  try {
    return await beginning
  } catch (cause) {
    if (!(cause instanceof StrangerRefused)) throw cause
    throw new CannotStart(`--cores: ${cause.message}`, { cause })
  }
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
  if (postgres === '') return (await loadGateways()).remoteHistory(ask)
  const { readHistoryInPostgres } = await loadPostgres()
  const venue = (await ask('venue')) as string
  return readHistoryInPostgres({ url: postgres, venue, begins: () => runtime.sequence }, (history) =>
    runtime.addConsumer(history),
  )
}

/** `tidemark history`: resolves when it follows the core whose data directory it is told. */
async function startHistory(configuration: Configuration, { log, onFatal }: ProcessParts) {
  const { postgres, clockLeapMsMax, leaderWait } = configuration
  if (postgres === '') throw new CannotStart('--postgres: tidemark history needs the database that it writes')
  const database = await loadPostgres()
  const { openHistoryProcess } = await loadGateways()
  const place = await placeOfCore(configuration)
  const onLost = (reason: string) => onFatal(new Error(`this process begins anew: ${reason}`))
  const opening = openHistoryProcess({
    place,
    postgres,
    database,
    engineClass: Engine,
    about: aboutProcess('history', configuration),
    sampled: new EquitySampler(log).sampled,
    session: randomInt(2 ** 47) + 1,
    clockLeapMsMax,
    leaderWaitMs: leaderWait,
    log,
    onLost,
    onOdd: onFatal,
    onUnfit: onFatal,
  })
  const opened = await unlessStrange(opening)
  const status = new HistoryStatus(configuration, log)
  const closing: (() => Promise<void> | void)[] = [() => status.stop()]
  const write = (process: HistoryProcess) => {
    const { runtime, history, stop: stopWriting } = process
    const pruning = keepPruning(history, () => runtime.now(), log)
    status.writes(process)
    closing.push(stopWriting, () => pruning.end())
  }
  if ('process' in opened) write(opened.process)
  else {
    log.info({}, 'another process writes the history: this one stands by')
    void unlessStrange(opened.taken).then((process) => {
      log.warn({}, 'who wrote the history is gone: this process has taken over')
      write(process)
    }, onFatal)
  }
  await openStatus(configuration, status.pages, (close) => closing.push(close))
  let stopped: Promise<void> | undefined
  const stop = async () => {
    for (const close of closing.toReversed()) await close()
  }
  return { place: database.placeOf(postgres), writes: 'process' in opened, stop: () => (stopped ??= stop()) }
}

/** Its packages are there where somebody installed them. */
async function loadKeysInPostgres() {
  await loadPostgres()
  return import('./operator/keys/postgres-keys.ts')
}

const keysInPostgres: Awaited<ReturnType<typeof loadKeysInPostgres>>['keysOfCore'] = async (parts) =>
  (await loadKeysInPostgres()).keysOfCore(parts)

type CountShared = NonNullable<ApiOptions['rateLimits']['shared']>

/** What the doors of a venue open on, wherever that keeps its state. */
interface Inside {
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
  /** Others listen on the same port. */
  readonly reusePort?: boolean
  /** Besides the reference, /health and /metrics. */
  readonly pages: readonly Page[]
  /** Adds routes of another kind. */
  readonly extra?: (app: FastifyInstance) => void
}

/** The interface with its sockets, open on one port. */
async function openDoors(inside: Inside) {
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
    reusePort,
    more,
  } = inside
  const counts = new MarketCounts()
  runtime.addConsumer(counts)
  const sources = { runtime, history, healthy: () => isHealthy(health()), degradations, counts }
  const metrics = new Metrics(sources, inside.labels)
  closeAtEnd(metrics.course.keep())
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
    dailyOrdersWarning: configuration.dailyOrdersWarning,
    v3Dialect: configuration.v3Dialect,
    onTrouble: (trouble, endpoint, requestId) => {
      // A laboratory made it up.
      if ((trouble as { readonly isPretended?: true }).isPretended) return
      log.error({ err: trouble, endpoint: endpoint?.path, requestId }, 'a request met trouble')
    },
    onAnswered: loggingAnswers(log, metrics.answered),
    upgrades: isStreamPath,
    connectionsMax,
    tls: certificate?.tls,
    connectionsPerAddressMax: configuration.connectionsPerAddressMax,
    pages: [
      ...(configuration.docs === 'on' ? [...(await referencePages()), ...(await channelPages())] : []),
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
  return { url, api, stream, metrics }
}

/** Its room is loaded by `tidemark dev` alone: what is absent costs nothing. */
const loadLaboratory = () => import('./lab/lab.ts')

/** More than is drawn from one command to the next. */
const drawnMax = 2 ** 20

/** How one venue of a laboratory is built, and the laboratory that it is in. */
interface InMemory {
  readonly serveLab: Awaited<ReturnType<typeof loadLaboratory>>['serveLab']
  readonly configuration: Configuration
  readonly settings: LabSettings
  /** What the simulated prices follow, if anything. */
  readonly anchor: Anchor | undefined
  readonly ask: VenueAsk
  /** Hears what each command came to, those too that lead to where it begins. */
  readonly told: LabJournal
  readonly way: Way
  readonly venue: () => LabShelves
  readonly log: Logger
  readonly onFatal: (error: Error) => void
}

/** A demo venue in memory with the laboratory on its port: the same steps as on disk, but for what goes there. */
async function buildInMemory(inMemory: InMemory): Promise<VenueParts> {
  const { serveLab, configuration, settings, anchor, ask, told, way, venue, log, onFatal } = inMemory
  await using opened = new AsyncDisposableStack()
  const closeAtEnd = (close: () => Promise<void> | void) => opened.defer(close)
  const { from, frozen, seed = configuration.seed } = ask
  const { deterministic, labToken: token } = settings
  const { through, kept } = ask
  if (kept !== undefined) closeAtEnd(() => kept.close())
  const startAt = ask.now ?? through?.now ?? from?.runtime?.now ?? ask.startAt ?? settings.startAt
  const history = await openHistoryInMemory(from?.history, { keptBytesMax: configuration.keptRowsBytesMax })
  closeAtEnd(() => history.close())
  const runtime = await openRuntime({
    dataDirectory: undefined,
    from: from?.runtime,
    through,
    beside: kept,
    // Of a new venue its set-up is left out.
    consumers: from === undefined ? [] : [told],
    engineClass: Engine,
    history: withEquity(history, log),
    clock: { kind: 'steered', frozen, ...(startAt !== undefined && { startAt }) },
    snapshotAtStop: false,
    // Nothing depends on how fast the machine is.
    ...(deterministic && { waitMsMax: Number.POSITIVE_INFINITY }),
    replyTimeoutMs: deterministic ? 0 : configuration.replyTimeoutMs,
    log,
    onFatal,
  })
  closeAtEnd(() => runtime.stop())
  const hasAgents = () => simulatorUids(runtime).makerUids.length > 0
  const simulated =
    from === undefined
      ? (ask.simulator ?? configuration.simulator === 'on')
      : from.simulator !== undefined || (ask.simulator === true && hasAgents())
  // A tape does not begin where a past would end.
  const pastOfNew = settings.market === undefined ? pastAsked({ ...configuration, seed }) : undefined
  const past = simulatedPast(runtime, from === undefined ? pastOfNew : from.past)
  const saved = through === undefined ? from?.market : undefined
  const market = await openMarket(runtime, history, { saved, past })
  const random = new SeededRandom(seed)
  const keys = new MemoryKeyStore(
    {
      now: () => runtime.now(),
      random: (bound) => random.below(bound),
      nameFor: devKeyOf,
      ...(kept && { onChange: (all) => kept.noteKeys(all) }),
    },
    from?.keys,
  )
  let simulator: Simulator | undefined
  const ports: OperatorPorts = {
    core: runtime,
    history,
    keys,
    verify: () => runtime.verify(),
    snapshot: () => runtime.snapshot(),
    clock: runtime.clock,
    advanceClock: (ms) =>
      venue()
        .venue.advance(ms)
        .then(() => {}),
    get market() {
      return simulator
    },
    status: () => {
      const { sequence } = runtime
      const running = { version: releaseName(), address: doors.url }
      return { ...health(), ...running, kind: 'demo', sequence, now: runtime.now(), past: pastShown(past) }
    },
    metrics: () => doors.metrics.read(),
    course: () => doors.metrics.course.shown(),
    logTail: tailOf(log),
    trail: new Trail(),
  }
  // A venue that goes back has other halts at once: they are looked for anew each time, and told to nobody.
  const indexHalts = { reasons: () => new IndexHalts(runtime, { info() {}, warn() {} }).reasons() }
  const degradations = new Degradations({ runtime, history, indexHalts, filesLeft: openFilesLeft, log })
  closeAtEnd(() => degradations.stop())
  const health = () => healthOf(runtime.health(), history.health(), degradations.sentences())
  if (from === undefined) {
    await prepareInMemory(ports, simulated)
    runtime.addConsumer(told)
  } else {
    // What was drawn on the way that is gone through once more is not known: none of it is drawn again.
    const passed = through === undefined ? 0 : through.sequence - (from.runtime?.sequence ?? 0)
    random.restore((from.random ?? 0) + drawnMax * passed)
    if (ask.isFromElsewhere) giveDemoKeys(runtime, keys)
  }

  const live = liveAnswersOf(ports, log)
  runtime.addConsumer(live)
  // When the doors are closed, and before the runtime is.
  if (kept !== undefined) closeAtEnd(() => kept.keep())
  const isLoopback = isLoopbackAddress(configuration.host)
  const doors = await openDoors({
    configuration,
    runtime,
    history,
    market,
    keys,
    health,
    degradations,
    log,
    closeAtEnd,
    connectionsMax: configuration.connectionsMax,
    way,
    byVenue: { random, mark: 'x-tidemark-lab', ...(deterministic && { loadShedder: { takes: () => true } }) },
    pages: terminalPages({
      // Who reaches the port from elsewhere is not told them; they are constant, so this protects nobody who knows that.
      demoKeys: isLoopback ? () => JSON.stringify(demoKeys(runtime, keys)) : undefined,
      demoKeysTo: configuration.demoKeysOverHttp,
      docs: configuration.docs === 'on',
      lab: true,
    }),
    extra: (app) => {
      serveLab(app, {
        token,
        isLoopback,
        venue,
        live,
        onTrouble: (trouble, call) => log.error({ err: trouble, call }, 'a call of the laboratory broke'),
      })
    },
  })
  if (from?.api !== undefined) doors.api.restore(from.api)
  if (from?.stream !== undefined) doors.stream.restore(from.stream)
  if (simulated) {
    const recordings = anchor && recordingsOf(anchor, runtime)
    simulator = new Simulator({ core: runtime, seed, ...simulatorUids(runtime), recordings, log })
    closeAtEnd(() => simulator?.stop())
    if (from?.simulator !== undefined && through === undefined) simulator.restore(from.simulator)
    else await simulator.open()
    if (!frozen) simulator.run()
  }
  const closing = opened.move()
  return {
    url: doors.url,
    api: doors.api,
    stream: doors.stream,
    runtime,
    history,
    market,
    past: past?.terms,
    keys,
    random,
    simulator,
    v3Dialect: configuration.v3Dialect,
    configuration: { ...configuration, seed },
    ports,
    demoKeys: () => Object.fromEntries(demoKeys(runtime, keys).map(({ role, ...key }) => [role, key])),
    stop: () => closing.disposeAsync(),
  }
}

/** Constant, so that tests can have them written down: whoever reaches the port can trade with them. */
function devKeyOf({ label }: NewKey): IssuedKey | undefined {
  const role = roleOfKey(label)
  return role === undefined ? undefined : { apiKey: `dev-${role}`, secret: 'tidemark', passphrase: 'tidemark' }
}

/** A laboratory without a venue. */
async function newLab(
  configuration: Configuration,
  settings: LabSettings,
  { log, onFatal, masterKey }: Pick<ProcessParts, 'log' | 'onFatal' | 'masterKey'>,
  anchor?: Anchor,
): Promise<Lab> {
  const { Lab: Laboratory, serveLab } = await loadLaboratory()
  return new Laboratory({
    version: releaseName(),
    here: hereOf(settings, masterKey),
    deterministic: settings.deterministic,
    venuesMax: settings.venuesMax,
    snapshotsBytesMax: settings.snapshotsBytesMax,
    recorder: { isOn: settings.recording, fullBodies: settings.fullBodies },
    market: settings.market?.mode === 'tape' ? settings.market : undefined,
    lockstep: settings.lockstep,
    // As a signal would, on every system.
    ...(settings.endsWithClients && { onNobody: () => void process.emit('SIGTERM') }),
    build: (ask, { venue, told, way, isFirst }) =>
      buildInMemory({
        serveLab,
        configuration: {
          ...configuration,
          // Only the first has the port that was asked for.
          ...((!isFirst || settings.onePort) && { port: 0 }),
          ...(ask.v3Dialect !== undefined && { v3Dialect: ask.v3Dialect }),
        },
        settings,
        anchor,
        ask,
        told,
        way,
        venue,
        log,
        onFatal,
      }),
  })
}

/** `tidemark dev`: a laboratory with one venue; others come as they are asked for. Resolves when it takes requests. */
async function startLab(
  configuration: Configuration,
  asked: LabSettings,
  parts: Pick<ProcessParts, 'log' | 'onFatal' | 'masterKey'>,
): Promise<Lab> {
  const { settings, frozen, anchor } = await withMarket(asked, configuration.simulator === 'on')
  const lab = await newLab(configuration, settings, parts, anchor)
  const { here, version } = lab.options
  const from = await firstOf(settings, here)
  // What runs elsewhere runs here, too, unless it stands still; a file says itself whether it does.
  const simulator =
    from?.from?.random === undefined && from !== undefined ? configuration.simulator === 'on' : undefined
  const { data, pruneBranches: prune } = settings
  if (data === undefined) {
    recordFromBeginning(await openFirst(lab, { ...from, simulator, frozen }), settings)
    return reached(lab, configuration, settings)
  }
  const { Branches } = await loadLaboratory()
  const beginning = await Branches.open(data, version, { from, prune })
  const { kept, begun } = beginning
  if (begun !== undefined && settings.isStartTold) {
    await kept.close()
    throw new CannotStart(`${data} holds a venue already: --start-at is for a new directory`)
  }
  const isFrozen = settings.deterministic || (beginning.frozen ?? frozen)
  recordFromBeginning(await openFirst(lab, { ...beginning, simulator, frozen: isFrozen }), settings)
  return reached(lab, configuration, settings)
}

/** A recording that is wrong, or of an instrument that is not there, is no venue. */
async function openFirst(lab: Lab, ask: VenueAsk): Promise<LabShelves> {
  const { LabRefusal } = await loadLaboratory()
  try {
    return await lab.open(ask)
  } catch (cause) {
    if (!(cause instanceof LabRefusal || cause instanceof (await loadTapes()).TapeWrong)) throw cause
    await lab.close()
    throw new CannotStart(cause.message, { cause })
  }
}

/** What reads recorded markets is loaded where one is played. */
const loadTapes = () => import('./tape/tape.ts')

/** A price to follow, and whose it is. */
interface Anchor {
  readonly symbol: string
  readonly path: PricePath
}

/** A venue that plays a recorded market begins when that does, unless it is told when. Throws CannotStart. */
async function withMarket(settings: LabSettings, isSimulated: boolean) {
  const { market, isStartTold, deterministic, startAt } = settings
  if (market === undefined) return { settings, frozen: startAt !== undefined, anchor: undefined }
  const { pricePath, Tape, TapeWrong } = await loadTapes()
  try {
    const tape = new Tape(market.file)
    const { symbol, from } = tape.contents
    const anchor = isSimulated || market.mode === 'anchor' ? { symbol, path: pricePath(tape) } : undefined
    tape.close()
    if (market.mode === 'anchor' && !isSimulated) {
      throw new CannotStart('--market-mode anchor: prices are followed by the simulator: say --simulator on')
    }
    if (isStartTold) return { settings, frozen: true, anchor }
    return { settings: { ...settings, startAt: from }, frozen: deterministic, anchor }
  } catch (cause) {
    throw cause instanceof TapeWrong ? new CannotStart(cause.message, { cause }) : cause
  }
}

function recordingsOf({ symbol, path }: Anchor, runtime: Runtime): Recordings | undefined {
  const { coins, instruments } = runtime.query({ kind: 'catalog' })
  const instrument = instruments.find((one) => one.symbol === symbol)
  return instrument && { of: new Map([[coins[instrument.base].name, path]]), beginsAt: runtime.now() }
}

function recordFromBeginning({ venue }: LabShelves, { record }: LabSettings): void {
  if (record !== undefined) venue.recorder?.startAtBeginning(record)
}

async function reached(lab: Lab, { host, port }: Configuration, { onePort }: LabSettings): Promise<Lab> {
  if (!onePort) return lab
  const { openOnePort } = await loadLaboratory()
  try {
    lab.onePort = await openOnePort({ host, port, urlOf: (venue) => lab.urlOf(venue) })
    return lab
  } catch (cause) {
    await lab.close()
    throw new CannotStart(`cannot listen on ${host}:${port}: ${(cause as Error).message}`, { cause })
  }
}

function hereOf({ labToken: token }: LabSettings, masterKey: string | undefined): Here {
  return { version: releaseName(), token, rules: Engine.rules, masterKey }
}

/** What the first venue of a laboratory is made of; undefined: of nothing. */
async function firstOf(settings: LabSettings, here: Here): Promise<Beginning | undefined> {
  const { from, at, withKeys, state } = settings
  const isKept = state !== undefined && existsSync(state)
  if (!isKept && from === undefined) return undefined
  const { beginElsewhere, LabRefusal } = await loadLaboratory()
  try {
    return await (isKept ? beginElsewhere({ from: state }, here) : beginElsewhere({ from: from!, at, withKeys }, here))
  } catch (cause) {
    throw cause instanceof LabRefusal ? new CannotStart(cause.message, { cause }) : cause
  }
}

/** What was recorded from the beginning on. */
async function keepRecord(lab: Lab, { record }: LabSettings): Promise<void> {
  if (record === undefined) return
  const { packed } = await loadLaboratory()
  const { venue } = lab.find('main')
  writeWholeFile(record, (await venue.inTurn(() => packed(venue, lab.options.version))).file)
}

/** So that the next one can go on from there. */
async function keepState(lab: Lab, { state }: LabSettings): Promise<void> {
  if (state === undefined) return
  const { packSnapshot } = await loadLaboratory()
  const { venue } = lab.find('main')
  writeWholeFile(state, await packSnapshot(await venue.inTurn(() => venue.save()), lab.options.version))
}

/** A laboratory in whatever process this is, for those who debug both. An engine that breaks for good ends it. */
export function openLab(configuration: Configuration, settings: LabSettings): Promise<Lab> {
  return startLab(configuration, settings, partsHere(configuration))
}

/** The same, with the venue that is asked for. */
export async function openLabWith(configuration: Configuration, settings: LabSettings, ask: VenueAsk): Promise<Lab> {
  const lab = await newLab(configuration, settings, partsHere(configuration))
  await lab.open(ask)
  return lab
}

function partsHere({ logLevel }: Configuration): Pick<ProcessParts, 'log' | 'onFatal' | 'masterKey'> {
  const { log } = openLog(logLevel)
  const onFatal = (error: Error) => {
    throw error
  }
  return { log, onFatal, masterKey: undefined }
}

/** Runs it until a signal ends it, and with it this process. */
export function runLab(
  configuration: Configuration,
  settings: LabSettings,
  onReady: (first: ReturnType<typeof shown>) => void,
): Promise<void> {
  const start = async (parts: ProcessParts) => {
    const lab = await startLab(configuration, settings, parts)
    const stop = async () => {
      try {
        await keepRecord(lab, settings)
        await keepState(lab, settings)
      } finally {
        await lab.close()
      }
    }
    const { shown } = await loadLaboratory()
    return { ready: shown(lab.find('main')), stop }
  }
  return runUntilEnded(start, { configuration, announce: ({ ready }) => onReady(ready) })
}

/** `tidemark start`: runs a venue until a signal or a defect ends it, and with it this process. */
export function runVenue(
  configuration: Configuration,
  { onReplay, readyAsJson = false }: Pick<VenueOptions, 'onReplay'> & { readonly readyAsJson?: boolean } = {},
): Promise<void> {
  const start = (parts: ProcessParts) => startVenue(configuration, { ...parts, onReplay })
  return runUntilEnded(start, { configuration, announce: (venue) => announce(venue.directory, venue, readyAsJson) })
}

interface RoleOptions extends Pick<VenueOptions, 'onReplay'> {
  readonly readyAsJson: boolean
}

/** `tidemark core`: the venue without doors for clients; gateways have those. With `--nats` it is one of several. */
export async function runCore(configuration: Configuration, { onReplay, readyAsJson }: RoleOptions): Promise<void> {
  if (configuration.nats.length > 0) return runSharedCore(configuration, { onReplay, readyAsJson })
  const start = (parts: ProcessParts) => startVenue(configuration, { ...parts, onReplay, isCore: true })
  return runUntilEnded(ofSeveral(start, configuration), {
    configuration,
    announce: ({ operatorUrl, isDemo, directory }) => {
      const socket = configuration.listen || directory.file('core.sock')
      const ready = { role: 'core', socket, operatorUrl, kind: isDemo ? 'demo' : 'empty', pid: process.pid }
      process.stdout.write(readyAsJson ? `${JSON.stringify({ ready })}\n` : `ready core ${socket} leader\n`)
    },
  })
}

async function runSharedCore(configuration: Configuration, { onReplay, readyAsJson }: RoleOptions): Promise<void> {
  const { startCore } = await loadCluster()
  const openKeys: Parameters<typeof startCore>[1]['openKeys'] = async (parts) =>
    (await loadKeysInPostgres()).keysOfOneCore(parts)
  return runUntilEnded((parts) => startCore(configuration, { ...parts, onReplay, openKeys }), {
    configuration,
    announce: ({ listen, operatorUrl, role }) => {
      const ready = { role: 'core', listen, operatorUrl, leads: role === 'leader', pid: process.pid }
      process.stdout.write(readyAsJson ? `${JSON.stringify({ ready })}\n` : `ready core ${listen} ${role}\n`)
    },
  })
}

/** `tidemark gateway`: ends when a signal ends it, or when it has to begin anew. */
export function runGateway(configuration: Configuration, { readyAsJson }: RoleOptions): Promise<void> {
  const start = (parts: ProcessParts) => startGateway(configuration, parts)
  return runUntilEnded(ofSeveral(start, configuration), {
    configuration,
    announce: ({ url }) => {
      const ready = { role: 'gateway', url, pid: process.pid }
      process.stdout.write(readyAsJson ? `${JSON.stringify({ ready })}\n` : `ready ${url}\n`)
    },
  })
}

/** `tidemark history`: ends when a signal ends it, or when it has to begin anew. */
export function runHistory(configuration: Configuration, { readyAsJson }: RoleOptions): Promise<void> {
  endWithParent()
  const start = (parts: ProcessParts) => startHistory(configuration, parts)
  return runUntilEnded(start, {
    configuration,
    announce: ({ place, writes }) => {
      const ready = { role: 'history', postgres: place, writes, pid: process.pid }
      const role = writes ? '' : ' standby'
      process.stdout.write(readyAsJson ? `${JSON.stringify({ ready })}\n` : `ready history ${place}${role}\n`)
    },
  })
}

/** `tidemark start --gateways N`: `words` are the program and its options for a role and a port. */
export function runWithGateways(
  configuration: Configuration,
  readyAsJson: boolean,
  words: (role: 'core' | 'history' | 'gateway', port: number) => readonly string[],
): Promise<void> {
  const start = async ({ log }: ProcessParts) => {
    if (process.platform !== 'linux') throw new CannotStart('--gateways: only Linux deals out connections of one port')
    const { ChildFailed, freePort, supervise } = await loadGateways()
    const { host, gateways, postgres } = configuration
    const port = await freePort(host, configuration.port)
    const command = (role: Parameters<typeof words>[0]) => words(role, port)
    const all = await supervise({ gateways, hasHistory: postgres !== '', log, command }).catch((cause: unknown) => {
      throw cause instanceof ChildFailed ? new CannotStart(cause.message, { cause }) : cause
    })
    const { operatorUrl, kind } = (JSON.parse(all.ready) as { readonly ready: { operatorUrl: string; kind: string } })
      .ready
    const url = `${configuration.tlsCert === '' ? 'http' : 'https'}://${host}:${port}`
    return { url, operatorUrl, isDemo: kind === 'demo', renewCertificate: all.hangUp, stop: all.end }
  }
  const directory = { file: (name: string) => join(configuration.data, name) }
  return runUntilEnded(start, { configuration, announce: (venue) => announce(directory, venue, readyAsJson) })
}

/** Of a process of several: it ends with the one that started it with a channel, since nobody else would end it. */
function ofSeveral<Running>(start: (parts: ProcessParts) => Promise<Running>, { port }: Configuration) {
  endWithParent()
  return (parts: ProcessParts) => {
    if (port === 0) throw new CannotStart('--port 0: core and gateways are told the same port')
    return start(parts)
  }
}

function endWithParent(): void {
  process.once('disconnect', () => void process.kill(process.pid, 'SIGTERM'))
  // Whoever listens keeps a process going, also one whose start has failed, which is waited for then.
  process.channel?.unref()
}
