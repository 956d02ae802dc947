/**
 * The venue, put together: the rooms in the order in which an order meets them, from the directory that it is kept in to
 * the line that says that it is open.
 *
 * Starts   whole or not at all: what was opened before a step failed is closed again, in reverse
 * Stops    in reverse: no new requests, then what was accepted is finished, a snapshot, history, keys, the directory
 * Exits    0 after a signal · 1 when it cannot start, or when the engine broke for good: those who wait are answered
 *          (45001) and told to go, then a restart replays the journal
 * Source   design.md §1, §5, §6
 */
import type { FastifyInstance } from 'fastify'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { type Answered, createApi } from './api/api.ts'
import { type Catalog, type Coin, coinByName } from './engine/catalog/catalog.ts'
import { Engine } from './engine/engine.ts'
import type { Event } from './engine/protocol/event.ts'
import { type History, openHistory } from './history/history.ts'
import { Market } from './market/market.ts'
import {
  announce,
  CannotStart,
  type Configuration,
  connectionsAllowed,
  DataDirectory,
  demoKeysFile,
  expectFeed,
  healthOf,
  isHealthy,
  isLoopback,
  isToken,
  lacksSimulatorAccounts,
  MarketCounts,
  masterSeal,
  Metrics,
  openLog,
  openOperatorListener,
  openSimulatorAccounts,
  type OperatorPorts,
  removeAddresses,
  SealedKeyStore,
  secretFile,
  setUpDemoVenue,
  simulatorUids,
  simulatorUidsAll,
  startTrouble,
  tokenFile,
  type VenueRecord,
  watchDailyOrders,
  writeAddresses,
  writeDemoKeys,
} from './operator/operator.ts'
import { openRuntime, type RecoveryProgress, type Runtime, type RuntimeOptions } from './runtime/runtime.ts'
import { readRecordings, type Recordings, Simulator, withdrawQuotes } from './simulator/simulator.ts'
import { isStreamPath, Stream } from './stream/stream.ts'
import { serveTerminal } from './terminal/terminal.ts'

interface Venue {
  readonly url: string
  readonly operatorUrl: string
  readonly isDemo: boolean
  readonly directory: DataDirectory
  stop(): Promise<void>
}

interface VenueOptions {
  readonly log: Logger
  /** The engine broke for good: nothing can be asked of it any more, and those who wait are told so. */
  readonly onFatal: (error: Error) => void
  /** In place of <data>/master.key. */
  readonly masterKey?: string | undefined
  /** While the journal is replayed. */
  readonly onReplay?: ((progress: RecoveryProgress) => void) | undefined
  /** For tests that put faults in. */
  readonly faults?: Partial<Pick<RuntimeOptions, 'disk' | 'engineClass'>>
}

