/**
 * What would happen by time alone, were it a later moment: for an operator who is to say whether it is.
 *
 * Interest  of every hour that would have begun, at the rates as they are
 * Funding   contracts whose time would have come: each is settled once, however many times were passed, unless it is halted
 * Not here  prices that turn stale, and what follows from them
 */
import type { CoinId, InstrumentId } from '../catalog/catalog.ts'
import type { Millis } from '../numbers/numbers.ts'
import type { FallsDueView } from '../protocol/query.ts'
import { dailyRate, hourlyInterest, hoursBegun } from '../records/records.ts'
import type { Reading } from '../state/state.ts'

/** Reads every loan. */
export function fallsDue(reading: Reading, by: Millis): FallsDueView {
  const { loans, ledger, timers } = reading
  const interest = new Map<CoinId, bigint>()
  let interestHours = 0
  for (const [owedBy, ofRow] of loans.ofRow) {
    const coin = ledger.coinOf(owedBy)
    for (const loan of ofRow) {
      const hours = hoursBegun(loans.dueAt[loan], by)
      if (hours === 0) continue
      const hourly = hourlyInterest(loans.principal[loan], dailyRate(reading, owedBy))
      interest.set(coin, (interest.get(coin) ?? 0n) + BigInt(hours) * hourly)
      interestHours = Math.max(interestHours, hours)
    }
  }
  const funding: InstrumentId[] = []
  let countdowns = 0
  for (const { at, timer } of timers.due) {
    if (at > by) break
    if (timer.kind === 'settle-funding') funding.push(timer.instrument)
    if (timer.kind === 'cancel-all') countdowns += 1
  }
  const ofCoins = [...interest].sort(([first], [second]) => first - second)
  return { interestHours, interest: ofCoins.map(([coin, units]) => ({ coin, units })), funding, countdowns }
}
