/**
 * Metrics of one process of several, beside those of a venue (metrics.ts): how a core stands to the log that it shares, and a gateway
 * or whoever writes the history to the core.
 *
 * Labels  role and node at every series: who it is
 */
import type { CoreConnection, GatewayRuntime, LinkWatch } from '../gateway/gateway.ts'
import type { CoreState, LinkCounts, LogCounts } from '../replication/replication.ts'
import type { Configuration } from './config/schema.ts'
import type { Degradation } from './degradations.ts'
import type { Labels, MetricRegistry } from './metric-registry.ts'
import { spanText } from './spans.ts'

const states = ['leader', 'candidate', 'follower'] as const satisfies readonly CoreState[]
/** A gateway whose link is slower makes every private request wait. */
const lagMsMax = 2_000

/** By which a process of several is known: where it listens. */
export function processLabels(role: 'core' | 'gateway' | 'history', configuration: Configuration): Labels {
  const { listen, status, host, port } = configuration
  return { role, node: listen || status || `${host}:${port}` }
}

/** One of several cores, and the log that they share. */
export interface SharedCoreSource extends RulesSource {
  readonly state: () => CoreState
  readonly epoch: () => number
  /** The last message of the log that was taken here. */
  readonly position: () => number
  /** The last command in it. */
  readonly logSequence: () => number
  readonly sequence: () => number
  readonly silentMs: () => number
  readonly behind: () => number
  readonly behindMs: () => number
  /** As it was seen last; undefined: never. */
  readonly bounds: () => { readonly first: number; readonly bytes: number } | undefined
  readonly serverFaults: () => number
  /** How long somebody keeps what is old in the log. */
  readonly heldMs: () => number
  readonly snapshotAgeMs: () => number
  readonly othersAheadMs: () => number
  readonly hashSequence: () => number
  readonly counts: LogCounts
}

export function addGateways(metrics: MetricRegistry, gateways: () => number): void {
  metrics.gauge('tidemark_gateways_connected', 'Gateways and writers of history that follow this core', gateways)
}

function addHashes(metrics: MetricRegistry, { hashSequence }: { readonly hashSequence: () => number }): void {
  const help = 'Last command at which the state here was seen to be that of the others'
  metrics.gauge('tidemark_state_hash_sequence', help, hashSequence)
}

/** By which rules this process goes, and which it could. */
interface RulesSource {
  readonly rules: () => number
  readonly rulesNewest: number
}

function addRules(metrics: MetricRegistry, { rules, rulesNewest }: RulesSource): void {
  metrics.gauge('tidemark_rules', 'Rules by which the next command is applied here', rules)
  metrics.gauge('tidemark_rules_newest', 'Newest rules that this release applies', () => rulesNewest)
}

export function addSharedCore(metrics: MetricRegistry, core: SharedCoreSource): void {
  addHashes(metrics, core)
  addRules(metrics, core)
  metrics.gauges('tidemark_core_state', '1 for what this core does', ['state'], () =>
    states.map((state) => [{ state }, core.state() === state ? 1 : 0]),
  )
  metrics.gauge('tidemark_core_epoch', 'How often leadership has changed, up to what was read of it', core.epoch)
  metrics.gauge('tidemark_log_position', 'Last message of the log that was taken here', core.position)
  metrics.gauge('tidemark_log_sequence', 'Last command in the log, as taken here', core.logSequence)
  metrics.gauge(
    'tidemark_log_unapplied_commands',
    'Commands that were taken from the log and are not applied',
    () => core.logSequence() - core.sequence(),
  )
  metrics.gauge('tidemark_log_behind_messages', 'Messages in the log that were not taken yet', core.behind)
  metrics.gauge(
    'tidemark_log_behind_seconds',
    'How long the oldest of them was seen to wait',
    () => core.behindMs() / 1000,
  )
  metrics.gauge(
    'tidemark_log_silent_seconds',
    'How long nothing came to the log, which is never long while a core leads',
    () => core.silentMs() / 1000,
  )
  metrics.stages('tidemark_log_append_seconds', 'Time of a message until it stands in the log', [], () => [
    [{}, core.counts.append],
  ])
  metrics.count('tidemark_log_appends_unknown_total', 'Attempts without a clear answer', () => core.counts.unknown)
  metrics.count(
    'tidemark_log_fenced_total',
    'Leaderships and claims that ended as another core had written',
    () => core.counts.fenced,
  )
  metrics.gauge('tidemark_log_bytes', 'Size of the log', () => core.bounds()?.bytes)
  metrics.gauge('tidemark_log_first_position', 'Oldest message in the log', () => core.bounds()?.first)
  metrics.gauge(
    'tidemark_log_held_seconds',
    'Of the core that leads: how long somebody has kept what is old in the log, who is away or behind',
    () => core.heldMs() / 1000,
  )
  metrics.gauge(
    'tidemark_log_servers_faulty',
    'What is wrong with NATS servers: not synced, too old, not answering',
    core.serverFaults,
  )
  metrics.gauge(
    'tidemark_clock_others_ahead_seconds',
    'What the clocks of other cores and of the log are ahead of the one here',
    () => core.othersAheadMs() / 1000,
  )
  metrics.gauge(
    'tidemark_snapshot_age_seconds',
    'Since the newest snapshot was taken, or the process began',
    () => core.snapshotAgeMs() / 1000,
  )
}