/** Resolves when requests are accepted. */
export async function startVenue(configuration: Configuration, options: VenueOptions): Promise<Venue> {
  const { log } = options
  await using opened = new AsyncDisposableStack()
  const closeAtEnd = (close: () => Promise<void> | void) => opened.defer(close)

  // 1. The directory is ours alone, and we know what lives in it.
  const directory = DataDirectory.open(configuration.data)
  closeAtEnd(() => directory.close())
  removeAddresses(directory)
  closeAtEnd(() => removeAddresses(directory))
  const record = chooseVenue(directory, configuration)
  const isDemo = record.kind === 'demo'

  // 2. History, before the engine: what is replayed must find it.
  const history = await openHistory(directory.file('history.sqlite'))
  closeAtEnd(() => history.close())

  // 3. The runtime brings the engine back to where it stood, and takes commands from here on.
  const runtime = await openRuntime({
    dataDirectory: directory.path,
    engineClass: Engine,
    engineModule: fileURLToPath(new URL('./engine/engine.ts', import.meta.url)),
    history,
    durability: configuration.durability,
    clock: { kind: configuration.clock },
    snapshotEvery: configuration.snapshotEvery,
    replyTimeoutMs: configuration.replyTimeoutMs,
    log,
    onFatal: options.onFatal,
    ...(options.onReplay && { onProgress: options.onReplay }),
    ...options.faults,
  })
  closeAtEnd(() => runtime.stop())

  // 4. Market data, refilled from history and fed with events.
  const market = await openMarket(runtime, history)

  // 5. Keys: who may speak for which account.
  const seal = masterSeal(directory.file('master.key'), options.masterKey)
  const keys = new SealedKeyStore(directory.file('keys.sqlite'), seal, configuration.durability)
  closeAtEnd(() => keys.close())

  // 6. The operator's ports; a new demo venue is set up through them before anybody else can speak.
  const ports: OperatorPorts = {
    core: runtime,
    history,
    keys,
    verify: () => runtime.verify(),
    snapshot: () => runtime.snapshot(),
    advanceClock: configuration.clock === 'manual' ? (ms) => advance(ms) : undefined,
    get market() {
      return simulator
    },
    status: () => ({ ...health(), kind: record.kind, sequence: runtime.sequence, now: runtime.now() }),
    metrics: () => metrics.read(),
  }
  let simulator: Simulator | undefined
  const advance = (ms: number) => simulator?.advance(ms, (step) => runtime.advance(step)) ?? runtime.advance(ms)
  const health = () => healthOf(runtime.health(), history.health())
  await prepareVenue(directory, record, configuration, ports)
  const recordings = await recordedPrices(configuration, runtime, isDemo)

  // 7. The interface.
  const counts = new MarketCounts()
  runtime.addConsumer(counts)
  const metrics = new Metrics({
    runtime: () => runtime.stats(),
    dailyOrders: () => (runtime.canAnswer ? runtime.query({ kind: 'daily-orders' }) : undefined),
    history: () => history.health(),
    healthy: () => isHealthy(health()),
    counts,
    markets: () => (runtime.canAnswer ? marketsOf(runtime) : []),
  })
  const api = createApi({
    core: watchDailyOrders(runtime, configuration, log),
    history,
    market,
    keys,
    rateLimits: {
      enabled: !configuration.noRateLimits,
      perSecond: limitsOf(configuration),
      perAddressPerMinute: configuration.callsPerAddressPerMinuteMax,
    },
    proxies: configuration.trustedProxies,
    timestampWindowMs: configuration.timestampWindowMs,
    refuseRepeatedRequests: configuration.refuseReplays,
    dailyOrdersWarning: configuration.dailyOrdersWarning,
    onTrouble: (trouble, endpoint, requestId) => {
      log.error({ err: trouble, endpoint: endpoint?.path, requestId }, 'a request met trouble')
    },
    onAnswered: log.isLevelEnabled('debug') ? noting(log, metrics.answered) : metrics.answered,
    upgrades: isStreamPath,
    connectionsMax: connectionsAllowed(configuration.connectionsMax),
    extra: (app) => {
      serveHealthAndMetrics(app, health, metrics)
      serveTerminal(app, { demoKeysFile: isDemo ? directory.file(demoKeysFile) : undefined })
    },
  })
  closeAtEnd(() => api.close())

  // 8. Sockets on the same port: what happens is pushed to whoever watches it.
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
    onTrouble: (trouble) => log.error({ err: trouble }, 'a stream met trouble'),
  })
  runtime.addConsumer(stream)
  closeAtEnd(() => stream.close())
  metrics.addStream(stream.counts)
  const url = await api.listen({ host: configuration.host, port: configuration.port })

  // 9. The operator's own listener.
  const token = secretFile(directory.file(tokenFile), () => randomBytes(32).toString('hex'), isToken)
  const operator = await openOperatorListener(ports, { port: configuration.operatorPort, token, log })
  closeAtEnd(() => operator.close())
  runtime.addConsumer(operator.consumer)
  const operatorUrl = operator.url

  // 10. Simulated agents, through the same two ports as everyone.
  if (isDemo) simulator = await openSimulatedMarket(configuration, recordings, runtime, closeAtEnd, log)

  // 11. Old history goes, little by little.
  closeAtEnd(keepPruning(history, runtime, log))

  // 12. The doors are open.
  writeAddresses(directory, { url, operatorUrl })
  const closing = opened.move()
  let stopped: Promise<void> | undefined
  return { url, operatorUrl, isDemo, directory, stop: () => (stopped ??= closing.disposeAsync()) }
}

/** `METHOD PATH=CALLS` as the rate limits want it. */
function limitsOf({ endpointLimits }: Configuration): Record<string, number> {
  return Object.fromEntries(
    endpointLimits.map((one) => {
      const mark = one.lastIndexOf('=')
      return [one.slice(0, mark), Number(one.slice(mark + 1))]
    }),
  )
}

