/**
 * Mark and index beside the candles: each candle's closing one, read where candles are, and the running one from the ticker.
 *
 * Calls    one a price and a page of a thousand candles
 * Missing  what the venue does not have leaves a gap; pairs have an index alone
 */
import { registerIndicator } from 'klinecharts'
import { comparesIndex, comparesMark } from '../store/indicators.ts'
import { ticker } from '../store/market.ts'
import type { Instrument } from '../venue/instruments.ts'
import { isFutures } from '../venue/instruments.ts'
import type { Interval } from '../venue/intervals.ts'
import { loadCandles } from '../venue/market-records.ts'
import type { Chart } from './library.ts'
import { t } from '../words/words.ts'

type Compared = 'mark' | 'index'
type Closes = Map<number, number>

interface Point {
  mark?: number | undefined
  index?: number | undefined
}

/** Of one chart at a time. */
const closes: Record<Compared, Closes> = { mark: new Map(), index: new Map() }

/** Named in the language that is spoken now. */
const figures = () => [
  { key: 'mark', title: `${t.chart.mark}: `, type: 'line' },
  { key: 'index', title: `${t.chart.index}: `, type: 'line' },
]

registerIndicator<Point>({
  name: 'COMPARED',
  shortName: '',
  series: 'price',
  figures: figures(),
  calc: (bars) => {
    const points: Point[] = bars.map(({ timestamp }) => ({
      mark: closes.mark.get(timestamp),
      index: closes.index.get(timestamp),
    }))
    const last = points.at(-1)
    const now = ticker.peek()
    if (last === undefined || now === undefined) return points
    const { timestamp } = bars.at(-1) ?? { timestamp: 0 }
    for (const kind of ['mark', 'index'] as const) {
      const price = Number(now[kind])
      if (closes[kind].size === 0 || !Number.isFinite(price)) continue
      last[kind] = price
      closes[kind].set(timestamp, price) // with the next candle this is where it has closed
    }
    return points
  },
})

/** Draws what is wanted; `read` reads what older candles need, whenever some came. */
export function compare(
  chart: Chart,
  instrument: Instrument,
  interval: Interval,
): { read: () => void; end: () => void } {
  let gone = false
  const wanted: Compared[] = []
  if (comparesMark.value && isFutures(instrument)) wanted.push('mark')
  if (comparesIndex.value) wanted.push('index')
  for (const kind of ['mark', 'index'] as const) closes[kind] = new Map()
  const reading = new Set<Compared>()
  /** The oldest that was read; undefined: nothing yet. */
  const reach: Partial<Record<Compared, number>> = {}

  const read = async (kind: Compared) => {
    const [first] = chart.getDataList()
    if (first === undefined || reading.has(kind) || (reach[kind] ?? Infinity) <= first.timestamp) return
    reading.add(kind)
    const found = await loadCandles(instrument, interval, reach[kind], kind).catch(() => [])
    reading.delete(kind)
    if (gone) return
    for (const { time, close } of found) closes[kind].set(time * 1000, close)
    reach[kind] = found[0] === undefined ? 0 : found[0].time * 1000
    chart.overrideIndicator({ name: 'COMPARED', extendData: closes[kind].size })
    void read(kind)
  }
  const create = { name: 'COMPARED', id: 'compared', paneId: 'candle_pane', figures: figures() }
  if (wanted.length > 0) chart.createIndicator(create, true)
  return {
    read: () => {
      for (const kind of wanted) void read(kind)
    },
    end: () => {
      gone = true
      chart.removeIndicator({ id: 'compared' })
    },
  }
}
