/**
 * Commands by which the operator changes the rules of margin and liquidation.
 *
 * Absent     what is not named stays; a value out of its range is refused with its field and the rule, and nothing changes
 * Collateral after a change every unified account with positions or debt is checked again
 * Source     risk-engine.md §6, §11, §14, §15, §16
 */
import { scanRisk, touchUnified } from '../liquidation/liquidation.ts'
import type { SetCollateral, SetRisk } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import { admitCollateralTerms, admitRiskSettings } from '../venue-rules/venue-rules.ts'

export function setRisk(state: State, command: SetRisk): Reply {
  const decided = admitRiskSettings(state, command)
  if ('kind' in decided) return refused(decided)

  const { settings } = decided
  state.settings.risk = settings
  return done
}

export function setCollateral(state: State, command: SetCollateral): Reply {
  const decided = admitCollateralTerms(state, command)
  if ('kind' in decided) return refused(decided)

  const { changed } = decided
  const { catalog } = state
  const coins = catalog.coins.map((listed) => (listed.id === changed.id ? changed : listed))
  state.catalog = { ...catalog, version: catalog.version + 1, coins }
  state.emit({ kind: 'catalog-changed' })
  touchUnified(state)
  scanRisk(state, [])
  return done
}
