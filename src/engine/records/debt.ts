/**
 * What a wallet owes: principal and interest, the hours included that have begun and are not booked yet.
 *
 * Interest  h = ⌈principal × daily rate ÷ 24⌉ at the loan, and again at the start of each further hour
 * Source    risk-engine.md §17; design.md §4.36
 */
import type { CoinId } from '../catalog/catalog.ts'
import { type Amount, amount, divCeil, type Millis, type Rate, rateOne, zero } from '../numbers/numbers.ts'
import type { Reading } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'

export const hourMs = 3_600_000
/** Interest of one hour, rounded up. */
export function hourlyInterest(principal: bigint, daily: Rate): Amount {
  return amount(divCeil(principal * daily, rateOne * 24n))
}

/** Interest of hours that have begun and are not booked yet. */
export function pendingInterest(reading: Reading, owedBy: Row): Amount {
  const { loans } = reading
  // Nothing anywhere is due before the first loan is.
  if (loans.first === noRow || loans.dueAt[loans.first] > reading.at) return zero
  let pending = 0n
  for (const loan of loans.ofRow.get(owedBy) ?? []) {
    const hours = hoursBegun(loans.dueAt[loan], reading.at)
    if (hours > 0) pending += BigInt(hours) * hourlyInterest(loans.principal[loan], dailyRate(reading, owedBy))
  }
  return amount(pending)
}

export function hoursBegun(dueAt: Millis, at: Millis): number {
  return at < dueAt ? 0 : Math.floor((at - dueAt) / hourMs) + 1
}

/** What a ledger row owes now, begun hours included. */
export function debtOf(reading: Reading, owedBy: Row): Amount {
  return amount(reading.ledger.debtOf(owedBy) + pendingInterest(reading, owedBy))
}

export function dailyRate(reading: Reading, owedBy: Row): Rate {
  return reading.catalog.coins[reading.ledger.coinOf(owedBy)].dailyInterestRate
}

/** Wallets that may owe. */
export type MarginWallet = 'crossed_margin' | 'uta'

/** What of a coin is lent out, over all accounts. */
export function lentOut(reading: Reading, coin: CoinId): Amount {
  return amount(-reading.ledger.houseBalance('lendingPool', coin))
}
