/**
 * What each position of a contract pays or gets at a settlement of funding.
 *
 * Payment    Δ = −s·F·V(mark), rounded down for each account
 * Shortfall  `full`: an isolated payer pays all the same. `cap`: it pays only down to its maintenance margin, and receivers
 *            share pro rata what was collected
 * Source     interface.md E10; risk-engine.md §13
 */
import type { FuturesInstrument } from '../catalog/catalog.ts'
import {
  type Amount,
  amount,
  big,
  cappedAmount,
  divFloor,
  maxAmount,
  minAmount,
  type Rate,
  rateOne,
  zero,
} from '../numbers/numbers.ts'
import { type Exposure, type Position, type Reading, unrealizedPnl } from '../state/state.ts'
import { maintenanceMargin } from './maintenance.ts'

/** What one position pays (negative) or gets. */
export interface Share {
  readonly exposure: Exposure
  readonly position: Position
  readonly units: Amount
}

/** What each open position of a contract owes or is due, before a shortfall is shared. */
export function sharesOf(reading: Reading, instrument: FuturesInstrument, fundingRate: Rate): Share[] {
  const shares: Share[] = []
  for (const exposure of reading.futures.ofInstrument(instrument.id)) {
    for (const position of [exposure.long, exposure.short]) {
      if (position === undefined) continue
      shares.push({ exposure, position, units: dueOf(reading, instrument, position, fundingRate) })
    }
  }
  return shares
}

/** Δ = −s·F·V(mark), rounded down. */
export function dueOf(reading: Reading, instrument: FuturesInstrument, position: Position, fundingRate: Rate): Amount {
  const scale = reading.scale(instrument.id)
  const mark = big(reading.prices.markPrice(instrument.id))
  const signed = position.side === 'long' ? -fundingRate : fundingRate
  const quantity = big(position.quantity)
  if (scale.inverse) return amount(divFloor(quantity * scale.numerator * signed, mark * scale.priceStep * rateOne))
  return amount(divFloor(quantity * mark * scale.unit * signed, rateOne))
}

/** With `cap`: what payers that are short can pay, and what receivers then get of it: receipt × collected / due. */
export function payable(reading: Reading, instrument: FuturesInstrument, due: readonly Share[]): readonly Share[] {
  if (reading.prices.settings.fundingShortfall === 'full') return due
  const capped = due.map((share) => ({ ...share, units: withinMaintenance(reading, instrument, share) }))
  const collected = -sumOf(capped, (units) => units < 0n)
  const receipts = sumOf(due, (units) => units > 0n)
  if (collected >= receipts) return capped
  return capped.map((share) =>
    share.units > 0n ? { ...share, units: amount(divFloor(share.units * collected, receipts)) } : share,
  )
}

/** An isolated payer pays down to its maintenance margin. */
function withinMaintenance(
  reading: Reading,
  instrument: FuturesInstrument,
  { exposure, position, units }: Share,
): Amount {
  if (units >= 0n || exposure.marginMode !== 'isolated') return units
  const mark = reading.prices.markPrice(instrument.id)
  const maintenance = maintenanceMargin(instrument, reading.scale(instrument.id), position.quantity, mark)
  const won = maxAmount(zero, unrealizedPnl(reading.scale(instrument.id), position, mark))
  const spare = maxAmount(zero, cappedAmount(position.margin + won - maintenance))
  return amount(-minAmount(amount(-units), spare))
}

function sumOf(shares: readonly Share[], counts: (units: Amount) => boolean): bigint {
  return shares.reduce((sum, { units }) => (counts(units) ? sum + units : sum), 0n)
}
