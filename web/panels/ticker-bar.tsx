/** The instrument in view and how its day has been. */
import { useEffect, useState } from 'preact/hooks'
import { direction, duration, percent, short, shown, signedPercent } from '../numbers/format.ts'
import { favourites, toggleFavourite } from '../store/favourites.ts'
import { currentInstrument, ticker } from '../store/market.ts'
import { dialog } from '../store/view.ts'
import { categoryNames } from '../venue/categories.ts'
import { isFutures } from '../venue/instruments.ts'
import { venueNow } from '../venue/rest.ts'

export function TickerBar() {
  const instrument = currentInstrument.value
  const now = ticker.value
  if (instrument === undefined) return <section class="ticker" aria-label="Ticker" />
  const precision = instrument.pricePrecision
  return (
    <section class="ticker" aria-label="Ticker">
      <button type="button" class="pick" onClick={() => (dialog.value = 'instruments')} aria-keyshortcuts="/">
        <strong>{instrument.symbol}</strong>
        <span class="badge">{categoryNames[instrument.category]}</span>
        <span aria-hidden="true">▾</span>
        <span class="unseen">Choose another instrument</span>
      </button>
      <button
        type="button"
        class="icon star"
        data-testid="favourite"
        aria-pressed={favourites.value.has(instrument.key)}
        aria-label="Favourite"
        aria-keyshortcuts="f"
        onClick={() => toggleFavourite()}
      >
        {favourites.value.has(instrument.key) ? '★' : '☆'}
      </button>
      <span class={`last ${direction(now?.change24h)}`}>
        <span class="unseen">Last price </span>
        <span data-testid="last-price">{shown(now?.last, precision)}</span>
      </span>
      <dl class="figures">
        <Figure title="24h change" value={signedPercent(now?.change24h)} tone={direction(now?.change24h)} />
        {isFutures(instrument) && <Figure title="Mark" value={shown(now?.mark, precision)} />}
        {isFutures(instrument) && <Figure title="Index" value={shown(now?.index, precision)} />}
        {isFutures(instrument) && <Funding rate={now?.fundingRate} at={now?.nextFundingAt} />}
        <Figure title="24h high" value={shown(now?.high24h, precision)} />
        <Figure title="24h low" value={shown(now?.low24h, precision)} />
        <Figure title="24h volume" value={`${short(Number(now?.volume24h))} ${instrument.base}`} room="some" />
        {isFutures(instrument) && (
          <Figure
            title="Open interest"
            value={`${short(Number(now?.openInterest))} ${instrument.quantityUnit}`}
            room="some"
          />
        )}
        <Figure title="24h turnover" value={`${short(Number(now?.turnover24h))} ${instrument.quote}`} room="much" />
      </dl>
    </section>
  )
}

interface FigureProps {
  readonly title: string
  readonly value: string
  readonly tone?: string
  /** Left out where there is less room than that. */
  readonly room?: 'some' | 'much'
  /** In a sentence. */
  readonly words?: string
}

function Figure({ title, value, tone = '', room, words }: FigureProps) {
  return (
    <div class={room === undefined ? '' : `room-${room}`} title={words}>
      <dt>{title}</dt>
      <dd class={tone}>{value}</dd>
    </div>
  )
}

function Funding({ rate, at }: { rate: string | undefined; at: number | undefined }) {
  const [now, setNow] = useState(venueNow())
  useEffect(() => {
    const timer = setInterval(() => setNow(venueNow()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const left = at === undefined ? '' : duration(Math.max(0, (at - now) / 1000))
  const payer = Number(rate) >= 0 ? 'Longs pay shorts' : 'Shorts pay longs'
  const words = `${payer} ${percent(rate?.replace('-', ''), 4)} of the position’s value in ${left}.`
  const value = left === '' ? percent(rate, 4) : `${percent(rate, 4)} in ${left}`
  return <Figure title="Funding" value={value} words={words} tone={direction(rate)} />
}
