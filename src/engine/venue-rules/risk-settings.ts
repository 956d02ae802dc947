/**
 * Rules of the settings of risk and of collateral.
 *
 * Source  risk-engine.md §6, §11, §14, §15, §16
 */
import type { Coin, CollateralSlice, RiskSettings } from '../catalog/catalog.ts'
import { type Rate, rateOne } from '../numbers/numbers.ts'
import type { SetCollateral, SetRisk } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Reading } from '../state/state.ts'

/** More would not differ from cutting a position down to its first tier. */
const reduceTiersMost = 100
export const slicesMost = 20

/** The new settings of risk: those that are not named stay. */
export function admitRiskSettings(reading: Reading, command: SetRisk): { readonly settings: RiskSettings } | Refusal {
  const { risk } = reading.settings
  const settings: RiskSettings = {
    adlStartShare: command.adlStartShare ?? risk.adlStartShare,
    adlEndShare: command.adlEndShare ?? risk.adlEndShare,
    orderMarginMarkup: command.orderMarginMarkup ?? risk.orderMarginMarkup,
    orderFeeMarkup: command.orderFeeMarkup ?? risk.orderFeeMarkup,
    profitAsMargin: command.profitAsMargin ?? risk.profitAsMargin,
    reduceTiers: command.reduceTiers ?? risk.reduceTiers,
  }
  const fault = riskFault(settings)
  if (fault !== undefined) return fault
  return { settings }
}

function riskFault(settings: RiskSettings): Refusal | undefined {
  for (const name of ['adlStartShare', 'adlEndShare', 'orderMarginMarkup', 'orderFeeMarkup'] as const) {
    if (!isShare(settings[name])) return wrong(name, 'lies between 0 and 1')
  }
  if (settings.adlStartShare > settings.adlEndShare) return wrong('adlStartShare', 'is at most adlEndShare')
  const { reduceTiers } = settings
  if (!Number.isInteger(reduceTiers) || reduceTiers < 0 || reduceTiers > reduceTiersMost) {
    return wrong('reduceTiers', `is a whole number from 0 to ${reduceTiersMost}`)
  }
  return undefined
}

/** The coin with its new collateral terms: those that are not named stay. */
export function admitCollateralTerms(reading: Reading, command: SetCollateral): { readonly changed: Coin } | Refusal {
  const coin = reading.catalog.coins[command.coin]
  if (coin === undefined) return { kind: 'coin-unknown' }
  const changed = {
    ...coin,
    collateral: (command.collateral ?? coin.collateral).map(({ to, ratio }) => ({ ratio, to })),
    debtInitialRate: command.debtInitialRate ?? coin.debtInitialRate,
    debtMaintenanceRate: command.debtMaintenanceRate ?? coin.debtMaintenanceRate,
  }
  const fault = collateralFault(changed)
  if (fault !== undefined) return fault
  return { changed }
}

/** The first rule that a coin's part in unified collateral breaks. */
export function collateralFault(terms: {
  readonly collateral: readonly CollateralSlice[]
  readonly debtInitialRate: Rate
  readonly debtMaintenanceRate: Rate
}): Refusal | undefined {
  const { collateral, debtInitialRate, debtMaintenanceRate } = terms
  if (collateral.length > slicesMost) return wrong('collateral', `has at most ${slicesMost} slices`)
  let before: CollateralSlice | undefined
  for (const slice of collateral) {
    if (slice.to <= (before?.to ?? 0n)) return wrong('collateral', 'has slices whose `to` grows from above 0')
    if (!isShare(slice.ratio)) return wrong('collateral', 'has ratios between 0 and 1')
    if (before !== undefined && slice.ratio > before.ratio) return wrong('collateral', 'has ratios that do not rise')
    before = slice
  }
  if (!isShare(debtInitialRate)) return wrong('debtInitialRate', 'lies between 0 and 1')
  if (debtMaintenanceRate < 0n) return wrong('debtMaintenanceRate', 'lies between 0 and 1')
  if (debtMaintenanceRate > debtInitialRate) return wrong('debtMaintenanceRate', 'is at most debtInitialRate')
  return undefined
}

function isShare(value: Rate): boolean {
  return value >= 0n && value <= rateOne
}

/** A refusal of a record by its field and the rule that it breaks. */
export function wrong(field: string, rule: string): Refusal {
  return { kind: 'instrument-record-wrong', field, rule }
}
