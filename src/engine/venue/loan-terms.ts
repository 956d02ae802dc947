/**
 * Writes the terms of lending that the operator sets: by coin, and the margin levels of the venue. Which may be set:
 * venue-rules/loan-terms.ts.
 *
 * Rate      a new one applies from the next hour of each loan: hours that have begun are booked at the old one first
 * Limits    below what is owed or lent already stop new loans only
 * Levels    after a change every account with debt is checked again
 * Source    risk-engine.md §17; design.md §6
 */
import { bookCoin, noteAllDebtors } from '../loans/loans.ts'
import type { SetLoanTerms, SetMarginLevels } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import { admitLoanTerms, admitMarginLevels } from '../venue-rules/venue-rules.ts'

export function setLoanTerms(state: State, command: SetLoanTerms): Reply {
  const decided = admitLoanTerms(state, command)
  if ('kind' in decided) return refused(decided)

  const { coin } = decided
  bookCoin(state, coin.id)
  const changed = {
    ...coin,
    borrowable: command.borrowable ?? coin.borrowable,
    dailyInterestRate: command.dailyInterestRate ?? coin.dailyInterestRate,
    borrowLimit: command.borrowLimit ?? coin.borrowLimit,
    lendingPoolLimit: command.lendingPoolLimit ?? coin.lendingPoolLimit,
    marginLeverageMax: command.leverageMax ?? coin.marginLeverageMax,
  }
  const { catalog } = state
  const coins = catalog.coins.map((listed) => (listed.id === coin.id ? changed : listed))
  state.catalog = { ...catalog, version: catalog.version + 1, coins }
  state.emit({ kind: 'catalog-changed' })
  return done
}

export function setMarginLevels(state: State, command: SetMarginLevels): Reply {
  const decided = admitMarginLevels(state, command)
  if ('kind' in decided) return refused(decided)

  const { levels } = decided
  state.settings.margin = levels
  noteAllDebtors(state)
  return done
}
