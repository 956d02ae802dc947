/**
 * Funding: at each boundary longs pay shorts (or get) the rate on their value at the mark price.
 *
 * Rate      F = clamp( (P̄ + clamp(0.01 % − P̄, ±0.05 %)) ÷ (8 / Nh), ±cap ); without premium samples P̄ is 0
 * Payment   Δ = −s·F·V(mark), rounded down for each account; what is left over is the rounding account's
 * Charged   cross: the wallet (shortfall.ts); isolated: the position's margin, then its profit, then the fund
 * Late      a venue that was down settles once when it is back, not once per boundary missed
 * Source    interface.md E10; risk-engine.md §13
 */
import type { FuturesInstrument, InstrumentId } from '../catalog/catalog.ts'
import {
  type Amount,
  amount,
  cappedAmount,
  divFloor,
  type Millis,
  type Rate,
  rate,
  rateOne,
  zero,
} from '../numbers/numbers.ts'
import type { Venue } from '../venue.ts'
import { reduceDebt } from './debt.ts'
import type { Exposure, Position } from './exposure.ts'
import { coverShortfall, payFromProfit } from './shortfall.ts'

/** Interest part of an 8-hour rate: 0.01 %. */
const interestRate = rateOne / 10_000n

export function currentFundingRate(instrument: FuturesInstrument): Rate {
  const scaled = (interestRate * BigInt(instrument.fundingIntervalHours)) / 8n
  return rate(scaled > instrument.fundingRateCap ? instrument.fundingRateCap : scaled)
}

export function nextFundingAt(instrument: FuturesInstrument, at: Millis): Millis {
  const interval = instrument.fundingIntervalHours * 3_600_000
  return (Math.floor(at / interval) + 1) * interval
}

export function scheduleFunding(venue: Venue, instrument: FuturesInstrument): void {
  venue.timers.add(nextFundingAt(instrument, venue.at), { kind: 'settle-funding', instrument: instrument.id })
}

/** Settles one contract; answers how many positions paid or got. */
export function settleFunding(venue: Venue, id: InstrumentId, at: Millis): number {
  const instrument = venue.instrument(id) as FuturesInstrument
  const fundingRate = currentFundingRate(instrument)
  const markPrice = venue.prices.markPrice(id)
  let positions = 0
  let paid = 0n
  for (const exposure of venue.futures.ofInstrument(id)) {
    for (const position of [exposure.long, exposure.short]) {
      if (position === undefined) continue
      positions++
      const units = paymentOf(venue, instrument, position, fundingRate)
      paid += units
      pay(venue, instrument, exposure, position, units, at)
    }
  }
  // What accounts paid and did not get back is at most one unit each: rounding's.
  venue.ledger.postHouse('clearing', 'rounding', instrument.settle, amount(-paid))
  venue.emit({ kind: 'funding-settled', instrument: id, fundingRate, markPrice, at })
  return positions
}

function paymentOf(venue: Venue, instrument: FuturesInstrument, position: Position, fundingRate: Rate): Amount {
  const scale = venue.scale(instrument.id)
  const mark = BigInt(venue.prices.markPrice(instrument.id))
  const signed = position.side === 'long' ? -fundingRate : fundingRate
  const quantity = BigInt(position.quantity)
  if (scale.inverse) return amount(divFloor(quantity * scale.numerator * signed, mark * scale.priceStep * rateOne))
  return amount(divFloor(quantity * mark * scale.unit * signed, rateOne))
}

/** Clearing stands in between: all payments of one settlement meet there. */
function pay(
  venue: Venue,
  instrument: FuturesInstrument,
  exposure: Exposure,
  position: Position,
  units: Amount,
  at: Millis,
): void {
  const { ledger } = venue
  position.funding = cappedAmount((position.funding ?? zero) + units)
  position.updatedAt = venue.at
  if (exposure.marginMode === 'isolated') {
    const after = position.margin + units
    const margin = after < 0n ? 0n : after
    ledger.postHouse('clearing', 'isolatedMargin', instrument.settle, amount(margin - position.margin))
    // Profit that pays stays in the clearing account: the position's entry flow is as much less.
    const won = after < 0n ? payFromProfit(venue, exposure, position, amount(-after)) : zero
    ledger.postHouse('clearing', 'insurance', instrument.settle, amount(after - margin + won))
    position.margin = amount(margin)
  } else {
    const slot = ledger.slot(exposure.account, exposure.wallet, instrument.settle)
    ledger.post('clearing', slot, units)
    ledger.updatedAt[slot] = venue.at
    coverShortfall(venue, exposure, slot)
    if (units > 0n) {
      reduceDebt(venue, venue.accounts.byHandle(exposure.account), exposure.wallet, instrument.settle, units)
    }
  }
  venue.emit({
    kind: 'funding-payment',
    id: venue.counters.flow++,
    uid: venue.accounts.byHandle(exposure.account).uid,
    wallet: exposure.wallet,
    instrument: exposure.instrument,
    positionSide: position.side,
    amount: units,
    at,
  })
}
