/**
 * How long something takes, counted into buckets: for metrics, at the cost of a short search and no allocation.
 *
 * Buckets   from a quarter of a millisecond to ten seconds; what is longer counts in the last one
 */
export const durationBucketsMs: readonly number[] = [
  0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000,
]

export interface DurationsSeen {
  /** How many fell into each bucket, and above the last. */
  readonly counts: Readonly<Float64Array>
  readonly total: number
  readonly sumMs: number
}

export class Durations implements DurationsSeen {
  readonly counts = new Float64Array(durationBucketsMs.length + 1)
  total = 0
  sumMs = 0

  add(ms: number): void {
    let bucket = 0
    while (bucket < durationBucketsMs.length && ms > durationBucketsMs[bucket]) bucket += 1
    this.counts[bucket] += 1
    this.total += 1
    this.sumMs += ms
  }
}
