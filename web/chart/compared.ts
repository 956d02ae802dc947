/**
 * Mark and index beside the candles: each candle's closing one, read where candles are, and the running one from the ticker.
 *
 * Calls    one a price and a page of a thousand candles
 * Missing  what the venue does not have leaves a gap; pairs have an index alone
 */
import { registerIndicator } from 'klinecharts'
import { comparesIndex, comparesMark } from '../store/indicators.ts'
import { tickers } from '../store/market.ts'
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

/** What one chart compares with, as its indicator is given it: another object whenever more was read. */
interface Known {
  readonly key: string
  readonly closes: Readonly<Record<Compared, Closes>>
}

/** Named in the language that is spoken now. */
const figures = () => [
  { key: 'mark', title: `${t.chart.mark}: `, type: 'line' },
  { key: 'index', title: `${t.chart.index}: `, type: 'line' },
]

registerIndicator<Point, number, Known>({
  name: 'COMPARED',
  shortName: '',
  series: 'price',
  figures: figures(),
  calc: (bars, { extendData: { key, closes } }) => {
    const points: Point[] = bars.map(({ timestamp }) => ({
      mark: closes.mark.get(timestamp),
      index: closes.index.get(timestamp),
    }))
    const last = points.at(-1)
    const now = tickers.peek().get(key)
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
  const closes: Known['closes'] = { mark: new Map(), index: new Map() }
  const known = (): Known => ({ key: instrument.key, closes })
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
    chart.overrideIndicator({ name: 'COMPARED', extendData: known() })
    void read(kind)
  }
  const create = { name: 'COMPARED', id: 'compared', paneId: 'candle_pane', figures: figures(), extendData: known() }
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
