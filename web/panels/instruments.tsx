/** The instrument picker: every pair and contract, by category, with search. Arrows move, Enter takes. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { widestOf } from '../numbers/columns.ts'
import { direction, short, signedPercent } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Aligned } from '../parts/numbers.tsx'
import { favourites } from '../store/favourites.ts'
import { choose, currentInstrument, instruments, loadAllTickers, tickers } from '../store/market.ts'
import { closeDialog, view } from '../store/view.ts'
import { categories, type Category } from '../venue/categories.ts'
import type { Instrument } from '../venue/instruments.ts'
import { t } from '../words/words.ts'

const refreshMs = 3_000
type Filter = Category | 'ALL' | 'FAVOURITES'
const filters = () =>
  [
    ['ALL', t.common.all],
    ['FAVOURITES', t.instruments.favourites],
    ...categories.map((category) => [category, t.categories[category]] as const),
  ] as const

export function InstrumentPicker() {
  const [search, setSearch] = useState('')
  const [filter, setFilter] = useState<Filter>('ALL')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    void loadAllTickers()
    const timer = setInterval(() => void loadAllTickers(), refreshMs)
    return () => clearInterval(timer)
  }, [])
  const isFavourite = ({ key }: Instrument) => favourites.value.has(key)
  const inFilter = (instrument: Instrument) =>
    filter === 'ALL' || (filter === 'FAVOURITES' ? isFavourite(instrument) : instrument.category === filter)
  const found = instruments.value
    .filter((instrument) => inFilter(instrument) && fits(instrument, search))
    .toSorted((a, b) => Number(isFavourite(b)) - Number(isFavourite(a)))
  const widest = widestOf(found, ({ pricePrecision }) => pricePrecision)
  const marked = Math.min(at, found.length - 1)
  const take = (instrument: Instrument | undefined) => {
    if (instrument === undefined) return
    choose(instrument)
    view.value = view.value === 'account' ? 'chart' : view.value
    closeDialog()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') take(found[marked])
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    const next = Math.max(0, Math.min(found.length - 1, marked + (event.key === 'ArrowDown' ? 1 : -1)))
    setAt(next)
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <Dialog title={t.instruments.title} onClose={closeDialog} wide>
      <input
        class="search"
        type="text"
        role="combobox"
        inputMode="search"
        aria-label={t.instruments.search}
        aria-expanded="true"
        aria-controls="instrument-list"
        aria-activedescendant={found[marked] && `instrument-${found[marked].key}`}
        placeholder={t.instruments.placeholder}
        autoFocus
        value={search}
        onInput={(event) => {
          setSearch(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <Choice label={t.common.category} class="scroll" value={filter} options={filters()} onChange={setFilter} />
      <div class="instruments-head" aria-hidden="true">
        <span>{t.columns.symbol}</span>
        <span>{t.ticker.last}</span>
        <span>{t.ticker.change}</span>
        <span>{t.ticker.turnover}</span>
      </div>
      <ul class="instruments" id="instrument-list" role="listbox" aria-label={t.instruments.title} ref={list}>
        {found.map((instrument, index) => {
          const now = tickers.value.get(instrument.key)
          return (
            <li
              key={instrument.key}
              id={`instrument-${instrument.key}`}
              role="option"
              aria-selected={index === marked}
              data-key={instrument.key}
              class={instrument.key === currentInstrument.value?.key ? 'current' : ''}
              onClick={() => take(instrument)}
            >
              <span class="name">
                <strong>{instrument.symbol}</strong> {isFavourite(instrument) && <span class="star">★</span>}{' '}
                <span class="badge">{t.categories[instrument.category]}</span>
              </span>
              <span class="number">
                <Aligned text={now?.last} places={instrument.pricePrecision} widest={widest} />
              </span>
              <span class={`number ${direction(now?.change24h)}`}>{signedPercent(now?.change24h)}</span>
              <span class="number quiet">
                {short(Number(now?.turnover24h), 2)} <span class="coin">{instrument.quote}</span>
              </span>
            </li>
          )
        })}
      </ul>
      {found.length === 0 && (
        <p class="empty">
          {filter === 'FAVOURITES' && search === '' ? t.instruments.noFavourites : t.instruments.nothing(search)}
        </p>
      )}
    </Dialog>
  )
}

/** Every word of the search is somewhere in its names. */
function fits(instrument: Instrument, search: string): boolean {
  const names =
    `${instrument.symbol} ${instrument.base} ${instrument.quote} ${instrument.category} ${t.categories[instrument.category]} perp`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word))
}
