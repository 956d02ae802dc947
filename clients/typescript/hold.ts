/**
 * What a test says of held commands and of latency.
 *
 * Source  docs/lab.md, "Hold" and "Latency"
 */
import type { Duration } from './clock.ts'
import type { FaultOn } from './faults.ts'

/** How far to wait for commands to come in, in real time. */
export interface Arrivals {
  readonly atLeast?: number
  readonly timeout?: Duration
}

/** A command that waits for its release. */
export interface Pending {
  readonly id: string
  readonly at: number
  readonly uid: string | null
  readonly endpoint: string
  readonly requestId?: string
  readonly connection?: number
  readonly orders: readonly { readonly symbol?: string; readonly side?: string; readonly clientOid?: string }[]
  readonly commands: readonly Readonly<Record<string, unknown>>[]
}

export interface Released {
  /** `sequence` is null where it was not sequenced any more. */
  readonly released: readonly {
    readonly id: string
    readonly sequence: number | null
    readonly replies: readonly string[]
  }[]
  readonly pending: number
}

/** All that there are in an order, or those of a list. */
export type ReleaseOrder = 'arrival' | 'reverse' | 'shuffle' | readonly string[]

/** What the client is answered whose command is dropped. */
export type DropAnswer = string | { readonly code?: string; readonly status?: number }

/** Exactly one model: constant, uniform, lognormal, file or load. */
export interface LatencyRule {
  readonly leg: 'entry' | 'ack' | 'read' | 'public' | 'private'
  readonly on?: FaultOn
  readonly reorder?: boolean
  readonly seed?: number
  readonly constant?: Duration
  readonly uniform?: { readonly min: Duration; readonly max: Duration }
  readonly lognormal?: { readonly median: Duration; readonly sigma: number; readonly max: Duration }
  readonly file?: string
  readonly load?: { readonly base: Duration; readonly perPending: Duration }
}

export interface LatencyShown {
  readonly rules: readonly LatencyRule[]
  /** What is on its way, by leg. */
  readonly waiting: Readonly<Record<LatencyRule['leg'], number>>
}
