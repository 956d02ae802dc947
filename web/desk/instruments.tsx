/** Every pair and contract: its state, its prices, what is open in it; halted and opened again from here. */
import { useState } from 'preact/hooks'
import { countdown, percent, short } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { exact } from '../parts/numbers.tsx'
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
import { desk, type DeskMessages } from '../words/desk.ts'
import { choices, t } from '../words/words.ts'

type State = keyof DeskMessages['instruments']['states']

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
  const states = choices(desk.instruments.states)
  const state = states.find(([name]) => name === asked)?.[0] ?? 'all'
  const found = (data ?? []).filter((market) => isIn(market, state) && fits(market, search))
  return (
    <Panel
      title={desk.instruments.title}
      class="fills"
      aside={data === undefined ? fault : desk.page.ofAll(found.length, data.length)}
    >
      <div class="filters">
        <input
          class="search"
          type="search"
          aria-label={desk.instruments.search}
          placeholder={desk.instruments.placeholder}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <Choice
          label={desk.instruments.state}
          class="scroll"
          value={state}
          options={states}
          onChange={(chosen) => go(at('instruments', '', { state: chosen === 'all' ? undefined : chosen }))}
        />
        <button type="button" class="primary" data-action="new-instrument" onClick={() => setIsListing(true)}>
          {desk.listing.instrument}
        </button>
      </div>
      <div class="scrolls" tabIndex={0} role="region" aria-label={desk.instruments.list}>
        <Rows
          caption={desk.instruments.title}
          columns={columns((market, to) => setChange({ market, to }))}
          rows={found}
          keyOf={({ category, symbol }) => `${category}/${symbol}`}
          empty={data === undefined ? fault || t.common.reading : desk.page.none}
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
      title: desk.page.instrument,
      head: true,
      cell: ({ category, symbol }) => (
        <span class="symbol">
          <a href={at('explain', '', { symbol, category })} title={desk.instruments.explain}>
            <strong>{symbol}</strong>
          </a>
          <span class="badge">{t.categories[category as Category]}</span>
        </span>
      ),
    },
    {
      title: desk.instruments.state,
      cell: (market) => (
        <span class="states">
          <StatusBadge status={market.status} />
          {market.frozen !== null && <span class="badge tone-warn">{desk.instruments.frozen[market.frozen]}</span>}
        </span>
      ),
    },
    exact({ title: desk.instruments.last, of: ({ lastPrice }) => lastPrice ?? '' }),
    exact({ title: desk.instruments.mark, of: ({ markPrice }) => markPrice }),
    exact({ title: desk.instruments.index, of: ({ indexPrice }) => indexPrice }),
    {
      title: desk.instruments.openInterest,
      number: true,
      cell: ({ openInterest, openInterestUnit }) =>
        openInterest === null ? '–' : `${short(Number(openInterest))} ${openInterestUnit}`,
    },
    {
      title: desk.instruments.funding,
      number: true,
      cell: ({ fundingRate, nextFundingAt }) =>
        fundingRate === null || nextFundingAt === null
          ? '–'
          : desk.instruments.fundingIn(
              percent(fundingRate, 4),
              countdown(nextFundingAt - (status.value?.now ?? nextFundingAt)),
            ),
    },
    {
      title: desk.page.change,
      actions: true,
      cell: (market) =>
        market.status === 'online' ? (
          <>
            <button type="button" data-action="cancel-only" onClick={() => onChange(market, 'cancel_only')}>
              {desk.instruments.cancelOnly}
            </button>
            <button type="button" data-action="halt" onClick={() => onChange(market, 'halted')}>
              {desk.instruments.halt}
            </button>
          </>
        ) : (
          <button type="button" data-action="open" onClick={() => onChange(market, 'online')}>
            {desk.instruments.open}
          </button>
        ),
    },
  ]
}

const tones: Record<InstrumentStatus, string> = { online: 'tone-up', cancel_only: 'tone-warn', halted: 'tone-down' }

function StatusBadge({ status: shown }: { status: InstrumentStatus }) {
  return <span class={`badge ${tones[shown]}`}>{desk.instruments.statuses[shown]}</span>
}

function ChangeStatus({ market, to, onClose }: Change & { onClose: () => void }) {
  const { category, symbol } = market
  const name = `${symbol} (${category})`
  return (
    <ActDialog
      title={desk.instruments.asks(name, to)}
      verb={desk.instruments.verbs[to]}
      danger={to !== 'online'}
      run={async () => {
        await act('instruments/status', { category, symbol, status: to })
        return desk.instruments.changed(name, desk.instruments.statuses[to])
      }}
      onClose={onClose}
    >
      <p>{desk.instruments.meanings[to]}</p>
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
