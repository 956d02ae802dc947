/**
 * Loans as records, and the interest that they run up by the hour.
 *
 * Loan      of one ledger row (account, wallet, coin): principal left, when it began, when its next hour begins
 * Interest  h = ⌈principal × daily rate ÷ 24⌉ at the loan, and again at the start of each further hour, at the rate of that
 *           moment; on principal only. 26 h 10 min are 27 hours
 * Booked    by one timer for all loans: the hours that began since its last run, at most `sweepMax` hours a run. Few loans
 *           are booked as their hours begin, very many share a run a minute. No amount depends on when the timer ran:
 *           borrowing and paying first book the hours of the wallet's loans, and what is shown counts them
 * Holds     the principal of a ledger row is the sum of its loans · `first` … `last` are in the order of their next hour
 *           · a row without principal has no interest owed
 * Bounded   at most `loansPerRowMax` records a row; what is borrowed beyond joins the newest one and its clock
 * Source    risk-engine.md §17; design.md §4.36
 */
import type { CoinId } from '../catalog/catalog.ts'
import { type Amount, amount, type Millis, minAmount } from '../numbers/numbers.ts'
import type { InterestEvent } from '../protocol/event.ts'
import { dailyRate, hourlyInterest, hourMs } from '../records/records.ts'
import type { Loans, State } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import { noteDebtor } from './debtors.ts'

const sweepEveryMsMax = 60_000
const sweepMax = 1_000
const loansPerRowMax = 256

/** Keeps a loan and charges its first hour. The principal is in the wallet already. */
export function openLoan(state: State, owedBy: Row, loanId: number, units: Amount): void {
  const { loans } = state
  const siblings = loans.ofRow.get(owedBy) ?? []
  if (siblings.length === loansPerRowMax) {
    const newest = siblings[siblings.length - 1]
    loans.principal[newest] = amount(loans.principal[newest] + units)
  } else {
    const loan = loans.allocate()
    loans.loanId[loan] = loanId
    loans.owedBy[loan] = owedBy
    loans.principal[loan] = units
    loans.startedAt[loan] = state.at
    loans.dueAt[loan] = state.at + hourMs
    enqueue(loans, loan)
    siblings.push(loan)
    if (siblings.length === 1) loans.ofRow.set(owedBy, siblings)
    if (!loans.timed) schedule(state, state.at + hourMs)
  }
  charge(state, owedBy, loanId, units, 'first')
}

/** Books the hours of a row's loans that have begun. */
export function bookInterest(state: State, owedBy: Row): void {
  const { loans } = state
  if (loans.first === noRow || loans.dueAt[loans.first] > state.at) return
  for (const loan of loans.ofRow.get(owedBy) ?? []) {
    while (loans.dueAt[loan] <= state.at) bookHour(state, loan)
  }
}

/** Takes principal off a row's loans, oldest first. */
export function reduceLoans(state: State, owedBy: Row, units: Amount): void {
  const { loans } = state
  const siblings = loans.ofRow.get(owedBy) ?? []
  let left = units
  while (left > 0n) {
    const oldest = siblings[0]
    const part = minAmount(left, loans.principal[oldest] as Amount)
    left = amount(left - part)
    loans.principal[oldest] = amount(loans.principal[oldest] - part)
    if (loans.principal[oldest] > 0n) continue
    siblings.shift()
    dequeue(loans, oldest)
    loans.free(oldest)
  }
  if (siblings.length === 0) loans.ofRow.delete(owedBy)
}

/** The timer: books the hours that began since its last run, in the order in which they began. */
export function accrueInterest(state: State): void {
  const { loans } = state
  loans.timed = false
  for (let booked = 0; loans.first !== noRow && loans.dueAt[loans.first] <= state.at; booked++) {
    if (booked === sweepMax) return schedule(state, state.at + 1)
    bookHour(state, loans.first)
  }
  if (loans.first !== noRow) schedule(state, Math.max(loans.dueAt[loans.first], state.at + sweepEveryMs(loans)))
}

/** As many milliseconds as there are loans: a few are booked as their hours begin, very many share their runs. */
function sweepEveryMs(loans: Loans): number {
  return Math.min(loans.count, sweepEveryMsMax)
}

/** Books what has begun of all loans of a coin, before its rate changes. */
export function bookCoin(state: State, coin: CoinId): void {
  const { loans } = state
  for (const owedBy of loans.ofRow.keys()) {
    if (state.ledger.coinOf(owedBy) === coin) bookInterest(state, owedBy)
  }
}

function bookHour(state: State, loan: Row): void {
  const { loans } = state
  charge(state, loans.owedBy[loan], loans.loanId[loan], loans.principal[loan] as Amount, 'hour')
  dequeue(loans, loan)
  loans.dueAt[loan] = loans.dueAt[loan] + hourMs
  enqueue(loans, loan)
}

/** Adds the interest of an hour, rounded up, to what is owed. */
function charge(state: State, owedBy: Row, loanId: number, principal: Amount, cause: InterestEvent['cause']): void {
  const { ledger } = state
  const daily = dailyRate(state, owedBy)
  const interest = hourlyInterest(principal, daily)
  if (interest === 0n) return
  ledger.accrue(owedBy, interest)
  ledger.updatedAt[owedBy] = state.at
  noteDebtor(state, owedBy)
  state.emit({
    kind: 'interest',
    id: state.counters.flow++,
    uid: state.accounts.byHandle(ledger.account[owedBy]).uid,
    wallet: ledger.walletOf(owedBy),
    coin: ledger.coinOf(owedBy),
    amount: interest,
    loanId,
    dailyInterestRate: daily,
    cause,
    at: state.at,
  })
}

function schedule(state: State, at: Millis): void {
  state.loans.timed = true
  state.timers.add(at, { kind: 'accrue-interest' })
}

/** Hours are of one length, so a loan nearly always belongs at the end. */
function enqueue(loans: Loans, loan: Row): void {
  let before = loans.last
  while (before !== noRow && loans.dueAt[before] > loans.dueAt[loan]) before = loans.previous[before]
  const after = before === noRow ? loans.first : loans.next[before]
  loans.previous[loan] = before
  loans.next[loan] = after
  if (before === noRow) loans.first = loan
  else loans.next[before] = loan
  if (after === noRow) loans.last = loan
  else loans.previous[after] = loan
}

function dequeue(loans: Loans, loan: Row): void {
  const before = loans.previous[loan]
  const after = loans.next[loan]
  if (before === noRow) loans.first = after
  else loans.next[before] = after
  if (after === noRow) loans.last = before
  else loans.previous[after] = before
}
