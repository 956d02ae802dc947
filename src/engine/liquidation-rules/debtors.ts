/**
 * How far prices may go before an account that borrowed must be checked again.
 *
 *   A·(1 − t) / (D / (1 − t)) > l   ⟸   t < (1 − l·D/A) / 2
 *
 * Tolerance  an account has assets A and debt D. Its level stays above l while no price has moved by t or more from where
 *            the level was found. The bound below a higher level is the mirror image
 * Source     risk-engine.md §14, §17
 */
import type { WalletState } from '../lending/lending.ts'
import { rateOne } from '../numbers/numbers.ts'
import { isCoinHalted } from '../price-rules/price-rules.ts'
import { distanceOne, type Reading, type WatchedPrices } from '../state/state.ts'
import type { AccountHandle } from '../vocabulary.ts'

/** How far prices may go before the level can have come down to `below`, or (not zero) up past `above`; 1e-9. */
export function toleranceOf({ assets, debt }: WalletState, below: bigint, above: bigint): number {
  const have = assets * rateOne
  let tolerance = ((have - below * debt) * tolerances) / (2n * have)
  if (above > 0n) {
    const upward = ((above * debt - have) * tolerances) / (2n * above * debt)
    if (upward < tolerance) tolerance = upward
  }
  return Number(tolerance)
}

const tolerances = BigInt(distanceOne)

/** Whether the account has or owes a coin whose index is stale or suspect: nothing is sold at such a price (risk-engine §12). */
export function isDebtorHalted(reading: Reading, handle: AccountHandle): boolean {
  const { ledger } = reading
  for (const row of ledger.rowsOf(handle)) {
    if (ledger.walletOf(row) !== 'crossed_margin') continue
    const counts = ledger.balanceOf(row) > 0n || ledger.debtOf(row) > 0n
    if (counts && isCoinHalted(reading, ledger.coinOf(row))) return true
  }
  return false
}

/** The index prices of coins, by which debtors are watched. */
export function coinPrices({ prices: { usd } }: Reading): WatchedPrices {
  return { places: usd.length, joined: usd.length, at: (coin) => usd[coin] }
}
