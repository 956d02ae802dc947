/**
 * The chart library, with what it is told once: indicators that it lacks or reckons otherwise (trading/indicators.ts), and
 * figures of our own. Loaded beside the page, never with it.
 */
import {
  type IndicatorFigure,
  type KLineData,
  type OverlayTemplate,
  registerIndicator,
  registerOverlay,
} from 'klinecharts'
import { shown, signedPercent, withPlus } from '../numbers/format.ts'
import { atr, macd, rsi, stochastic, vwap } from '../trading/indicators.ts'
import { t } from '../words/words.ts'

export { type Chart, dispose, init } from 'klinecharts'

const line = (key: string, title: string) => ({ key, title: `${title}: `, type: 'line' })

registerIndicator<{ rsi?: number | undefined }, number>({
  name: 'RSI',
  shortName: 'RSI',
  calcParams: [14],
  precision: 2,
  minValue: 0,
  maxValue: 100,
  figures: [line('rsi', 'RSI')],
  calc: (bars, { calcParams: [length = 14] }) => rsi(bars, length).map((value) => ({ rsi: value })),
})

registerIndicator<{ atr?: number | undefined }, number>({
  name: 'ATR',
  shortName: 'ATR',
  calcParams: [14],
  series: 'price',
  figures: [line('atr', 'ATR')],
  calc: (bars, { calcParams: [length = 14] }) => atr(bars, length).map((value) => ({ atr: value })),
})

registerIndicator<{ k?: number | undefined; d?: number | undefined }, number>({
  name: 'STOCH',
  shortName: 'Stoch',
  calcParams: [14, 3, 3],
  precision: 2,
  minValue: 0,
  maxValue: 100,
  figures: [line('k', '%K'), line('d', '%D')],
  calc: (bars, { calcParams: [length = 14, smoothing = 3, signal = 3] }) =>
    stochastic(bars, [length, smoothing, signal]),
})

interface MacdPoint {
  line?: number | undefined
  signal?: number | undefined
  histogram?: number | undefined
}

/** Named in the language that is spoken now. */
export function macdFigures(): IndicatorFigure<MacdPoint>[] {
  return [
    line('line', 'MACD'),
    line('signal', t.chart.signal),
    {
      key: 'histogram',
      title: `${t.chart.histogram}: `,
      type: 'bar',
      baseValue: 0,
      styles: ({ data, defaultStyles }) => {
        const bars = defaultStyles?.bars[0]
        const value = data.current?.histogram ?? 0
        const color = (value >= 0 ? bars?.upColor : bars?.downColor) ?? ''
        return { style: 'fill', color, borderColor: color }
      },
    },
  ]
}

registerIndicator<MacdPoint, number>({
  name: 'MACD',
  shortName: 'MACD',
  calcParams: [12, 26, 9],
  precision: 2,
  figures: macdFigures(),
  calc: (bars, { calcParams: [fast = 12, slow = 26, signal = 9] }) => macd(bars, [fast, slow, signal]),
})

interface Volume {
  readonly open: number
  readonly close: number
}

/** Of the library's own VOL, whose word for a volume is English: its averages of these lengths, and the volume itself. */
export function volumeFigures(lengths: readonly number[]): IndicatorFigure<Volume>[] {
  return [
    ...lengths.map((length, at) => line(`ma${at + 1}`, `MA${length}`)),
    {
      key: 'volume',
      title: `${t.indicators.VOL}: `,
      type: 'bar',
      baseValue: 0,
      styles: ({ data, defaultStyles }) => {
        const bars = defaultStyles?.bars[0]
        const { open = 0, close = 0 } = data.current ?? {}
        const color = (close > open ? bars?.upColor : close < open ? bars?.downColor : bars?.noChangeColor) ?? ''
        return { color }
      },
    },
  ]
}

registerIndicator<{ vwap?: number | undefined }>({
  name: 'VWAP',
  shortName: 'VWAP',
  series: 'price',
  figures: [line('vwap', 'VWAP')],
  calc: (bars) => vwap(bars).map((value) => ({ vwap: value })),
})

/** What is drawn from corner to corner. */
const corners: Pick<
  OverlayTemplate,
  'totalStep' | 'needDefaultPointFigure' | 'needDefaultXAxisFigure' | 'needDefaultYAxisFigure'
> = { totalStep: 3, needDefaultPointFigure: true, needDefaultXAxisFigure: true, needDefaultYAxisFigure: true }

registerOverlay({
  ...corners,
  name: 'rectangle',
  createPointFigures: ({ coordinates: [from, to] }) =>
    from === undefined || to === undefined ? [] : [{ type: 'rect', attrs: between(from, to) }],
})

