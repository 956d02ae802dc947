/** What operators did, newest first: who, what, when, and the commands in the journal that it became. */
import { useState } from 'preact/hooks'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { dateTime } from '../store/times.ts'
import { useLive } from './live.ts'
import { faultText, read } from './operator.ts'
import type { Action, ActionPage } from './records.ts'

const columns: readonly Column<Action>[] = [
  { title: 'Time', time: true, cell: ({ at }) => dateTime(at) },
  {
    title: 'Who',
    cell: ({ who, from }) => <span title={`from ${from}`}>{who ?? <span class="quiet">not said</span>}</span>,
  },
  { title: 'What', head: true, cell: ({ call }) => <code>{call.replace(/^POST .operator./, '')}</code> },
  { title: 'With', cell: ({ body }) => <span class="fields">{fieldsText(body)}</span> },
  {
    title: 'Outcome',
    cell: ({ outcome, code }) => <span class={`badge ${tones[outcome]}`}>{code ?? outcome}</span>,
  },
  {
    title: 'Command',
    number: true,
    cell: ({ commands: [first, ...others] }) =>
      first === undefined ? (
        '–'
      ) : (
        <span class="stacked">
          {first.kind}
          <span class="quiet">
            {first.sequence ?? 'not sequenced'}
            {others.length > 0 && ` and ${others.length} more`}
          </span>
        </span>
      ),
  },
]

const tones = { done: 'tone-up', refused: 'tone-down', unknown: 'tone-warn' } as const

function fieldsText(body: Action['body']): string {
  const texts = Object.entries(body).map(([name, value]) => {
    return `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`
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
    <Panel title="Trail" class="fills trail" aside={<span class="quiet">newest first, live</span>}>
      <div class="scrolls" tabIndex={0} role="region" aria-label="Trail of operator actions">
        <Rows
          caption="Trail of operator actions"
          columns={columns}
          rows={actions}
          keyOf={({ id }) => String(id)}
          empty={data === undefined ? fault || 'Reading …' : 'Nobody has changed anything yet.'}
        />
        {olderFault !== '' && (
          <p class="alert" role="alert">
            {olderFault}
          </p>
        )}
        {next !== null && (
          <button type="button" class="quiet-button more" onClick={() => void more()}>
            Older
          </button>
        )}
      </div>
    </Panel>
  )
}
