/**
 * Commands by which the operator changes the rules of margin and liquidation.
 *
 * Absent     what is not named stays; a value out of its range is refused with its field and the rule, and nothing changes
 * Collateral everybody whose standing hangs on it is looked at again: unified accounts with positions or debt
 * Source     risk-engine.md §6, §11, §14, §15, §16
 */
import type { RiskSettings } from '../catalog/catalog.ts'
import { scanRisk, touchUnions } from '../liquidation/liquidation.ts'
import type { SetCollateral, SetRisk } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import { collateralFault, riskFault } from '../venue-rules/venue-rules.ts'

export function setRisk(state: State, command: SetRisk): Reply {
  const { risk } = state.settings
  const settings: RiskSettings = {
    adlStartShare: command.adlStartShare ?? risk.adlStartShare,
    adlEndShare: command.adlEndShare ?? risk.adlEndShare,
    orderMarginMarkup: command.orderMarginMarkup ?? risk.orderMarginMarkup,
    orderFeeMarkup: command.orderFeeMarkup ?? risk.orderFeeMarkup,
    profitAsMargin: command.profitAsMargin ?? risk.profitAsMargin,
    reduceTiers: command.reduceTiers ?? risk.reduceTiers,
  }
  const fault = riskFault(settings)
  if (fault !== undefined) return refused(fault)

  state.settings.risk = settings
  return done
}

export function setCollateral(state: State, command: SetCollateral): Reply {
  const coin = state.catalog.coins[command.coin]
  if (coin === undefined) return refused({ kind: 'coin-unknown' })
  const changed = {
    ...coin,
    collateral: (command.collateral ?? coin.collateral).map(({ to, ratio }) => ({ ratio, to })),
    debtInitialRate: command.debtInitialRate ?? coin.debtInitialRate,
    debtMaintenanceRate: command.debtMaintenanceRate ?? coin.debtMaintenanceRate,
  }
  const fault = collateralFault(changed)
  if (fault !== undefined) return refused(fault)

  const { catalog } = state
  const coins = catalog.coins.map((one) => (one.id === coin.id ? changed : one))
  state.catalog = { ...catalog, version: catalog.version + 1, coins }
  state.emit({ kind: 'catalog-changed' })
  touchUnions(state)
  scanRisk(state, [])
  return done
}
