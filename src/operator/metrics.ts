/**
 * `GET /metrics`: the venue's counters for Prometheus. Needs no key.
 *
 * When   everything is read off plain counters while a scrape is answered; nothing of it runs in an order's way
 * Names  one quantity has one name here, in the log and in the code; the unit is part of it
 */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { Answered } from '../api/api.ts'
import type { DailyOrdersView } from '../engine/query.ts'
import type { HistoryHealth } from '../history/history.ts'
import type { RuntimeStats } from '../runtime/runtime.ts'
import type { StreamCounts } from '../stream/stream.ts'

export interface MetricSources {
  readonly runtime: () => RuntimeStats
  /** Undefined while the engine cannot be asked: the gauges stay where they were. */
  readonly dailyOrders: () => DailyOrdersView | undefined
  readonly history: () => HistoryHealth
  readonly healthy: () => boolean
}

export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new RequestCounts()

  constructor(sources: MetricSources) {
    collectDefaultMetrics({ register: this.#registry })
    this.#addRuntime(sources)
    this.#addHistory(sources)
    this.#addRequests()
  }

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE

  /** Counts an answer; called after it left. */
  readonly answered = (answered: Answered): void => this.#requests.count(answered)

  /** Shows what the streams count from now on. */
  addStream(counts: StreamCounts): void {
    this.#gauge('tidemark_stream_connections', 'WebSocket connections open', () => counts.connections)
    this.#gauge('tidemark_stream_subscriptions', 'Subscriptions in force', () => counts.subscriptions)
    const totals = {
      connections_opened: ['WebSocket connections opened', () => counts.connectionsOpened],
      connections_refused: ['WebSocket connections turned away for a bound', () => counts.connectionsRefused],
      messages_received: ['Messages from clients', () => counts.messagesReceived],
      messages_written: ['Pushes written, each once for all who get it', () => counts.messagesWritten],
      messages_sent: ['Messages sent to clients', () => counts.messagesSent],
      slow_readers: ['Clients disconnected because they read too slowly', () => counts.slowReaders],
    } as const
    for (const [name, [help, read]] of Object.entries(totals)) {
      this.#count(`tidemark_stream_${name}_total`, help, read)
    }
  }

  async text(): Promise<string> {
    return this.#registry.metrics()
  }

  #addRuntime({ runtime, dailyOrders, healthy }: MetricSources): void {
    this.#gauge('tidemark_healthy', '1 while health says ok or degraded', () => (healthy() ? 1 : 0))
    this.#gauge('tidemark_uptime_seconds', 'Time since the venue started', () => runtime().uptimeMs / 1000)
    this.#gauge('tidemark_sequence', 'Last command applied', () => runtime().sequence)
    this.#counters('tidemark_commands_total', 'Commands applied, by kind', ['kind'], () =>
      [...runtime().commands].map(([kind, count]) => [{ kind }, count]),
    )
    this.#count('tidemark_commands_refused_total', 'Commands refused by a rule', () => runtime().refused)
    this.#count('tidemark_commands_poisoned_total', 'Commands that broke inside the engine', () => runtime().poisoned)
    this.#gauge(
      'tidemark_engine_rebuild_seconds_last',
      'Time of the last rebuild of the engine after such a command',
      () => runtime().rebuildMsLast / 1000,
    )
    this.#count('tidemark_commands_overloaded_total', 'Commands turned away for overload', () => runtime().overloaded)
    this.#gauge('tidemark_commands_waiting', 'Commands accepted and not sequenced yet', () => runtime().waiting)
    this.#gauge('tidemark_daily_orders', 'Orders placed on the current UTC day', () => dailyOrders()?.total)
    this.#gauge(
      'tidemark_daily_orders_highest',
      'Of these, by the main account with its sub-accounts that placed most',
      () => dailyOrders()?.highest,
    )
    this.#count('tidemark_batches_total', 'Batches applied', () => runtime().batches)
    this.#gauge('tidemark_batch_commands_last', 'Commands in the last batch', () => runtime().batchLengthLast)
    this.#gauge('tidemark_batch_commands_max', 'Commands in the largest batch', () => runtime().batchLengthMax)
    this.#count('tidemark_snapshots_total', 'Snapshots taken', () => runtime().snapshots)
    this.#count('tidemark_snapshots_failed_total', 'Snapshots that failed', () => runtime().snapshotsFailed)
    this.#gauge('tidemark_snapshot_sequence', 'Last command in the newest snapshot', () => runtime().snapshotSequence)
    this.#gauge('tidemark_journal_bytes', 'Size of the journal', () => runtime().journal.bytes)
    this.#gauge('tidemark_journal_segments', 'Segments of the journal', () => runtime().journal.segments)
    this.#count('tidemark_journal_syncs_total', 'Syncs of the journal', () => runtime().journal.syncs)
    this.#gauge(
      'tidemark_journal_sync_seconds_last',
      'Time of the last sync',
      () => runtime().journal.syncMsLast / 1000,
    )
    this.#gauge(
      'tidemark_journal_sync_seconds_max',
      'Time of the longest sync',
      () => runtime().journal.syncMsMax / 1000,
    )
    this.#gauge('tidemark_journal_failed', '1 once the journal cannot write', () => (runtime().journal.failed ? 1 : 0))
  }

  #addHistory({ history }: MetricSources): void {
    this.#gauge('tidemark_history_failed', '1 once the history cannot write', () =>
      history().state === 'failed' ? 1 : 0,
    )
    this.#gauge('tidemark_history_committed_sequence', 'Last command in the history', () => history().committedSequence)
    this.#gauge('tidemark_history_pending_events', 'Events not written yet', () => history().pendingEvents)
    this.#count('tidemark_history_dropped_events_total', 'Events let go since it failed', () => history().droppedEvents)
  }

  #addRequests(): void {
    const requests = this.#requests
    const labels = ['endpoint', 'code']
    this.#counters('tidemark_requests_total', 'Answers, by endpoint and code', labels, () => requests.byEndpoint())
    // The three series of a histogram, filled from our own buckets.
    const name = 'tidemark_request_seconds'
    this.#counters(`${name}_bucket`, 'Answers that took at most so long', ['le'], () => requests.buckets())
    this.#count(`${name}_sum`, 'Time of all answers', () => requests.durationMsSum / 1000)
    this.#count(`${name}_count`, 'All answers', () => requests.total)
  }

  #gauge(name: string, help: string, read: () => number | undefined): void {
    const collect = () => {
      const value = read()
      if (value !== undefined) gauge.set(value)
    }
    const gauge: Gauge = new Gauge({ name, help, registers: [this.#registry], collect })
  }

  #count(name: string, help: string, read: () => number): void {
    this.#counters(name, help, [], () => [[{}, read()]])
  }

  #counters(
    name: string,
    help: string,
    labelNames: string[],
    read: () => readonly (readonly [Record<string, string>, number])[],
  ): void {
    const counter: Counter = new Counter({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        counter.reset()
        for (const [labels, count] of read()) counter.inc(labels, count)
      },
    })
  }
}

