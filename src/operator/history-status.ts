/**
 * What the process that writes the history into PostgreSQL tells of itself at its status port: how far the database is, and what it
 * waits for. One that stands by says so, and has no more to tell.
 */
import type { HistoryProcess } from '../gateway/gateway.ts'
import type { Page } from '../http/http.ts'
import type { RuntimeLog } from '../runtime/runtime.ts'
import type { Configuration } from './config/schema.ts'
import { Degradations } from './degradations.ts'
import { type Health, healthOf, isHealthy } from './health.ts'
import { MarketCounts } from './market-counts.ts'
import { MetricRegistry } from './metric-registry.ts'
import { Metrics } from './metrics.ts'
import { openFilesLeft } from './open-files.ts'
import { addLink, linkOf, linkTroubles, processLabels } from './process-metrics.ts'
import { healthPage, metricsPage } from './public-pages.ts'

const writesHelp = '1 while this process writes the history, 0 while it stands by'

export class HistoryStatus {
  readonly #configuration: Configuration
  readonly #log: RuntimeLog
  #metrics: MetricRegistry
  #health: () => Health = () => ({ status: 'ok', reasons: [] })
  #stop = () => {}

  constructor(configuration: Configuration, log: RuntimeLog) {
    this.#configuration = configuration
    this.#log = log
    this.#metrics = new MetricRegistry(processLabels('history', configuration))
    this.#metrics.gauge('tidemark_history_writes', writesHelp, () => 0)
  }

  get pages(): readonly Page[] {
    const metrics = { text: () => this.#metrics.text(), contentType: this.#metrics.contentType }
    return [healthPage(() => this.#health()), metricsPage(metrics)]
  }

  /** From now on this process writes. */
  writes({ runtime, history, connection, watch, isDatabaseAway }: HistoryProcess): void {
    const link = linkOf({ runtime, connection, watch })
    const degradations = new Degradations({
      runtime,
      history,
      indexHalts: { reasons: () => [] },
      more: () => [
        ...linkTroubles(link),
        ...(isDatabaseAway()
          ? [['database-away', 'PostgreSQL is away: rows wait here, reads of history are refused'] as const]
          : []),
      ],
      filesLeft: openFilesLeft,
      log: this.#log,
    })
    this.#stop = () => degradations.stop()
    const health = () => {
      const found = runtime.health()
      const reason = found.reason && 'no core is heard: what it commits is not written'
      return healthOf({ ...found, reason }, history.health(), degradations.sentences())
    }
    this.#health = health
    const counted = new MarketCounts()
    runtime.addConsumer(counted)
    const sources = { runtime, history, healthy: () => isHealthy(health()), degradations, counts: counted }
    const metrics = new Metrics(sources, processLabels('history', this.#configuration))
    addLink(metrics, link)
    metrics.gauge('tidemark_history_writes', writesHelp, () => 1)
    metrics.gauge('tidemark_history_behind_commands', 'Commands that the database does not have yet', () =>
      Math.max(0, runtime.sequence - history.health().committedSequence),
    )
    this.#metrics = metrics
  }

  stop(): void {
    this.#stop()
  }
}