/** What lives in the directory; a new one becomes a demo venue, which only this machine may reach. */
function chooseVenue(directory: DataDirectory, { host, data }: Configuration): VenueRecord {
  const found = directory.venue()
  const record = found ?? { kind: 'demo' }
  if (record.kind === 'demo' && !isLoopback(host)) {
    const where = found === undefined ? data : 'OTHER'
    const advice = `run "tidemark init --data ${where}" for an empty venue, or listen on 127.0.0.1`
    throw new CannotStart(`a demo venue has public keys and listens on loopback only, not on ${host}: ${advice}`)
  }
  directory.remember(record)
  return record
}

/** What has to be in the engine before the doors open, and is not yet. */
async function prepareVenue(
  directory: DataDirectory,
  found: VenueRecord,
  configuration: Configuration,
  ports: OperatorPorts,
): Promise<void> {
  let record = found
  const remember = (change: Partial<VenueRecord>) => directory.remember((record = { ...record, ...change }))
  if (record.kind === 'demo') {
    if (!record.complete) await setUpDemoVenue(ports)
    writeDemoKeys(directory.file(demoKeysFile), ports.core, ports.keys)
    if (!record.complete) remember({ complete: true })
    if (configuration.simulator === 'on' && (!record.agents || lacksSimulatorAccounts(ports.core))) {
      // An earlier release knew fewer of them: what is cut off now goes on at the next start.
      if (record.agents) remember({ agents: false })
      await openSimulatorAccounts(ports)
      remember({ agents: true })
    }
    const fed = configuration.simulator === 'on'
    if ((record.fed ?? false) !== fed) {
      await expectFeed(ports, fed)
      remember({ fed })
    }
  }
  const { dailyOrdersRestriction } = configuration
  if ((record.dailyOrdersRestriction ?? 0) !== dailyOrdersRestriction) {
    await ports.core.submit({ kind: 'configure-venue', dailyOrdersRestriction })
    remember({ dailyOrdersRestriction })
  }
}

/** What index prices follow in place of the simulated process; read before the doors open, so that a wrong file is no venue. */
async function recordedPrices(
  { prices }: Configuration,
  runtime: Runtime,
  isDemo: boolean,
): Promise<Recordings | undefined> {
  if (prices.length === 0) return undefined
  if (!isDemo) throw new CannotStart('--prices: recorded prices are followed by the simulator of a demo venue only')
  const catalog = runtime.query({ kind: 'catalog' })
  return readRecordings(prices, (name) => coinOfName(catalog, name.toUpperCase())?.name)
}

/** By its own name, or by a symbol that it is the base of. */
function coinOfName(catalog: Catalog, name: string): Coin | undefined {
  const { coins, instruments } = catalog
  const instrument = instruments.find(({ symbol }) => symbol === name)
  return coinByName(catalog, name) ?? (instrument && coins[instrument.base])
}

/** With the simulator off the agents of an earlier run leave nothing in the books. */
async function openSimulatedMarket(
  { simulator: wanted, seed, clock }: Configuration,
  recordings: Recordings | undefined,
  runtime: Runtime,
  closeAtEnd: (close: () => Promise<void>) => void,
  log: Logger,
): Promise<Simulator | undefined> {
  if (wanted === 'on') {
    const simulator = new Simulator({ core: runtime, seed, ...simulatorUids(runtime), recordings, log })
    closeAtEnd(() => simulator.stop())
    // On the manual clock it lives as the clock is moved.
    await (clock === 'manual' ? simulator.open() : simulator.start())
    return simulator
  }
  const everything = { interface: 'v3', category: undefined, instrument: undefined } as const
  const quoting = simulatorUidsAll(runtime).filter((uid) => {
    return runtime.query({ kind: 'open-orders', uid, ...everything }).length > 0
  })
  if (quoting.length > 0) await withdrawQuotes(runtime, quoting)
  return undefined
}

