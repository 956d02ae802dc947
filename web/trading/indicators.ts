/**
 * Indicators that the chart library lacks, or reckons otherwise than traders read them. Floats: for the eye alone.
 *
 * RSI    by Wilder's average of gains and losses
 * ATR    Wilder's average of the true range, the first one a plain mean
 * MACD   the histogram is the difference itself, not twice it
 * VWAP   typical price weighted by volume, anew from each day of UTC
 * Until  an indicator has its bars, a value is undefined
 */
export interface Bar {
  /** Milliseconds. */
  readonly timestamp: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume?: number
}

type Values = (number | undefined)[]

/** Wilder's average: of the first `length` the mean, then each new one weighs 1/length. */
function wilder(values: readonly number[], length: number): Values {
  let average = 0
  return values.map((value, at) => {
    if (at < length) {
      average += value / length
      return at === length - 1 ? average : undefined
    }
    average += (value - average) / length
    return average
  })
}

const gainOf = (move: number) => Math.max(0, move)
const lossOf = (move: number) => Math.max(0, -move)

/** From 0 to 100; a market that only rises stands at 100. */
export function rsi(bars: readonly Bar[], length: number): Values {
  const moves = bars.slice(1).map(({ close }, at) => close - (bars[at]?.close ?? close))
  const gains = wilder(moves.map(gainOf), length)
  const losses = wilder(moves.map(lossOf), length)
  return bars.map((_, at) => {
    const gain = gains[at - 1]
    const loss = losses[at - 1]
    if (gain === undefined || loss === undefined) return undefined
    return loss === 0 ? (gain === 0 ? 50 : 100) : 100 - 100 / (1 + gain / loss)
  })
}

export function atr(bars: readonly Bar[], length: number): Values {
  const ranges = bars.map(({ high, low }, at) => {
    const before = bars[at - 1]?.close
    return before === undefined ? high - low : Math.max(high, before) - Math.min(low, before)
  })
  return wilder(ranges, length)
}

/** %K, smoothed, and %D, its mean. Where high and low are one, %K is 50. */
export function stochastic(
  bars: readonly Bar[],
  [length, smoothing, signal]: readonly [length: number, smoothing: number, signal: number],
): { k: number | undefined; d: number | undefined }[] {
  const raw = bars.map(({ close }, at) => {
    if (at < length - 1) return undefined
    const window = bars.slice(at - length + 1, at + 1)
    const high = Math.max(...window.map((bar) => bar.high))
    const low = Math.min(...window.map((bar) => bar.low))
    return high === low ? 50 : (100 * (close - low)) / (high - low)
  })
  const k = means(raw, smoothing)
  const d = means(k, signal)
  return bars.map((_, at) => ({ k: k[at], d: d[at] }))
}

/** Of the last `length`, where all of them are there. */
function means(values: Values, length: number): Values {
  return values.map((_, at) => {
    const window = values.slice(Math.max(0, at - length + 1), at + 1)
    if (window.length < length || window.includes(undefined)) return undefined
    return (window as number[]).reduce((sum, value) => sum + value, 0) / length
  })
}

/** The first value is the mean of the first `length`. */
function exponential(values: Values, length: number): Values {
  const first = values.findIndex((value) => value !== undefined)
  let average = 0
  return values.map((value, at) => {
    if (first === -1 || at < first || value === undefined) return undefined
    if (at - first < length) {
      average += value / length
      return at - first === length - 1 ? average : undefined
    }
    average += ((value - average) * 2) / (length + 1)
    return average
  })
}

export function macd(
  bars: readonly Bar[],
  [fast, slow, signal]: readonly [fast: number, slow: number, signal: number],
): { line: number | undefined; signal: number | undefined; histogram: number | undefined }[] {
  const closes = bars.map(({ close }) => close)
  const quick = exponential(closes, fast)
  const calm = exponential(closes, slow)
  const line = closes.map((_, at) => difference(quick[at], calm[at]))
  const average = exponential(line, signal)
  return line.map((value, at) => ({ line: value, signal: average[at], histogram: difference(value, average[at]) }))
}

function difference(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a - b
}

const dayMs = 86_400_000

export function vwap(bars: readonly Bar[]): Values {
  let day = Number.NaN
  let value = 0
  let volume = 0
  return bars.map((bar) => {
    const of = Math.floor(bar.timestamp / dayMs)
    if (of !== day) {
      day = of
      value = 0
      volume = 0
    }
    value += ((bar.high + bar.low + bar.close) / 3) * (bar.volume ?? 0)
    volume += bar.volume ?? 0
    return volume === 0 ? undefined : value / volume
  })
}
