/**
 * Whether a coin may be borrowed, and what of a debt can be repaid.
 *
 * Source  interface.md E11; design.md §4.36; risk-engine.md §17
 */
import type { Coin } from '../catalog/catalog.ts'
import { borrowable, spendable } from '../lending/lending.ts'
import { type Amount, minAmount } from '../numbers/numbers.ts'
import { isCoinHalted } from '../price-rules/price-rules.ts'
import type { Borrow, Repay } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { debtOf, lentOut, type MarginWallet, tradingWallet } from '../records/records.ts'
import type { Account, Reading } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'

/** The wallet and coin of a loan. Refuses more than can be borrowed now, and says how much that is. */
export function admitLoan(
  reading: Reading,
  command: Borrow,
): { readonly account: Account; readonly wallet: MarginWallet; readonly coin: Coin } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const wallet = tradingWallet(account, 'v2', 'MARGIN')
  if (wallet === 'changing') return { kind: 'account-changing-mode' }
  const coin = reading.catalog.coins[command.coin] as Coin | undefined
  if (coin === undefined) return { kind: 'coin-unknown' }
  if (command.amount <= 0n) return { kind: 'amount-not-positive' }
  if (!coin.borrowable) return { kind: 'coin-not-borrowable' }
  if (isCoinHalted(reading, coin.id)) return { kind: 'index-stale' }
  const limit = borrowable(reading, account, wallet as MarginWallet, coin)
  if (command.amount > limit) {
    const poolIsShort = command.amount > coin.lendingPoolLimit - lentOut(reading, coin.id)
    return { kind: poolIsShort ? 'lending-pool-empty' : 'borrow-limit-exceeded', borrowable: limit }
  }
  return { account, wallet: wallet as MarginWallet, coin }
}

/** What is paid: more than the debt is cut to it; refused without debt, or beyond what the wallet may spend. */
export function admitRepayment(
  reading: Reading,
  command: Repay,
):
  | {
      readonly account: Account
      readonly wallet: MarginWallet
      readonly coin: Coin
      readonly row: Row
      readonly units: Amount
    }
  | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const wallet = tradingWallet(account, 'v2', 'MARGIN')
  if (wallet === 'changing') return { kind: 'account-changing-mode' }
  const coin = reading.catalog.coins[command.coin]
  if (coin === undefined) return { kind: 'coin-unknown' }
  if (command.amount <= 0n) return { kind: 'amount-not-positive' }
  const row = reading.ledger.find(account.handle, wallet as MarginWallet, coin.id)
  const debt = debtOf(reading, row)
  if (debt === 0n) return { kind: 'no-debt' }
  const units = minAmount(command.amount, debt)
  const available = spendable(reading, account, wallet as MarginWallet, coin.id)
  if (units > available) return { kind: 'repay-above-available', available }
  return { account, wallet: wallet as MarginWallet, coin, row, units }
}
