/** What is wrong with what was typed, in a sentence; undefined: nothing, as of an empty text. */
import { parseUnits, units, unitsText } from './decimal.ts'
import { grouped } from './format.ts'

export function priceFault(text: string, step: bigint, unit: string): string | undefined {
  if (text === '') return undefined
  const value = parseUnits(text)
  if (value === undefined || value <= 0n) return 'A price is a number above zero'
  return value % step === 0n ? undefined : `Steps of ${unitsText(step)} ${unit}`
}

/** `most`: what there is; undefined: not known. */
export function amountFault(text: string, most?: string): string | undefined {
  if (text === '') return undefined
  const value = parseUnits(text)
  if (value === undefined || value <= 0n) return 'An amount is a number above zero'
  return most !== undefined && value > units(most) ? `More than there is: at most ${grouped(most)}` : undefined
}

export function quantityFault(text: string, step: bigint, unit: string): string | undefined {
  if (text === '') return undefined
  const value = parseUnits(text)
  if (value === undefined || value <= 0n) return 'A quantity is a number above zero'
  return value % step === 0n ? undefined : `Steps of ${unitsText(step)} ${unit}`
}
