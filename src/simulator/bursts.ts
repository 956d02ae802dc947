/**
 * When takers come: at a steady rate, and in bursts, because orders draw orders (a Hawkes process, one for each coin).
 *
 *   rate(t) = μ + Σ over past orders of s λ e^(-λ age)     s: `burstShare`, so that μ / (1 - s) is the mean
 *
 * Side      an order that follows others mostly goes their way; the first of a burst goes where the mood goes
 */
import type { Side } from '../engine/vocabulary.ts'
import type { SimulatorParameters } from './parameters.ts'
import { wandered } from './prices.ts'
import type { Random, SavedRandom } from './random.ts'

export interface SavedBursts {
  readonly random: SavedRandom
  readonly eagerness: number
  readonly lastSide: Side
  readonly mood: number
}

export class Bursts {
  readonly #random: Random
  readonly #parameters: SimulatorParameters
  /** Orders per second beyond the steady rate. */
  #eagerness = 0
  #lastSide: Side = 'buy'
  #mood = 0

  constructor(random: Random, parameters: SimulatorParameters) {
    this.#random = random
    this.#parameters = parameters
  }

  save(): SavedBursts {
    return { random: this.#random.save(), eagerness: this.#eagerness, lastSide: this.#lastSide, mood: this.#mood }
  }

  restore({ random, eagerness, lastSide, mood }: SavedBursts): void {
    this.#random.restore(random)
    this.#eagerness = eagerness
    this.#lastSide = lastSide
    this.#mood = mood
  }

  /** How bullish takers of the coin are: around zero, mostly within -1 and 1. */
  get mood(): number {
    return this.#mood
  }

  /** How many orders come in a step; `rate` is their mean per second. Of a long step only so many seconds are `counted`. */
  arrivals(seconds: number, rate: number, counted: number = seconds): number {
    const { burstShare, burstHalfLifeS, mood, moodHalfLifeS } = this.#parameters
    this.#mood = wandered(this.#mood, seconds, moodHalfLifeS, mood, this.#random)
    const mean = ((1 - burstShare) * rate + this.#eagerness) * counted
    const count = this.#random.count(Math.min(mean, arrivalsMax))
    const decay = Math.LN2 / burstHalfLifeS
    const left = Math.exp(-decay * seconds)
    // Orders of a long step came all through it: those of its beginning are half forgotten at its end.
    const fed = counted < seconds ? (count / counted) * (1 - left) : count * decay
    this.#eagerness = this.#eagerness * left + burstShare * fed
    return count
  }

  /** Undefined: the order begins something of its own. */
  sideOfOthers(rate: number): Side | undefined {
    const { burstShare, burstSameSide } = this.#parameters
    const steady = (1 - burstShare) * rate
    const follows = this.#random.happens(this.#eagerness / (steady + this.#eagerness || 1))
    return follows && this.#random.happens(burstSameSide) ? this.#lastSide : undefined
  }

  went(side: Side): void {
    this.#lastSide = side
  }
}

/** A burst that feeds itself ends somewhere: this many orders of one coin in one step. */
const arrivalsMax = 20