/** Events that come while it is being refilled wait their turn; what history had of them already is dropped. */
async function openMarket(runtime: Runtime, history: History): Promise<Market> {
  const market = new Market()
  const waiting: (readonly Event[])[] = []
  let take = (events: readonly Event[]): void => void waiting.push(events)
  runtime.addConsumer({ record: (_sequence, _at, events) => take(events) })
  const { instruments } = runtime.query({ kind: 'catalog' })
  await market.restore(
    history,
    instruments.map((instrument) => instrument.id),
    runtime.now(),
  )
  take = (events) => market.record(events)
  for (const events of waiting) market.record(events)
  return market
}

/** Every market with its prices, for metrics. */
function marketsOf(runtime: Runtime) {
  return runtime.query({ kind: 'catalog' }).instruments.map((instrument) => {
    return { instrument, prices: runtime.query({ kind: 'prices', instrument: instrument.id }) }
  })
}

/** At level debug each request is a line, with what leads from its id to its command in the journal. */
function noting(log: Logger, answered: (one: Answered) => void): (one: Answered) => void {
  return (one) => {
    const { endpoint, httpStatus, code, durationMs, requestId, sequence } = one
    log.debug({ requestId, endpoint: endpoint?.path, httpStatus, code, durationMs, sequence }, 'answered')
    answered(one)
  }
}

function serveHealthAndMetrics(
  app: FastifyInstance,
  health: () => ReturnType<typeof healthOf>,
  metrics: Metrics,
): void {
  app.get('/health', async (_request, reply) => {
    const found = health()
    return reply.code(isHealthy(found) ? 200 : 503).send(found)
  })
  app.get('/metrics', async (_request, reply) => {
    return reply.header('content-type', metrics.contentType).send(await metrics.text())
  })
}

const historyDaysKept = 91 // 90 are served
const pruneEveryMs = 3_600_000
/** After the start, which has enough to do: a venue that never runs for an hour prunes too. */
const firstPruneMs = 10_000

/** Answers how to end it. */
function keepPruning(history: History, runtime: Runtime, log: Logger): () => void {
  const prune = async () => {
    try {
      await history.prune(runtime.now() - historyDaysKept * 86_400_000)
    } catch (error) {
      log.error({ err: error }, 'old history could not be removed')
    }
  }
  const timers = [
    setTimeout(() => void prune(), firstPruneMs).unref(),
    setInterval(() => void prune(), pruneEveryMs).unref(),
  ]
  return () => timers.forEach(clearTimeout)
}

const stopMsMax = 35_000
/** How long a venue whose engine broke for good may take to tell those who wait. */
const farewellMsMax = 5_000

interface RunOptions extends Pick<VenueOptions, 'onReplay'> {
  /** How standard output says that requests are accepted. */
  readonly readyAsJson?: boolean
}

/** `tidemark start`: runs a venue until a signal or a defect ends it, and with it this process. */
export async function runVenue(
  configuration: Configuration,
  { onReplay, readyAsJson = false }: RunOptions = {},
): Promise<void> {
  const { log, flush } = openLog(configuration.logLevel)
  const end = (code: number): never => {
    flush()
    process.exit(code)
  }
  const dieOf = (error: unknown, what: string) => {
    log.fatal({ err: error }, what)
    end(1)
  }
  process.on('uncaughtException', (error) => dieOf(error, 'a defect: the venue ends, a restart replays its journal'))

  let venue: Venue | undefined
  let stopping = false
  const onFatal = async (error: Error) => {
    log.fatal({ err: error }, 'the engine broke: the venue ends, a restart replays its journal')
    setTimeout(() => end(1), farewellMsMax).unref()
    stopping = true
    await venue?.stop().catch(() => {})
    end(1)
  }
  try {
    venue = await startVenue(configuration, {
      log,
      onFatal: (error) => void onFatal(error),
      masterKey: process.env['TIDEMARK_MASTER_KEY'],
      onReplay,
    })
  } catch (error) {
    flush()
    throw startTrouble(error)
  }

  const running = venue
  const stop = async (signal: string) => {
    // A Ctrl-C may arrive twice, from the terminal and from the launcher.
    if (stopping) return
    stopping = true
    log.info({ signal }, 'the venue stops')
    setTimeout(() => dieOf(undefined, 'the venue did not stop in time'), stopMsMax).unref()
    try {
      await running.stop()
    } catch (error) {
      dieOf(error, 'the venue did not stop cleanly')
    }
    log.info('the venue has stopped')
    end(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(signal))
  announce(running.directory, running, readyAsJson)
}
