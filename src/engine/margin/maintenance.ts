/**
 * Maintenance margin of a position, by the tiers of its contract.
 *
 *   MM(V) = V·(mmr_k + f) − cum_k
 *
 * Tiers     progressive: each slice of value pays its own rate, the taker fee included
 * Leverage  a tier also caps the leverage
 * Rounding  up
 * Source    risk-engine.md §3
 */
import { type FuturesInstrument, type Scale, shareOf, tierValue, valueFloor } from '../catalog/catalog.ts'
import {
  type Amount,
  big,
  cappedAmount,
  divCeil,
  type Lots,
  numberOf,
  pow10,
  type Rate,
  rateOne,
  type Ticks,
} from '../numbers/numbers.ts'

/** Maintenance margin of `quantity` at a price, rounded up. */
export function maintenanceMargin(instrument: FuturesInstrument, scale: Scale, quantity: Lots, price: Ticks): Amount {
  if (!scale.inverse) {
    const value = valueFloor(scale, quantity, price)
    const { rate, deduction } = sliceAt(instrument, cappedAmount(value))
    if (deduction === 0n) return cappedAmount(shareOf(scale, quantity, price, rate))
  }
  return cappedAmount(divCeil(maintenanceE12(instrument, scale, quantity, price), rateOne))
}

/** Maintenance margin in 1e-12 units: exact for linear, rounded up for inverse. */
export function maintenanceE12(instrument: FuturesInstrument, scale: Scale, quantity: Lots, price: Ticks): bigint {
  const { rate, deduction } = sliceAt(instrument, tierValue(scale, quantity, price))
  if (!scale.inverse) return big(quantity) * big(price) * scale.unit * rate - deduction
  const usdPrice = big(quantity) * scale.numerator * rate - deduction * pow10(instrument.priceDecimals)
  return divCeil(usdPrice, big(price) * scale.priceStep)
}

/** Maintenance rate of the tier that a position's value lies in, without the fee. */
export function maintenanceRate(instrument: FuturesInstrument, value: Amount): Rate {
  const { tiers } = instrument
  return (tiers.find((tier) => value < tier.to) ?? tiers[tiers.length - 1]).maintenanceRate
}

/** Leverage cap of the tier that the value of lots at a price lies in, 0 when it lies beyond the last. */
export function tierLeverageMax({ tiers }: FuturesInstrument, scale: Scale, quantity: Lots, price: Ticks): number {
  const small = scale.inverse ? Number.NaN : quantity * price * scale.unitNumber
  if (!(small <= Number.MAX_SAFE_INTEGER)) {
    const value = tierValue(scale, quantity, price)
    return tiers.find((tier) => value < tier.to)?.leverageMax ?? 0
  }
  // A bound that is no number below 2^53 lies above any such value.
  for (const tier of tiers) if (!(small >= numberOf(tier.to))) return tier.leverageMax
  return 0
}

/** A tier with its deduction: units × 1e-12. */
export interface Slice {
  readonly from: bigint
  readonly to: bigint
  /** With the taker fee. */
  readonly rate: bigint
  readonly deduction: bigint
}

/** The tiers of a contract with their deductions, made once for each record of it. */
export function slicesOf(instrument: FuturesInstrument): readonly Slice[] {
  const known = slicesByInstrument.get(instrument)
  if (known !== undefined) return known
  const slices: Slice[] = []
  let deduction = 0n
  let before = 0n
  for (const tier of instrument.tiers) {
    deduction += tier.from * (tier.maintenanceRate - before)
    before = tier.maintenanceRate
    slices.push({ from: tier.from, to: tier.to, rate: tier.maintenanceRate + instrument.takerFeeRate, deduction })
  }
  slicesByInstrument.set(instrument, slices)
  return slices
}

const slicesByInstrument = new WeakMap<FuturesInstrument, Slice[]>()

/** The slice that a value lies in; the last one also takes what lies beyond it. */
export function sliceAt(instrument: FuturesInstrument, value: Amount): Slice {
  const slices = slicesOf(instrument)
  for (const slice of slices) if (value < slice.to) return slice
  return slices.at(-1) as Slice
}

/** The highest rate, fee included, that a slice of value pays: bounds how fast maintenance grows. */
export function steepestRate(instrument: FuturesInstrument): bigint {
  return slicesOf(instrument).reduce((most, slice) => (slice.rate > most ? slice.rate : most), 0n)
}
