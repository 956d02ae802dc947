/**
 * Leverage of borrowing, coin by coin, as an account chose it.
 *
 * Holds     within 1 and the coin's maximum, which stands for whoever chose nothing
 * Lowering  only as far as the debt of each of the account's margin wallets still fits
 * Source    interface.md E6 `coinConfigList`; wire/v3-endpoints.md §4 set-leverage; risk-engine.md §17
 */
import type { Account } from '../accounts/accounts.ts'
import type { Coin, CoinId } from '../catalog/catalog.ts'
import type { SetCoinLeverage } from '../protocol/command.ts'
import { done, type Refusal, refused, type Reply } from '../protocol/reply.ts'
import type { Reading, Venue } from '../state/state.ts'
import type { AccountHandle } from '../vocabulary.ts'
import { standingOf } from './level.ts'

/** The leverage in force: what was chosen, or the coin's maximum; never above the maximum, which may have come down. */
export function coinLeverage(venue: Reading, account: Account, coin: Coin): number {
  const chosen = venue.coinLeverages.get(placeOf(account.handle, coin.id)) ?? coin.marginLeverageMax
  return Math.min(chosen, coin.marginLeverageMax)
}

/** Why a leverage of borrowing a coin cannot be, whatever the account has. */
export function leverageRefusal(coin: Coin, leverage: number): Refusal | undefined {
  if (!coin.borrowable) return { kind: 'coin-not-borrowable' }
  const isWithin = Number.isInteger(leverage) && leverage >= 1 && leverage <= coin.marginLeverageMax
  return isWithin ? undefined : { kind: 'leverage-out-of-range', minimum: 1, maximum: coin.marginLeverageMax }
}

export function setCoinLeverage(venue: Venue, command: SetCoinLeverage): Reply {
  const account = venue.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  const coin = venue.catalog.coins[command.coin]
  if (coin === undefined) return refused({ kind: 'coin-unknown' })
  const { leverage } = command
  const refusal = leverageRefusal(coin, leverage)
  if (refusal !== undefined) return refused(refusal)
  if (leverage < coinLeverage(venue, account, coin) && !carries(venue, account, leverage)) {
    return refused({ kind: 'leverage-margin-short' })
  }

  venue.coinLeverages.set(placeOf(account.handle, coin.id), leverage)
  return done
}

/** Equity times leverage covers all that the debt bought: D <= (A − D)·(L − 1). */
function carries(venue: Reading, account: Account, leverage: number): boolean {
  return (['crossed_margin', 'uta'] as const).every((wallet) => {
    const { assets, debt } = standingOf(venue, account, wallet)
    return debt === 0n || debt <= (assets - debt) * BigInt(leverage - 1)
  })
}

function placeOf(account: AccountHandle, coin: CoinId): number {
  return account * 256 + coin
}
