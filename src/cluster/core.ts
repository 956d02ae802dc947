/**
 * `tidemark core --nats …`: one of several cores of a venue, put together. The rooms in the order in which main.ts puts a venue
 * of one process together.
 *
 * Follows  from its start; leads when nobody else does. What has to be in the engine before anybody trades is seen to by who leads
 * Doors    the links of gateways (`--listen`), and the operator's listener, which changes something on the core that leads alone
 * Kept     its own file, snapshots, history and keys. The log is what counts: a directory that is lost is made anew from it, or from
 *          another core where the log's beginning is gone
 */
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type ApiKey, releaseName } from '../api/api.ts'
import { Engine } from '../engine/engine.ts'
import { coreAnswers } from '../gateway/gateway.ts'
import { ClusterWrong, JetStreamLog } from '../jetstream/jetstream.ts'
import {
  addGateways,
  addressOf,
  addSharedCore,
  assertNothingLost,
  CannotStart,
  chooseVenue,
  clockFile,
  clusterCertificate,
  clusterTrust,
  type Configuration,
  DataDirectory,
  type Degradation,
  Degradations,
  endpointLimitsOf,
  endSimulatedMarket,
  hasCommands,
  healthOf,
  healthPage,
  historyFile,
  IndexHalts,
  isHealthy,
  isToken,
  type KeyBook,
  keysFile,
  MarketCounts,
  masterKeyFile,
  masterSeal,
  Metrics,
  metricsPage,
  offsetKeeper,
  openFilesLeft,
  openOperatorListener,
  openStatusListener,
  type OperatorPorts,
  prepareSimulatedMarket,
  prepareVenue,
  processLabels,
  type ProcessParts,
  removeAddresses,
  rememberRules,
  rulesKnown,
  SealedKeyStore,
  secretFile,
  tailOf,
  tokenFile,
  Trail,
  TrailFile,
  trailFile,
  VenueCertificate,
  writeAddresses,
} from '../operator/operator.ts'
import type { keysOfOneCore } from '../operator/keys/postgres-keys.ts'
import {
  type Alive,
  handshakeOf,
  HashComparison,
  type HashVote,
  LinkServer,
  type ProcessAbout,
} from '../replication/replication.ts'
import { checkRules, monotonicNow, RecoveryFailed, type RecoveryProgress } from '../runtime/runtime.ts'
import { ClockWatch } from './clock-watch.ts'
import { CopiesWatch } from './copies-watch.ts'
import { CoreRuntime } from './core-runtime.ts'
import { assertWhole, beginAsImported } from './imported.ts'
import { otherLog } from './log-address.ts'
import { LogBeginsLater } from './log-place.ts'
import { LogWatch } from './log-watch.ts'
import { MarketTurn } from './market-turn.ts'
import { OldMessages } from './old-messages.ts'
import { Peers } from './peers.ts'
import { upgradeRules } from './rules-upgrade.ts'
import { type StateGiven, StateGiving } from './state-given.ts'
import { openState } from './state-opened.ts'
import { endTaking, takeState } from './state-taken.ts'

const clockLookMs = 250
const listenDefault = '127.0.0.1:7400'
const lookEveryMs = 1_000

/** Loaded where a database is named. */
type OpenKeys = typeof keysOfOneCore

interface CoreOptions extends ProcessParts {
  readonly openKeys: OpenKeys
  readonly onReplay?: ((progress: RecoveryProgress) => void) | undefined
}

