/**
 * A script as it is carried out: plain data, in the engine's own terms.
 *
 * Source  lab.md §4.10
 */
import type { CoinId, InstrumentId } from '../../engine/catalog/catalog.ts'
import type { Lots, Ticks } from '../../engine/numbers/numbers.ts'
import type { Side } from '../../engine/vocabulary.ts'

export interface MakerPlan {
  readonly instrument: InstrumentId
  readonly levels: number
  /** Between best bid and best ask; half of it lies between two levels. */
  readonly spreadBps: number
  /** Of each level. */
  readonly size: Lots
  readonly refreshMs: number
  readonly follow: 'index' | 'mid'
  /** How far the middle is moved, in half spreads: up above zero. */
  readonly skew: number
}

export type Action =
  | {
      readonly kind: 'rest'
      readonly instrument: InstrumentId
      readonly side: Side
      readonly price: Ticks
      readonly size: Lots
    }
  /** Without a price as far as five percent from the mark. */
  | {
      readonly kind: 'trade'
      readonly instrument: InstrumentId
      readonly side: Side
      readonly size: Lots
      readonly price: Ticks | undefined
    }
  /** The script's own; undefined: both sides. */
  | { readonly kind: 'cancel'; readonly instrument: InstrumentId; readonly side: Side | undefined }
  /** In USD of 1e-8 or, of an instrument, in its quote. */
  | { readonly kind: 'index'; readonly coin: CoinId; readonly quote: CoinId | -1; readonly priceE8: bigint }

export interface StepPlan {
  /** From the start of the script. */
  readonly atMs: number
  readonly action: Action
  /** As it was written. */
  readonly text: string
}

export interface Plan {
  readonly name: string | undefined
  readonly makers: readonly MakerPlan[]
  /** In the order of their moments. */
  readonly steps: readonly StepPlan[]
}
