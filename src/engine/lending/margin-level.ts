/**
 * The margin level of a wallet: what it has over what it owes, at index prices.
 *
 *   ML = Σ balance × index ÷ Σ (principal + interest) × index
 *
 * Units      1e-16 USD: products of units and prices, never divided, so that decisions compare exact fractions
 * Levels     transfer: money may leave while ML stays there · borrow: ML right after a loan, before its first hour's
 *            interest · call: at or below it the account is warned · liquidation: at or below it its assets are sold
 * Unified    what futures have lost beyond a balance is debt before it is booked as a loan
 * Risk rate  liquidation level ÷ ML: 1 is where liquidation begins
 * Source     risk-engine.md §17; design.md §4.36
 */
import type { MarginLevels } from '../catalog/catalog.ts'
import { futuresLoss, unifiedMargin } from '../margin/margin.ts'
import { cappedAmount, divCeil, divFloor, oneCoin, type Rate, rate, rateOne } from '../numbers/numbers.ts'
import { debtOf, type MarginWallet } from '../records/records.ts'
import type { Account, Reading } from '../state/state.ts'

/** What a wallet has and owes, in 1e-16 USD. */
export interface WalletState {
  readonly assets: bigint
  readonly debt: bigint
}

/**
 * A unified wallet has what its margin can spare beyond its debt (risk-engine §16); cross margin has its balances.
 */
export function walletStateOf(reading: Reading, account: Account, wallet: MarginWallet): WalletState {
  if (wallet === 'uta') return unifiedWalletState(reading, account)
  let assets = 0n
  let debt = 0n
  for (const row of reading.ledger.rowsOf(account.handle)) {
    if (reading.ledger.walletOf(row) !== wallet) continue
    const usd = reading.prices.usdE8(reading.ledger.coinOf(row))
    assets += reading.ledger.balanceOf(row) * usd
    debt += debtOf(reading, row) * usd
  }
  return { assets, debt }
}

function unifiedWalletState(reading: Reading, account: Account): WalletState {
  const { equity, initial } = unifiedMargin(reading, account.handle)
  let debt = 0n
  for (const row of reading.ledger.rowsOf(account.handle)) {
    if (reading.ledger.walletOf(row) !== 'uta') continue
    const coin = reading.ledger.coinOf(row)
    const loss = futuresLoss(reading, account.handle, coin)
    debt += (debtOf(reading, row) + loss) * reading.prices.usdE8(coin)
  }
  const spare = (equity - initial) * oneCoin
  return { assets: (spare > 0n ? spare : 0n) + debt, debt }
}

/** ML at or below a level, as exact fractions; without debt it never is. */
export function isAtOrBelow({ assets, debt }: WalletState, level: Rate): boolean {
  return debt > 0n && assets * rateOne <= level * debt
}

/** ML rounded down, undefined without debt. */
export function levelOf({ assets, debt }: WalletState): Rate | undefined {
  return debt === 0n ? undefined : rate(divFloor(assets * rateOne, debt))
}

/** Liquidation level ÷ ML, rounded up; zero without debt. */
export function riskRateOf({ assets, debt }: WalletState, levels: MarginLevels): Rate {
  return rate(cappedAmount(divCeil(levels.liquidation * debt, assets > 0n ? assets : 1n)))
}
