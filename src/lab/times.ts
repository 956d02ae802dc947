/**
 * Durations and times as people write them.
 *
 * Durations  `250ms`, `90s`, `5m`, `8h`, `90d`, or a whole number of milliseconds
 * Times      Unix milliseconds, or ISO 8601 with a zone
 * Source     lab.md §4.2
 */
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const durationMsMax = 10 * 366 * 86_400_000
/** The year 2100. */
const timeMax = 4_102_444_800_000

/** Milliseconds; undefined: it is none. */
export function readDuration(value: unknown): number | undefined {
  const found = typeof value === 'string' ? /^([0-9]{1,12})(ms|s|m|h|d)?$/.exec(value) : null
  const ms = found === null ? value : Number(found[1]) * unitMs[found[2] ?? 'ms']
  return typeof ms === 'number' && Number.isSafeInteger(ms) && ms >= 0 && ms <= durationMsMax ? ms : undefined
}

/** A place on the way of a venue. */
export type Moment = { readonly sequence: number } | { readonly time: number }

/** A text that is a sequence or a time: below the year 1973 a number of milliseconds is taken for a sequence. */
export function readMoment(text: string): Moment | undefined {
  if (/^[0-9]{1,11}$/.test(text)) return { sequence: Number(text) }
  const time = readTime(text)
  return time === undefined ? undefined : { time }
}

/** Unix milliseconds; undefined: it is none. */
export function readTime(value: unknown): number | undefined {
  if (typeof value === 'number' || (typeof value === 'string' && /^[0-9]{1,15}$/.test(value))) {
    const at = Number(value)
    return Number.isSafeInteger(at) && at > 0 && at <= timeMax ? at : undefined
  }
  const isIso =
    typeof value === 'string' &&
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/.test(value)
  const at = isIso ? Date.parse(value) : Number.NaN
  return at > 0 && at <= timeMax ? at : undefined
}
