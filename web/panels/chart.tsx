/** The chart panel: candles or depth, and the interval. The library of the candles is loaded beside the page. */
import { useEffect, useRef } from 'preact/hooks'
import { Choice } from '../parts/choice.tsx'
import { grouped } from '../numbers/format.ts'
import { currentInstrument, ticker } from '../store/market.ts'
import { forcedFills, ownPrices } from '../store/own.ts'
import { interval } from '../store/preferences.ts'
import { zone, zoneName } from '../store/times.ts'
import { chartTab, dialog } from '../store/view.ts'
import { intervals } from '../venue/market-records.ts'
import { DepthChart } from './depth-chart.tsx'

export function ChartPanel() {
  return (
    <section class="panel chart" aria-label="Chart">
      <div class="panel-title">
        <Choice
          label="Chart"
          value={chartTab.value}
          options={[
            ['candles', 'Candles'],
            ['depth', 'Depth'],
          ]}
          onChange={(value) => (chartTab.value = value)}
        />
        {chartTab.value === 'candles' && (
          <Choice
            label="Interval"
            value={interval.value}
            options={intervals.map((span) => [span, span] as const)}
            onChange={(value) => (interval.value = value)}
          />
        )}
      </div>
      {chartTab.value === 'candles' ? <CandleChart /> : <DepthChart />}
    </section>
  )
}

function CandleChart() {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let end: (() => void) | undefined
    let gone = false
    void import('./candles.ts').then(({ drawCandles }) => {
      if (!gone && place.current !== null) end = drawCandles(place.current)
    })
    return () => {
      gone = true
      end?.()
    }
  }, [])
  const span = currentInstrument.value
  const own = span === undefined ? [] : ownPrices(span).map(({ title, price }) => `${title} at ${grouped(price)}`)
  const market = `${span?.symbol ?? ''} candles of ${interval.value}, last price ${ticker.value?.last ?? 'unknown'}`
  const forced = span === undefined ? [] : forcedFills(span)
  const summary = [market, ...own, ...forced].join('; ')
  return (
    <>
      <div class="candles" role="img" aria-label={summary}>
        <div class="fills" ref={place} aria-hidden="true" />
      </div>
      <p class="attribution">
        Charts by{' '}
        <a href="https://www.tradingview.com/" rel="noopener noreferrer" target="_blank">
          TradingView
        </a>{' '}
        <button type="button" class="link" onClick={() => (dialog.value = 'about')}>
          About
        </button>{' '}
        <button
          type="button"
          class="link"
          data-testid="zone"
          title="All times on this page. A press chooses the other zone."
          onClick={() => (zone.value = zone.value === 'utc' ? 'local' : 'utc')}
        >
          Times in {zoneName(Date.now())}
        </button>
      </p>
    </>
  )
}
