/**
 * The candles of an instrument and interval, as the chart is given them.
 *
 * Data    the stream brings the last 500 and every change; older ones are read when somebody scrolls to them
 * Pace    changes are drawn once per frame
 * Order   one that ended may be told once more after the next has begun: it is put into its place
 */
import { atNextFrame } from '../store/frames.ts'
import { subscribe } from '../store/market.ts'
import { type Instrument, streamType } from '../venue/instruments.ts'
import { type Interval, rhythmOf } from '../venue/intervals.ts'
import { type Candle, candleOf, type CandleRow, loadCandles } from '../venue/market-records.ts'
import type { Chart, KLineData } from './library.ts'

const candlesMax = 5_000

/** Of charts that were begun: each draws for itself. */
let shownCount = 0

interface Shown {
  readonly chart: Chart
  readonly instrument: Instrument
  readonly interval: Interval
  /** Older ones came: they reach back to here, milliseconds. */
  readonly onOlder: () => void
}

/** Answers how to end it. */
export function showCandles({ chart, instrument, interval, onOlder }: Shown): () => void {
  let kept: KLineData[] = []
  let gone = false
  let push: ((bar: KLineData) => void) | undefined
  const changed = new Map<number, KLineData>()

  const task = `candles ${++shownCount}`
  const { unit, count } = rhythmOf(interval)
  const precisions = { pricePrecision: instrument.pricePrecision, volumePrecision: instrument.quantityPrecision }
  chart.setDataLoader({
    getBars: ({ type, timestamp, callback }) => {
      if (type === 'init') callback(kept, { forward: kept.length > 0, backward: false })
      else if (type === 'forward' && timestamp !== null) void readOlder(timestamp, callback)
      else callback([], false)
    },
    subscribeBar: ({ callback }) => (push = callback),
    unsubscribeBar: () => (push = undefined),
  })
  chart.setSymbol({ ticker: instrument.symbol, ...precisions })
  chart.setPeriod({ type: unit, span: count })

  const readOlder = async (before: number, callback: (bars: KLineData[], more: object) => void) => {
    const read = await loadCandles(instrument, interval, before).catch(() => [])
    if (gone) return
    const older = read.map(barOf).filter((bar) => bar.timestamp < before)
    kept = [...older, ...kept]
    callback(older, { forward: older.length > 0 && kept.length < candlesMax, backward: false })
    onOlder()
  }

  const draw = () => {
    if (gone) return
    const shown = chart.getDataList()
    for (const bar of [...changed.values()].sort((a, b) => a.timestamp - b.timestamp)) {
      const last = shown.at(-1)
      if (last === undefined || bar.timestamp >= last.timestamp) push?.(bar)
      else Object.assign(shown.find(({ timestamp }) => timestamp === bar.timestamp) ?? {}, bar)
    }
    kept = shown
    changed.clear()
  }

  const arg = { instType: streamType(instrument).toLowerCase(), topic: 'kline', symbol: instrument.symbol, interval }
  const end = subscribe(arg, ({ action, data }) => {
    const news = (data as CandleRow[]).map(candleOf).map(barOf)
    if (action === 'snapshot') {
      const [first] = news
      // After a break: what was read before it stays, where nothing is missing between.
      const joins = first !== undefined && kept.some(({ timestamp }) => timestamp === first.timestamp)
      kept = joins ? [...kept.filter(({ timestamp }) => timestamp < first.timestamp), ...news] : news
      changed.clear()
      chart.resetData()
      onOlder()
      return
    }
    for (const bar of news) changed.set(bar.timestamp, bar)
    atNextFrame(task, draw)
  })
  return () => {
    gone = true
    end()
  }
}

function barOf({ time, ...candle }: Candle): KLineData {
  return { ...candle, timestamp: time * 1000 }
}
