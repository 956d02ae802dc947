/**
 * What no loan is given against: coins whose index is stale or suspect.
 *
 * Assets  in such coins back nothing        Debt  in such coins has no known value: nothing more is lent beside it
 * Source  risk-engine.md §12; reliability.md F6
 */
import { isCoinHalted } from '../price-rules/price-rules.ts'
import type { MarginWallet } from '../records/records.ts'
import type { Account, Reading } from '../state/state.ts'

export interface Untrusted {
  /** Value of balances in 1e-16 USD, at the last prices that were taken. */
  readonly assets: bigint
  /** Whether any of these coins is owed. */
  readonly owed: boolean
}

/** What a wallet has and owes in coins whose index is stale or suspect. */
export function untrustedOf(reading: Reading, account: Account, wallet: MarginWallet): Untrusted {
  const { ledger } = reading
  let assets = 0n
  let owed = false
  for (const row of ledger.rowsOf(account.handle)) {
    const coin = ledger.coinOf(row)
    if (ledger.walletOf(row) !== wallet || !isCoinHalted(reading, coin)) continue
    const balance = ledger.balanceOf(row)
    if (balance > 0n) assets += balance * reading.prices.usdE8(coin)
    if (ledger.principal[row] > 0n) owed = true
  }
  return { assets, owed }
}
