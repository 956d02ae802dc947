/** What operators did, newest first: who, what, when, and the commands in the journal that it became. */
import { useState } from 'preact/hooks'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { dateTime } from '../store/times.ts'
import { useLive } from './live.ts'
import { faultText, read } from './operator.ts'
import type { Action, ActionPage } from './records.ts'
import { desk } from '../words/desk.ts'
import { t } from '../words/words.ts'

const columns = (): readonly Column<Action>[] => [
  { title: t.columns.time, time: true, cell: ({ at }) => dateTime(at) },
  {
    title: desk.trail.who,
    cell: ({ who, from }) => (
      <span title={desk.trail.from(from)}>{who ?? <span class="quiet">{desk.trail.notSaid}</span>}</span>
    ),
  },
  { title: t.columns.what, head: true, cell: ({ call }) => <code>{call.replace(/^POST .operator./, '')}</code> },
  {
    title: desk.trail.with,
    cell: ({ body }) => (
      <span class="fields" lang="en">
        {fieldsText(body)}
      </span>
    ),
  },
  {
    title: desk.trail.outcome,
    cell: ({ outcome, code }) => (
      <span class={`badge ${tones[outcome]}`} {...(code !== null && { lang: 'en' })}>
        {code ?? desk.trail.outcomes[outcome]}
      </span>
    ),
  },
  {
    title: desk.trail.command,
    number: true,
    cell: ({ commands: [first, ...others] }) =>
      first === undefined ? (
        '–'
      ) : (
        <span class="stacked">
          <span lang="en">{first.kind}</span>
          <span class="quiet">
            {first.sequence ?? desk.trail.notSequenced}
            {others.length > 0 && desk.trail.andMore(others.length)}
          </span>
        </span>
      ),
  },
]

const tones = { done: 'tone-up', refused: 'tone-down', unknown: 'tone-warn' } as const

function fieldsText(body: Action['body']): string {
  const texts = Object.entries(body).map(([name, value]) => {
    return `${name} ${typeof value === 'string' && value !== '' ? value : JSON.stringify(value)}`
  })
  return texts.join(', ') || '–'
}

export function TrailView() {
  const { data, fault } = useLive('trail')
  const [older, setOlder] = useState<ActionPage>({ actions: [], next: null })
  const [olderFault, setOlderFault] = useState('')
  const newest = data?.actions ?? []
  const end = newest.at(-1)?.id ?? 0
  const actions = [...newest, ...older.actions.filter(({ id }) => id < end)]
  const next = older.actions.length === 0 ? (data?.next ?? null) : older.next
  const more = async () => {
    try {
      const page = await read<ActionPage>('trail', { before: next ?? undefined })
      setOlder({ actions: [...older.actions, ...page.actions], next: page.next })
      setOlderFault('')
    } catch (error) {
      setOlderFault(faultText(error))
    }
  }
  return (
    <Panel title={desk.trail.title} class="fills trail" aside={<span class="quiet">{desk.page.newestLive}</span>}>
      <div class="scrolls" tabIndex={0} role="region" aria-label={desk.trail.caption}>
        <Rows
          caption={desk.trail.caption}
          columns={columns()}
          rows={actions}
          keyOf={({ id }) => String(id)}
          empty={data === undefined ? fault || t.common.reading : desk.trail.nobody}
        />
        {olderFault !== '' && (
          <p class="alert" role="alert">
            {olderFault}
          </p>
        )}
        {next !== null && (
          <button type="button" class="quiet-button more" onClick={() => void more()}>
            {desk.trail.older}
          </button>
        )}
      </div>
    </Panel>
  )
}
