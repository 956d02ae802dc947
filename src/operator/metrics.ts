/**
 * `GET /metrics`: the venue's counters for Prometheus. Needs no key.
 *
 * When   everything is read off plain counters when a scrape asks, at most once a second for all who do. So it is at most
 *        a second old, and nothing of it runs in an order's way
 * Stages queue, journal and engine are measured once for each batch; the whole way of a request is tidemark_request_seconds
 * Names  one quantity has one name here, in the log and in the code; the unit is part of it
 */
import type { Answered } from '../api/api.ts'
import { type Instrument, isFutures } from '../engine/catalog/catalog.ts'
import type { DailyOrdersView } from '../engine/protocol/query.ts'
import type { History } from '../history/history.ts'
import { Durations, type Runtime } from '../runtime/runtime.ts'
import type { Mirror } from '../mirror/mirror.ts'
import type { StreamCounts } from '../stream/stream.ts'
import { Course, type Counted } from './course.ts'
import { degradationNames, type Degradations } from './degradations.ts'
import type { MarketCounts } from './market-counts.ts'
import { type Labels, MetricRegistry } from './metric-registry.ts'

export interface MetricSources {
  readonly runtime: Pick<Runtime, 'stats' | 'query' | 'canAnswer' | 'clock'>
  readonly history: Pick<History, 'health' | 'heapBytes'>
  readonly healthy: () => boolean
  readonly degradations: Degradations
  readonly counts: MarketCounts
}

export class Metrics extends MetricRegistry {
  readonly #requests = new RequestCounts()

  /** Of the last hours; somebody has to keep it. */
  readonly course: Course

