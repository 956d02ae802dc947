/**
 * What admission decides: everything that writing an order needs.
 */
import type { Amount, Lots, Ticks } from '../numbers/numbers.ts'
import type { Exposure, Plan } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { MarginMode, OrderIntent, PositionSide, Side, WalletType } from '../vocabulary.ts'

/** An order as admission sees it: what it takes at once is the plan's, the rest waits at its limit price or goes. */
export interface Asked {
  readonly buy: boolean
  readonly quantity: number
  /** Lots of it that only reduce. */
  readonly closing: number
  readonly limit: number
  readonly rests: boolean
  readonly plan: Plan
}

/** What is special about an order that was not simply asked for. */
export interface Placing {
  /** The resting order in whose place it comes; it is of the same account, instrument and side. */
  readonly replaced?: Row
  /** Lots of the order that are filled already: amended, only the rest is admitted anew. */
  readonly filled?: number
  /** Closes all of a position: no maximum of one order, and closing orders that rest make way. */
  readonly whole?: true
}

/** What admission decided: everything that writing needs. */
export interface Admitted {
  readonly wallet: WalletType
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
  readonly displaced: readonly Row[]
  /** Futures only, as it was found: it may not be kept yet. */
  readonly exposure: Exposure | undefined
  readonly leverage: number
  readonly marginMode: MarginMode
  /** What it will trade at once; read before anything else is planned. */
  readonly plan: Plan
}

export const plainly: Placing = {}
