/**
 * What is wrong with a figure that was typed, before the venue is asked; nothing is said of a field that is empty.
 *
 * Price      on the steps of its instrument
 * Quantity   on the steps, at least the least
 * Callback   of a trailing order: 0.01 to 10 per cent
 */
import { oneE8, parseUnits, units, unitsText } from '../numbers/decimal.ts'
import type { Instrument } from '../venue/instruments.ts'

export function priceFault(text: string, { priceStep, quote }: Instrument): string | undefined {
  if (text === '') return undefined
  const value = parseUnits(text)
  if (value === undefined || value <= 0n) return 'A price is a number above zero'
  return value % priceStep === 0n ? undefined : `Steps of ${unitsText(priceStep)} ${quote}`
}

/** `closes`: what only takes from a position needs no minimum. */
export function quantityFault(text: string, instrument: Instrument, closes = false): string | undefined {
  if (text === '') return undefined
  const { quantityStep, quantityUnit } = instrument
  const quantityMin = closes ? quantityStep : instrument.quantityMin
  const value = parseUnits(text)
  if (value === undefined || value <= 0n) return 'A quantity is a number above zero'
  if (value < quantityMin) return `At least ${unitsText(quantityMin)} ${quantityUnit}`
  return value % quantityStep === 0n ? undefined : `Steps of ${unitsText(quantityStep)} ${quantityUnit}`
}

export function callbackFault(text: string): string | undefined {
  if (text === '') return undefined
  const isRate = /^[0-9]+([.][0-9]{1,2})?$/.test(text) && units(text) > 0n && units(text) <= 10n * oneE8
  return isRate ? undefined : 'From 0.01 to 10 %, two decimals'
}
