/**
 * Borrowing and repaying on request, of one coin.
 *
 * Source  interface.md E11; design.md §4.36 (without debt refused, above the debt cut to it); risk-engine.md §17
 */
import type { Coin } from '../catalog/catalog.ts'
import { borrowable, spendable } from '../lending/lending.ts'
import { lend, payDebt } from '../loans/loans.ts'
import { minAmount } from '../numbers/numbers.ts'
import { isCoinFrozen } from '../price-rules/price-rules.ts'
import type { Borrow, Repay } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import { debtOf, lentOut, type MarginWallet, tradingWallet } from '../records/records.ts'
import type { State } from '../state/state.ts'

export function borrow(state: State, command: Borrow): Reply {
  const account = state.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  const wallet = tradingWallet(account, 'v2', 'MARGIN')
  if (wallet === 'changing') return refused({ kind: 'account-changing-mode' })
  const coin = state.catalog.coins[command.coin] as Coin | undefined
  if (coin === undefined) return refused({ kind: 'coin-unknown' })
  if (command.amount <= 0n) return refused({ kind: 'amount-not-positive' })
  if (!coin.borrowable) return refused({ kind: 'coin-not-borrowable' })
  if (isCoinFrozen(state, coin.id)) return refused({ kind: 'index-stale' })
  const limit = borrowable(state, account, wallet as MarginWallet, coin)
  if (command.amount > limit) {
    const poolIsShort = command.amount > coin.lendingPoolLimit - lentOut(state, coin.id)
    return refused({ kind: poolIsShort ? 'lending-pool-empty' : 'borrow-limit-exceeded', borrowable: limit })
  }

  const loanId = lend(state, account, wallet as MarginWallet, { coin, units: command.amount, cause: 'request' })
  return { kind: 'borrowed', loanId, amount: command.amount }
}

export function repay(state: State, command: Repay): Reply {
  const account = state.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  const wallet = tradingWallet(account, 'v2', 'MARGIN')
  if (wallet === 'changing') return refused({ kind: 'account-changing-mode' })
  const coin = state.catalog.coins[command.coin]
  if (coin === undefined) return refused({ kind: 'coin-unknown' })
  if (command.amount <= 0n) return refused({ kind: 'amount-not-positive' })
  const row = state.ledger.find(account.handle, wallet as MarginWallet, coin.id)
  const debt = debtOf(state, row)
  if (debt === 0n) return refused({ kind: 'no-debt' })
  const units = minAmount(command.amount, debt)
  const available = spendable(state, account, wallet as MarginWallet, coin.id)
  if (units > available) return refused({ kind: 'repay-above-available', available })

  const repayId = payDebt(state, account, wallet as MarginWallet, { coin: coin.id, units, cause: 'request' })
  return { kind: 'repaid', repayId, repaid: units, remaining: state.ledger.debtOf(row) }
}
