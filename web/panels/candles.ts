/**
 * Candles with volume, and on them what is the account's own: resting orders, triggers, entries, liquidation prices as
 * lines, fills as arrows.
 *
 * Data     the stream brings the last 500 and every change; older ones are read when somebody scrolls to them
 * Pace     changes are drawn once per frame
 * Lines    kept by name: one that stays is moved, not made anew
 */
import { effect, untracked } from '@preact/signals'
import {
  type AutoscaleInfo,
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  type CreatePriceLineOptions,
  HistogramSeries,
  type IPriceLine,
  LineStyle,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts'
import { short } from '../numbers/format.ts'
import { fills, sharesBook } from '../store/account.ts'
import { causeOfFill } from '../store/causes.ts'
import { explanations } from '../store/explanations.ts'
import { atNextFrame } from '../store/frames.ts'
import { currentInstrument, subscribe } from '../store/market.ts'
import { type OwnPrice, ownPrices } from '../store/own.ts'
import { interval } from '../store/preferences.ts'
import { theme } from '../store/theme.ts'
import { date, dateTime, minuteTime, zone } from '../store/times.ts'
import { type ForcedCause, isForced } from '../venue/causes.ts'
import { type Instrument, streamType } from '../venue/instruments.ts'
import { type Candle, candleOf, type CandleRow, type Interval, loadCandles } from '../venue/market-records.ts'

const candlesMax = 5_000
/** So near to the left edge older candles are read. */
const readAheadBars = 20

/** Answers how to take it away. */
export function drawCandles(place: HTMLElement): () => void {
  const chart = createChart(place, {
    autoSize: true,
    layout: { attributionLogo: false, fontFamily: getComputedStyle(place).fontFamily, fontSize: 11 },
    timeScale: { timeVisible: true, secondsVisible: false, rightOffset: 6, barSpacing: 7, tickMarkFormatter: tickText },
    crosshair: { mode: 0 },
    localization: { locale: language() },
  })
  const candles = chart.addSeries(CandlestickSeries, { borderVisible: false, priceLineStyle: LineStyle.Dotted })
  const volume = chart.addSeries(HistogramSeries, {
    priceScaleId: 'volume',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  })
  chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } })
  candles.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.22 } })
  const marks = createSeriesMarkers(candles, [])

  /** The chart was taken away: what was under way until then draws nothing. */
  let gone = false
  let kept: Candle[] = []
  let reading = false
  let oldestReached = false
  const volumeBar = ({ time, volume: value, open, close }: Candle) => ({
    time: time as UTCTimestamp,
    value,
    color: colour(place, close >= open ? '--up-wash' : '--down-wash'),
  })
  const candleBar = (candle: Candle) => ({ ...candle, time: candle.time as UTCTimestamp })

  const setAll = () => {
    candles.setData(kept.map(candleBar))
    volume.setData(kept.map(volumeBar))
  }

  /** Since the last frame: candles that changed or came at the end; whether one came in between, so that all are set. */
  const changed = new Set<number>()
  let anew = false
  const draw = () => {
    if (gone) return
    if (anew) setAll()
    else {
      for (const candle of kept.filter(({ time }) => changed.has(time))) {
        const isOld = candle.time < Number(candles.data().at(-1)?.time ?? 0)
        candles.update(candleBar(candle), isOld)
        volume.update(volumeBar(candle), isOld)
      }
    }
    changed.clear()
    anew = false
  }

  const ends: (() => void)[] = []

  // Colours
  ends.push(
    effect(() => {
      void theme.value
      const up = colour(place, '--up')
      const down = colour(place, '--down')
      const line = colour(place, '--line')
      chart.applyOptions({
        layout: { background: { color: colour(place, '--panel') }, textColor: colour(place, '--quiet') },
        grid: { vertLines: { color: colour(place, '--grid') }, horzLines: { color: colour(place, '--grid') } },
        rightPriceScale: { borderColor: line },
        timeScale: { borderColor: line },
      })
      candles.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down })
      untracked(setAll)
    }),
  )

  // The zone that was chosen
  ends.push(
    effect(() => {
      void zone.value
      chart.applyOptions({ localization: { timeFormatter: (time: number) => dateTime(time * 1000) } })
    }),
  )

  // Candles of the instrument and interval in view
  ends.push(
    effect(() => {
      const instrument = currentInstrument.value
      const span = interval.value
      if (instrument === undefined) return undefined
      const minMove = 10 ** -instrument.pricePrecision
      candles.applyOptions({ priceFormat: { type: 'price', precision: instrument.pricePrecision, minMove } })
      kept = []
      oldestReached = false
      changed.clear()
      setAll()
      const arg = {
        instType: streamType(instrument).toLowerCase(),
        topic: 'kline',
        symbol: instrument.symbol,
        interval: span,
      }
      return subscribe(arg, ({ action, data }) => {
        const news = (data as CandleRow[]).map(candleOf)
        if (action === 'snapshot') {
          kept = news
          setAll()
          chart.timeScale().scrollToRealTime()
          return
        }
        for (const candle of news) {
          if (keep(kept, candle)) changed.add(candle.time)
          else anew = true
        }
        atNextFrame('candles', draw)
      })
    }),
  )

  const readOlder = async (instrument: Instrument, span: Interval) => {
    const [oldest] = kept
    if (reading || oldestReached || oldest === undefined || kept.length > candlesMax) return
    reading = true
    const older = await loadCandles(instrument, span, oldest.time * 1000).catch(() => [])
    reading = false
    if (gone || currentInstrument.peek() !== instrument || interval.peek() !== span || kept[0] !== oldest) return
    oldestReached = older.length === 0
    kept = [...older.filter(({ time }) => time < oldest.time), ...kept]
    setAll()
  }
  chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
    const instrument = currentInstrument.peek()
    if (range !== null && range.from < readAheadBars && instrument !== undefined)
      void readOlder(instrument, interval.peek())
  })

  // What is the account's own
  const lines = new Map<string, IPriceLine>()
  ends.push(
    effect(() => {
      void theme.value
      const own = currentInstrument.value === undefined ? [] : ownPrices(currentInstrument.value)
      const wanted = new Set(own.map(({ name }) => name))
      for (const [name, line] of lines) {
        if (wanted.has(name)) continue
        candles.removePriceLine(line)
        lines.delete(name)
      }
      for (const ownPrice of own) {
        const line = lines.get(ownPrice.name)
        if (line === undefined) lines.set(ownPrice.name, candles.createPriceLine(lineOf(place, ownPrice)))
        else line.applyOptions(lineOf(place, ownPrice))
      }
      const prices = own.map(({ price }) => Number(price))
      const autoscaleInfoProvider = (original: () => AutoscaleInfo | null) => scaleWith(original(), prices)
      candles.applyOptions({ autoscaleInfoProvider })
    }),
    effect(() => {
      void theme.value
      marks.setMarkers(
        currentInstrument.value === undefined ? [] : fillMarks(place, currentInstrument.value, interval.value),
      )
    }),
  )
  return () => {
    gone = true
    for (const end of ends) end()
    chart.remove()
  }
}