  /** `labels`: of the process, where there are several. */
  constructor(sources: MetricSources, labels: Labels = {}) {
    super(labels)
    this.course = new Course(() => this.#counted(sources))
    this.#addRuntime(sources)
    this.#addDegradations(sources)
    this.#addClock(sources)
    this.#addMarkets(sources)
    this.#addHistory(sources)
    this.#addRequests()
  }

  /** Counts an answer; called after it left. */
  readonly answered = (answered: Answered): void => this.#requests.count(answered)

  /** Shows what the streams count from now on. */
  addStream(counts: StreamCounts): void {
    this.gauge('tidemark_stream_connections', 'WebSocket connections open', () => counts.connections)
    this.gauge('tidemark_stream_subscriptions', 'Subscriptions in force', () => counts.subscriptions)
    const totals = {
      connections_opened: ['WebSocket connections opened', () => counts.connectionsOpened],
      connections_refused: ['WebSocket connections turned away for a bound', () => counts.connectionsRefused],
      messages_received: ['Messages from clients', () => counts.messagesReceived],
      messages_written: ['Pushes written, each once for all who get it', () => counts.messagesWritten],
      messages_sent: ['Messages sent to clients', () => counts.messagesSent],
      slow_readers: ['Clients disconnected because they read too slowly', () => counts.slowReaders],
    } as const
    for (const [name, [help, read]] of Object.entries(totals)) {
      this.count(`tidemark_stream_${name}_total`, help, read)
    }
  }

  /** Of a venue that mirrors another. */
  addMirror(mirror: Pick<Mirror, 'state' | 'resyncs' | 'connections'>): void {
    this.gauge('tidemark_mirror_live', '1 while all mirrored books are followed', () =>
      mirror.state === 'live' ? 1 : 0,
    )
    this.count('tidemark_mirror_resyncs_total', 'Mirrored books that broke and began anew', () => mirror.resyncs)
    this.count('tidemark_mirror_connections_total', 'Connections to the mirrored venue', () => mirror.connections)
  }

  addCertificate(expiresAt: () => Date): void {
    const help = 'When the certificate ends, in Unix time'
    this.gauge('tidemark_tls_certificate_expires_seconds', help, () => expiresAt().getTime() / 1000)
  }

  #counted({ runtime, counts }: MetricSources): Counted | undefined {
    if (!runtime.canAnswer) return undefined
    const { instruments } = runtime.query({ kind: 'catalog' })
    const usd = runtime.query({ kind: 'index-prices' })
    return {
      at: runtime.clock.view().now,
      orders: runtime.stats().commands.get('place-order') ?? 0,
      answers: [...this.#requests.durations.counts],
      lots: instruments.map(({ id }) => counts.lots[id] ?? 0),
      usdOf(id, lots) {
        const instrument = instruments[id]
        const quantity = quantityOf(lots, instrument)
        if (instrument.kind === 'inverse') return quantity
        const { markPrice } = runtime.query({ kind: 'prices', instrument: id })
        const quoteUsd = instrument.quote === -1 ? 1 : Number(usd[instrument.quote]) / 1e8
        return quantity * priceOf(markPrice, instrument) * quoteUsd
      },
    }
  }

  #addRuntime({ runtime, healthy }: MetricSources): void {
    const stats = () => runtime.stats()
    // While the engine cannot be asked the gauges stay where they were.
    const dailyOrders = (): DailyOrdersView | undefined =>
      runtime.canAnswer ? runtime.query({ kind: 'daily-orders' }) : undefined
    this.gauge('tidemark_healthy', '1 while health says ok or degraded', () => (healthy() ? 1 : 0))
    this.gauge('tidemark_uptime_seconds', 'Time since the venue started', () => stats().uptimeMs / 1000)
    this.gauge('tidemark_sequence', 'Last command applied', () => stats().sequence)
    this.counters('tidemark_commands_total', 'Commands applied, by kind', ['kind'], () =>
      [...stats().commands].map(([kind, count]) => [{ kind }, count]),
    )
    this.count('tidemark_commands_refused_total', 'Commands refused by a rule', () => stats().refused)
    this.count('tidemark_commands_poisoned_total', 'Commands that broke inside the engine', () => stats().poisoned)
    this.gauge(
      'tidemark_engine_rebuild_seconds_last',
      'Time of the last rebuild of the engine after such a command',
      () => stats().rebuildMsLast / 1000,
    )
    this.count('tidemark_commands_overloaded_total', 'Commands turned away for overload', () => stats().overloaded)
    this.gauge('tidemark_commands_waiting', 'Commands accepted and not sequenced yet', () => stats().waiting)
    this.gauge('tidemark_daily_orders', 'Orders placed on the current UTC day', () => dailyOrders()?.total)
    this.gauge(
      'tidemark_daily_orders_highest',
      'Of these, by the main account with its sub-accounts that placed most',
      () => dailyOrders()?.highest,
    )
    this.gauges('tidemark_state_entries', 'Entries of each table of the state', ['table'], () =>
      runtime.canAnswer
        ? Object.entries(runtime.query({ kind: 'table-counts' })).map(([table, count]) => [{ table }, count])
        : [],
    )
    this.count('tidemark_batches_total', 'Batches applied', () => stats().batches)
    this.gauge('tidemark_batch_commands_last', 'Commands in the last batch', () => stats().batchLengthLast)
    this.gauge('tidemark_batch_commands_max', 'Commands in the largest batch', () => stats().batchLengthMax)
    this.stages('tidemark_stage_seconds', 'Time of a batch in each stage', ['stage'], () =>
      Object.entries(stats().stages).map(([stage, seen]) => [{ stage }, seen]),
    )
    this.count('tidemark_snapshots_total', 'Snapshots taken', () => stats().snapshots)
    this.count('tidemark_snapshots_failed_total', 'Snapshots that failed', () => stats().snapshotsFailed)
    this.gauge('tidemark_snapshot_sequence', 'Last command in the newest snapshot', () => stats().snapshotSequence)
    this.gauge('tidemark_journal_bytes', 'Size of the journal', () => stats().journal.bytes)
    this.gauge('tidemark_journal_segments', 'Segments of the journal', () => stats().journal.segments)
    this.count('tidemark_journal_syncs_total', 'Syncs of the journal', () => stats().journal.syncs)
    this.gauge('tidemark_journal_sync_seconds_last', 'Time of the last sync', () => stats().journal.syncMsLast / 1000)
    this.gauge('tidemark_journal_sync_seconds_max', 'Time of the longest sync', () => stats().journal.syncMsMax / 1000)
    this.count('tidemark_journal_sync_seconds_total', 'Time of all syncs', () => stats().journal.syncMsSum / 1000)
    this.gauge('tidemark_journal_failed', '1 once the journal cannot write', () => (stats().journal.failed ? 1 : 0))
  }

