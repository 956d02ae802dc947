/**
 * What a futures wallet or an isolated position cannot pay, and who pays it.
 *
 * Cross     first the unrealized profit of the margin account's cross positions, the largest first. Then a loan (unified
 *           wallet), else the insurance fund, which so pays for nothing but negative equity
 * Isolated  first the position's own unrealized profit, then the insurance fund
 * Realized  profit moves through the clearing account: F' = F − units, and the payer has the units. The position is worth as
 *           much less as the payer is worth more, at any price; its realized PnL counts it
 * Source    risk-engine.md §4, §6, §14, §16 (debt is what balance and unrealized profit together lack)
 */
import { bill, insure } from '../ledger-postings/ledger-postings.ts'
import { negativeToLoan } from '../loans/loans.ts'
import { winnersOf } from '../margin/margin.ts'
import { amount, type Amount, cappedAmount, maxAmount, minAmount, zero } from '../numbers/numbers.ts'
import { type ExposureRow, positionOf, type PositionRow, unrealizedPnl, type State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'

/** Brings the wallet row of an exposure's margin account back to zero when it lies below. */
export function coverShortfall(state: State, exposure: ExposureRow, slot: Row): void {
  const { ledger } = state
  if (ledger.balanceOf(slot) >= 0n) return
  for (const {
    exposure: { index },
    position: { side },
    profit,
  } of winnersOf(state, exposure)) {
    const units = minAmount(profit, amount(-ledger.balanceOf(slot)))
    const winning = state.futures.at(index)
    realizeProfit(state, winning, positionOf(winning, side) as PositionRow, units)
    ledger.post('clearing', slot, units)
    bill(state, slot, 'profit', units, { instrument: winning.instrument })
    if (ledger.balanceOf(slot) >= 0n) return
  }
  if (exposure.wallet === 'uta') negativeToLoan(state, state.accounts.byHandle(exposure.account), ledger.coinOf(slot))
  else insure(state, slot, amount(-ledger.balanceOf(slot)), { instrument: exposure.instrument })
}

/** What of a shortfall the position's own profit pays, in units; the caller posts them out of the clearing account. */
export function payFromProfit(state: State, exposure: ExposureRow, position: PositionRow, shortfall: Amount): Amount {
  if (position.quantity === 0) return zero
  const mark = state.prices.markPrice(exposure.instrument)
  const profit = maxAmount(zero, unrealizedPnl(state.scale(exposure.instrument), position, mark))
  const units = minAmount(profit, shortfall)
  if (units > 0n) realizeProfit(state, exposure, position, units)
  return units
}

/** Takes units of unrealized profit out of the position and publishes it; the caller posts the money. */
function realizeProfit(state: State, exposure: ExposureRow, position: PositionRow, units: Amount): void {
  position.entryValue = amount(position.entryValue - units)
  position.realizedPnl = cappedAmount(position.realizedPnl + units)
  position.updatedAt = state.at
  state.emit({
    kind: 'profit-realized',
    id: state.counters.flow++,
    uid: state.accounts.byHandle(exposure.account).uid,
    wallet: exposure.wallet,
    instrument: exposure.instrument,
    positionSide: position.side,
    amount: units,
    at: state.at,
  })
}
