/**
 * The course of a day: a point a minute, for 24 hours, of what the venue counts anyway.
 *
 * Orders   commands that place one, a second
 * Latency  of answers to clients in that minute, by straight lines inside the buckets of the histogram; null without any
 * Volume   what changed hands, at the mark at the end of the minute, in USD
 * File     <data>/operator-course.jsonl (lines-file.ts), a line each minute; of a venue in memory there is none
 * Gaps     a minute in which the engine could not be asked, or nothing ran, is left out
 */
import type { Logger } from 'pino'
import { durationBucketsMs } from '../runtime/runtime.ts'
import { LinesFile } from './lines-file.ts'

export const courseFile = 'operator-course.jsonl'

const everyMs = 60_000
const pointsMax = 24 * 60
const dayMs = pointsMax * everyMs

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
  #points: Point[] = []
  #file: LinesFile<Point> | undefined
  #last: Counted | undefined

  /** `count` answers undefined while nothing can be asked. */
  constructor(count: () => Counted | undefined) {
    this.#count = count
  }

  /** A point a minute from now on, behind those of the file; answers how to end it. */
  keep(file?: LinesFile<Point>): () => void {
    this.#file = file
    this.#points = file?.read() ?? []
    this.#last = this.#count()
    const timer = setInterval(() => this.look(), everyMs).unref()
    return () => {
      clearInterval(timer)
      file?.close()
    }
  }

  look(): void {
    const last = this.#last
    const now = this.#count()
    this.#last = now
    if (last === undefined || now === undefined) return
    const answers = now.answers.map((count, bucket) => count - (last.answers[bucket] ?? 0))
    const point = {
      at: now.at,
      ordersPerS: rounded((now.orders - last.orders) / (everyMs / 1000), 100),
      p50Ms: quantile(answers, 0.5),
      p99Ms: quantile(answers, 0.99),
      volumeUsd: rounded(
        now.lots.reduce((sum, lots, id) => sum + now.usdOf(id, lots - (last.lots[id] ?? 0)), 0),
        100,
      ),
    }
    this.#points = [...this.#day(), point]
    this.#file?.append(point, this.#points)
  }

  /** Oldest first. */
  shown() {
    return { everyS: everyMs / 1000, points: this.#day() }
  }

  /** Of the day that ends with the last look: a venue may have stood still, or gone back to what it was. */
  #day(): Point[] {
    if (this.#last === undefined) return this.#points
    const end = this.#last.at
    return this.#points.filter(({ at }) => at > end - dayMs && at <= end)
  }
}

export function openCourseFile(path: string, log: Pick<Logger, 'warn'>): LinesFile<Point> {
  const isOne = ({ at, ordersPerS }: Partial<Point>) => Number.isSafeInteger(at) && typeof ordersPerS === 'number'
  return new LinesFile<Point>(path, { name: 'the course of the last hours', max: pointsMax, isOne }, log)
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
