/**
 * The funding rate of one interval, from its premiums.
 *
 * F = clamp( (P̄ + clamp(0.01 % − P̄, −0.05 %, +0.05 %)) ÷ (8 / Nh), −cap, +cap );  P̄ = Σ i·premium_i / Σ i
 * Nearest   the rate is rounded once, to 1e-12
 * Source    risk-engine.md §13
 */
import type { FuturesInstrument } from '../catalog/catalog.ts'
import { divHalfUp, type Millis, type Rate, rate, rateOne } from '../numbers/numbers.ts'

const hourMs = 3_600_000
/** Interest part of an 8-hour rate: 0.01 %. */
export const interestRate = rateOne / 10_000n
/** How far interest may pull the rate from the premium: 0.05 %. */
export const pullMax = (rateOne * 5n) / 10_000n

/** P̄ as a fraction of rates; a weight of zero: no premium is known, P̄ is 0. */
interface MeanPremium {
  readonly sum: bigint
  readonly weight: bigint
}

export function fundingRateOf(
  { fundingIntervalHours, fundingRateCap }: Pick<FuturesInstrument, 'fundingIntervalHours' | 'fundingRateCap'>,
  { sum, weight: known }: MeanPremium,
): Rate {
  const weight = known === 0n ? 1n : known
  const pull = clamp(interestRate * weight - sum, pullMax * weight)
  const scaled = divHalfUp((sum + pull) * BigInt(fundingIntervalHours), 8n * weight)
  return rate(clamp(scaled, fundingRateCap))
}

function clamp(value: bigint, bound: bigint): bigint {
  if (value > bound) return bound
  return value < -bound ? -bound : value
}

export function fundingIntervalMs({ fundingIntervalHours }: Pick<FuturesInstrument, 'fundingIntervalHours'>): Millis {
  return fundingIntervalHours * hourMs
}

/** The first boundary after a moment. */
export function nextFundingAt(instrument: Pick<FuturesInstrument, 'fundingIntervalHours'>, at: Millis): Millis {
  const interval = fundingIntervalMs(instrument)
  return (Math.floor(at / interval) + 1) * interval
}
