/**
 * What one sweep of a book comes to, step by step, and what its steps have taken.
 */
import type { Row } from '../storage/storage.ts'
import type { CancelReason } from '../vocabulary.ts'
import { Sums } from './sums.ts'

/**
 * What a sweep will do, step by step: a fill of `lots`, or (lots 0) the removal of a maker. It is the scratch of the state: it is
 * read while its generation is the one that it was made in.
 */
export interface MatchResult {
  readonly generation: number
  readonly count: number
  readonly makers: readonly Row[]
  readonly lots: readonly number[]
  /** Why a maker is removed; empty for a fill. */
  readonly reasons: readonly CancelReason[]
  readonly prices: readonly number[]
  /** Lots and notional (rounded down per fill) of all fills. */
  readonly filled: number
  readonly notional: bigint
  /** Price of the last fill: the worst. */
  readonly worstPrice: number
  /** The taker's rest must go (self-trade prevention). */
  readonly takerStopped: boolean
  /** The quote amount of a market buy does not pay for one more lot. */
  readonly budgetSpent: boolean
}

/** What earlier steps of one sweep have taken. */
class SweepUsage {
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

/** The sweep that is made, and what the steps so far have taken. */
export class Sweep implements MatchResult {
  generation = 0
  count = 0
  readonly makers: Row[] = []
  readonly lots: number[] = []
  readonly reasons: CancelReason[] = []
  readonly prices: number[] = []
  filled = 0
  notional = 0n
  worstPrice = 0
  takerStopped = false
  budgetSpent = false
  readonly usage = new SweepUsage()

  /** Nothing of the last one may be read any more. */
  begin(): void {
    this.generation++
    this.count = 0
    this.filled = 0
    this.notional = 0n
    this.worstPrice = 0
    this.takerStopped = false
    this.budgetSpent = false
    this.usage.forget()
  }

  addFill(maker: Row, lots: number, price: number): void {
    this.#add(maker, lots, price, '')
  }

  addRemoval(maker: Row, price: number, reason: CancelReason): void {
    this.#add(maker, 0, price, reason)
  }

  #add(maker: Row, lots: number, price: number, reason: CancelReason): void {
    const place = this.count++
    this.makers[place] = maker
    this.lots[place] = lots
    this.reasons[place] = reason
    this.prices[place] = price
  }
}

/** Nothing to trade with: what is filled without the book. */
export const noMatch: MatchResult = {
  generation: 0,
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
