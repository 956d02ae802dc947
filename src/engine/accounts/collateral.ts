/**
 * Writes which coins of a unified wallet are collateral. Whether the account may choose them: account-rules/collateral.ts.
 *
 * Choices    all coins, the coins that contracts are settled in (`mainstream`), or a list of its own
 * Counts     a coin that was not chosen adds nothing to the equity of the account; what is owed in it is owed all the same
 * Source     wire/v3-endpoints.md §4 `set-collateral-type`; risk-engine.md §16
 */
import { admitCollateral } from '../account-rules/account-rules.ts'
import type { SetCollateralType } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'

export function setCollateralType(state: State, command: SetCollateralType): Reply {
  const decided = admitCollateral(state, command)
  if ('kind' in decided) return refused(decided)

  const { wanted } = decided
  const account = state.accounts.rowOf(decided.account)
  const { uid } = command
  account.collateral = wanted
  state.ledger.touch(account.handle)
  state.emit({ kind: 'margin-changed', uid })
  return done
}
