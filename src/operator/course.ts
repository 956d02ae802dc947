/**
 * The course of a day: a point a minute, for 24 hours, of what the venue counts anyway.
 *
 * Orders   commands that place one, a second
 * Latency  of answers to clients in that minute, by straight lines inside the buckets of the histogram; null without any
 * Volume   what changed hands, at the mark at the end of the minute, in USD
 * Kept     in memory: it begins anew with the process. A minute in which the engine could not be asked is left out
 */
import { durationBucketsMs } from '../runtime/runtime.ts'

const everyMs = 60_000
const pointsMax = 24 * 60

/** Counted since the process started. */
export interface Counted {
  readonly at: number
  readonly orders: number
  /** Answers by bucket of their duration. */
  readonly answers: readonly number[]
  /** Lots by instrument. */
  readonly lots: readonly number[]
  readonly usdOf: (instrument: number, lots: number) => number
}

interface Point {
  readonly at: number
  readonly ordersPerS: number
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  readonly volumeUsd: number
}

export class Course {
  readonly #count: () => Counted | undefined
  readonly #points: Point[] = []
  #last: Counted | undefined

  /** `count` answers undefined while nothing can be asked. */
  constructor(count: () => Counted | undefined) {
    this.#count = count
  }

  /** A point a minute from now on; answers how to end it. */
  keep(): () => void {
    this.#last = this.#count()
    const timer = setInterval(() => this.look(), everyMs).unref()
    return () => clearInterval(timer)
  }

  look(): void {
    const last = this.#last
    const now = this.#count()
    this.#last = now
    if (last === undefined || now === undefined) return
    const answers = now.answers.map((count, bucket) => count - (last.answers[bucket] ?? 0))
    this.#points.push({
      at: now.at,
      ordersPerS: rounded((now.orders - last.orders) / (everyMs / 1000), 100),
      p50Ms: quantile(answers, 0.5),
      p99Ms: quantile(answers, 0.99),
      volumeUsd: rounded(
        now.lots.reduce((sum, lots, id) => sum + now.usdOf(id, lots - (last.lots[id] ?? 0)), 0),
        100,
      ),
    })
    if (this.#points.length > pointsMax) this.#points.shift()
  }

  /** Oldest first. */
  shown() {
    return { everyS: everyMs / 1000, points: this.#points }
  }
}

/** Beyond the last bound it is unknown how much more: the bound is told. */
function quantile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = share * total
  let before = 0
  for (const [bucket, count] of counts.entries()) {
    if (before + count >= rank && count > 0) {
      const from = bucket === 0 ? 0 : durationBucketsMs[bucket - 1]
      const to = durationBucketsMs[bucket] ?? from
      return rounded(from + ((to - from) * (rank - before)) / count, 1000)
    }
    before += count
  }
  return durationBucketsMs.at(-1) ?? null
}

function rounded(value: number, steps: number): number {
  return Math.round(value * steps) / steps
}
