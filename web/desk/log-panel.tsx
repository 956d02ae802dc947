/** The newest lines of the venue's log as they come, of a level and above. They are the venue's own, and English. */
import { useState } from 'preact/hooks'
import { Choice } from '../parts/choice.tsx'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { dateTime } from '../store/times.ts'
import type { LogLevel, LogPage } from './records.ts'
import { useLive } from './live.ts'
import { desk, type DeskMessages } from '../words/desk.ts'
import { choices, t } from '../words/words.ts'

const tones: Partial<Record<LogLevel, string>> = { warn: 'tone-warn', error: 'tone-down', fatal: 'tone-down' }

const columns = (): readonly Column<LogPage['lines'][number]>[] => [
  { title: t.columns.time, time: true, cell: ({ at }) => dateTime(Date.parse(at)) },
  {
    title: desk.hours.level,
    cell: ({ level }) => (
      <span class={`badge ${tones[level] ?? ''}`} lang="en">
        {level}
      </span>
    ),
  },
  {
    title: t.columns.what,
    head: true,
    cell: ({ message }) => (
      <span class="fields" lang="en">
        {message}
      </span>
    ),
  },
  {
    title: desk.trail.with,
    cell: ({ facts }) => (
      <span class="fields" lang="en">
        {factsText(facts)}
      </span>
    ),
  },
]

/** `name value · name value` of JSON. What was cut off is no JSON any more, and stays as it is. */
function factsText(facts: string): string {
  if (facts === '') return '–'
  try {
    const named = Object.entries(JSON.parse(facts) as Record<string, unknown>)
    return named
      .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(' · ')
  } catch {
    return facts
  }
}

export function LogPanel() {
  const [level, setLevel] = useState<keyof DeskMessages['hours']['levels']>('info')
  const { data, fault } = useLive(`log?level=${level}`)
  return (
    <Panel
      title={desk.hours.log}
      class="fills"
      aside={
        <Choice
          label={desk.hours.level}
          class="scroll"
          value={level}
          options={choices(desk.hours.levels)}
          onChange={setLevel}
        />
      }
    >
      <div class="scrolls" tabIndex={0} role="region" aria-label={desk.hours.newestLines}>
        <Rows
          caption={desk.hours.newestLines}
          columns={columns()}
          rows={data?.lines ?? []}
          keyOf={({ id }) => String(id)}
          empty={data === undefined ? fault || t.common.reading : desk.hours.nothing}
        />
      </div>
    </Panel>
  )
}
