/**
 * The chart of a pane: candles of its instrument, indicators, prices of the account as lines, fills as arrows, what people draw.
 *
 * Scale   takes in the account's prices that lie no further from the candles than these are high; an order far away does not
 *         flatten the market
 * Times   in the zone that was chosen
 */
import { effect, untracked } from '@preact/signals'
import type { AxisRange, IndicatorFigure } from 'klinecharts'
import { short } from '../numbers/format.ts'
import { offers, indicators, type IndicatorName } from '../store/indicators.ts'
import { tickers } from '../store/market.ts'
import { ownPrices } from '../store/own.ts'
import { type Pane, shownPanes } from '../store/panes.ts'
import { theme } from '../store/theme.ts'
import { date, dateTime, minuteTime, zone } from '../store/times.ts'
import { chartMenu } from '../store/chart-menu.ts'
import { type Interval, isOfDays } from '../venue/intervals.ts'
import { showCandles } from './candles.ts'
import { compare } from './compared.ts'
import { drawDrawings, removeDrawn } from './drawn.ts'
import { type Chart, dispose, init, macdFigures, volumeFigures } from './library.ts'
import { drawLines, onStep } from './lines.ts'
import { looksOf } from './looks.ts'
import { drawMarks } from './marks.ts'
import { t } from '../words/words.ts'

/** Of a pane below the candles, of the height of the whole. */
const paneShare = 0.16

/** Of open, high, low, close, change and volume of a candle beside each other, with the price axis; in pixels. */
const figuresWidth = 580
const figuresLineHeight = 19

/** By the signs of the language, round where it is: `100K`. */
function briefly(value: number): string {
  return short(value).replace(/\.00(?=\D|$)/, '')
}

export interface DrawnChart {
  /** One drawing, or all of the instrument. */
  readonly removeDrawn: (id?: string) => void
  readonly end: () => void
}

export function drawChart(place: HTMLElement, pane: Pane): DrawnChart | undefined {
  const chart = init(place, {
    styles: looksOf(place, shownPanes.peek().length > 1),
    locale: t.locale,
    formatter: {
      formatDate: ({ timestamp, type }) => timeText(timestamp, type, pane.interval.peek()),
      formatBigNumber: (value) => (Math.abs(Number(value)) < 1_000 ? String(value) : briefly(Number(value))),
    },
    decimalFold: { format: String }, // 0.0006 is written out, as everywhere on the page
    hotkey: { enabled: false },
  })
  if (chart === null) return undefined
  place.querySelector('[tabindex]')?.removeAttribute('tabindex') // a picture: nothing in it can be reached by keys
  chart.setBarSpace(7)
  chart.setOffsetRightDistance(48)
  const marks = drawMarks(chart, place, pane)
  let compared: ReturnType<typeof compare> | undefined
  const ends = [
    effect(() => {
      void theme.value
      chart.setLocale(t.locale)
      chart.setStyles(looksOf(place, shownPanes.value.length > 1))
    }),
    effect(() => {
      chart.setTimezone(zone.value === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone)
    }),
    effect(() => {
      const instrument = pane.instrument.value
      const span = pane.interval.value
      if (instrument === undefined) return undefined
      const onOlder = () => {
        marks.redraw()
        compared?.read()
      }
      return untracked(() => showCandles({ chart, instrument, interval: span, onOlder }))
    }),
    effect(() => {
      const instrument = pane.instrument.value
      const span = pane.interval.value
      if (instrument === undefined) return undefined
      compared = compare(chart, instrument, span)
      untracked(() => compared?.read())
      return () => compared?.end()
    }),
    drawIndicators(chart, place),
    effect(() => leaveRoom(chart, place)),
    drawLines(chart, place, pane),
    drawDrawings(chart, pane),
    marks.end,
    effect(() => {
      const instrument = pane.instrument.value
      const own = instrument === undefined ? [] : ownPrices(instrument).map(({ price }) => Number(price))
      chart.overrideYAxis({
        paneId: 'candle_pane',
        createRange: ({ defaultRange }) => rangeWith(defaultRange, own),
      })
    }),
    listenForMenu(chart, place, pane),
  ]
  let height = place.clientHeight
  const watcher = new ResizeObserver(() => {
    chart.resize()
    untracked(() => leaveRoom(chart, place))
    if (place.clientHeight === height || place.clientHeight === 0) return
    height = place.clientHeight
    for (const name of indicators.peek().keys()) setPaneHeight(chart, name, height)
  })
  watcher.observe(place)
  return {
    removeDrawn: (id) => removeDrawn(chart, id),
    end: () => {
      watcher.disconnect()
      chartMenu.value = undefined
      for (const end of ends) end()
      dispose(chart)
    },
  }
}

