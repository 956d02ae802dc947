/** What is wrong with what was typed, in a sentence; undefined: nothing, as of an empty text. */
import { oneE8, parseUnits, units, unitsText } from './decimal.ts'
import { grouped } from './format.ts'
import { t } from '../words/words.ts'

export function priceFault(text: string, step: bigint, unit: string): string | undefined {
  if (text === '') return undefined
  const value = parseUnits(text)
  if (value === undefined || value <= 0n) return t.faults.price
  return value % step === 0n ? undefined : t.faults.steps(unitsText(step), unit)
}

/** How far a price turns back before a trailing order is triggered, in per cent. */
export function callbackFault(text: string): string | undefined {
  if (text === '') return undefined
  const isRate = /^[0-9]+([.][0-9]{1,2})?$/.test(text) && units(text) > 0n && units(text) <= 10n * oneE8
  return isRate ? undefined : t.faults.callback
}

/** `most`: what there is; undefined: not known. */
export function amountFault(text: string, most?: string): string | undefined {
  if (text === '') return undefined
  const value = parseUnits(text)
  if (value === undefined || value <= 0n) return t.faults.amount
  return most !== undefined && value > units(most) ? t.faults.moreThanThere(grouped(most)) : undefined
}

export function quantityFault(text: string, step: bigint, unit: string): string | undefined {
  if (text === '') return undefined
  const value = parseUnits(text)
  if (value === undefined || value <= 0n) return t.faults.quantity
  return value % step === 0n ? undefined : t.faults.steps(unitsText(step), unit)
}
