/**
 * The venue, put together: the rooms in the order in which an order meets them, from the directory that it is kept in to
 * the line that says that it is open. Other processes (gateways, who writes the history, laboratories) are in processes/, which
 * are loaded by who runs one.
 *
 * Starts   whole or not at all: what was opened before a step failed is closed again, in reverse
 * Stops    in reverse: no new requests, then what was accepted is finished, a snapshot, history, keys, the directory
 * Process  what ends it, and with which code: operator/process.ts
 * Source   design.md §1, §5, §6
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { releaseName } from './api/api.ts'
import { Engine } from './engine/engine.ts'
import { openHistory } from './history/history.ts'
import type { LabSettings, shown } from './lab/lab.ts'
import { openMarket } from './market/market.ts'
import type { Mirror } from './mirror/mirror.ts'
import {
  acceptedLosses,
  announce,
  assertNothingLost,
  CannotStart,
  chooseVenue,
  clockFile,
  type Configuration,
  connectionsAllowed,
  DataDirectory,
  Degradations,
  courseFile,
  hasCommands,
  healthOf,
  healthPage,
  historyFile,
  IndexHalts,
  isToken,
  type KeyBook,
  keepPruning,
  keysFile,
  loadKeysInPostgres,
  masterKeyFile,
  masterSeal,
  metricsPage,
  offsetKeeper,
  openCourseFile,
  openFilesLeft,
  openMirror,
  openOperatorListener,
  openSimulatedMarket,
  openTrail,
  type OperatorPorts,
  pastNoted,
  pastShown,
  prepareVenue,
  type ProcessParts,
  recordedPrices,
  rememberReached,
  rememberRules,
  removeAddresses,
  rulesKnown,
  runUntilEnded,
  type RunningVenue,
  SealedKeyStore,
  simulatedPast,
  secretFile,
  tailOf,
  tellStartGap,
  tokenFile,
  trailFile,
  VenueCertificate,
  withEquity,
  writeAddresses,
} from './operator/operator.ts'
import { clientPages, openDoors, openStatus } from './processes/doors.ts'
import { checkRules, type Core, openRuntime, type RecoveryProgress, type RuntimeOptions } from './runtime/runtime.ts'
import type { Simulator } from './simulator/simulator.ts'

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

  const asCore = options.isCore === true ? await import('./processes/core.ts') : undefined
  const service = asCore?.newCoreService(directory.path)

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
      : await (await loadKeysInPostgres()).keysOfCore({
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

  const trail = openTrail(directory.file(trailFile), log)
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
    service === undefined || asCore === undefined
      ? await openDoors({
          ...inside,
          more: () => (mirror === undefined ? {} : { mirror: { url: configuration.mirror, state: mirror.state } }),
          connectionsMax,
          log,
          closeAtEnd,
          pages: clientPages(configuration, isDemo, certificate !== undefined),
        })
      : await asCore.openToGateways(service, {
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
  closeAtEnd(doors.metrics.course.keep(openCourseFile(directory.file(courseFile), log)))

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

/** Known by whoever keeps something of the venue elsewhere. */
function noteId(directory: DataDirectory): string {
  const id = randomUUID()
  directory.remember({ id })
  return id
}

/** `tidemark dev`: runs a laboratory until a signal ends it, and with it this process. */
export function runLab(
  configuration: Configuration,
  settings: LabSettings,
  onReady: (first: ReturnType<typeof shown>) => void,
): Promise<void> {
  const start = async (parts: ProcessParts) =>
    (await import('./processes/laboratory.ts')).startKeptLab(configuration, settings, parts)
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
  const { asCannotStart, startCore } = await import('./cluster/cluster.ts')
  return runUntilEnded((parts) => asCannotStart(() => startCore(configuration, { ...parts, onReplay })), {
    configuration,
    announce: ({ listen, operatorUrl, role }) => {
      const ready = { role: 'core', listen, operatorUrl, leads: role === 'leader', pid: process.pid }
      process.stdout.write(readyAsJson ? `${JSON.stringify({ ready })}\n` : `ready core ${listen} ${role}\n`)
    },
  })
}

/** `tidemark gateway`: ends when a signal ends it, or when it has to begin anew. */
export function runGateway(configuration: Configuration, { readyAsJson }: RoleOptions): Promise<void> {
  const start = async (parts: ProcessParts) =>
    (await import('./processes/gateway.ts')).startGateway(configuration, parts)
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
  const start = async (parts: ProcessParts) =>
    (await import('./processes/history.ts')).startHistory(configuration, parts)
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
    const { ChildFailed, freePort, supervise } = await import('./gateway/gateway.ts')
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
