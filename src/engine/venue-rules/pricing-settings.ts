/**
 * Rules of the settings of pricing.
 *
 * Source  design.md §6; risk-engine.md §12, §13
 */
import { isFutures } from '../catalog/catalog.ts'
import { type Amount, type Rate, rateOne } from '../numbers/numbers.ts'
import type { ConfigurePricing } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Reading } from '../state/state.ts'

/** A year: more would not differ from never. */
export const ageMax = 366 * 86_400_000

/** The first rule that the new settings break. */
export function configurationFault(reading: Reading, command: ConfigurePricing): Refusal | undefined {
  const fault = (field: string, rule: string): Refusal => ({ kind: 'instrument-record-wrong', field, rule })
  const { jumpFactor, coins, instruments } = command
  if (jumpFactor !== undefined && jumpFactor < rateOne) return fault('jumpFactor', 'is at least 1')
  for (const name of ['fundingInterestRate', 'fundingClamp'] as const) {
    const asked = command[name]
    const least = name === 'fundingInterestRate' ? -rateOne : 0n
    if (asked !== undefined && (asked < least || asked > rateOne))
      return fault(name, `lies between ${least / rateOne} and 1`)
  }
  for (const { coin, indexAgeMsMax } of coins) {
    if (reading.catalog.coins[coin] === undefined) return { kind: 'coin-unknown' }
    if (!Number.isSafeInteger(indexAgeMsMax) || indexAgeMsMax < 0 || indexAgeMsMax > ageMax) {
      return fault('indexAgeMsMax', `lies between 0 and ${ageMax}`)
    }
  }
  for (const change of instruments) {
    const instrument = reading.catalog.instruments[change.instrument]
    if (instrument === undefined) return { kind: 'instrument-unknown' }
    if (!isFutures(instrument)) return fault('symbol', 'must be a futures contract')
    const wrong = contractFault(change)
    if (wrong !== undefined) return fault(...wrong)
  }
  return undefined
}

function contractFault(change: {
  readonly impactNotional: Amount | undefined
  readonly fundingRateCap: Rate | undefined
  readonly fundingIntervalHours: number | undefined
}): [field: string, rule: string] | undefined {
  const { impactNotional, fundingRateCap, fundingIntervalHours } = change
  if (impactNotional !== undefined && impactNotional <= 0n) return ['impactNotional', 'is above zero']
  if (fundingRateCap !== undefined && (fundingRateCap < 0n || fundingRateCap > rateOne)) {
    return ['fundingRateCap', 'lies between 0 and 1']
  }
  if (fundingIntervalHours !== undefined && ![1, 2, 4, 8].includes(fundingIntervalHours)) {
    return ['fundInterval', 'is 1, 2, 4 or 8 hours']
  }
  return undefined
}
