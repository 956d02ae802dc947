/**
 * When takers come: at a steady pace, and in bursts, because orders draw orders (a Hawkes process, one for each coin).
 *
 *   rate(t) = μ + Σ over past orders of s λ e^(-λ age)     s: `burstShare`, so that μ / (1 - s) is the mean
 *
 * Side      an order that follows others mostly goes their way; the first of a burst goes where the mood goes
 */
import type { Side } from '../engine/vocabulary.ts'
import type { Chance } from './chance.ts'
import type { SimulatorParameters } from './parameters.ts'
import { wandered } from './prices.ts'

export class Bursts {
  readonly #chance: Chance
  readonly #parameters: SimulatorParameters
  /** Orders per second beyond the steady pace. */
  #eagerness = 0
  #lastSide: Side = 'buy'
  #mood = 0

  constructor(chance: Chance, parameters: SimulatorParameters) {
    this.#chance = chance
    this.#parameters = parameters
  }

  /** How bullish takers of the coin are: around zero, mostly within -1 and 1. */
  get mood(): number {
    return this.#mood
  }

  /** How many orders come in a step; `pace` is their mean per second. */
  arrivals(seconds: number, pace: number): number {
    const { burstShare, burstHalfLifeS, mood, moodHalfLifeS } = this.#parameters
    this.#mood = wandered(this.#mood, seconds, moodHalfLifeS, mood, this.#chance)
    const mean = ((1 - burstShare) * pace + this.#eagerness) * seconds
    const count = this.#chance.count(Math.min(mean, arrivalsMax))
    const decay = Math.LN2 / burstHalfLifeS
    this.#eagerness = this.#eagerness * Math.exp(-decay * seconds) + count * burstShare * decay
    return count
  }

  /** Undefined: the order begins something of its own. */
  sideOfOthers(pace: number): Side | undefined {
    const { burstShare, burstSameSide } = this.#parameters
    const steady = (1 - burstShare) * pace
    const follows = this.#chance.happens(this.#eagerness / (steady + this.#eagerness || 1))
    return follows && this.#chance.happens(burstSameSide) ? this.#lastSide : undefined
  }

  went(side: Side): void {
    this.#lastSide = side
  }
}

/** A burst that feeds itself ends somewhere: this many orders of one coin in one step. */
const arrivalsMax = 20