const bucketMsMax = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1000]

class RequestCounts {
  readonly #byEndpoint = new Map<Answered['endpoint'], Map<string, number>>()
  readonly #inBucket = new Float64Array(bucketMsMax.length + 1)
  durationMsSum = 0
  total = 0

  count({ endpoint, code, durationMs }: Answered): void {
    let codes = this.#byEndpoint.get(endpoint)
    if (codes === undefined) this.#byEndpoint.set(endpoint, (codes = new Map()))
    codes.set(code, (codes.get(code) ?? 0) + 1)
    const bucket = bucketMsMax.findIndex((max) => durationMs <= max)
    this.#inBucket[bucket < 0 ? bucketMsMax.length : bucket] += 1
    this.durationMsSum += durationMs
    this.total += 1
  }

  byEndpoint(): [Record<string, string>, number][] {
    return [...this.#byEndpoint].flatMap(([endpoint, codes]) =>
      [...codes].map(([code, count]): [Record<string, string>, number] => {
        return [{ endpoint: endpoint === undefined ? 'none' : `${endpoint.method} ${endpoint.path}`, code }, count]
      }),
    )
  }

  /** Cumulative, as Prometheus counts them. */
  buckets(): [Record<string, string>, number][] {
    let sum = 0
    return [...this.#inBucket].map((count, index) => {
      sum += count
      const bound = bucketMsMax[index]
      return [{ le: bound === undefined ? '+Inf' : String(bound / 1000) }, sum]
    })
  }
}
