/**
 * Money, prices and quantities of the terminal: whole units of 1e-8 in a bigint, as the venue keeps them.
 *
 * Text       what is sent is always the text that such a number has, never a float
 * Rounding   every division says which way: `divFloor`, `divCeil`
 * Not here   grouping and shortening for the eye (format.ts)
 */

/** Decimal places of a unit. */
const places = 8
/** One: a coin, a price of one, a rate of 100%. */
export const oneE8 = 10n ** BigInt(places)

/** Undefined: no plain decimal of at most eight places. */
export function parseUnits(text: string): bigint | undefined {
  const match = /^(-?)(\d{1,18})(?:\.(\d{0,20}))?$/.exec(text)
  if (match === null) return undefined
  const [, sign = '', whole = '', rest = ''] = match
  const kept = rest.replace(/0+$/, '')
  if (kept.length > places) return undefined
  const size = BigInt(whole) * oneE8 + BigInt(kept.padEnd(places, '0'))
  return sign === '-' ? -size : size
}

/**
 * What was typed or pasted, as it will be sent. Commas that make groups, as this page writes them, go; any other is the
 * decimal point of whoever types it.
 */
export function typedDecimal(text: string): string {
  const plain = text.trim()
  const isGrouped = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?$/.test(plain)
  const pointed = isGrouped ? plain.replaceAll(',', '') : plain.replace(',', '.')
  return pointed.startsWith('.') ? `0${pointed}` : pointed
}

/** What the venue said; an empty or unreadable text counts as nothing. */
export function units(text: string | null | undefined): bigint {
  return text === undefined || text === null ? 0n : (parseUnits(text) ?? 0n)
}

/** The shortest text. */
export function unitsText(value: bigint): string {
  const size = value < 0n ? -value : value
  const whole = size / oneE8
  const rest = (size % oneE8).toString().padStart(places, '0').replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`
}

/** With exactly so many places, those beyond cut off. */
export function fixedText(value: bigint, digits: number): string {
  const [whole = '0', rest = ''] = unitsText(value).split('.')
  return digits <= 0 ? whole : `${whole}.${rest.slice(0, digits).padEnd(digits, '0')}`
}

export function divFloor(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return dividend % divisor !== 0n && dividend < 0n !== divisor < 0n ? quotient - 1n : quotient
}

export function divCeil(dividend: bigint, divisor: bigint): bigint {
  return -divFloor(-dividend, divisor)
}

/** The product of two numbers in units, rounded down. */
export function timesFloor(a: bigint, b: bigint): bigint {
  return divFloor(a * b, oneE8)
}

export function timesCeil(a: bigint, b: bigint): bigint {
  return divCeil(a * b, oneE8)
}

export function maxOf(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

export function minOf(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** Down to a whole number of steps. */
export function floorTo(value: bigint, step: bigint): bigint {
  return step <= 0n ? value : divFloor(value, step) * step
}

/** One step up or down, from wherever it is, never below zero. */
export function stepped(value: bigint, step: bigint, by: number): bigint {
  const next = floorTo(value, step) + step * BigInt(by)
  return next < 0n ? 0n : next
}

/** Whole steps of 10^-precision as a safe integer, for the eye: depth, sorting, charts. */
export function stepsOf(text: string, precision: number): number {
  const dot = text.indexOf('.')
  if (dot === -1) return Number(text) * 10 ** precision
  return Number(text.slice(0, dot) + text.slice(dot + 1, dot + 1 + precision).padEnd(precision, '0'))
}
