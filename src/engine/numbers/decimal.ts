/**
 * Decimal text at the edge: the only place where decimal strings become scaled integers and back.
 *
 * Accepted  digits, optionally one point with digits on both sides; leading zeros and trailing zeros beyond the
 *           precision are allowed (`60000.10` with one decimal)
 * Refused   signs (unless asked for), exponents, blanks, `+`, `NaN`, other digits than 0-9; more significant
 *           decimals than the field has; values beyond 2^63-1 after scaling; more than 64 characters
 * Source    design.md §2, §4.31
 */
export type DecimalFault = 'not-a-decimal' | 'too-many-decimals' | 'out-of-range'

const textLengthMax = 64
const unsignedPattern = /^[0-9]+(?:\.[0-9]+)?$/
const signedPattern = /^-?[0-9]+(?:\.[0-9]+)?$/
const scaledMax = 2n ** 63n - 1n

/** The integer `text × 10^decimals`, exact, or the fault. */
export function parseDecimal(text: string, decimals: number, signed = false): bigint | DecimalFault {
  if (text.length > textLengthMax || !(signed ? signedPattern : unsignedPattern).test(text)) return 'not-a-decimal'
  const point = text.indexOf('.')
  if (point < 0) return bounded(BigInt(text + '0'.repeat(decimals)))
  const fraction = text.slice(point + 1, endWithoutZeros(text))
  if (fraction.length > decimals) return 'too-many-decimals'
  return bounded(BigInt(text.slice(0, point) + fraction + '0'.repeat(decimals - fraction.length)))
}

/** Where the text ends without its trailing zeros. */
function endWithoutZeros(text: string): number {
  let end = text.length
  while (text.charCodeAt(end - 1) === 48) end-- // before the first character is none, which ends it too
  return end
}

function bounded(scaled: bigint): bigint | DecimalFault {
  return scaled > scaledMax || scaled < -scaledMax ? 'out-of-range' : scaled
}

/** Shortest exact text of `scaled / 10^decimals`; with `fixed`, all decimals are written. */
export function formatDecimal(scaled: bigint | number, decimals: number, fixed = false): string {
  const value = BigInt(scaled)
  if (decimals === 0) return value.toString()
  const negative = value < 0n
  const digits = (negative ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, -decimals)
  const all = digits.slice(-decimals)
  const fraction = fixed ? all : all.slice(0, endWithoutZeros(all))
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}