/** Of who follows a core. */
interface LinkSource extends RulesSource {
  /** Undefined: nobody is heard. */
  readonly core: () => string | undefined
  readonly epoch: () => number
  readonly isUp: () => boolean
  readonly behind: () => number
  readonly lagMs: () => number
  readonly hashSequence: () => number
  readonly counts: LinkCounts
}

export function linkOf({ runtime, connection, watch }: Following): LinkSource {
  const { remote, linkCounts: counts } = runtime
  return {
    core: () => connection.core,
    epoch: () => remote.epoch,
    isUp: () => remote.isReady,
    behind: () => remote.behind,
    lagMs: () => watch.lagMs,
    hashSequence: () => runtime.hashes.agreed,
    rules: () => runtime.rules,
    rulesNewest: runtime.about.rules.newest,
    counts,
  }
}

interface Following {
  readonly runtime: Pick<GatewayRuntime, 'remote' | 'linkCounts' | 'hashes' | 'rules' | 'about'>
  readonly connection: Pick<CoreConnection, 'core'>
  readonly watch: Pick<LinkWatch, 'lagMs'>
}

export function addLink(metrics: MetricRegistry, link: LinkSource): void {
  addHashes(metrics, link)
  addRules(metrics, link)
  metrics.gauge('tidemark_link_up', '1 while a core that leads is heard', () => (link.isUp() ? 1 : 0))
  metrics.gauges('tidemark_link_core', '1 for the core that is followed', ['core'], () => {
    const core = link.core()
    return core === undefined ? [] : [[{ core }, 1]]
  })
  metrics.gauge('tidemark_core_epoch', 'Epoch of the core that is followed', link.epoch)
  metrics.gauge(
    'tidemark_link_behind_commands',
    'Commands that the core was heard of and that are not applied here',
    link.behind,
  )
  metrics.gauge(
    'tidemark_link_lag_seconds',
    'How long what stands takes until it is applied here',
    () => link.lagMs() / 1000,
  )
  metrics.stages('tidemark_barrier_seconds', 'Time of a question to the core for what stands', [], () => [
    [{}, link.counts.barriers],
  ])
  metrics.count(
    'tidemark_commands_resubmitted_total',
    'Submissions that were sent once more, as they never stood',
    () => link.counts.resubmitted,
  )
  metrics.counters('tidemark_command_outcomes_total', 'How submissions ended', ['outcome'], () =>
    Object.entries(link.counts.outcomes).map(([outcome, count]) => [{ outcome }, count]),
  )
}

/** What somebody should look into. */
export function linkTroubles({ lagMs }: Pick<LinkSource, 'lagMs'>): Degradation[] {
  const ms = lagMs()
  if (ms <= lagMsMax) return []
  return [['link-slow', `what the core has done is here ${spanText(ms)} later: private requests wait`]]
}
