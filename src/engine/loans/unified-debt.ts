/**
 * The debt of a unified wallet as futures and spot trading change it: what is lost beyond a balance becomes a loan, what
 * comes in pays debt.
 *
 * Source    design.md §4.36; risk-engine.md §16
 */
import type { CoinId } from '../catalog/catalog.ts'
import { amount, type Amount, minAmount } from '../numbers/numbers.ts'
import { debtOf, type MarginWallet } from '../records/records.ts'
import type { AccountRow, Venue } from '../state/state.ts'
import type { WalletType } from '../vocabulary.ts'
import { lend, payDebt } from './postings.ts'

/**
 * A balance of a unified wallet below zero becomes a loan with its first hour's interest; limits do not apply, for the
 * money is gone already.
 */
export function negativeToLoan(venue: Venue, account: AccountRow, coin: CoinId): void {
  const balance = venue.ledger.balanceOf(venue.ledger.find(account.handle, 'uta', coin))
  if (balance < 0n) lend(venue, account, 'uta', venue.catalog.coins[coin], amount(-balance), 'shortfall')
}

/**
 * A unified wallet pays its debt by itself with what comes in and is not held. Balance and debt of one coin go against
 * each other in its margin, so that paying costs it nothing.
 */
export function reduceDebt(
  venue: Venue,
  account: AccountRow,
  wallet: WalletType,
  coin: CoinId,
  incoming: Amount,
): void {
  if (wallet === 'uta') payWithIncoming(venue, account, wallet, coin, incoming)
}

/** Pays debt of a coin with what came in of it and is not held. */
export function payWithIncoming(
  venue: Venue,
  account: AccountRow,
  wallet: MarginWallet,
  coin: CoinId,
  incoming: Amount,
): void {
  const row = venue.ledger.find(account.handle, wallet, coin)
  const debt = debtOf(venue, row)
  if (debt === 0n) return
  const units = minAmount(minAmount(debt, incoming), venue.ledger.freeOf(row))
  if (units > 0n) payDebt(venue, account, wallet, coin, units, 'incoming')
}
