/** How long things take and what the venue keeps: three panels made of its metrics. */
import { bytes, duration, grouped, latency } from '../numbers/format.ts'
import { Figure } from '../parts/figure.tsx'
import { Panel } from '../parts/panel.tsx'
import { percentiles, valueOf } from './readings.ts'
import { before, newest } from './watch.ts'
import { desk } from '../words/desk.ts'

const shares = [0.5, 0.95, 0.99]

const stages = [
  ['queue', 'tidemark_stage_seconds', { stage: 'queue' }],
  ['journal', 'tidemark_stage_seconds', { stage: 'journal' }],
  ['engine', 'tidemark_stage_seconds', { stage: 'engine' }],
  ['request', 'tidemark_request_seconds', {}],
] as const

export function LatencyPanel() {
  const last = newest.value
  const from = before.value
  return (
    <Panel title={desk.latency.title} aside={<span class="quiet">{desk.latency.window}</span>}>
      <table class="stages">
        <caption class="unseen">{desk.latency.byStage}</caption>
        <thead>
          <tr>
            <th scope="col">{desk.latency.stage}</th>
            {shares.map((share) => (
              <th key={share} scope="col" class="number">
                p{share * 100}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {stages.map(([stage, name, labels]) => {
            const found = last && from && percentiles(from, last, name, labels, shares)
            return (
              <tr key={stage}>
                <th scope="row">{desk.latency[stage]}</th>
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
    <Panel title={desk.journal.title}>
      <dl class="figures preview">
        <Figure title={desk.journal.journal} value={bytes(of('tidemark_journal_bytes'))} />
        <Figure title={desk.journal.segments} value={count(of('tidemark_journal_segments'))} />
        <Figure
          title={desk.journal.sync}
          value={`${latency(of('tidemark_journal_sync_seconds_last'))}, ${latency(of('tidemark_journal_sync_seconds_max'))}`}
        />
        <Figure
          title={desk.journal.replays}
          value={commands(of('tidemark_sequence') - of('tidemark_snapshot_sequence'))}
        />
        <Figure
          title={desk.journal.behind}
          value={<span class={lag > 100_000 ? 'warn' : ''}>{commands(Math.max(0, lag))}</span>}
        />
        <Figure title={desk.journal.pending} value={count(of('tidemark_history_pending_events'))} />
      </dl>
    </Panel>
  )
}

export function ProcessPanel() {
  const of = useValue()
  return (
    <Panel title={desk.process.title}>
      <dl class="figures preview">
        <Figure title={desk.process.memory} value={bytes(of('process_resident_memory_bytes'))} />
        <Figure
          title={desk.process.heap}
          value={`${bytes(of('nodejs_heap_size_used_bytes'))}, ${bytes(of('nodejs_heap_size_total_bytes'))}`}
        />
        <Figure title={desk.process.beside} value={bytes(of('nodejs_external_memory_bytes'))} />
        <Figure title={desk.process.late} value={latency(of('nodejs_eventloop_lag_p99_seconds'))} />
        <Figure title={desk.process.time} value={duration(of('process_cpu_seconds_total'))} />
        <Figure title={desk.process.files} value={count(of('process_open_fds'))} />
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
  return desk.journal.commands(count(value))
}
