/** Fills as arrows: those of one candle and side are one. What the venue forced is a mark of its own, named. */
import { effect } from '@preact/signals'
import { short } from '../numbers/format.ts'
import { fills, sharesBook } from '../store/account.ts'
import { causeOfFill } from '../store/causes.ts'
import type { Pane } from '../store/panes.ts'
import { theme } from '../store/theme.ts'
import { type ForcedCause, isForced } from '../venue/causes.ts'
import type { Instrument } from '../venue/instruments.ts'
import { type Interval, intervalStart } from '../venue/intervals.ts'
import type { Chart, Mark } from './library.ts'
import { colourOf } from './looks.ts'
import { spokenTag } from '../words/languages.ts'
import { t } from '../words/words.ts'

const marksMax = 60

/** `redraw`: candles came, which marks stand at. */
export function drawMarks(chart: Chart, place: HTMLElement, pane: Pane): { redraw: () => void; end: () => void } {
  const redraw = () => {
    chart.removeOverlay({ id: 'marks' })
    const instrument = pane.instrument.peek()
    if (instrument === undefined) return
    const bars = new Map(chart.getDataList().map((bar) => [bar.timestamp, bar]))
    const found = marksOf(instrument, pane.interval.peek(), place).flatMap(({ at, ...mark }) => {
      const bar = bars.get(at)
      return bar === undefined
        ? []
        : [{ point: { timestamp: at, value: mark.side === 'buy' ? bar.low : bar.high }, mark }]
    })
    if (found.length === 0) return
    chart.createOverlay({
      id: 'marks',
      name: 'fillMarks',
      lock: true,
      points: found.map(({ point }) => point),
      extendData: found.map(({ mark }) => mark),
    })
  }
  const end = effect(() => {
    void [theme.value, spokenTag(), fills.value, pane.instrument.value, pane.interval.value]
    redraw()
  })
  return { redraw, end }
}

function marksOf(instrument: Instrument, span: Interval, place: HTMLElement): (Mark & { at: number })[] {
  const found = new Map<string, { at: number; side: 'buy' | 'sell'; quantity: number; forced?: ForcedCause }>()
  for (const fill of fills.peek()) {
    if (fill.symbol !== instrument.symbol || !sharesBook(fill.category, instrument)) continue
    const at = intervalStart(span, fill.at)
    const cause = causeOfFill(fill)
    const forced = isForced(cause) ? { forced: cause } : {}
    const key = `${at} ${fill.side} ${forced.forced ?? ''}`
    const mark = found.get(key) ?? { at, side: fill.side, quantity: 0, ...forced }
    mark.quantity += Number(fill.quantity)
    found.set(key, mark)
  }
  return [...found.values()]
    .sort((a, b) => a.at - b.at)
    .slice(-marksMax)
    .map(({ at, side, quantity, forced }) => ({
      at,
      side,
      round: forced !== undefined,
      color: colourOf(place, forced !== undefined ? '--warn' : side === 'buy' ? '--up' : '--down'),
      text: forced === undefined ? short(quantity) : `${t.causes[forced].name} ${short(quantity)}`,
    }))
}
