/**
 * The intervals of candles, and where each begins.
 *
 * Days     up to four hours an interval begins the same everywhere; from six hours on it follows the day of UTC+8, and
 *          the `utc` forms the day of UTC
 * Longer   three days are counted from 1 January 1970, weeks begin on Monday, months with their first day
 * Source   wire/client-endpoints.md §4 (granularity); wire/v3-endpoints.md §1
 */
import type { Millis } from '../engine/numbers/numbers.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** 5 January 1970 was a Monday. */
const firstMonday = 4 * day
/** How far the days of UTC+8 are ahead. */
const ahead = 8 * hour

interface Rhythm {
  /** Length of all; absent: a month. */
  readonly length?: Millis
  /** One of them begins here. */
  readonly origin: Millis
}

const rhythms = {
  '1m': { length: minute, origin: 0 },
  '3m': { length: 3 * minute, origin: 0 },
  '5m': { length: 5 * minute, origin: 0 },
  '15m': { length: 15 * minute, origin: 0 },
  '30m': { length: 30 * minute, origin: 0 },
  '1H': { length: hour, origin: 0 },
  '2H': { length: 2 * hour, origin: 0 },
  '4H': { length: 4 * hour, origin: 0 },
  '6H': { length: 6 * hour, origin: -ahead },
  '12H': { length: 12 * hour, origin: -ahead },
  '1D': { length: day, origin: -ahead },
  '3D': { length: 3 * day, origin: -ahead },
  '1W': { length: 7 * day, origin: firstMonday - ahead },
  '1M': { origin: -ahead },
  '6Hutc': { length: 6 * hour, origin: 0 },
  '12Hutc': { length: 12 * hour, origin: 0 },
  '1Dutc': { length: day, origin: 0 },
  '3Dutc': { length: 3 * day, origin: 0 },
  '1Wutc': { length: 7 * day, origin: firstMonday },
  '1Mutc': { origin: 0 },
} as const satisfies Record<string, Rhythm>

export type Interval = keyof typeof rhythms

export const intervals = Object.keys(rhythms) as readonly Interval[]

/** In any case, but for a minute and a month, which differ only by it; undefined: there is none of that name. */
export function intervalNamed(name: string): Interval | undefined {
  const lower = name.toLowerCase()
  return (
    intervals.find((interval) => interval === name) ?? intervals.find((interval) => interval.toLowerCase() === lower)
  )
}

/** Start of the interval that a moment lies in. */
export function intervalStart(interval: Interval, at: Millis): Millis {
  const { length, origin }: Rhythm = rhythms[interval]
  if (length === undefined) return monthStart(at - origin, 0) + origin
  const into = (at - origin) % length
  return at - (into < 0 ? into + length : into)
}

/** The start that lies so many intervals after another one; before it when negative. */
export function intervalsAfter(interval: Interval, start: Millis, count: number): Millis {
  const { length, origin }: Rhythm = rhythms[interval]
  return length === undefined ? monthStart(start - origin, count) + origin : start + count * length
}

function monthStart(at: Millis, monthsLater: number): Millis {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater)
}
