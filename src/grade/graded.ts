/**
 * What a grade comes to: each run with its result, and how all of it went.
 */
import type { Configuration } from './config.ts'
import type { Hazard } from './hazards/hazards.ts'
import type { Finding } from './judge/judge.ts'
import type { Run } from './run.ts'

export type Result = 'survived' | 'failed' | 'not reached'

export interface Graded {
  readonly hazard: Hazard
  readonly seed: number
  readonly result: Result
  readonly findings: readonly Finding[]
  readonly run: Run
  readonly tookMs: number
  /** The file of its recording, in the directory of the report. */
  readonly recording?: string
}

export interface Grade {
  readonly command: readonly string[]
  readonly configuration: Configuration
  readonly scale: number
  readonly version: string
  readonly tookMs: number
  readonly graded: readonly Graded[]
  /** By seed. */
  readonly twins: ReadonlyMap<number, Run>
  /** What was wrong without any fault. */
  readonly twinFindings: readonly Finding[]
}
