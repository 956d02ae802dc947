/**
 * Whether the insurance fund takes what the book does not, or counterparties are deleveraged.
 *
 * Starts  the fund is empty, or below a share of its highest (`adlStartShare`, 70 %)
 * Ends    the fund is back at another share (`adlEndShare`, 90 %)
 * Source  risk-engine.md §15
 */
import type { CoinId, FuturesInstrument } from '../catalog/catalog.ts'
import { rateOne } from '../numbers/numbers.ts'
import type { Reading } from '../state/state.ts'

/** Whether counterparties would be deleveraged now, were something left over. */
export function isDeleveraging({ ledger, liquidation, settings }: Reading, coin: CoinId): boolean {
  const balance = ledger.houseBalance('insurance', coin)
  const { adlStartShare, adlEndShare } = settings.risk
  const share = liquidation.deleveraging[coin] ? adlEndShare : adlStartShare
  return balance <= 0n || balance * rateOne < (ledger.peaks[coin] ?? 0n) * share
}

/** The wallet in which the fund's account has its positions of a contract. */
export function fundWallet({ category }: FuturesInstrument) {
  return category === 'USDT-FUTURES' ? 'usdt_futures' : category === 'COIN-FUTURES' ? 'coin_futures' : 'usdc_futures'
}
