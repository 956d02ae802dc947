/**
 * What the venue counts, read now and then: rates and percentiles are differences between two readings.
 *
 * Series      a metric with its labels; metrics are those of /metrics
 * Percentile  by straight lines inside the bucket in which it falls, as Prometheus' histogram_quantile; beyond the last
 *             bound it is unknown how much more
 */
import type { Metric } from './records.ts'

export interface Reading {
  readonly at: number
  readonly metrics: ReadonlyMap<string, Metric['values']>
}

export function readingOf(metrics: readonly Metric[], at: number): Reading {
  return { at, metrics: new Map(metrics.map(({ name, values }) => [name, values])) }
}

type Labels = Readonly<Record<string, string>>

/** Sum of the series that have these labels; undefined: the metric is not there. */
export function valueOf({ metrics }: Reading, name: string, labels: Labels = {}): number | undefined {
  return metrics.get(name)?.reduce((sum, sample) => (has(sample.labels, labels) ? sum + sample.value : sum), 0)
}

/** Growth of a counter per second. */
export function perSecond(older: Reading, newer: Reading, name: string, labels: Labels = {}): number {
  const grown = (valueOf(newer, name, labels) ?? 0) - (valueOf(older, name, labels) ?? 0)
  return newer.at > older.at ? (grown * 1000) / (newer.at - older.at) : 0
}

export interface Percentiles {
  /** In seconds, Infinity beyond the last bound; in the order of the shares that were asked for. */
  readonly values: readonly number[]
  readonly count: number
}

/** Of what a histogram (`NAME_bucket`) counted between two readings; undefined: nothing. */
export function percentiles(
  older: Reading,
  newer: Reading,
  name: string,
  labels: Labels,
  shares: readonly number[],
): Percentiles | undefined {
  const buckets = (newer.metrics.get(`${name}_bucket`) ?? [])
    .filter((sample) => has(sample.labels, labels))
    .map(({ labels: { le = '' } }) => ({
      bound: le === '+Inf' ? Infinity : Number(le),
      count: grownBucket(le),
    }))
    .sort((a, b) => a.bound - b.bound)
  const total = buckets.at(-1)?.count ?? 0
  if (total <= 0) return undefined
  return { values: shares.map((share) => quantile(buckets, share * total)), count: total }

  function grownBucket(le: string): number {
    const of = (reading: Reading) => valueOf(reading, `${name}_bucket`, { ...labels, le }) ?? 0
    return of(newer) - of(older)
  }
}

interface Bucket {
  readonly bound: number
  /** At most so long: cumulative. */
  readonly count: number
}

function quantile(buckets: readonly Bucket[], rank: number): number {
  const at = buckets.findIndex(({ count }) => count >= rank)
  const { bound, count } = buckets[at] ?? { bound: Infinity, count: 0 }
  if (bound === Infinity) return Infinity
  const { bound: from, count: before } = buckets[at - 1] ?? { bound: 0, count: 0 }
  return from + ((bound - from) * (rank - before)) / Math.max(1, count - before)
}

function has(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value)
}
