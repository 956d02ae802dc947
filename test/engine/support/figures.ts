/** Decimal text in, exact integers out, and back: so that tests show figures as people write them. */
import { type Amount, formatDecimal, parseDecimal, type Rate } from '../../../src/engine/numbers/numbers.ts'

/** Money: `units('1.5')` is one and a half coins. */
export function units(text: string): Amount {
  return scaled(text, 8) as Amount
}

/** A ratio: `share('0.0006')` is 0.06 %. */
export function share(text: string): Rate {
  return scaled(text, 12) as Rate
}

export function scaled(text: string, decimals: number): bigint {
  const value = parseDecimal(text, decimals, true)
  if (typeof value === 'string') throw new Error(`${text} with ${decimals} decimals is ${value}`)
  return value
}

/** Money as text with as many decimals as it needs. */
export function coins(amount: bigint): string {
  return formatDecimal(amount, 8)
}
