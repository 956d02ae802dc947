/**
 * Which coins of a unified wallet are collateral, as the account chose: all of them, the coins that contracts are settled
 * in (`mainstream`), or a list of its own.
 *
 * Counts     a coin that was not chosen adds nothing to the equity of the account; what is owed in it is owed all the same
 * Choosing   only as far as what remains covers the initial margin of all that the account carries
 * Source     wire/v3-endpoints.md §4 `set-collateral-type`; risk-engine.md §16
 */
import { carriesRisk, unionStanding } from '../margin/margin.ts'
import type { SetCollateralType } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import type { CollateralChoice } from '../vocabulary.ts'

export function setCollateralType(state: State, { uid, choice, coins }: SetCollateralType): Reply {
  const account = state.accounts.byUid(uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  if (account.mode === 'classic') return refused({ kind: 'account-mode-unsuitable' })
  if (account.mode === 'upgrading' || account.mode === 'switching') return refused({ kind: 'account-changing-mode' })
  if (coins.some((coin) => state.catalog.coins[coin] === undefined)) return refused({ kind: 'coin-unknown' })
  const wanted: CollateralChoice = choice === 'custom' ? [...new Set(coins)].sort((a, b) => a - b) : choice
  if (carriesRisk(state, account.handle)) {
    const { equity, initial } = unionStanding(state, account.handle, wanted)
    if (equity < initial) return refused({ kind: 'collateral-short' })
  }

  account.collateral = wanted
  state.ledger.touch(account.handle)
  state.emit({ kind: 'margin-changed', uid })
  return done
}
