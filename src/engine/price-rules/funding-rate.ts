/**
 * The funding rate of one interval, from its premiums.
 *
 * F = clamp( (P̄ + clamp(interest − P̄, −pull, +pull)) ÷ (8 / Nh), −cap, +cap );  P̄ = Σ i·premium_i / Σ i
 * Interest  0.01 % of 8 hours, and it pulls the rate by at most 0.05 %, unless the operator sets others
 * Nearest   the rate is rounded once, to 1e-12
 * Source    risk-engine.md §13
 */
import {
  defaultFundingTerms,
  type FundingTerms,
  type FuturesInstrument,
  type PricingSettings,
} from '../catalog/catalog.ts'
import { divHalfUp, type Millis, type Rate, rate } from '../numbers/numbers.ts'
import type { Reading, Samples } from '../state/state.ts'

const hourMs = 3_600_000

/** P̄ as a fraction of rates; a weight of zero: no premium is known, P̄ is 0. */
interface MeanPremium {
  readonly sum: bigint
  readonly weight: bigint
}

/** F of an interval, in 1e-12, rounded to the nearest. */
export function fundingRateOf(
  { fundingIntervalHours, fundingRateCap }: Pick<FuturesInstrument, 'fundingIntervalHours' | 'fundingRateCap'>,
  { sum, weight: known }: MeanPremium,
  { fundingInterestRate, fundingClamp }: FundingTerms = defaultFundingTerms,
): Rate {
  const weight = known === 0n ? 1n : known
  const pull = clamp(fundingInterestRate * weight - sum, fundingClamp * weight)
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

/** The first funding boundary after a moment. */
export function nextFundingAt(instrument: Pick<FuturesInstrument, 'fundingIntervalHours'>, at: Millis): Millis {
  const interval = fundingIntervalMs(instrument)
  return (Math.floor(at / interval) + 1) * interval
}

/** The rate that the running interval would be settled at if it ended now: the one that was given, else by the formula. */
export function runningRate({ prices }: Reading, instrument: FuturesInstrument): Rate {
  const given = prices.given.get(instrument.id)?.fundingRate
  if (given !== undefined) return given
  const { settings } = prices
  return fundingRateOf(instrument, meanPremium(prices.samples[instrument.id], settings.premiumMean), settings)
}

/** P̄ of the samples: `plain` weighs all alike, else the i-th counts i times. */
export function meanPremium(
  samples: Pick<Samples, 'premiums' | 'premiumSum' | 'premiumWeighted'>,
  mean: PricingSettings['premiumMean'],
) {
  const count = BigInt(samples.premiums)
  if (mean === 'plain') return { sum: samples.premiumSum, weight: count }
  return { sum: samples.premiumWeighted, weight: (count * (count + 1n)) / 2n }
}