/** Resolves when it follows the log, and takes gateways as soon as it leads. */
export async function startCore(given: Configuration, options: CoreOptions) {
  const { log, onFatal, masterKey, onReplay, openKeys } = options
  // Gateways have the market that moves by itself, one at a time.
  const listensAt = given.listen === '' ? listenDefault : given.listen
  const configuration: Configuration = { ...given, listen: listensAt, simulator: 'off', mirror: '', past: 0 }
  const { venue, nats, natsMonitor, logSync, listen, postgres, hashEvery } = configuration
  const peers = peersOf(configuration)
  const handshake = handshakeOf(clusterTrust(configuration))
  await using opened = new AsyncDisposableStack()
  const closeAtEnd = (close: () => Promise<void> | void) => opened.defer(close)

  // 1. The directory is ours alone, and of this log.
  const directory = DataDirectory.open(configuration.data)
  closeAtEnd(() => directory.close())
  removeAddresses(directory)
  closeAtEnd(() => removeAddresses(directory))
  endTaking(directory)
  const isUsed = hasCommands(directory.path)
  let record = chooseVenue(directory, configuration, venue)
  if (record.keysInPostgres === true && postgres === '') {
    throw new CannotStart('--postgres: the keys of this venue are in PostgreSQL: name the database')
  }
  if (record.differed !== undefined) {
    const advice = `take ${configuration.data} away: it is made anew from the log`
    throw new CannotStart(
      `the state of this core differed from that of the others at command ${record.differed}: ${advice}`,
    )
  }
  const certificate = VenueCertificate.open(configuration, log)
  assertNothingLost(directory, record, masterKey)
  const rules = rulesKnown(directory, record, Engine.rules, Engine.oldestRules)
  if (isUsed) await checkRules(directory.path, rules)

  // 2. The log, before anything of ours: a cluster that is not as it must be is refused.
  const monitors = logSync === 'checked' ? natsMonitor : undefined
  const tls = clusterCertificate(configuration)
  const shared = await JetStreamLog.open({ urls: nats, venue, name: listen, monitors, tls }).catch((cause: unknown) => {
    throw cause instanceof ClusterWrong ? new CannotStart(`the log cannot be used: ${cause.message}`, { cause }) : cause
  })
  closeAtEnd(() => shared.close())
  const { venueId } = shared
  if (configuration.venueId !== '' && configuration.venueId !== venueId) {
    throw new CannotStart(otherLog(venue, venueId, configuration.venueId))
  }
  if (isUsed && record.id !== undefined && record.id !== venueId) {
    throw new CannotStart(
      `${directory.path} holds a core of the venue ${record.id}, and the log of ${venue} is of ${venueId}`,
    )
  }
  directory.remember({ id: venueId })
  await assertWhole(shared)
  const seal = masterSeal(directory.file(masterKeyFile), masterKey)
  const isBegun = await beginAsImported(shared, directory, () => {
    // Should this start be cut off, the next one takes neither for lost.
    if (postgres === '') new SealedKeyStore(directory.file(keysFile), seal).close()
    directory.remember({ accepted: historyFile })
  })
  if (isBegun) log.warn({}, 'this core begins with the snapshot in the log: its history has nothing from before')

  // 3. What this core has: history, the state as its file has it, and where in the log that is. Else what another one has.
  const doors = peers.map((peer) => ({ ...addressOf(peer), handshake }))
  const stateOptions = { configuration, log, onReplay }
  const opening = openState(directory, shared, stateOptions).catch(async (cause: unknown) => {
    if (!(cause instanceof LogBeginsLater)) throw cause
    log.warn(
      { reason: cause.message },
      'what this core lacks was removed from the log: it begins with the state of another',
    )
    const takeKeys = ({ kind, keys: theirs }: StateGiven) => {
      if (theirs === undefined && postgres === '')
        throw new CannotStart('its keys are in PostgreSQL: name the database')
      const keysInPostgres = theirs === undefined ? true : undefined
      record = directory.remember({ keysInPostgres, ...(!isUsed && { kind }) })
      if (theirs === undefined) return
      const store = new SealedKeyStore(directory.file(keysFile), seal)
      void store.take(theirs)
      store.close()
    }
    const { from, sequence } = await takeState(directory, doors, { log, isUsed, before: takeKeys })
    log.warn({ from, snapshot: sequence }, 'this core has the state of another one; what it had is put aside')
    return openState(directory, shared, stateOptions)
  })
  const { history, recovered, places, end } = await opening.catch((cause: unknown) => {
    throw cause instanceof LogBeginsLater ? new RecoveryFailed(cause.message, { cause }) : cause
  })
  closeAtEnd(() => history.close())
  if (isBegun) directory.remember({ accepted: undefined })

  // 4. Keys: in the database that it is told of, else those of this core, and of whichever leads.
  const inPostgres =
    postgres === '' ? undefined : await openKeys({ url: postgres, directory, record, venue: venueId, seal, log })
  const inFile =
    inPostgres === undefined ? new SealedKeyStore(directory.file(keysFile), seal, configuration.durability) : undefined
  const keys: KeyBook & { close(): void | Promise<void> } = inPostgres?.keys ?? inFile!
  closeAtEnd(() => keys.close())

  // 5. The runtime: it follows from here on. Its state is held against those of the others.
  const hashes = new HashComparison({
    name: listen,
    cores: peers.length + 1,
    timers: { now: monotonicNow, after: alarm },
    onOdd: (error) => {
      directory.remember({ differed: error.sequence })
      onFatal(error)
    },
    onSettled: (sequence, hash) => {
      if (runtime.core.leads !== undefined) server.tell('settledHash', { sequence, hash })
    },
  })
  const clocks: ClockWatch = new ClockWatch(() => runtime.clock.now(), monotonicNow)
  const onHash = (sequence: number, hash: string) => {
    const vote: HashVote = { core: listen, leads: runtime.core.leads !== undefined, sequence, hash }
    server.tell('stateHash', vote)
    hashes.vote(vote)
  }
  const about: ProcessAbout = { process: `core ${listen}`, release: releaseName(), rules: Engine.range }
  const tellKeys = () => inFile && server.tell('keys', [...inFile.all()])
  const runtime: CoreRuntime = new CoreRuntime(end, recovered, {
    name: listen,
    dataDirectory: directory.path,
    engineClass: Engine,
    engineModule: fileURLToPath(new URL('../engine/engine.ts', import.meta.url)),
    about,
    history,
    shared,
    snapshotEvery: configuration.snapshotEvery,
    hasLease: configuration.readLease === 'on',
    mayClaim: () => clocks.mayClaim,
    clockLeapMsMax: configuration.clockLeapMsMax,
    clockKeeper: offsetKeeper(directory.file(clockFile)),
    log,
    onFatal,
    onTaken: (taken) => places.note(taken),
    hashEvery,
    onHash,
    hearer: inPostgres?.hearer,
    through: inPostgres?.noting,
    onLeading: (epoch) => {
      if (epoch === undefined) return turn.follows()
      tellKeys()
      prepared = prepareVenue(directory, directory.remember({}), configuration, ports)
      prepared.catch((error: unknown) => {
        log.warn({ err: error }, 'the venue could not be prepared: whoever leads next does it')
      })
      turn.leads()
    },
  })
  closeAtEnd(() => runtime.stop())
  runtime.addConsumer({
    record: (_sequence, _at, _events, command) => {
      if (command !== 'upgrade-rules') return
      log.info({ rules: runtime.rules }, 'the venue goes by these rules from here on')
      noteRules().catch((error: unknown) => log.warn({ err: error }, 'the rules could not be noted'))
    },
  })
  const noteRules = async () => {
    if (recovered.rules === undefined) return
    const note = { ...recovered.rules, rules: runtime.rules, release: releaseName() }
    rememberRules(directory, note)
    await history.noteRules(note)
  }
  let prepared: Promise<void> = Promise.resolve()
  const turn = new MarketTurn({
    now: monotonicNow,
    fresh: () => runtime.core.fresh(),
    prepare: async () => {
      await prepared
      await prepareSimulatedMarket(ports)
    },
    end: () => endSimulatedMarket(ports),
  })
  const looks = setInterval(() => {
    // A core that leads no more leaves it to the next.
    turn.look().catch((error: unknown) => log.info({ err: error }, 'a market that nobody runs could not be ended'))
  }, lookEveryMs)
  closeAtEnd(() => clearInterval(looks))

  const indexHalts = new IndexHalts(runtime, log)
  runtime.addConsumer(indexHalts)
  const counts = new MarketCounts()
  runtime.addConsumer(counts)
  const { core } = runtime
  const copies = new CopiesWatch(() => shared.copies())
  closeAtEnd(() => copies.stop())
  const wallNow = () => runtime.clock.now()
  const watched = {
    position: () => core.end.position,
    silentMs: () => core.silentMs,
    wallNow,
    clocks,
    copies: () => copies.found,
  }
  const watch = new LogWatch(shared, watched, logSync === 'checked', monotonicNow)
  closeAtEnd(() => watch.stop())
  const old = new OldMessages({
    configuration,
    shared,
    peers,
    timers: { now: monotonicNow, after: alarm },
    leads: () => core.leads !== undefined,
    end: () => core.end,
    own: () => status(),
    log,
  })
  closeAtEnd(() => old.stop())
  const more = () => [...watch.read(), ...old.read(), ...clocks.read(), ...replicasThatDiffer(hashes)]
  const degradations = new Degradations({ runtime, history, indexHalts, more, filesLeft: openFilesLeft, log })
  closeAtEnd(() => degradations.stop())
  const health = () => healthOf(runtime.health(), history.health(), degradations.sentences())
  const sources = { runtime, history, healthy: () => isHealthy(health()), degradations, counts }
  const metrics = new Metrics(sources, processLabels('core', configuration))
  addGateways(metrics, () => runtime.links.gateways)
  addSharedCore(metrics, {
    state: () => core.state,
    epoch: () => core.end.epoch,
    position: () => core.end.position,
    logSequence: () => core.end.lastSequence,
    sequence: () => runtime.sequence,
    silentMs: () => core.silentMs,
    behind: () => watch.behind,
    behindMs: () => watch.behindMs,
    bounds: () => watch.bounds,
    serverFaults: () => watch.serverFaults.length,
    heldMs: () => old.heldMs,
    snapshotAgeMs: () => runtime.snapshotAgeMs,
    hashSequence: () => hashes.agreed,
    rules: () => runtime.rules,
    rulesNewest: Engine.rules,
    othersAheadMs: () => clocks.othersAheadMs,
    counts: runtime.logCounts,
  })
  closeAtEnd(metrics.course.keep())

  // 6. Gateways and the other cores.
  const rateLimits = { enabled: !configuration.noRateLimits, perSecond: endpointLimitsOf(configuration) }
  const answers = coreAnswers({
    venue: venueId,
    history,
    historyFile: directory.file(historyFile),
    keys: inFile,
    revokedKeys: inPostgres?.revokedKeys ?? (() => []),
    rateLimits,
    timestampWindowMs: configuration.timestampWindowMs,
    tell: (what, value) => server.tell(what, value),
    past: undefined,
    marketAtGateways: { kind: record.kind },
  })
  const market = (session: number, has: boolean) => turn.take(session, has)
  const marketOver = (session: number) => turn.release(session)
  const status = () => {
    const { position, epoch } = core.end
    const leads = core.leads !== undefined
    return {
      core: listen,
      role: leads ? 'leader' : 'follower',
      epoch,
      position,
      sequence: runtime.sequence,
      snapshot: giving.oldest(runtime.oldestSnapshot),
      gateways: runtime.links.gateways,
      rules: runtime.rules,
      about,
      held: old.held.join('; '),
      ...(leads && { followers: runtime.links.processes }),
    }
  }
  const upgrade = () =>
    upgradeRules({
      own: about,
      leads: () => core.leads !== undefined,
      rules: () => runtime.rules,
      peers,
      heard: others.abouts,
      followers: () => runtime.links.processes,
      submit: (command, trace) => runtime.submit(command, trace),
    })
  /** Answers whether it led. */
  const resign = async () => {
    const led = runtime.core.leads !== undefined
    await runtime.core.resign()
    return led
  }
  const alive = (): Alive => ({
    wallMs: wallNow(),
    ...(core.leads !== undefined && { silentMs: core.silentMs }),
  })
  const giving = new StateGiving({
    directory,
    kind: record.kind,
    history,
    journal: recovered.journal,
    snapshots: recovered.snapshots,
    keys: () => inFile && [...inFile.all()],
  })
  closeAtEnd(() => giving.close())
  const server: LinkServer = new LinkServer(
    runtime.links,
    {
      asks: {
        ...answers.asks,
        ...giving.asks,
        status,
        market,
        marketOver,
        verify: () => runtime.verify(),
        resign: () => resign(),
        upgrade,
      },
      greeting: () => ({
        about,
        ...(core.leads !== undefined && { ...answers.greeting(), hashEvery, alive: alive() }),
      }),
      alive,
    },
    handshake,
  )
  closeAtEnd(() => server.close())
  if (inFile !== undefined) {
    closeAtEnd(inFile.watch((uid) => runtime.core.leads !== undefined && server.tell('keys', inFile.of(uid))))
  }
  await server.listen(addressOf(listen))
  const heard = (what: string, value: unknown, from: string) => {
    if (what === 'keys') void inFile?.take(value as readonly ApiKey[])
    if (what === 'alive') clocks.heard(from, (value as Alive).wallMs)
    if (what === 'stateHash') hashes.vote(value as HashVote)
  }
  const others = new Peers(doors, heard, log)
  closeAtEnd(() => others.close())
  const clockLooks = setInterval(() => {
    if (core.leads === undefined || clocks.mayLead) return
    log.error({ othersAheadMs: clocks.othersAheadMs }, 'the clock of this core is wrong: another one is to lead')
    void core.resign()
  }, clockLookMs).unref()
  closeAtEnd(() => clearInterval(clockLooks))

  // 7. The operator.
  const trail = new Trail(new TrailFile(directory.file(trailFile), log))
  closeAtEnd(() => trail.close())
  const ports: OperatorPorts = {
    core: runtime.door,
    history,
    keys,
    verify: () => runtime.verify(),
    snapshot: () => runtime.snapshot(),
    clock: runtime.clock,
    advanceClock: undefined,
    market: undefined,
    status: () => ({
      ...health(),
      version: releaseName(),
      address: listen,
      upForS: Math.floor(process.uptime()),
      kind: record.kind,
      now: runtime.now(),
      ...status(),
    }),
    metrics: () => metrics.read(),
    course: () => metrics.course.shown(),
    logTail: tailOf(log),
    trail,
  }
  const pages = [healthPage(health), metricsPage(metrics)]
  if (configuration.status !== '') closeAtEnd(await openStatusListener(configuration.status, pages))
  const operator = await openOperatorListener(ports, {
    host: configuration.operatorHost,
    port: configuration.operatorPort,
    token: secretFile(directory.file(tokenFile), () => randomBytes(32).toString('hex'), isToken),
    log,
    tls: certificate?.tls,
    pages,
  })
  closeAtEnd(() => operator.close())
  runtime.addConsumer(operator.consumer)
  writeAddresses(directory, {
    url: `core://${listen}`,
    operatorUrl: operator.url,
    role: 'core',
    certificate: certificate?.text,
  })

  const closing = opened.move()
  let stopped: Promise<void> | undefined
  return {
    listen,
    operatorUrl: operator.url,
    role: status().role,
    stop: () => (stopped ??= closing.disposeAsync()),
  }
}

/** The other cores: those that it is told, else those of the cluster but this one. */
function peersOf({ peers, cores, listen }: Configuration): readonly string[] {
  if (cores.length > 0 && !cores.includes(listen)) {
    throw new CannotStart(`--listen ${listen}: must be one of the cores: ${cores.join(', ')}`)
  }
  return peers.length > 0 ? peers : cores.filter((core) => core !== listen)
}

/** Of other cores. */
function replicasThatDiffer({ differed }: HashComparison): Degradation[] {
  return [...differed].map(([core, sequence]) => [
    'replica-differs',
    `the state of the core ${core} differed from that of the others at command ${sequence}: it has ended`,
  ])
}

function alarm(ms: number, call: () => void): () => void {
  const timeout = setTimeout(call, ms)
  timeout.unref()
  return () => clearTimeout(timeout)
}
