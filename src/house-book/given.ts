/**
 * Mark and funding rate of a followed market, as the venue takes them.
 *
 * Rounded   a mark to the nearest tick
 * Left out  what the contract cannot have: a mark that is no price of its book, a rate beyond the worth of a position in eight hours.
 *           Then the formula holds
 */
import { isFutures, type Instrument } from '../engine/catalog/catalog.ts'
import { divHalfUp, priceTicksMax, rate, rateOne, ticks } from '../engine/numbers/numbers.ts'
import type { SetGivenPrices } from '../engine/protocol/command.ts'

/** `markE8` of 1e-8 of the quote, `fundingRate` of 1e-12. Undefined: it has none that could be given. */
export function givenOf(
  instrument: Instrument,
  markE8: bigint | undefined,
  fundingRate: bigint | undefined,
): SetGivenPrices['contracts'][number] | undefined {
  if (!isFutures(instrument)) return undefined
  const { id, priceStep, priceDecimals, fundingIntervalHours } = instrument
  const nearest = markE8 === undefined ? 0n : divHalfUp(markE8, BigInt(priceStep) * 10n ** BigInt(8 - priceDecimals))
  const markPrice = nearest < 1n || nearest > BigInt(priceTicksMax) ? undefined : ticks(Number(nearest))
  const most = (rateOne * BigInt(fundingIntervalHours)) / 8n
  const isWithin = fundingRate !== undefined && fundingRate <= most && fundingRate >= -most
  if (markPrice === undefined && !isWithin) return undefined
  return { instrument: id, markPrice, fundingRate: isWithin ? rate(fundingRate) : undefined }
}
