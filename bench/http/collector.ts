/**
 * Loaded into a server by NODE_OPTIONS: notes every pause that the garbage collector makes in its main thread, one line of
 * JSON each, in the file that BENCH_PAUSES names. Twins and threads of the server stay silent.
 */
import { appendFileSync } from 'node:fs'
import { constants, type NodeGCPerformanceDetail, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** One pause; `atMs` on the clock that all processes share. */
export interface Pause {
  readonly pid: number
  readonly atMs: number
  readonly ms: number
  /** The beginning, a step or the end of a collection that looks through all of the heap. */
  readonly isMajor: boolean
}

type Collected = PerformanceEntry & { readonly detail: NodeGCPerformanceDetail }

const majorKinds: readonly number[] = [constants.NODE_PERFORMANCE_GC_INCREMENTAL, constants.NODE_PERFORMANCE_GC_MAJOR]

const file = process.env['BENCH_PAUSES']

if (isMainThread && file !== undefined) {
  new PerformanceObserver((list) => {
    const pauses = (list.getEntries() as Collected[]).map(({ startTime, duration, detail }): Pause => {
      const isMajor = majorKinds.includes(detail.kind)
      return { pid: process.pid, atMs: performance.timeOrigin + startTime, ms: duration, isMajor }
    })
    appendFileSync(file, pauses.map((pause) => `${JSON.stringify(pause)}\n`).join(''))
  }).observe({ entryTypes: ['gc'] })
}
