/**
 * What admission decides: everything that writing an order needs.
 */
import type { Scale } from '../catalog/catalog.ts'
import type { Amount, Lots, Ticks } from '../numbers/numbers.ts'
import type { Exposure, MatchResult } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { CancelReason, MarginMode, OrderIntent, PositionSide, Side } from '../vocabulary.ts'
import type { OrderIntake } from './intake.ts'

/** An order as admission sees it: what it takes at once is in the match, the rest waits at its limit price or goes. */
export interface ProposedFill {
  /** Of the contract. */
  readonly scale: Scale
  readonly buy: boolean
  readonly quantity: number
  /** Lots of it that only reduce. */
  readonly closing: number
  readonly limit: number
  readonly rests: boolean
  /** Of the side that it opens. */
  readonly leverage: number
  readonly hedged: boolean
  readonly match: MatchResult
}

/** What admission decided: everything that writing needs. */
export interface Admitted {
  readonly intake: OrderIntake
  readonly bookSide: Side
  readonly quantity: Lots
  /** Quote units of a market buy, else zero. */
  readonly budget: Amount
  /** Worst price it may trade at. */
  readonly priceLimit: Ticks
  readonly intent: OrderIntent
  readonly positionSide: PositionSide | 'net'
  readonly reduceOnly: boolean
  /** What it holds from now on: coin of the wallet (spot), margin that it asks for (futures). */
  readonly hold: Amount
  /** To borrow first (category MARGIN, if its loan type says so). */
  readonly loan: Amount
  /** Earlier closing orders that have to go first, oldest first (design §4.9, §4.10). */
  readonly supersededReduceOnly: readonly Row[]
  /** Futures only, as it was found: it may not be kept yet. */
  readonly exposure: Exposure | undefined
  readonly leverage: number
  readonly marginMode: MarginMode
  /** What it will trade at once, and the generation of the scratch that says so: nothing else may be matched before it is written. */
  readonly match: MatchResult
  readonly generation: number
  /** Why it goes at once, with all that it would have displaced left in place; undefined: it trades, or rests. */
  readonly immediateCancel: CancelReason | undefined
}

/** Most orders supersede none: they share this list. */
export const noOrders: readonly Row[] = []
