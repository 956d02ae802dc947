/** The newest lines of the venue's log, of a level and above. */
import { useState } from 'preact/hooks'
import { Choice } from '../parts/choice.tsx'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { dateTime } from '../store/times.ts'
import type { LogLevel, LogPage } from './records.ts'
import { useRead } from './use-read.ts'

const everyMs = 2_000
const levels = [
  ['debug', 'All'],
  ['info', 'Info'],
  ['warn', 'Warnings'],
  ['error', 'Errors'],
] as const

const tones: Partial<Record<LogLevel, string>> = { warn: 'tone-warn', error: 'tone-down', fatal: 'tone-down' }

const columns: readonly Column<LogPage['lines'][number]>[] = [
  { title: 'Time', time: true, cell: ({ at }) => dateTime(Date.parse(at)) },
  { title: 'Level', cell: ({ level }) => <span class={`badge ${tones[level] ?? ''}`}>{level}</span> },
  { title: 'What', head: true, cell: ({ message }) => <span class="fields">{message}</span> },
  { title: 'With', cell: ({ facts }) => <span class="fields">{facts || '–'}</span> },
]

export function LogPanel() {
  const [level, setLevel] = useState<(typeof levels)[number][0]>('info')
  const { data, fault } = useRead<LogPage>('log', { level }, everyMs)
  return (
    <Panel
      title="Log"
      class="fills"
      aside={<Choice label="Level" class="scroll" value={level} options={levels} onChange={setLevel} />}
    >
      <div class="scrolls" tabIndex={0} role="region" aria-label="Newest lines of the log">
        <Rows
          caption="Newest lines of the log"
          columns={columns}
          rows={data?.lines ?? []}
          keyOf={({ id }) => String(id)}
          empty={data === undefined ? fault || 'Reading …' : 'Nothing of this level was logged.'}
        />
      </div>
    </Panel>
  )
}
