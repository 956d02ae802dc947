/** Every pair and contract: its state, its prices, what is open in it; halted and opened again from here. */
import { useState } from 'preact/hooks'
import { countdown, grouped, percent, short } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import type { Category } from '../venue/categories.ts'
import { ActDialog } from './act-dialog.tsx'
import { CreateInstrument } from './create-instrument.tsx'
import { useLive } from './live.ts'
import { act } from './operator.ts'
import { at, go, place } from './place.ts'
import type { InstrumentStatus, Market } from './records.ts'
import { status } from './watch.ts'
import { t } from '../words/words.ts'

const states = [
  ['all', 'All'],
  ['open', 'Open'],
  ['closed', 'Not open'],
  ['frozen', 'Index in doubt'],
] as const
type State = (typeof states)[number][0]

const statusTexts: Record<InstrumentStatus, string> = { online: 'Open', cancel_only: 'Cancel only', halted: 'Halted' }

/** What a change of status means to whoever trades there. */
const meanings: Record<InstrumentStatus, string> = {
  online: 'Orders are taken again, at once.',
  cancel_only:
    'New orders and changes of orders are refused and triggers do not fire. Open orders stay and can be canceled; liquidation goes on.',
  halted:
    'New orders and changes of orders are refused, triggers do not fire, and positions here are not liquidated until it is opened again. Open orders stay and can be canceled.',
}

interface Change {
  readonly market: Market
  readonly to: InstrumentStatus
}

export function Instruments() {
  const { data, fault } = useLive('markets')
  const [search, setSearch] = useState('')
  const [change, setChange] = useState<Change | undefined>(undefined)
  const [isListing, setIsListing] = useState(false)
  const asked = place.value.query.get('state')
  const state = states.find(([name]) => name === asked)?.[0] ?? 'all'
  const found = (data ?? []).filter((market) => isIn(market, state) && fits(market, search))
  return (
    <Panel title="Instruments" class="fills" aside={data === undefined ? fault : `${found.length} of ${data.length}`}>
      <div class="filters">
        <input
          class="search"
          type="search"
          aria-label="Search instruments"
          placeholder="Search: btc, usdt-futures …"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <Choice
          label="State"
          class="scroll"
          value={state}
          options={states}
          onChange={(chosen) => go(at('instruments', '', { state: chosen === 'all' ? undefined : chosen }))}
        />
        <button type="button" class="primary" data-action="new-instrument" onClick={() => setIsListing(true)}>
          New instrument
        </button>
      </div>
      <div class="scrolls" tabIndex={0} role="region" aria-label="List of instruments">
        <Rows
          caption="Instruments"
          columns={columns((market, to) => setChange({ market, to }))}
          rows={found}
          keyOf={({ category, symbol }) => `${category}/${symbol}`}
          empty={data === undefined ? fault || 'Reading …' : 'None is like that.'}
        />
      </div>
      {isListing && <CreateInstrument onClose={() => setIsListing(false)} />}
      {change !== undefined && <ChangeStatus {...change} onClose={() => setChange(undefined)} />}
    </Panel>
  )
}

function columns(onChange: (market: Market, to: InstrumentStatus) => void): Column<Market>[] {
  return [
    {
      title: 'Instrument',
      head: true,
      cell: ({ category, symbol }) => (
        <span class="symbol">
          <a href={at('explain', '', { symbol, category })} title="Explain its prices">
            <strong>{symbol}</strong>
          </a>
          <span class="badge">{t.categories[category as Category]}</span>
        </span>
      ),
    },
    {
      title: 'State',
      cell: (market) => (
        <span class="states">
          <StatusBadge status={market.status} />
          {market.frozen !== null && <span class="badge tone-warn">index {market.frozen}</span>}
        </span>
      ),
    },
    { title: 'Last', number: true, cell: ({ lastPrice }) => grouped(lastPrice ?? '–') },
    { title: 'Mark', number: true, cell: ({ markPrice }) => grouped(markPrice) },
    { title: 'Index', number: true, cell: ({ indexPrice }) => grouped(indexPrice) },
    {
      title: 'Open interest',
      number: true,
      cell: ({ openInterest }) => (openInterest === null ? '–' : short(Number(openInterest))),
    },
    {
      title: 'Funding',
      number: true,
      cell: ({ fundingRate, nextFundingAt }) =>
        fundingRate === null || nextFundingAt === null
          ? '–'
          : `${percent(fundingRate, 4)} in ${countdown(nextFundingAt - (status.value?.now ?? nextFundingAt))}`,
    },
    {
      title: 'Change',
      actions: true,
      cell: (market) =>
        market.status === 'online' ? (
          <>
            <button type="button" data-action="cancel-only" onClick={() => onChange(market, 'cancel_only')}>
              Cancel only
            </button>
            <button type="button" data-action="halt" onClick={() => onChange(market, 'halted')}>
              Halt
            </button>
          </>
        ) : (
          <button type="button" data-action="open" onClick={() => onChange(market, 'online')}>
            Open again
          </button>
        ),
    },
  ]
}

const tones: Record<InstrumentStatus, string> = { online: 'tone-up', cancel_only: 'tone-warn', halted: 'tone-down' }

function StatusBadge({ status: shown }: { status: InstrumentStatus }) {
  return <span class={`badge ${tones[shown]}`}>{statusTexts[shown]}</span>
}

function ChangeStatus({ market, to, onClose }: Change & { onClose: () => void }) {
  const { category, symbol } = market
  const verb = to === 'online' ? 'Open' : to === 'halted' ? 'Halt' : 'Cancel only'
  const name = `${symbol} (${category})`
  return (
    <ActDialog
      title={to === 'online' ? `Open ${name} again?` : to === 'halted' ? `Halt ${name}?` : `${name}: cancels only?`}
      verb={verb}
      danger={to !== 'online'}
      run={async () => {
        await act('instruments/status', { category, symbol, status: to })
        return `${name} is now: ${statusTexts[to].toLowerCase()}`
      }}
      onClose={onClose}
    >
      <p>{meanings[to]}</p>
    </ActDialog>
  )
}

function isIn({ status: marketStatus, frozen }: Market, state: State): boolean {
  if (state === 'all') return true
  if (state === 'frozen') return frozen !== null
  return (marketStatus === 'online') === (state === 'open')
}

/** Every word of the search is somewhere in its names. */
function fits({ symbol, category }: Market, search: string): boolean {
  const names = `${symbol} ${category} ${t.categories[category as Category]}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word))
}