/** Above the candles, for the figures that stand there: two lines of them on a phone, and one for each indicator. */
function leaveRoom(chart: Chart, place: HTMLElement): void {
  const isAlone = shownPanes.value.length === 1
  const onCandles = [...indicators.value.keys()].filter((name) => offers[name].place === 'price').length
  const lines = Math.ceil(figuresWidth / Math.max(1, place.clientWidth)) + onCandles
  const needed = lines * figuresLineHeight + 36
  const top = isAlone ? Math.min(place.clientHeight * 0.3, Math.max(place.clientHeight * 0.1, needed)) : 0.12
  chart.overrideYAxis({ paneId: 'candle_pane', gap: { top, bottom: 0.08 } })
}

/** Those that are chosen, the candles' own on them and the others each in a pane; what stays is not made anew. */
function drawIndicators(chart: Chart, place: HTMLElement): () => void {
  const shown = new Set<IndicatorName>()
  return effect(() => {
    const chosen = indicators.value
    for (const name of shown) {
      if (chosen.has(name)) continue
      chart.removeIndicator({ id: name })
      shown.delete(name)
    }
    for (const [name, lengths] of chosen) {
      const create = {
        name,
        id: name,
        ...(lengths.length === 0 ? {} : { calcParams: [...lengths] }),
        ...figuresOf(name, lengths),
      }
      if (shown.has(name)) {
        chart.overrideIndicator(create)
        continue
      }
      const paneId = offers[name].place === 'price' ? 'candle_pane' : `pane-${name}`
      chart.createIndicator({ ...create, paneId }, true)
      setPaneHeight(chart, name, place.clientHeight)
      shown.add(name)
    }
  })
}

/** Of those that have words beside their numbers: in the language that is spoken now. */
function figuresOf(name: IndicatorName, lengths: readonly number[]): { figures?: IndicatorFigure[] } {
  if (name === 'MACD') return { figures: macdFigures() as IndicatorFigure[] }
  return name === 'VOL' ? { figures: volumeFigures(lengths) as IndicatorFigure[] } : {}
}

function setPaneHeight(chart: Chart, name: IndicatorName, whole: number): void {
  const height = Math.max(44, Math.floor(whole * paneShare))
  if (offers[name].place === 'pane') chart.setPaneOptions({ id: `pane-${name}`, height, minHeight: 36 })
}

/** A press with the right button, or a long one on glass, asks what to do at that price. */
function listenForMenu(chart: Chart, place: HTMLElement, { instrument: shown }: Pane): () => void {
  const onContextMenu = (event: MouseEvent) => {
    event.preventDefault()
    const instrument = shown.peek()
    const box = place.getBoundingClientRect()
    const [x, y] = [event.clientX - box.left, event.clientY - box.top]
    const pane = chart.getSize('candle_pane')
    const width = chart.getSize('candle_pane', 'main')?.width ?? 0
    if (instrument === undefined || pane === null || x > width || y < pane.top || y > pane.top + pane.height) return
    const [point] = chart.convertFromPixel([{ x, y }], { paneId: 'candle_pane', absolute: true }) as {
      value?: number
    }[]
    if (point?.value === undefined || point.value <= 0) return
    chartMenu.value = {
      x,
      y,
      price: onStep(point.value, instrument),
      last: tickers.peek().get(instrument.key)?.last ?? '',
    }
  }
  place.addEventListener('contextmenu', onContextMenu)
  return () => place.removeEventListener('contextmenu', onContextMenu)
}

/** At the axis the time of day, the date at midnight and where a candle is a day or more; elsewhere both. */
function timeText(at: number, where: 'tooltip' | 'crosshair' | 'xAxis', interval: Interval): string {
  const ofDays = isOfDays(interval)
  if (where !== 'xAxis') return ofDays ? date(at) : dateTime(at).slice(0, -3)
  const clock = minuteTime(at)
  return ofDays || clock === '00:00' ? date(at).slice(5) : clock
}

/** And what lies no further from the candles than they are high, or a thousandth of the price where they are flat. */
function rangeWith(original: AxisRange, prices: readonly number[]): AxisRange {
  const { from, to } = original
  const reach = Math.max(to - from, Math.abs(to) / 1000)
  const near = prices.filter((price) => price >= from - reach && price <= to + reach)
  if (near.length === 0) return original
  const [low, high] = [Math.min(from, ...near), Math.max(to, ...near)]
  const [range, ends] = [high - low, { from: low, to: high }]
  const { from: realFrom, to: realTo } = ends
  return {
    ...original,
    ...ends,
    range,
    realFrom,
    realTo,
    realRange: range,
    displayFrom: realFrom,
    displayTo: realTo,
    displayRange: range,
  }
}
