/**
 * What every bench needs: figures in one shape, repeatable random numbers, medians, and a heap that was just collected.
 *
 * Figure    one measured case; printed as one JSON line, which bench.ts stamps with commit and machine and keeps
 * Names     a figure's name ends in its unit: `settleNs`, `operationsPerSecond`, `orderBytes`
 * Random    drawn from a seed, and always before the clock runs
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

export interface Figure {
  readonly bench: string
  readonly case: string
  /** How many of what was measured went into the figures. */
  readonly count: number
  readonly figures: Readonly<Record<string, number>>
}

export function report(figure: Figure): void {
  process.stdout.write(`${JSON.stringify(figure)}\n`)
}

/**
 * Nanoseconds of processor time that each of `count` steps of `run` took, on all threads of this process: what one core
 * would need, garbage collection included, and however busy others keep the machine.
 */
export function nsPer(count: number, run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1_000) / count
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** Three significant digits are all that a noisy machine can tell. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3))
}

export function perSecond(ns: number): number {
  return rounded(1e9 / ns)
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

export function collectGarbage(): void {
  collect()
  collect()
}

/** Bytes of everything that is alive, columns included. */
export function bytesInUse(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** A sequence of shares from 0 up to, but without, 1. */
export function random(seed: number): () => number {
  const generator = xoroshiro128plus(seed)
  for (let draw = 0; draw < 32; draw++) generator.next()
  return () => uniformFloat64(generator)
}
