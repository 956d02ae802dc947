/**
 * The debt of a unified wallet as futures and spot trading change it. What is lost beyond a balance becomes a loan; what
 * comes in pays debt.
 *
 * Source    design.md §4.36; risk-engine.md §16
 */
import type { CoinId } from '../catalog/catalog.ts'
import { amount, type Amount, minAmount } from '../numbers/numbers.ts'
import { debtOf, type MarginWallet } from '../records/records.ts'
import type { Account, State } from '../state/state.ts'
import type { WalletType } from '../vocabulary.ts'
import { lend, payDebt } from './postings.ts'

/**
 * A balance of a unified wallet below zero becomes a loan with its first hour's interest; limits do not apply:
 * the money is gone already.
 */
export function negativeToLoan(state: State, account: Account, coin: CoinId): void {
  const balance = state.ledger.balanceOf(state.ledger.find(account.handle, 'uta', coin))
  if (balance < 0n)
    lend(state, account, 'uta', { coin: state.catalog.coins[coin], units: amount(-balance), cause: 'shortfall' })
}

/**
 * A unified wallet pays its debt by itself with what comes in and is not held. Its margin counts balance
 * less debt of a coin, so that paying costs it nothing.
 */
export function reduceDebt(state: State, account: Account, wallet: WalletType, coin: CoinId, incoming: Amount): void {
  if (wallet === 'uta') payWithIncoming(state, account, wallet, coin, incoming)
}

/** Pays debt of a coin with what came in of it and is not held. */
export function payWithIncoming(
  state: State,
  account: Account,
  wallet: MarginWallet,
  coin: CoinId,
  incoming: Amount,
): void {
  const row = state.ledger.find(account.handle, wallet, coin)
  const debt = debtOf(state, row)
  if (debt === 0n) return
  const units = minAmount(minAmount(debt, incoming), state.ledger.freeOf(row))
  if (units > 0n) payDebt(state, account, wallet, { coin, units, cause: 'incoming' })
}
