/**
 * Futures of a unified wallet and its debt: what they lose beyond it becomes a loan, what comes in pays debt.
 *
 * Source  design.md §4.36; risk-engine.md §16
 */
import type { Account, WalletType } from '../accounts/accounts.ts'
import type { CoinId } from '../catalog/catalog.ts'
import { lend, payDebt } from '../ledger/ledger.ts'
import { type Amount, amount, minAmount } from '../numbers/numbers.ts'
import type { Venue } from '../venue.ts'
import { domainAvailable } from './margin.ts'

/** A unified wallet that lies below zero borrows what it lacks, whatever the bounds. */
export function negativeToLoan(venue: Venue, account: Account, coin: CoinId): void {
  const balance = venue.ledger.balanceOf(venue.ledger.find(account.handle, 'uta', coin))
  if (balance < 0n) lend(venue, account, 'uta', venue.catalog.coins[coin], amount(-balance), 'shortfall')
}

/** A unified wallet pays its debt by itself with what comes in and is free. */
export function reduceDebt(venue: Venue, account: Account, wallet: WalletType, coin: CoinId, incoming: Amount): void {
  if (wallet !== 'uta') return
  const debt = venue.ledger.debtOf(venue.ledger.find(account.handle, wallet, coin))
  if (debt === 0n) return
  const free = domainAvailable(venue, account.handle, wallet, coin)
  const units = minAmount(minAmount(debt, incoming), free)
  if (units > 0n) payDebt(venue, account, wallet, coin, units, 'incoming')
}
