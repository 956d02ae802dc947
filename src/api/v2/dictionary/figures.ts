/**
 * The figures of v2: prices, quantities, money and rates of the engine as exact decimal text.
 *
 * Text      shortest form; averages and entry prices half-up at two decimals more than the price
 * Inverse   the engine holds whole USD contracts, v2 speaks base coin: contracts over a price (design §4.12)
 * Units     `E8` is a whole number of 1e-8
 * Source    risk-engine.md §1, §8; wire/client-endpoints.md §4
 */
import type { Catalog, FuturesInstrument, Instrument } from '../../../engine/catalog/catalog.ts'
import {
  amountDecimals,
  divCeil,
  divFloor,
  divHalfUp,
  formatDecimal,
  type Lots,
  pow10,
  rateDecimals,
  type Ticks,
} from '../../../engine/numbers/numbers.ts'
import type { OrderRecord } from '../../../engine/protocol/event.ts'

export function priceText(instrument: Instrument, price: Ticks | 0): string {
  return formatDecimal(price * instrument.priceStep, instrument.priceDecimals)
}

/** Lots of the book: base coin, or USD of an inverse instrument. */
export function quantityText(instrument: Instrument, quantity: Lots): string {
  return formatDecimal(quantity * instrument.quantityStep, instrument.quantityDecimals)
}

/** With all decimals of a quantity, zeros at its end included: 0.250000. */
export function paddedQuantityText(instrument: Instrument, quantity: Lots): string {
  const text = quantityText(instrument, quantity)
  const { quantityDecimals: decimals } = instrument
  const point = text.indexOf('.')
  if (decimals === 0) return text
  return point < 0 ? `${text}.${'0'.repeat(decimals)}` : text.padEnd(point + 1 + decimals, '0')
}

export function amountText(value: bigint): string {
  return formatDecimal(value, amountDecimals)
}

/** A fee as orders and fills show it: negative when paid. */
export function feeText(fee: bigint): string {
  return amountText(0n - fee)
}

export function rateText(value: bigint): string {
  return formatDecimal(value, rateDecimals)
}

/** A price of 1e-8 exactness, as average and entry prices are shown. */
export function finePriceText(instrument: Instrument, exactE8: bigint): string {
  const decimals = Math.min(instrument.priceDecimals + 2, 8)
  return formatDecimal(divHalfUp(exactE8, pow10(8 - decimals)), decimals)
}

export function priceE8(instrument: Instrument, price: Ticks | 0): bigint {
  return BigInt(price) * BigInt(instrument.priceStep) * pow10(8 - instrument.priceDecimals)
}

export function quantityE8(instrument: Instrument, quantity: Lots): bigint {
  return (BigInt(quantity) * BigInt(instrument.quantityStep) * pow10(8)) / pow10(instrument.quantityDecimals)
}

/** Average price of what was filled; `none` before the first fill. */
export function averagePriceText(order: OrderRecord, instrument: Instrument, none: string): string {
  return order.averagePriceE8 === 0n ? none : finePriceText(instrument, order.averagePriceE8)
}

/** Base coin of inverse contracts at a price (1e-8), rounded down to the decimals of a size: contracts / price. */
export function contractsInBase(instrument: FuturesInstrument, contracts: Lots, atPriceE8: bigint): bigint {
  if (atPriceE8 === 0n) return 0n
  const size = divFloor(quantityE8(instrument, contracts) * pow10(instrument.sizeDecimals), atPriceE8)
  return size * pow10(amountDecimals - instrument.sizeDecimals)
}

/** Inverse contracts of an amount of base coin at a price, rounded down to whole lots: base × price. */
export function lotsOfBase(instrument: FuturesInstrument, base: bigint, price: Ticks): Lots {
  const perLot = quantityE8(instrument, 1 as Lots) * pow10(amountDecimals)
  return Number(divFloor(base * priceE8(instrument, price), perLot)) as Lots
}

/** Base coin of inverse contracts, rounded down to the decimals of a size. */
export function floorToSize(instrument: FuturesInstrument, base: bigint): bigint {
  return base - (base % pow10(amountDecimals - instrument.sizeDecimals))
}

/** What traded, in base and in quote coin; inverse contracts are the quote, their notional the base. */
export function tradedTexts(
  instrument: Instrument,
  filled: Lots,
  notional: bigint,
): { readonly base: string; readonly quote: string } {
  return instrument.kind === 'inverse'
    ? { base: amountText(notional), quote: quantityText(instrument, filled) }
    : { base: quantityText(instrument, filled), quote: amountText(notional) }
}

/** Decimals that a step needs: 0.0010 has three. */
export function decimalsOf(step: string): string {
  const point = step.indexOf('.')
  return String(point < 0 ? 0 : step.length - point - 1)
}

/** A traded or offered quantity in base coin; inverse contracts at the price that they trade or are offered at. */
export function baseText(instrument: Instrument, quantity: Lots, price: Ticks): string {
  if (instrument.kind !== 'inverse') return quantityText(instrument, quantity)
  return amountText(divFloor(quantityE8(instrument, quantity) * pow10(amountDecimals), priceE8(instrument, price)))
}

/** Margin ratios are shown at 8 decimals, rounded up. */
export function ratioText(ratio: bigint): string {
  return formatDecimal(divCeil(ratio, pow10(rateDecimals - 8)), 8)
}

export function instrumentOf(catalog: Catalog, record: { readonly instrument: number }): Instrument {
  return catalog.instruments[record.instrument]
}

export function coinName(catalog: Catalog, coin: number): string {
  return catalog.coins[coin]?.name ?? 'USD'
}

export function settleName(catalog: Catalog, instrument: Instrument): string {
  return coinName(catalog, instrument.kind === 'spot' ? instrument.quote : instrument.settle)
}
