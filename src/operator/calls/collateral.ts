/**
 * What a coin counts for in unified accounts, as the operator sends it.
 *
 * Slices   of value in USD, from zero upward: each counts with its own share; what lies beyond the last does not count
 * Absent   what is not named stays as it is
 * Source   risk-engine.md §16
 */
import Type from 'typebox'
import type { StaticDecode } from 'typebox'
import type { CoinId } from '../../engine/catalog/catalog.ts'
import type { SetCollateral } from '../../engine/protocol/command.ts'
import { body, coinName, optional, positiveAmount, share } from './fields.ts'
import { bodyWrong } from './refusals.ts'

export const collateralSlices = Type.Array(body({ to: positiveAmount, ratio: share }), {
  minItems: 1,
  maxItems: 20,
  description: 'a list of {to, ratio}, `to` growing',
})

export const collateralBody = body({
  coin: coinName,
  collateral: optional(collateralSlices),
  debtInitialRate: optional(share),
  debtMaintenanceRate: optional(share),
})

export function collateralCommand(coin: CoinId, sent: StaticDecode<typeof collateralBody>): SetCollateral {
  const { collateral, debtInitialRate, debtMaintenanceRate } = sent
  if (collateral === undefined && debtInitialRate === undefined && debtMaintenanceRate === undefined) {
    throw bodyWrong([{ field: '', rule: 'names nothing to change' }])
  }
  return { kind: 'set-collateral', coin, collateral, debtInitialRate, debtMaintenanceRate }
}
