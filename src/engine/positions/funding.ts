/**
 * Settlement of funding: at each boundary longs pay shorts, or get from them, the rate on their value at the mark price.
 *
 * Payment    Δ = −s·F·V(mark), rounded down for each account; what is left over is the rounding account's
 * Charged    cross: the wallet (shortfall.ts); isolated: the position's margin, then its profit, then the insurance fund
 * Shortfall  `full`: an isolated payer pays in full, the fund what its margin and profit cannot. `cap`: it pays only down to
 *            its maintenance margin, and receivers share pro rata what was collected
 * Late       a venue that was down settles once when it is back, at the rate of the first boundary missed
 * Halted     a contract whose index is halted does not settle; that boundary is left out
 * Not here   the rate (price-rules/funding-rate.ts), what each position is due (margin/funding-due.ts)
 * Source     interface.md E10; risk-engine.md §13
 */
import type { FuturesInstrument, InstrumentId } from '../catalog/catalog.ts'
import { bill, publishInsurance } from '../ledger-postings/ledger-postings.ts'
import { reduceDebt } from '../loans/loans.ts'
import { payable, type Share, sharesOf } from '../margin/margin.ts'
import { amount, type Amount, assert, cappedAmount, type Millis, type Rate, zero } from '../numbers/numbers.ts'
import { nextFundingAt } from '../price-rules/price-rules.ts'
import type { BillType } from '../protocol/event.ts'
import { type ExposureRow, positionOf, type State } from '../state/state.ts'
import { coverShortfall, payFromProfit } from './shortfall.ts'

/** Settles one contract at a rate; answers how many positions paid or received. */
export function settleFunding(state: State, id: InstrumentId, fundingRate: Rate, at: Millis): number {
  const instrument = state.instrument(id) as FuturesInstrument
  const markPrice = state.prices.markPrice(id)
  const shares = payable(state, instrument, sharesOf(state, instrument, fundingRate))
  let paid = 0n
  for (const share of shares) {
    paid += share.units
    pay(state, instrument, share, at)
  }
  // What accounts paid and nobody received is at most one unit each: it is for rounding.
  state.ledger.postHouse('clearing', 'rounding', instrument.settle, amount(-paid))
  state.prices.samples[id].latestRate = fundingRate
  state.prices.unsettleMark(id)
  state.emit({ kind: 'funding-settled', instrument: id, fundingRate, markPrice, at })
  return shares.length
}

/** Books one payment against the clearing account, where all payments of a settlement meet. */
function pay(state: State, instrument: FuturesInstrument, share: Share, at: Millis): void {
  const { ledger } = state
  const { units } = share
  const exposure = state.futures.at(share.exposure.index)
  const position = positionOf(exposure, share.position.side)
  assert(position !== undefined, 'a share is that of an open position')
  position.funding = cappedAmount((position.funding ?? zero) + units)
  position.updatedAt = state.at
  if (exposure.marginMode === 'isolated') {
    const after = position.margin + units
    const margin = after < 0n ? 0n : after
    ledger.postHouse('clearing', 'isolatedMargin', instrument.settle, amount(margin - position.margin))
    // Profit that pays stays in the clearing account: the position's entry value is as much less.
    const won = after < 0n ? payFromProfit(state, exposure, position, amount(-after)) : zero
    ledger.postHouse('clearing', 'insurance', instrument.settle, amount(after - margin + won))
    publishThrough(state, exposure, instrument, units, { margin: amount(margin - position.margin), won })
    position.margin = amount(margin)
    ledger.touch(exposure.account)
    publishInsurance(state, exposure.account, exposure.wallet, instrument.settle, amount(margin - after - won))
  } else {
    const slot = ledger.slot(exposure.account, exposure.wallet, instrument.settle)
    ledger.post('clearing', slot, units)
    ledger.updatedAt[slot] = state.at
    bill(state, slot, 'funding', units, { instrument: exposure.instrument })
    coverShortfall(state, exposure, slot)
    if (units > 0n) {
      reduceDebt(state, state.accounts.byHandle(exposure.account), exposure.wallet, instrument.settle, units)
    }
  }
  state.emit({
    kind: 'funding-payment',
    id: state.counters.flow++,
    uid: state.accounts.byHandle(exposure.account).uid,
    wallet: exposure.wallet,
    instrument: exposure.instrument,
    positionSide: position.side,
    amount: units,
    at,
  })
}

/** An isolated position's funding as bills of the wallet that it passes through (ledger-postings/bills.ts). */
function publishThrough(
  state: State,
  exposure: ExposureRow,
  { id: instrument, settle }: FuturesInstrument,
  units: Amount,
  { margin, won }: { readonly margin: Amount; readonly won: Amount },
): void {
  const slot = state.ledger.slot(exposure.account, exposure.wallet, settle)
  let through = state.ledger.balanceOf(slot)
  const publish = (type: BillType, passing: bigint) => {
    through = amount(through + passing)
    bill(state, slot, type, amount(passing), { instrument, balance: through })
  }
  if (units > 0n) {
    publish('funding', units)
    publish('append_margin', -margin)
    return
  }
  publish('reduce_margin', -margin)
  publish('profit', won)
  publish('insurance', margin - units - won)
  publish('funding', units)
}

/** Sets the timer of the contract's next boundary. */
export function scheduleFunding(state: State, instrument: FuturesInstrument): void {
  state.timers.add(nextFundingAt(instrument, state.at), { kind: 'settle-funding', instrument: instrument.id })
}
