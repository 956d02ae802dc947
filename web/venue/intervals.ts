/**
 * The intervals of candles, and where each begins: as docs/interface.md tells it.
 *
 * Days     up to four hours an interval begins the same everywhere; from six hours on it follows the day of UTC+8, and
 *          the `utc` forms the day of UTC
 * Longer   three days are counted from 1 January 1970, weeks begin on Monday, months with their first day
 */
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** 5 January 1970 was a Monday. */
const firstMonday = 4 * day
/** How far the days of UTC+8 are ahead. */
const ahead = 8 * hour

type Unit = 'minute' | 'hour' | 'day' | 'week' | 'month'

interface Rhythm {
  readonly unit: Unit
  readonly count: number
  /** One of them begins here. */
  readonly origin: number
}

const rhythm = (unit: Unit, count: number, origin: number): Rhythm => ({ unit, count, origin })

const rhythms = {
  '1m': rhythm('minute', 1, 0),
  '3m': rhythm('minute', 3, 0),
  '5m': rhythm('minute', 5, 0),
  '15m': rhythm('minute', 15, 0),
  '30m': rhythm('minute', 30, 0),
  '1H': rhythm('hour', 1, 0),
  '2H': rhythm('hour', 2, 0),
  '4H': rhythm('hour', 4, 0),
  '6H': rhythm('hour', 6, -ahead),
  '12H': rhythm('hour', 12, -ahead),
  '1D': rhythm('day', 1, -ahead),
  '3D': rhythm('day', 3, -ahead),
  '1W': rhythm('week', 1, firstMonday - ahead),
  '1M': rhythm('month', 1, -ahead),
  '6Hutc': rhythm('hour', 6, 0),
  '12Hutc': rhythm('hour', 12, 0),
  '1Dutc': rhythm('day', 1, 0),
  '3Dutc': rhythm('day', 3, 0),
  '1Wutc': rhythm('week', 1, firstMonday),
  '1Mutc': rhythm('month', 1, 0),
} as const satisfies Record<string, Rhythm>

export type Interval = keyof typeof rhythms

export const intervals = Object.keys(rhythms) as readonly Interval[]
/** Those that are a press away. */
export const usualIntervals = ['1m', '5m', '15m', '1H', '4H', '1D'] as const satisfies readonly Interval[]

const lengths: Readonly<Record<Exclude<Unit, 'month'>, number>> = { minute, hour, day, week: 7 * day }

export function rhythmOf(interval: Interval): Rhythm {
  return rhythms[interval]
}

/** A candle is a day or longer: its date says when it was. */
export function isOfDays(interval: Interval): boolean {
  const { unit } = rhythmOf(interval)
  return unit !== 'minute' && unit !== 'hour'
}

/** Start of the interval that a moment lies in; milliseconds. */
export function intervalStart(interval: Interval, at: number): number {
  const { unit, count, origin } = rhythmOf(interval)
  if (unit === 'month') {
    const date = new Date(at - origin)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) + origin
  }
  const length = lengths[unit] * count
  return Math.floor((at - origin) / length) * length + origin
}
