/**
 * What is watched of a core: its log and the servers of it, what is old there, clocks, and states that differ. All of it is told in
 * health and metrics, and nothing of an order waits for it.
 */
import { Engine } from '../engine/engine.ts'
import type { History } from '../history/history.ts'
import type { JetStreamLog } from '../jetstream/jetstream.ts'
import {
  addGateways,
  addSharedCore,
  type Configuration,
  courseFile,
  type DataDirectory,
  type Degradation,
  Degradations,
  healthOf,
  IndexHalts,
  isHealthy,
  MarketCounts,
  Metrics,
  openCourseFile,
  openFilesLeft,
  type ProcessParts,
  processLabels,
} from '../operator/operator.ts'
import { type HashComparison, systemTimers } from '../replication/replication.ts'
import { monotonicNow } from '../runtime/runtime.ts'
import type { ClockWatch } from './clock-watch.ts'
import { CopiesWatch } from './copies-watch.ts'
import type { CoreRuntime } from './core-runtime.ts'
import { LogWatch } from './log-watch.ts'
import { type CoreHolds, OldMessages } from './old-messages.ts'

const clockLookMs = 250

interface Watched {
  readonly configuration: Configuration
  readonly directory: DataDirectory
  readonly shared: JetStreamLog
  readonly history: History
  readonly runtime: CoreRuntime
  readonly clocks: ClockWatch
  readonly hashes: HashComparison
  readonly peers: readonly string[]
  readonly log: ProcessParts['log']
  /** What this core says of itself. */
  readonly own: () => CoreHolds
  /** Closes what was opened. */
  readonly opened: AsyncDisposableStack
}

export function watchCore(watched: Watched) {
  const { configuration, directory, shared, history, runtime, clocks, hashes, peers, log, own, opened } = watched
  const { core } = runtime
  const indexHalts = new IndexHalts(runtime, log)
  runtime.addConsumer(indexHalts)
  const counts = new MarketCounts()
  runtime.addConsumer(counts)

  const copies = new CopiesWatch(() => shared.copies())
  opened.defer(() => copies.stop())
  const ofCore = {
    position: () => core.end.position,
    silentMs: () => core.silentMs,
    wallNow: () => runtime.clock.now(),
    clocks,
    copies: () => copies.found,
  }
  const watch = new LogWatch(shared, ofCore, configuration.logSync === 'checked', monotonicNow)
  opened.defer(() => watch.stop())
  const leads = () => core.leads !== undefined
  const old = new OldMessages({
    configuration,
    shared,
    peers,
    timers: systemTimers,
    leads,
    end: () => core.end,
    own,
    log,
  })
  opened.defer(() => old.stop())
  const clockLooks = setInterval(() => {
    if (!leads() || clocks.mayLead) return
    log.error({ othersAheadMs: clocks.othersAheadMs }, 'the clock of this core is wrong: another one is to lead')
    void core.resign()
  }, clockLookMs).unref()
  opened.defer(() => clearInterval(clockLooks))

  const more = () => [...watch.read(), ...old.read(), ...clocks.read(), ...replicasThatDiffer(hashes)]
  const degradations = new Degradations({ runtime, history, indexHalts, more, filesLeft: openFilesLeft, log })
  opened.defer(() => degradations.stop())
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
  opened.defer(metrics.course.keep(openCourseFile(directory.file(courseFile), log)))
  return { health, metrics, old }
}

/** Of other cores. */
function replicasThatDiffer({ differed }: HashComparison): Degradation[] {
  return [...differed].map(([core, sequence]) => [
    'replica-differs',
    `the state of the core ${core} differed from that of the others at command ${sequence}: it has ended`,
  ])
}
