/**
 * How far the books of an instrument stray from the index, and the funding rates that come of it.
 *
 *   basis    wanders by the hour around zero, within bounds; at the end of the past it is zero
 *   rate     clamp( (P̄ + clamp(interest − P̄, −pull, +pull)) ÷ (8 / Nh), −cap, +cap )      P̄: mean of the interval, late hours count more
 *
 * Times    multiples of the contract's interval since 1970, as the venue settles them
 * Source   risk-engine.md §13
 */
import {
  defaultFundingTerms,
  type FuturesInstrument,
  isFutures,
  type Instrument,
} from '../../engine/catalog/catalog.ts'
import { divHalfUp, type Rate, rate, rateOne } from '../../engine/numbers/numbers.ts'
import { drawOf, type WalkSpan, wandered } from './coin-walk.ts'
import type { Draws } from './draws.ts'
import { basisBps } from './shape.ts'

/** Hours over which it comes back to nothing at the end. */
const homewardHours = 6

export class Basis {
  readonly #firstHour: number
  /** At the beginning of each hour, and at the end of the last one; a share. */
  readonly #at: Float64Array

  constructor(instrument: Instrument, draws: Draws, { firstHour, lastHour }: WalkSpan) {
    this.#firstHour = firstHour
    const hours = lastHour - firstHour + 1
    this.#at = new Float64Array(hours + 1)
    const { keeps, max } = basisBps
    const deviation = isFutures(instrument) ? basisBps.futures : basisBps.spot
    let bps = 0
    for (let back = 0; back < hours; back++) {
      bps = Math.min(max, Math.max(-max, wandered(bps, { deviation, keeps }, draws.normal(drawOf(back, placeOfBasis)))))
      this.#at[hours - 1 - back] = (bps / 1e4) * Math.min(1, (back + 1) / homewardHours)
    }
  }

  at(hour: number): number {
    return this.#at[hour - this.#firstHour]
  }

  /** Of the interval that ends with an hour's beginning. */
  fundingRate({ fundingIntervalHours: interval, fundingRateCap: cap }: FuturesInstrument, hour: number): Rate {
    const { fundingInterestRate: interest, fundingClamp: pull } = defaultFundingTerms
    let [sum, weight] = [0n, 0n]
    for (let place = 1; place <= interval; place++) {
      const premium = BigInt(Math.round(this.at(hour - interval + place) * Number(rateOne)))
      sum += BigInt(place) * premium
      weight += BigInt(place)
    }
    const pulled = clamped(interest * weight - sum, pull * weight)
    const scaled = divHalfUp((sum + pulled) * BigInt(interval), 8n * weight)
    return rate(clamped(scaled, cap))
  }
}

/** Behind those of a walk and of trades. */
const placeOfBasis = 255

function clamped(value: bigint, bound: bigint): bigint {
  if (value > bound) return bound
  return value < -bound ? -bound : value
}