/** Some browsers name a language that no calendar knows (`en-US@posix`). */
function language(): string {
  try {
    return Intl.getCanonicalLocales(navigator.language)[0] ?? 'en'
  } catch {
    return 'en'
  }
}

/** The chosen zone's time of a mark on the axis; its date at midnight, and where a candle is a day or more. */
function tickText(time: Time): string {
  const at = Number(time) * 1000
  const clock = minuteTime(at)
  return clock === '00:00' || interval.peek() === '1D' ? date(at).slice(5) : clock
}

/** Into its place; false: between others, where none was. */
function keep(kept: Candle[], candle: Candle): boolean {
  const at = kept.findLastIndex(({ time }) => time <= candle.time)
  const isThere = kept[at]?.time === candle.time
  kept.splice(isThere ? at : at + 1, isThere ? 1 : 0, candle)
  return isThere || at === kept.length - 2
}

function colour(place: HTMLElement, name: string): string {
  return getComputedStyle(place).getPropertyValue(name).trim()
}

const lineLooks = {
  buy: ['--up', LineStyle.Dashed],
  sell: ['--down', LineStyle.Dashed],
  trigger: ['--accent', LineStyle.SparseDotted],
  'take-profit': ['--up', LineStyle.SparseDotted],
  'stop-loss': ['--down', LineStyle.SparseDotted],
  entry: ['--accent', LineStyle.Solid],
  liquidation: ['--warn', LineStyle.Dashed],
} as const satisfies Record<OwnPrice['kind'], readonly [colour: string, style: LineStyle]>

