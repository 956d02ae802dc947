/**
 * `tidemark dev`: a laboratory, and how each of its venues is built in memory: the same steps as on disk (main.ts), but for what goes
 * there.
 *
 * Ends     with what was recorded, and with its state, in the files that were asked for
 */
import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import { type IssuedKey, type NewKey, releaseName, SeededRandom } from '../api/api.ts'
import { Engine } from '../engine/engine.ts'
import { openHistoryInMemory } from '../history/history.ts'
import {
  beginElsewhere,
  type Beginning,
  Branches,
  type Here,
  Lab,
  type LabJournal,
  LabRefusal,
  type LabSettings,
  type LabShelves,
  openOnePort,
  packed,
  packSnapshot,
  serveLab,
  shown,
  type VenueAsk,
  type VenueParts,
  type Way,
} from '../lab/lab.ts'
import { openMarket } from '../market/market.ts'
import {
  CannotStart,
  type Configuration,
  Degradations,
  demoKeys,
  giveDemoKeys,
  healthOf,
  IndexHalts,
  isLoopbackAddress,
  liveAnswersOf,
  MemoryKeyStore,
  openFilesLeft,
  openLog,
  type OperatorPorts,
  pastAsked,
  pastShown,
  prepareInMemory,
  type ProcessParts,
  roleOfKey,
  simulatedPast,
  simulatorUids,
  tailOf,
  Trail,
  withEquity,
  writeWholeFile,
} from '../operator/operator.ts'
import { openRuntime, type Runtime } from '../runtime/runtime.ts'
import { type Recordings, Simulator } from '../simulator/simulator.ts'
import type { PricePath } from '../tape/tape.ts'
import { terminalPages } from '../terminal/terminal.ts'
import { openDoors } from './doors.ts'

/** More than is drawn from one command to the next. */
const drawnMax = 2 ** 20

/** How one venue of a laboratory is built, and the laboratory that it is in. */
interface InMemory {
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
  const { configuration, settings, anchor, ask, told, way, venue, log, onFatal } = inMemory
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
  closeAtEnd(doors.metrics.course.keep())
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

type LabProcess = Pick<ProcessParts, 'log' | 'onFatal' | 'masterKey'>

/** A laboratory without a venue. */
function newLab(
  configuration: Configuration,
  settings: LabSettings,
  { log, onFatal, masterKey }: LabProcess,
  anchor?: Anchor,
): Lab {
  return new Lab({
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
async function startLab(configuration: Configuration, asked: LabSettings, parts: LabProcess): Promise<Lab> {
  const { settings, frozen, anchor } = await withMarket(asked, configuration.simulator === 'on')
  const lab = newLab(configuration, settings, parts, anchor)
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
  try {
    return await lab.open(ask)
  } catch (cause) {
    if (!(cause instanceof LabRefusal || cause instanceof (await loadTapes()).TapeWrong)) throw cause
    await lab.close()
    throw new CannotStart(cause.message, { cause })
  }
}

/** What reads recorded markets is loaded where one is played. */
const loadTapes = () => import('../tape/tape.ts')

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
  try {
    return await (isKept ? beginElsewhere({ from: state }, here) : beginElsewhere({ from: from!, at, withKeys }, here))
  } catch (cause) {
    throw cause instanceof LabRefusal ? new CannotStart(cause.message, { cause }) : cause
  }
}

/** What was recorded from the beginning on. */
async function keepRecord(lab: Lab, { record }: LabSettings): Promise<void> {
  if (record === undefined) return
  const { venue } = lab.find('main')
  writeWholeFile(record, (await venue.inTurn(() => packed(venue, lab.options.version))).file)
}

/** So that the next one can go on from there. */
async function keepState(lab: Lab, { state }: LabSettings): Promise<void> {
  if (state === undefined) return
  const { venue } = lab.find('main')
  writeWholeFile(state, await packSnapshot(await venue.inTurn(() => venue.save()), lab.options.version))
}

/** A laboratory in whatever process this is, for those who debug both. An engine that breaks for good ends it. */
export function openLab(configuration: Configuration, settings: LabSettings): Promise<Lab> {
  return startLab(configuration, settings, partsHere(configuration))
}

/** The same, with the venue that is asked for. */
export async function openLabWith(configuration: Configuration, settings: LabSettings, ask: VenueAsk): Promise<Lab> {
  const lab = newLab(configuration, settings, partsHere(configuration))
  await lab.open(ask)
  return lab
}

function partsHere({ logLevel }: Configuration): LabProcess {
  const { log } = openLog(logLevel)
  const onFatal = (error: Error) => {
    throw error
  }
  return { log, onFatal, masterKey: undefined }
}

/** With what it keeps of itself at its end. */
export async function startKeptLab(configuration: Configuration, settings: LabSettings, parts: LabProcess) {
  const lab = await startLab(configuration, settings, parts)
  const stop = async () => {
    try {
      await keepRecord(lab, settings)
      await keepState(lab, settings)
    } finally {
      await lab.close()
    }
  }
  return { ready: shown(lab.find('main')), stop }
}
