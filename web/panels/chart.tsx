/** The chart panel: one market or several side by side, candles or depth, and what is chosen for the candles. */
import { Choice } from '../parts/choice.tsx'
import { SelectField } from '../parts/field.tsx'
import { chartFills, toggleFullScreen } from '../store/full-screen.ts'
import { chosenDrawing, drawingsOf, type Tool, tool } from '../store/drawings.ts'
import { currentInstrument } from '../store/market.ts'
import { chosenPane, paneCount, showPanes, shownPanes } from '../store/panes.ts'
import { interval } from '../store/preferences.ts'
import { zone, zoneName } from '../store/times.ts'
import { chartTab, dialog } from '../store/view.ts'
import { intervals, usualIntervals } from '../venue/intervals.ts'
import { MarginFromChart } from './margin-from-chart.tsx'
import { MarketPane, removeDrawn } from './market-pane.tsx'
import { choices, t } from '../words/words.ts'

export function ChartPanel() {
  const filling = chartFills.value
  const panes = shownPanes.value
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
        <Choice
          label={t.panes.count}
          class="pane-counts"
          drawn
          value={paneCount.value}
          options={choices(t.panes.counts)}
          onChange={showPanes}
        />
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
      <div class="panes" data-count={panes.length}>
        {panes.map((pane) => (
          <MarketPane key={pane.index} pane={pane} alone={panes.length === 1} />
        ))}
      </div>
      {(chartTab.value === 'candles' || panes.length > 1) && <Attribution />}
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
        <button type="button" class="quiet-button" onClick={() => removeDrawn(chosenPane.value, chosen)}>
          {chosen === undefined ? t.chart.removeDrawings : t.chart.removeDrawing}
        </button>
      )}
    </>
  )
}

/** Whose work the charts are, and the zone of all times. */
function Attribution() {
  return (
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
  )
}
