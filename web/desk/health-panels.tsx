/** How long things take and what the venue keeps: three panels made of its metrics. */
import { bytes, duration, grouped, latency } from '../numbers/format.ts'
import { Figure } from '../parts/figure.tsx'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { percentiles, valueOf } from './readings.ts'
import { before, newest } from './watch.ts'

const shares = [0.5, 0.95, 0.99]

const stages = [
  ['Waiting for its batch', 'tidemark_stage_seconds', { stage: 'queue' }],
  ['Journal: written, synced', 'tidemark_stage_seconds', { stage: 'journal' }],
  ['Engine: applied', 'tidemark_stage_seconds', { stage: 'engine' }],
  ['Request, answered', 'tidemark_request_seconds', {}],
] as const

interface Stage {
  readonly title: string
  readonly values: readonly number[] | undefined
}

const latencyColumns: Column<Stage>[] = [
  { title: 'Stage', head: true, cell: ({ title }) => title },
  ...shares.map(
    (share, index): Column<Stage> => ({
      title: `p${share * 100}`,
      number: true,
      cell: ({ values }) => (values === undefined ? '–' : latency(values[index] ?? 0)),
    }),
  ),
]

export function LatencyPanel() {
  const last = newest.value
  const from = before.value
  const rows = stages.map(([title, name, labels]): Stage => {
    const found = last === undefined || from === undefined ? undefined : percentiles(from, last, name, labels, shares)
    return { title, values: found?.values }
  })
  return (
    <Panel title="Latency" aside="last 30 s">
      <Rows caption="Latency by stage" columns={latencyColumns} rows={rows} keyOf={({ title }) => title} empty="" />
    </Panel>
  )
}

export function JournalPanel() {
  const of = useValue()
  const lag = of('tidemark_sequence') - of('tidemark_history_committed_sequence')
  return (
    <Panel title="Journal and history">
      <dl class="figures preview">
        <Figure title="Journal" value={bytes(of('tidemark_journal_bytes'))} />
        <Figure title="Segments" value={count(of('tidemark_journal_segments'))} />
        <Figure
          title="Sync: last, longest"
          value={`${latency(of('tidemark_journal_sync_seconds_last'))}, ${latency(of('tidemark_journal_sync_seconds_max'))}`}
        />
        <Figure
          title="A restart replays"
          value={commands(of('tidemark_sequence') - of('tidemark_snapshot_sequence'))}
        />
        <Figure
          title="History is behind by"
          value={<span class={lag > 100_000 ? 'warn' : ''}>{commands(Math.max(0, lag))}</span>}
        />
        <Figure title="Events not written yet" value={count(of('tidemark_history_pending_events'))} />
      </dl>
    </Panel>
  )
}

export function ProcessPanel() {
  const of = useValue()
  return (
    <Panel title="Process">
      <dl class="figures preview">
        <Figure title="Memory" value={bytes(of('process_resident_memory_bytes'))} />
        <Figure
          title="Heap: used, of"
          value={`${bytes(of('nodejs_heap_size_used_bytes'))}, ${bytes(of('nodejs_heap_size_total_bytes'))}`}
        />
        <Figure title="Beside the heap" value={bytes(of('nodejs_external_memory_bytes'))} />
        <Figure title="Event loop late by (p99)" value={latency(of('nodejs_eventloop_lag_p99_seconds'))} />
        <Figure title="Processor time" value={duration(of('process_cpu_seconds_total'))} />
        <Figure title="Files open" value={count(of('process_open_fds'))} />
      </dl>
    </Panel>
  )
}

/** The newest value of a metric; zero before the first reading. */
function useValue(): (name: string) => number {
  const last = newest.value
  return (name) => (last === undefined ? 0 : (valueOf(last, name) ?? 0))
}

function count(value: number): string {
  return grouped(String(value))
}

function commands(value: number): string {
  return `${count(value)} commands`
}
