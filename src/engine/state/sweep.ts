/**
 * What one sweep of a book comes to, step by step, and what its steps have taken.
 */
import type { Row } from '../storage/storage.ts'
import type { CancelReason } from '../vocabulary.ts'
import { Sums } from './sums.ts'

/** What a sweep will do, step by step: a fill of `lots`, or (lots 0) the removal of a maker. Reused: read it at once. */
export interface MatchResult {
  count: number
  readonly makers: Row[]
  readonly lots: number[]
  /** Why a maker is removed; empty for a fill. */
  readonly reasons: CancelReason[]
  readonly prices: number[]
  /** Lots and notional (rounded down per fill) of all fills. */
  filled: number
  notional: bigint
  /** Price of the last fill: the worst. */
  worstPrice: number
  /** The taker's rest must go (self-trade prevention). */
  takerStopped: boolean
  /** The quote amount of a market buy does not pay for one more lot. */
  budgetSpent: boolean
}

export const plan: MatchResult = {
  count: 0,
  makers: [],
  lots: [],
  reasons: [],
  prices: [],
  filled: 0,
  notional: 0n,
  worstPrice: 0,
  takerStopped: false,
  budgetSpent: false,
}

/** What earlier steps of one sweep have taken. */
export class SweepUsage {
  /** By exposure and intent. */
  readonly lots = new Sums<number>(0)
  /** By wallet row. */
  readonly units = new Sums<bigint>(0n)
  /** 1e-16 USD by account, and of them what unified accounts have pledged. */
  readonly usd = new Sums<bigint>(0n)
  readonly pledged = new Sums<bigint>(0n)

  forget(): void {
    this.lots.clear()
    this.units.clear()
    this.usd.clear()
    this.pledged.clear()
  }
}

/** What the steps of this sweep have taken so far. */
export const taken = new SweepUsage()

/** Nothing to trade with: what is filled without the book. */
export const noMatch: MatchResult = {
  count: 0,
  makers: [],
  lots: [],
  reasons: [],
  prices: [],
  filled: 0,
  notional: 0n,
  worstPrice: 0,
  takerStopped: false,
  budgetSpent: false,
}
