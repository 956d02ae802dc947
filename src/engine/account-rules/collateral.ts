/**
 * Whether an account may choose its collateral: the coins that remain must cover its initial margin.
 *
 * Source  wire/v3-endpoints.md §4 `set-collateral-type`; risk-engine.md §16
 */
import { carriesRisk, unifiedMargin } from '../margin/margin.ts'
import type { SetCollateralType } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Account, Reading } from '../state/state.ts'
import type { CollateralChoice } from '../vocabulary.ts'

/** The choice as it is kept: a list without repeats, in the order of coins. */
export function admitCollateral(
  reading: Reading,
  { uid, choice, coins }: SetCollateralType,
): { readonly account: Account; readonly wanted: CollateralChoice } | Refusal {
  const account = reading.accounts.byUid(uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.mode === 'classic') return { kind: 'account-mode-unsuitable' }
  if (account.mode === 'upgrading' || account.mode === 'switching') return { kind: 'account-changing-mode' }
  if (coins.some((coin) => reading.catalog.coins[coin] === undefined)) return { kind: 'coin-unknown' }
  const wanted: CollateralChoice = choice === 'custom' ? [...new Set(coins)].sort((a, b) => a - b) : choice
  if (carriesRisk(reading, account.handle)) {
    const { equity, initial } = unifiedMargin(reading, account.handle, wanted)
    if (equity < initial) return { kind: 'collateral-short' }
  }
  return { account, wanted }
}