/** How far it is from corner to corner: in price, per cent and candles. */
registerOverlay({
  ...corners,
  name: 'measure',
  createPointFigures: ({ chart, overlay, coordinates: [from, to] }) => {
    const [start, end] = overlay.points
    if (from === undefined || to === undefined || start?.value === undefined || end?.value === undefined) return []
    const precision = chart.getSymbol()?.pricePrecision ?? 2
    const moved = end.value - start.value
    const bars = (end.dataIndex ?? 0) - (start.dataIndex ?? 0)
    const text = `${withPlus(shown(String(moved), precision))} (${signedPercent(String(moved / start.value))}), ${bars}`
    const above = to.y < from.y
    const attrs = { x: (from.x + to.x) / 2, y: above ? to.y - 6 : to.y + 6, text, align: 'center' }
    return [
      { type: 'rect', attrs: between(from, to) },
      { type: 'text', attrs: { ...attrs, baseline: above ? 'bottom' : 'top' }, ignoreEvent: true },
    ]
  },
})

function between(from: { x: number; y: number }, to: { x: number; y: number }) {
  const x = Math.min(from.x, to.x)
  const y = Math.min(from.y, to.y)
  return { x, y, width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y) }
}

export interface PriceLine {
  readonly title: string
  readonly price: string
  readonly color: string
  /** Colour of texts on the line's colour. */
  readonly onColor: string
  readonly dashed: boolean
}

/** A price with its title on the line, and the price at the axis. */
registerOverlay<PriceLine>({
  name: 'ownPrice',
  totalStep: 2,
  needDefaultPointFigure: false,
  needDefaultXAxisFigure: false,
  needDefaultYAxisFigure: false,
  createPointFigures: ({ overlay: { extendData }, coordinates: [at], bounding }) => {
    if (at === undefined || extendData === undefined) return []
    const { title, color, onColor, dashed } = extendData
    const style = dashed ? { style: 'dashed', dashedValue: [4, 3] } : { style: 'solid' }
    return [
      {
        type: 'line',
        ignoreEvent: true,
        attrs: {
          coordinates: [
            { x: 0, y: at.y },
            { x: bounding.width, y: at.y },
          ],
        },
        styles: { ...style, color, size: 1 },
      },
      {
        type: 'text',
        ignoreEvent: true,
        attrs: { x: bounding.width - 4, y: at.y, text: title, align: 'right', baseline: 'middle' },
        styles: { ...labelStyle, color: onColor, backgroundColor: color },
      },
    ]
  },
  createYAxisFigures: ({ chart, overlay: { extendData }, coordinates: [at], bounding, yAxis }) => {
    if (at === undefined || extendData === undefined) return []
    const isRight = yAxis?.position !== 'left'
    const { price, color, onColor } = extendData
    return [
      {
        type: 'text',
        ignoreEvent: true,
        attrs: {
          x: isRight ? 0 : bounding.width,
          y: at.y,
          text: shown(price, chart.getSymbol()?.pricePrecision ?? 2),
          align: isRight ? 'left' : 'right',
          baseline: 'middle',
        },
        styles: { ...labelStyle, color: onColor, backgroundColor: color },
      },
    ]
  },
})

const labelStyle = {
  style: 'fill',
  size: 11,
  paddingLeft: 4,
  paddingRight: 4,
  paddingTop: 2,
  paddingBottom: 2,
  borderRadius: 2,
}

export interface Mark {
  readonly side: 'buy' | 'sell'
  readonly text: string
  readonly color: string
  /** A circle in place of an arrow. */
  readonly round: boolean
}

/** Arrows below what was bought and above what was sold; a point each, in the order of the marks. */
registerOverlay<readonly Mark[]>({
  name: 'fillMarks',
  totalStep: 2,
  lock: true,
  needDefaultPointFigure: false,
  needDefaultXAxisFigure: false,
  needDefaultYAxisFigure: false,
  createPointFigures: ({ overlay: { extendData }, coordinates }) =>
    coordinates.flatMap(({ x, y }, at) => {
      const mark = extendData[at]
      if (mark === undefined) return []
      const down = mark.side === 'buy' ? 1 : -1
      const tip = y + down * 5
      const foot = tip + down * 7
      const shape = mark.round
        ? { type: 'circle', attrs: { x, y: tip + down * 4, r: 4 } }
        : {
            type: 'polygon',
            attrs: {
              coordinates: [
                { x, y: tip },
                { x: x - 5, y: foot },
                { x: x + 5, y: foot },
              ],
            },
          }
      return [
        { ...shape, ignoreEvent: true, styles: { style: 'fill', color: mark.color } },
        {
          type: 'text',
          ignoreEvent: true,
          attrs: { x, y: foot + down * 2, text: mark.text, align: 'center', baseline: down === 1 ? 'top' : 'bottom' },
          styles: { color: mark.color, size: 10, backgroundColor: 'transparent', paddingLeft: 0, paddingRight: 0 },
        },
      ]
    }),
})

export type { KLineData }
