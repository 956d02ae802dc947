/**
 * One instrument in words: the measures of its numbers, and the values of a quantity at a price as exact fractions.
 */
import { type FuturesInstrument, type Instrument, isFutures, type Scale } from '../catalog/catalog.ts'
import { rateOne } from '../numbers/numbers.ts'
import type { Venue } from '../venue.ts'
import { type Fraction, type Measure, money } from './lines.ts'

export interface Measures {
  readonly price: Measure
  readonly quantity: Measure
  /** Of fees, margin and profit: the settlement coin; of spot the quote coin. */
  readonly money: Measure
  /** Of what tiers go by: quote coin, of inverse contracts USD. */
  readonly value: Measure
}

export interface Contract extends Measures {
  readonly instrument: FuturesInstrument
  readonly scale: Scale
}

export function contractOf(venue: Venue, id: number): Contract {
  const instrument = venue.instrument(id) as FuturesInstrument
  return { instrument, scale: venue.scale(id), ...measuresOf(venue, instrument) }
}

export function measuresOf(venue: Venue, instrument: Instrument): Measures {
  const base = coinName(venue, instrument.base)
  const quote = instrument.quote === -1 ? 'USD' : coinName(venue, instrument.quote)
  return {
    price: { unit: quote, factor: BigInt(instrument.priceStep), decimals: instrument.priceDecimals },
    quantity: {
      unit: instrument.kind === 'inverse' ? quote : base,
      factor: BigInt(instrument.quantityStep),
      decimals: instrument.quantityDecimals,
    },
    money: money(isFutures(instrument) ? coinName(venue, instrument.settle) : quote),
    value: money(quote),
  }
}

export function coinName(venue: Venue, coin: number): string {
  return venue.catalog.coins[coin].name
}

export function nameOf(instrument: Instrument): string {
  return instrument.kind === 'spot' ? `${instrument.symbol} spot` : instrument.symbol
}

/** V(P) in units: linear q·P, inverse N/P. */
export function valueFraction(scale: Scale, quantity: number, price: number): Fraction {
  if (scale.inverse) return [BigInt(quantity) * scale.numerator, BigInt(price) * scale.priceStep]
  return [BigInt(quantity) * BigInt(price) * scale.unit, 1n]
}

/** uPnL(P) in units: linear F + s·q·P, inverse F − s·N/P. */
export function pnlFraction(
  scale: Scale,
  position: { readonly side: 'long' | 'short'; readonly quantity: number; readonly flow: bigint },
  price: number,
): Fraction {
  const [value, divisor] = valueFraction(scale, position.quantity, price)
  const plus = (position.side === 'long') !== scale.inverse
  return [position.flow * divisor + (plus ? value : -value), divisor]
}

/** MM(V) in units: V × (mmr + f) − cum; inverse: (N × (mmr + f) − cum) / P. */
export function maintenanceFraction(
  { instrument, scale }: Pick<Contract, 'instrument' | 'scale'>,
  quantity: number,
  price: number,
  { rate, deduction }: { readonly rate: bigint; readonly deduction: bigint },
): Fraction {
  const [value, divisor] = valueFraction(scale, quantity, price)
  // An inverse contract's deduction is in USD, as its tiers are.
  const cum = scale.inverse ? deduction * 10n ** BigInt(instrument.priceDecimals) : deduction
  return [value * rate - cum, divisor * rateOne]
}
