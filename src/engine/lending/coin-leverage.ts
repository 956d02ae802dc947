/**
 * Leverage of borrowing, coin by coin: what an account chose, and whether its debt fits a lower one.
 *
 * Holds     between 1 and the coin's maximum, which is in force where nothing was chosen
 * Lowering  only as far as the debt of each of the account's margin wallets still fits
 * Source    interface.md E6 `coinConfigList`; risk-engine.md §17
 */
import type { Coin, CoinId } from '../catalog/catalog.ts'
import type { SetCoinLeverage } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Account, Reading } from '../state/state.ts'
import type { AccountHandle } from '../vocabulary.ts'
import { walletStateOf } from './margin-level.ts'

/** A lower leverage only as far as the debt of each of the account's margin wallets still fits. */
export function admitCoinLeverage(
  reading: Reading,
  command: SetCoinLeverage,
): { readonly account: Account; readonly coin: Coin; readonly leverage: number } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const coin = reading.catalog.coins[command.coin]
  if (coin === undefined) return { kind: 'coin-unknown' }
  const { leverage } = command
  const refusal = leverageRefusal(coin, leverage)
  if (refusal !== undefined) return refusal
  if (leverage < coinLeverage(reading, account, coin) && !debtFits(reading, account, leverage)) {
    return { kind: 'leverage-margin-short' }
  }
  return { account, coin, leverage }
}

/** Why a leverage of borrowing a coin cannot be, whatever the account has. */
export function leverageRefusal(coin: Coin, leverage: number): Refusal | undefined {
  if (!coin.borrowable) return { kind: 'coin-not-borrowable' }
  const isWithin = Number.isInteger(leverage) && leverage >= 1 && leverage <= coin.marginLeverageMax
  return isWithin ? undefined : { kind: 'leverage-out-of-range', minimum: 1, maximum: coin.marginLeverageMax }
}

/** Equity times leverage covers all that the debt bought: D <= (A − D)·(L − 1). */
function debtFits(reading: Reading, account: Account, leverage: number): boolean {
  return (['crossed_margin', 'uta'] as const).every((wallet) => {
    const { assets, debt } = walletStateOf(reading, account, wallet)
    return debt === 0n || debt <= (assets - debt) * BigInt(leverage - 1)
  })
}

/** The leverage in force: what was chosen, or the coin's maximum; never above the maximum, which may have come down. */
export function coinLeverage(reading: Reading, account: Account, coin: Coin): number {
  const chosen = reading.coinLeverages.get(placeOf(account.handle, coin.id)) ?? coin.marginLeverageMax
  return Math.min(chosen, coin.marginLeverageMax)
}

/** Where the choice of an account for a coin is kept: a venue lists at most 256 coins. */
export function placeOf(account: AccountHandle, coin: CoinId): number {
  return account * 256 + coin
}