function lineOf(place: HTMLElement, { kind, price, title }: OwnPrice): CreatePriceLineOptions {
  const [name, lineStyle] = lineLooks[kind]
  const color = colour(place, name)
  return { price: Number(price), title, color, lineStyle, lineWidth: 1, axisLabelVisible: true }
}

/**
 * The candles' own scale, and what lies no further from it than it is high, or a thousandth of the price where it is flat: an
 * order far away does not flatten the market.
 */
function scaleWith(original: AutoscaleInfo | null, prices: readonly number[]): AutoscaleInfo | null {
  const range = original?.priceRange
  if (original === null || range === undefined || range === null) return original
  const reach = Math.max(range.maxValue - range.minValue, range.maxValue / 1_000)
  const near = prices.filter((price) => price >= range.minValue - reach && price <= range.maxValue + reach)
  const priceRange = {
    minValue: Math.min(range.minValue, ...near),
    maxValue: Math.max(range.maxValue, ...near),
  }
  return { ...original, priceRange }
}

const spanSeconds: Readonly<Record<Interval, number>> = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '1H': 3_600,
  '4H': 14_400,
  '1D': 86_400,
}
const marksMax = 60

/** Fills of one candle and side are one arrow; what the venue forced is a mark of its own, named. */
function fillMarks(place: HTMLElement, instrument: Instrument, span: Interval): SeriesMarker<UTCTimestamp>[] {
  const found = new Map<string, { time: number; side: 'buy' | 'sell'; quantity: number; forced?: ForcedCause }>()
  for (const fill of fills.value) {
    if (fill.symbol !== instrument.symbol || !sharesBook(fill.category, instrument)) continue
    const time = candleStart(fill.at / 1000, spanSeconds[span])
    const cause = causeOfFill(fill)
    const forced = isForced(cause) ? { forced: cause } : {}
    const key = `${time} ${fill.side} ${forced.forced ?? ''}`
    const mark = found.get(key) ?? { time, side: fill.side, quantity: 0, ...forced }
    mark.quantity += Number(fill.quantity)
    found.set(key, mark)
  }
  return [...found.values()]
    .sort((a, b) => a.time - b.time)
    .slice(-marksMax)
    .map(({ time, side, quantity, forced }) => ({
      time: time as UTCTimestamp,
      position: side === 'buy' ? 'belowBar' : 'aboveBar',
      shape: forced !== undefined ? 'circle' : side === 'buy' ? 'arrowUp' : 'arrowDown',
      color: colour(place, forced !== undefined ? '--warn' : side === 'buy' ? '--up' : '--down'),
      text: forced === undefined ? short(quantity) : `${explanations[forced].name} ${short(quantity)}`,
    }))
}

/** Days begin at midnight of UTC+8. */
function candleStart(seconds: number, span: number): number {
  const shift = span >= 86_400 ? 8 * 3_600 : 0
  return Math.floor((seconds + shift) / span) * span - shift
}
