/**
 * What a wallet owes: principal and interest, with the hours that have begun and are not booked yet.
 *
 * Interest  h = ⌈principal × daily rate ÷ 24⌉ at the loan, and again at the start of each further hour
 * Not here  booking it (loans/interest.ts)
 * Source    risk-engine.md §17; design.md §4.36
 */
import type { CoinId } from '../catalog/catalog.ts'
import { type Amount, amount, divCeil, type Millis, type Rate, rateOne, zero } from '../numbers/numbers.ts'
import type { Reading } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'

/** Wallets that may owe. */
export type MarginWallet = 'crossed_margin' | 'uta'

export const hourMs = 3_600_000

/** What a ledger row owes now, in units of its coin, begun hours included. */
export function debtOf(reading: Reading, owedBy: Row): Amount {
  return amount(reading.ledger.debtOf(owedBy) + pendingInterest(reading, owedBy))
}

/** Interest of a ledger row's loans for hours that have begun and are not booked yet. */
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

/** Hours that have begun since the next one was due; zero before it. */
export function hoursBegun(dueAt: Millis, at: Millis): number {
  return at < dueAt ? 0 : Math.floor((at - dueAt) / hourMs) + 1
}

/** Interest of one hour, in units of the coin, rounded up. */
export function hourlyInterest(principal: bigint, daily: Rate): Amount {
  return amount(divCeil(principal * daily, rateOne * 24n))
}

/** The daily interest rate of a ledger row's coin. */
export function dailyRate(reading: Reading, owedBy: Row): Rate {
  return reading.catalog.coins[reading.ledger.coinOf(owedBy)].dailyInterestRate
}

/** Principal of a coin that is lent out, over all accounts. */
export function lentOut(reading: Reading, coin: CoinId): Amount {
  return amount(-reading.ledger.houseBalance('lendingPool', coin))
}
