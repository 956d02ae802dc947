/**
 * The measures of an instrument's numbers: which unit they count in, and with how many decimals.
 */
import { type FuturesInstrument, type Instrument, isFutures, type Scale } from '../catalog/catalog.ts'
import type { Reading } from '../state/state.ts'
import { type Measure, money } from './lines.ts'

/** How numbers of one instrument are shown. */
export interface Measures {
  readonly price: Measure
  readonly quantity: Measure
  /** Of fees, margin and profit: the settlement coin; of spot the quote coin. */
  readonly money: Measure
  /** The value that tiers go by: quote coin, of inverse contracts USD. */
  readonly value: Measure
}

/** A futures contract with its scale and measures. */
export interface Contract extends Measures {
  readonly instrument: FuturesInstrument
  readonly scale: Scale
}

export function contractOf(reading: Reading, id: number): Contract {
  const instrument = reading.instrument(id) as FuturesInstrument
  return { instrument, scale: reading.scale(id), ...measuresOf(reading, instrument) }
}

export function measuresOf(reading: Reading, instrument: Instrument): Measures {
  const base = coinName(reading, instrument.base)
  const quote = instrument.quote === -1 ? 'USD' : coinName(reading, instrument.quote)
  return {
    price: { unit: quote, factor: BigInt(instrument.priceStep), decimals: instrument.priceDecimals },
    quantity: {
      unit: instrument.kind === 'inverse' ? quote : base,
      factor: BigInt(instrument.quantityStep),
      decimals: instrument.quantityDecimals,
    },
    money: money(isFutures(instrument) ? coinName(reading, instrument.settle) : quote),
    value: money(quote),
  }
}

export function coinName(reading: Reading, coin: number): string {
  return reading.catalog.coins[coin].name
}

export function nameOf(instrument: Instrument): string {
  return instrument.kind === 'spot' ? `${instrument.symbol} spot` : instrument.symbol
}