  #addDegradations({ degradations, runtime }: MetricSources): void {
    this.gauges('tidemark_degraded', '1 while health gives this reason', ['reason'], () => {
      const found = new Set(degradations.read().map(([name]) => name))
      return degradationNames.map((reason) => [{ reason }, found.has(reason) ? 1 : 0])
    })
    const failing = () => runtime.stats().snapshotsFailing?.times ?? 0
    this.gauge('tidemark_snapshots_failed_in_a_row', 'Snapshots that failed since the last one taken', failing)
    this.gauge(
      'tidemark_history_behind_seconds',
      'How long the oldest event has waited for the history',
      () => degradations.historyBehindMs / 1000,
    )
    this.gauge('tidemark_files_left', 'Files and sockets that the process can still open', () => degradations.filesLeft)
  }

  #addClock({ runtime }: MetricSources): void {
    const view = () => runtime.clock.view()
    this.gauge(
      'tidemark_clock_leap_seconds',
      'What the system clock is ahead of the time of the venue, which does not follow it',
      () => (view().leap?.ms ?? 0) / 1000,
    )
    this.count('tidemark_clock_leaps_total', 'Leaps of the system clock that were not followed', () => view().leaps)
    this.gauge(
      'tidemark_stamps_ahead_seconds',
      'What the last stamp is ahead of the clock',
      () => view().stampsAheadMs / 1000,
    )
    this.gauge(
      'tidemark_clock_start_gap_seconds',
      'From the last command to the start of the process, by the clock',
      () => view().startGapMs / 1000,
    )
  }

  #addMarkets({ counts, runtime }: MetricSources): void {
    const markets = () => marketsOf(runtime)
    const totals = {
      trades: ['Matches', (id) => counts.trades[id] ?? 0],
      quantity: ['Quantity that changed hands', (id, instrument) => quantityOf(counts.lots[id] ?? 0, instrument)],
      orders_filled: ['Orders that ended filled', (id) => counts.ordersFilled[id] ?? 0],
      orders_canceled: ['Orders that ended otherwise', (id) => counts.ordersCanceled[id] ?? 0],
    } as const satisfies Record<string, readonly [string, (id: number, instrument: Instrument) => number]>
    for (const [name, [help, read]] of Object.entries(totals)) {
      this.counters(`tidemark_market_${name}_total`, help, marketLabels, () =>
        markets().map(({ instrument }) => [labelsOf(instrument), read(instrument.id, instrument)]),
      )
    }
    this.count('tidemark_liquidations_total', 'Liquidations begun', () => counts.liquidations)
    this.gauges('tidemark_market_mark_price', 'Mark price', marketLabels, () =>
      markets().map(({ instrument, prices }) => [labelsOf(instrument), priceOf(prices.markPrice, instrument)]),
    )
    this.gauges('tidemark_market_open_interest', 'Quantity held long, which is held short too', marketLabels, () =>
      markets()
        .filter(({ instrument }) => isFutures(instrument))
        .map(({ instrument, prices }) => [labelsOf(instrument), quantityOf(prices.openInterest, instrument)]),
    )
  }

  #addHistory({ history }: MetricSources): void {
    this.gauge('tidemark_history_failed', '1 once the history cannot write', () =>
      history.health().state === 'failed' ? 1 : 0,
    )
    this.gauge(
      'tidemark_history_committed_sequence',
      'Last command in the history',
      () => history.health().committedSequence,
    )
    this.gauge('tidemark_history_pending_events', 'Events not written yet', () => history.health().pendingEvents)
    this.count(
      'tidemark_history_dropped_events_total',
      'Events let go since it failed',
      () => history.health().droppedEvents,
    )
    this.gauge('tidemark_history_heap_bytes', 'Heap of the thread of the history', () => history.heapBytes())
  }

  #addRequests(): void {
    const requests = this.#requests
    const labels = ['endpoint', 'code']
    this.counters('tidemark_requests_total', 'Answers, by endpoint and code', labels, () => requests.byEndpoint())
    this.stages('tidemark_request_seconds', 'Time of an answer', [], () => [[{}, requests.durations]])
  }
}

/** Every market with its prices; none while the engine cannot be asked. */
function marketsOf(runtime: MetricSources['runtime']) {
  if (!runtime.canAnswer) return []
  return runtime.query({ kind: 'catalog' }).instruments.map((instrument) => {
    return { instrument, prices: runtime.query({ kind: 'prices', instrument: instrument.id }) }
  })
}

const marketLabels = ['category', 'symbol']

function labelsOf({ category, symbol }: Instrument): Labels {
  return { category, symbol }
}

/** For a chart: a metric is a float, whatever money is. */
function quantityOf(lots: number, { quantityStep, quantityDecimals }: Instrument): number {
  return (lots * quantityStep) / 10 ** quantityDecimals
}

function priceOf(ticks: number, { priceStep, priceDecimals }: Instrument): number {
  return (ticks * priceStep) / 10 ** priceDecimals
}

class RequestCounts {
  readonly #byEndpoint = new Map<Answered['endpoint'], Map<string, number>>()
  readonly durations = new Durations()

  count({ endpoint, code, durationMs }: Answered): void {
    let codes = this.#byEndpoint.get(endpoint)
    if (codes === undefined) this.#byEndpoint.set(endpoint, (codes = new Map()))
    codes.set(code, (codes.get(code) ?? 0) + 1)
    this.durations.add(durationMs)
  }

  byEndpoint(): [Labels, number][] {
    return [...this.#byEndpoint].flatMap(([endpoint, codes]) =>
      [...codes].map(([code, count]): [Labels, number] => {
        return [{ endpoint: endpoint === undefined ? 'none' : `${endpoint.method} ${endpoint.path}`, code }, count]
      }),
    )
  }
}
