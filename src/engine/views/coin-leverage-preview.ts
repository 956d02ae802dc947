/**
 * What a leverage of borrowing would allow and need, before it is set.
 *
 * Rule    equity E fits a debt D at leverage L when D <= E·(L − 1) (lending/coin-leverage.ts): E is at least D / (L − 1)
 * Source  wire/v3-endpoints.md §4 `pre-set-leverage`; risk-engine.md §17
 */
import type { CoinId } from '../catalog/catalog.ts'
import { borrowable, coinLeverage, leverageRefusal, walletStateOf } from '../lending/lending.ts'
import { big, cappedAmount, divCeil } from '../numbers/numbers.ts'
import type { CoinLeveragePreview } from '../protocol/query.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Reading } from '../state/state.ts'
import type { Uid } from '../vocabulary.ts'

/** What a leverage of borrowing a coin would allow and need in the unified wallet, or why it would be refused. */
export function coinLeveragePreview(
  reading: Reading,
  ask: { readonly uid: Uid; readonly coin: CoinId; readonly leverage: number },
): CoinLeveragePreview | Refusal {
  const account = reading.accounts.byUid(ask.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const coin = reading.catalog.coins[ask.coin]
  if (coin === undefined) return { kind: 'coin-unknown' }
  const refusal = leverageRefusal(coin, ask.leverage)
  if (refusal !== undefined) return refusal
  const { debt } = walletStateOf(reading, account, 'uta')
  const usd = reading.prices.usdE8(coin.id)
  const required = requiredEquity(debt, ask.leverage, usd)
  const now = requiredEquity(debt, coinLeverage(reading, account, coin), usd)
  if (required === undefined || now === undefined) return { kind: 'leverage-margin-short' }
  return {
    borrowable: borrowable(reading, account, 'uta', coin, ask.leverage),
    required: cappedAmount(required),
    change: cappedAmount(required - now),
  }
}

/** In units of the coin, rounded up; undefined: no equity fits a debt at leverage 1. */
function requiredEquity(debt: bigint, leverage: number, usd: bigint): bigint | undefined {
  if (debt === 0n) return 0n
  return leverage === 1 || usd <= 0n ? undefined : divCeil(debt, big(leverage - 1) * usd)
}
