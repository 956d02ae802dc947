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
import {
  addressOf,
  CannotStart,
  clockFile,
  clusterTrust,
  type Configuration,
  endpointLimitsOf,
  endSimulatedMarket,
  healthPage,
  historyFile,
  isToken,
  metricsPage,
  offsetKeeper,
  openOperatorListener,
  openStatusListener,
  openTrail,
  type OperatorPorts,
  prepareSimulatedMarket,
  prepareVenue,
  rememberRules,
  secretFile,
  tailOf,
  tokenFile,
  trailFile,
  writeAddresses,
} from '../operator/operator.ts'
import {
  type Alive,
  handshakeOf,
  HashComparison,
  type HashVote,
  LinkServer,
  type ProcessAbout,
  systemTimers,
  ToldLog,
} from '../replication/replication.ts'
import { monotonicNow } from '../runtime/runtime.ts'
import { ClockWatch } from './clock-watch.ts'
import { type CoreOptions, doorsOf, openDirectory, openKeys, openOwnState, openSharedLog } from './core-beginning.ts'
import { CoreRuntime } from './core-runtime.ts'
import { watchCore } from './core-watches.ts'
import { MarketTurn } from './market-turn.ts'
import { Peers } from './peers.ts'
import { upgradeRules } from './rules-upgrade.ts'
import { StateGiving } from './state-given.ts'

/** What the core that leads tells the others of each of its messages. */
interface Logged {
  readonly position: number
  readonly message: Uint8Array
}

const listenDefault = '127.0.0.1:7400'
const lookEveryMs = 1_000

/** Resolves when it follows the log, and takes gateways as soon as it leads. */
export async function startCore(given: Configuration, options: CoreOptions) {
  const { log, onFatal } = options
  // Gateways have the market that moves by itself, one at a time.
  const listensAt = given.listen === '' ? listenDefault : given.listen
  const configuration: Configuration = { ...given, listen: listensAt, simulator: 'off', mirror: '', past: 0 }
  const { listen, hashEvery } = configuration
  const peers = peersOf(configuration)
  const handshake = handshakeOf(clusterTrust(configuration))
  const doors = doorsOf(peers, handshake)
  await using opened = new AsyncDisposableStack()
  const closeAtEnd = (close: () => Promise<void> | void) => opened.defer(close)
  const beginning = { ...options, configuration, opened }

  // 1 to 4. The directory, the log, what this core has, and its keys.
  const own = await openDirectory(beginning)
  const { directory, certificate } = own
  const shared = await openSharedLog(beginning, own)
  const { venueId } = shared
  const state = await openOwnState(beginning, own, shared, doors)
  const { history, recovered, places, end, record } = state
  const keys = await openKeys(beginning, { ...state, directory }, venueId)
  const { inFile, inPostgres } = keys

  // 5. The runtime: it follows from here on. Its state is held against those of the others.
  const hashes = new HashComparison({
    name: listen,
    cores: peers.length + 1,
    timers: systemTimers,
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
  const toldLog = new ToldLog(shared, systemTimers)
  const runtime: CoreRuntime = new CoreRuntime(end, recovered, {
    name: listen,
    dataDirectory: directory.path,
    engineClass: Engine,
    engineModule: fileURLToPath(new URL('../engine/engine.ts', import.meta.url)),
    about,
    history,
    shared: toldLog,
    snapshotEvery: configuration.snapshotEvery,
    hasLease: configuration.readLease === 'on',
    mayClaim: () => clocks.mayClaim,
    clockLeapMsMax: configuration.clockLeapMsMax,
    clockKeeper: offsetKeeper(directory.file(clockFile)),
    log,
    onFatal,
    onStored: (position, message) => server.tellCores('logged', { position, message } satisfies Logged),
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

  const ofCore = { configuration, directory, shared, history, runtime, clocks, hashes, peers, log, opened }
  const { health, metrics, old } = watchCore({ ...ofCore, own: () => status() })
  const { core } = runtime

  // 6. The operator's ports. Before anything more is awaited: from then on this core may lead, which needs them.
  const trail = openTrail(directory.file(trailFile), log)
  closeAtEnd(() => trail.close())
  const ports: OperatorPorts = {
    core: runtime.door,
    history,
    keys: keys.book,
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

  // 7. Gateways and the other cores.
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
    now: () => runtime.now(),
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
    wallMs: runtime.clock.now(),
    ...(core.leads !== undefined && { silentMs: core.silentMs }),
  })
  const giving = new StateGiving({
    directory,
    kind: record.kind,
    places,
    history,
    journal: recovered.journal,
    snapshots: recovered.snapshots,
    keys: keys.all,
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
    if (what === 'logged') {
      const { position, message } = value as Logged
      toldLog.tell(position, message)
    }
    if (what === 'alive') clocks.heard(from, (value as Alive).wallMs)
    if (what === 'stateHash') hashes.vote(value as HashVote)
  }
  const others = new Peers(doors, heard, log)
  closeAtEnd(() => others.close())

  // 8. The operator's listener.
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
