/** How long things take and what the venue keeps: three panels made of its metrics. */
import { bytes, duration, grouped, latency } from '../numbers/format.ts'
import { Figure } from '../parts/figure.tsx'
import { Panel } from '../parts/panel.tsx'
import { percentiles, valueOf } from './readings.ts'
import { before, newest } from './watch.ts'

const shares = [0.5, 0.95, 0.99]

const stages = [
  ['Waiting for its batch', 'tidemark_stage_seconds', { stage: 'queue' }],
  ['Journal: written, synced', 'tidemark_stage_seconds', { stage: 'journal' }],
  ['Engine: applied', 'tidemark_stage_seconds', { stage: 'engine' }],
  ['Request, answered', 'tidemark_request_seconds', {}],
] as const

export function LatencyPanel() {
  const last = newest.value
  const from = before.value
  return (
    <Panel title="Latency" aside={<span class="quiet">last 30 s</span>}>
      <table class="stages">
        <caption class="unseen">Latency by stage</caption>
        <thead>
          <tr>
            <th scope="col">Stage</th>
            {shares.map((share) => (
              <th key={share} scope="col" class="number">
                p{share * 100}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {stages.map(([title, name, labels]) => {
            const found = last && from && percentiles(from, last, name, labels, shares)
            return (
              <tr key={title}>
                <th scope="row">{title}</th>
                {shares.map((share, index) => (
                  <td key={share} class="number">
                    {found === undefined ? '–' : latency(found.values[index] ?? 0)}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
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
