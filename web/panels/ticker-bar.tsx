/** The instrument in view and how its day has been. */
import { useEffect, useState } from 'preact/hooks'
import { direction, duration, percent, short, shown, signedPercent } from '../numbers/format.ts'
import { favourites, toggleFavourite } from '../store/favourites.ts'
import { currentInstrument, ticker } from '../store/market.ts'
import { dialog } from '../store/view.ts'
import { isFutures } from '../venue/instruments.ts'
import { venueNow } from '../venue/rest.ts'
import { t } from '../words/words.ts'

export function TickerBar() {
  const instrument = currentInstrument.value
  const now = ticker.value
  if (instrument === undefined) return <section class="ticker" aria-label={t.ticker.label} />
  const precision = instrument.pricePrecision
  return (
    <section class="ticker" aria-label={t.ticker.label}>
      <button type="button" class="pick" onClick={() => (dialog.value = 'instruments')} aria-keyshortcuts="/">
        <strong>{instrument.symbol}</strong>
        <span class="badge">{t.categories[instrument.category]}</span>
        <span aria-hidden="true">▾</span>
        <span class="unseen">{t.ticker.choose}</span>
      </button>
      <button
        type="button"
        class="icon star"
        data-testid="favourite"
        aria-pressed={favourites.value.has(instrument.key)}
        aria-label={t.ticker.favourite}
        aria-keyshortcuts="f"
        onClick={() => toggleFavourite()}
      >
        {favourites.value.has(instrument.key) ? '★' : '☆'}
      </button>
      <button
        type="button"
        class="icon"
        data-testid="alerts"
        aria-label={t.ticker.alerts}
        aria-keyshortcuts="a"
        title={t.ticker.alertsKey}
        onClick={() => (dialog.value = 'alerts')}
      >
        ◔
      </button>
      <span class={`last ${direction(now?.change24h)}`}>
        <span class="unseen">{t.ticker.last} </span>
        <span data-testid="last-price">{shown(now?.last, precision)}</span>
      </span>
      {/* On a phone it is wider than the page: arrow keys scroll it. */}
      <dl class="figures" tabIndex={0} aria-label={t.ticker.figures}>
        <Figure title={t.ticker.change} value={signedPercent(now?.change24h)} tone={direction(now?.change24h)} />
        {isFutures(instrument) && <Figure title={t.ticker.mark} value={shown(now?.mark, precision)} />}
        {isFutures(instrument) && <Figure title={t.ticker.index} value={shown(now?.index, precision)} />}
        {isFutures(instrument) && <Funding rate={now?.fundingRate} at={now?.nextFundingAt} />}
        <Figure title={t.ticker.volume} value={`${short(Number(now?.volume24h))} ${instrument.base}`} />
        {isFutures(instrument) && (
          <Figure
            title={t.ticker.openInterest}
            value={`${short(Number(now?.openInterest))} ${instrument.quantityUnit}`}
          />
        )}
        <Figure title={t.ticker.high} value={shown(now?.high24h, precision)} />
        <Figure title={t.ticker.low} value={shown(now?.low24h, precision)} />
        <Figure title={t.ticker.turnover} value={`${short(Number(now?.turnover24h))} ${instrument.quote}`} />
      </dl>
    </section>
  )
}

interface FigureProps {
  readonly title: string
  readonly value: string
  readonly tone?: string
  /** In a sentence. */
  readonly words?: string
}

function Figure({ title, value, tone = '', words }: FigureProps) {
  return (
    <div title={words}>
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
  const pays = Number(rate) >= 0 ? t.ticker.longsPay : t.ticker.shortsPay
  const words = pays(percent(rate?.replace('-', ''), 4), left)
  const value = left === '' ? percent(rate, 4) : t.ticker.fundingIn(percent(rate, 4), left)
  return <Figure title={t.ticker.funding} value={value} words={words} tone={direction(rate)} />
}
