/**
 * Quantities of contracts as v2 counts them: base coin, of coin-margined contracts too, where the terminal counts whole USD
 * contracts. The venue turns base coin into contracts and drops what is left over: an opening order at its price (at market at
 * the mark), a closing one at the entry price of its position.
 *
 * Sent   half a contract more than is meant: what is dropped leaves exactly what is meant, as long as a size has decimals
 *        enough and the price is the one that the venue takes; otherwise a little less
 * Read   positions and fills to the nearest contract, orders as the venue would turn them
 * Source docs/interface.md "Orders"; risk-engine.md §8
 */
import { divFloor, floorTo, oneE8, units, unitsText } from '../../numbers/decimal.ts'
import type { Instrument } from '../instruments.ts'

type Counted = Pick<Instrument, 'kind' | 'quantityStep'>

/** `decimals`: how many a size may have. */
export function sizeText({ kind, quantityStep }: Counted, quantity: string, price: bigint, decimals: number): string {
  if (kind !== 'inverse') return quantity
  if (price <= 0n) return '0'
  const base = divFloor((units(quantity) * 2n + quantityStep) * oneE8, price * 2n)
  return unitsText(floorTo(base, 10n ** BigInt(8 - decimals)))
}

/** What an order of this size asks for at this price. */
export function orderedText({ kind, quantityStep }: Counted, size: string, price: string): string {
  if (kind !== 'inverse') return size
  return unitsText(floorTo(divFloor(units(size) * units(price), oneE8), quantityStep))
}

/** What was traded, or is held, at this average price. */
export function tradedText({ kind, quantityStep }: Counted, base: string, average: string): string {
  if (kind !== 'inverse') return base
  return unitsText(floorTo(divFloor(units(base) * units(average), oneE8) + quantityStep / 2n, quantityStep))
}
