/** The chart panel: candles or depth, and what is chosen for the candles. The chart itself is loaded beside the page. */
import { useEffect, useRef } from 'preact/hooks'
import type { DrawnChart } from '../chart/chart.ts'
import { grouped } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { SelectField } from '../parts/field.tsx'
import { chartFills, toggleFullScreen } from '../store/full-screen.ts'
import { chosenDrawing, drawingsOf, type Tool, tool } from '../store/drawings.ts'
import { currentInstrument, ticker } from '../store/market.ts'
import { forcedFills, ownPrices } from '../store/own.ts'
import { interval } from '../store/preferences.ts'
import { zone, zoneName } from '../store/times.ts'
import { chartTab, dialog } from '../store/view.ts'
import { intervals, usualIntervals } from '../venue/intervals.ts'
import { ChartMenu } from './chart-menu.tsx'
import { DepthChart } from './depth-chart.tsx'
import { MarginFromChart } from './margin-from-chart.tsx'
import { choices, t } from '../words/words.ts'

let drawn: DrawnChart | undefined

export function ChartPanel() {
  const filling = chartFills.value
  return (
    <section class="panel chart" aria-label={t.chart.label} data-fills={filling}>
      <div class="panel-title chart-tools">
        <Choice
          label={t.chart.label}
          value={chartTab.value}
          options={[
            ['candles', t.chart.candles],
            ['depth', t.chart.depth],
          ]}
          onChange={(value) => (chartTab.value = value)}
        />
        {chartTab.value === 'candles' && <CandleTools />}
        <button
          type="button"
          class="icon"
          aria-keyshortcuts="e"
          aria-label={filling ? t.chart.leaveFullScreen : t.chart.fullScreen}
          title={filling ? t.chart.leaveFullScreen : t.chart.fullScreen}
          onClick={toggleFullScreen}
        >
          {filling ? '⤡' : '⤢'}
        </button>
      </div>
      {chartTab.value === 'candles' ? <CandleChart /> : <DepthChart />}
      <MarginFromChart />
    </section>
  )
}

function CandleTools() {
  const key = currentInstrument.value?.key ?? ''
  const chosen = chosenDrawing.value
  return (
    <>
      <Choice
        label={t.chart.interval}
        class="usual-intervals"
        value={interval.value}
        options={usualIntervals.map((span) => [span, span] as const)}
        onChange={(value) => (interval.value = value)}
      />
      <SelectField
        label={t.chart.allIntervals}
        name="interval"
        compact
        value={interval.value}
        options={intervals.map((span) => [span, span] as const)}
        onChange={(value) => (interval.value = value)}
      />
      <button type="button" class="quiet-button" onClick={() => (dialog.value = 'indicators')}>
        {t.chart.indicators}
      </button>
      <SelectField<Tool | ''>
        label={t.chart.draw}
        name="tool"
        compact
        value={tool.value ?? ''}
        options={[['', t.chart.drawTools], ...choices<Tool>(t.tools)]}
        onChange={(name) => (tool.value = name === '' ? undefined : name)}
      />
      {drawingsOf(key).length > 0 && (
        <button type="button" class="quiet-button" onClick={() => drawn?.removeDrawn(chosen)}>
          {chosen === undefined ? t.chart.removeDrawings : t.chart.removeDrawing}
        </button>
      )}
    </>
  )
}

function CandleChart() {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let gone = false
    void import('../chart/chart.ts').then(({ drawChart }) => {
      if (!gone && place.current !== null) drawn = drawChart(place.current)
    })
    return () => {
      gone = true
      drawn?.end()
      drawn = undefined
    }
  }, [])
  const span = currentInstrument.value
  const own = span === undefined ? [] : ownPrices(span).map(({ title, price }) => t.chart.at(title, grouped(price)))
  const market = t.chart.summary(span?.symbol ?? '', interval.value, ticker.value?.last ?? t.chart.unknown)
  const forced = span === undefined ? [] : forcedFills(span)
  const summary = [market, ...own, ...forced].join('; ')
  return (
    <>
      <div class="candles">
        <div class="candles-shown" role="img" aria-label={summary}>
          <div class="fills" ref={place} aria-hidden="true" />
        </div>
        <ChartMenu />
      </div>
      <p class="attribution">
        {t.chart.chartsBy}{' '}
        <button type="button" class="link" onClick={() => (dialog.value = 'about')}>
          {t.chart.about}
        </button>{' '}
        <button
          type="button"
          class="link"
          data-testid="zone"
          title={t.chart.zoneTitle}
          onClick={() => (zone.value = zone.value === 'utc' ? 'local' : 'utc')}
        >
          {t.chart.timesIn(zoneName(Date.now()))}
        </button>
      </p>
    </>
  )
}
