/**
 * One market of the chart's panel. Of several each has a head: its name, which chooses it, a picker, and its prices now. The chart
 * itself is loaded beside the page.
 */
import { useEffect, useRef } from 'preact/hooks'
import type { DrawnChart } from '../chart/chart.ts'
import { direction, grouped, shown, signedPercent } from '../numbers/format.ts'
import { follow, tickers } from '../store/market.ts'
import { forcedFills, ownPrices } from '../store/own.ts'
import { choosePane, type Pane } from '../store/panes.ts'
import { chartTab, dialog } from '../store/view.ts'
import type { Instrument } from '../venue/instruments.ts'
import { ChartMenu } from './chart-menu.tsx'
import { DepthChart } from './depth-chart.tsx'
import { t } from '../words/words.ts'

/** By the index of the pane. */
const drawn = new Map<number, DrawnChart>()

/** One drawing of the pane, or all of its market. */
export function removeDrawn(pane: number, id: string | undefined): void {
  drawn.get(pane)?.removeDrawn(id)
}

export function MarketPane({ pane, alone }: { pane: Pane; alone: boolean }) {
  const instrument = pane.instrument.value
  const isChosen = pane.isChosen.value
  return (
    <div
      class="pane"
      role="group"
      aria-label={t.panes.label(pane.index + 1, instrument?.symbol ?? '')}
      data-pane={pane.index}
      data-chosen={isChosen}
      onPointerDown={() => {
        if (!isChosen) choosePane(pane.index)
      }}
    >
      {!alone && instrument !== undefined && <PaneHead pane={pane} instrument={instrument} />}
      {isChosen && chartTab.value === 'depth' ? <DepthChart /> : <CandleChart pane={pane} />}
    </div>
  )
}

function PaneHead({ pane, instrument }: { pane: Pane; instrument: Instrument }) {
  useEffect(() => follow([instrument]), [instrument])
  const { symbol, category, pricePrecision } = instrument
  const now = tickers.value.get(instrument.key)
  const tone = direction(now?.change24h)
  return (
    <div class="pane-head">
      <button
        type="button"
        class="link strong"
        aria-pressed={pane.isChosen.value}
        title={t.panes.choose}
        onClick={() => choosePane(pane.index)}
      >
        {symbol}
      </button>
      <span class="badge">{t.badges[category]}</span>
      <button
        type="button"
        class="icon"
        aria-label={t.panes.another(symbol)}
        onClick={() => {
          choosePane(pane.index)
          dialog.value = 'instruments'
        }}
      >
        ▾
      </button>
      <span class={`strong ${tone}`} data-testid={`pane-last-${pane.index}`}>
        {shown(now?.last, pricePrecision)}
      </span>
      <span class={tone}>{signedPercent(now?.change24h)}</span>
      <span class="sides-now">
        <span class="up">{shown(now?.bid, pricePrecision)}</span> <span class="quiet">/</span>{' '}
        <span class="down">{shown(now?.ask, pricePrecision)}</span>
      </span>
      <span class="quiet">{pane.interval.value}</span>
    </div>
  )
}

function CandleChart({ pane }: { pane: Pane }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let mine: DrawnChart | undefined
    let gone = false
    void import('../chart/chart.ts').then(({ drawChart }) => {
      if (gone || place.current === null) return
      mine = drawChart(place.current, pane)
      if (mine !== undefined) drawn.set(pane.index, mine)
    })
    return () => {
      gone = true
      mine?.end()
      if (drawn.get(pane.index) === mine) drawn.delete(pane.index)
    }
  }, [pane])
  const instrument = pane.instrument.value
  const last = tickers.value.get(instrument?.key ?? '')?.last ?? t.chart.unknown
  const own =
    instrument === undefined ? [] : ownPrices(instrument).map(({ title, price }) => t.chart.at(title, grouped(price)))
  const market = t.chart.summary(instrument?.symbol ?? '', pane.interval.value, last)
  const forced = instrument === undefined ? [] : forcedFills(instrument)
  return (
    <div class="candles">
      <div class="candles-shown" role="img" aria-label={[market, ...own, ...forced].join('; ')}>
        <div class="fills" ref={place} aria-hidden="true" />
      </div>
      {pane.isChosen.value && <ChartMenu />}
    </div>
  )
}
