/**
 * Numbers of the venue: prices, quantities, money and rates that cannot be confused, and every way to round.
 *
 * Ticks    a price, whole steps of one instrument (safe integer)
 * Lots     a quantity, whole steps of one instrument (safe integer; inverse contracts: whole USD contracts)
 * Amount   money of one coin, units of 1e-8 coin, kept within signed 64 bits
 * Rate     a ratio in units of 1e-12 (fee rates, margin rates, funding rates)
 * Holds    no binary floating point decides money: numbers carry integers below 2^53, bigint everything else
 * Casts    between plain and branded numbers happen here alone
 * Source   design.md §2; risk-engine.md §1; docs/decisions/0001-money-representation.md
 */
export { formatDecimal, parseDecimal } from './decimal.ts'

declare const brand: unique symbol
type Branded<T, Name extends string> = T & { readonly [brand]: Name }

export type Ticks = Branded<number, 'Ticks'>
export type Lots = Branded<number, 'Lots'>
export type Amount = Branded<bigint, 'Amount'>
export type Rate = Branded<bigint, 'Rate'>
/** Unix milliseconds. */
export type Millis = number

/** Prices lie in 1 … priceTicksMax, whatever the instrument. */
export const priceTicksMax = 2 ** 30 - 1
export const amountDecimals = 8
export const rateDecimals = 12
export const amountMax = 2n ** 63n - 1n
/** The most of one coin that may be in the venue, and that may be lent of it: no sum of balances leaves 64 bits. */
export const coinInsideMax = amountMax / 2n
export const coinLentMax = amountMax / 4n
const amountMin = -amountMax // named: negating it at each check would cost more than the check
/** One coin, in units. */
export const oneCoin = 100_000_000n
export const rateOne = 1_000_000_000_000n

/** Of one, and the units of a rate in it. */
export const millionth = 1_000_000
/** Millionths that rates below 2^53 are of. */
const sharesMax = 2 ** 32

export const zero = 0n as Amount

/** A broken invariant of the venue: never a refusal, always a defect. Stops before anything wrong leaves. */
export class InvariantBroken extends Error {
  override name = 'InvariantBroken'
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantBroken(message)
}

/** Money from exact integer arithmetic; refuses to wrap: a value beyond 64 bits stops the command. */
export function amount(units: bigint): Amount {
  if (units > amountMax || units < amountMin) throw new InvariantBroken('an amount left the 64-bit range')
  return units as Amount
}

/** Money that is shown or compared and never posted: what lies beyond 64 bits counts as their end. */
export function cappedAmount(units: bigint): Amount {
  return (units > amountMax ? amountMax : units < amountMin ? amountMin : units) as Amount
}

export function ticks(value: number): Ticks {
  assert(Number.isSafeInteger(value), 'a price is a whole number of ticks')
  return value as Ticks
}

export function lots(value: number): Lots {
  assert(Number.isSafeInteger(value), 'a quantity is a whole number of lots')
  return value as Lots
}

const scratch = new BigInt64Array(1)
const halves = new Int32Array(scratch.buffer)
const [low, high] = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? [0, 1] : [1, 0]

/** `BigInt(whole)` of a whole number within 2^53: compiled in place, where that would leave compiled code. */
export function big(whole: number): bigint {
  const upper = Math.floor(whole / 2 ** 32)
  halves[high] = upper
  halves[low] = whole - upper * 2 ** 32
  return scratch[0]
}

/** As a number what is within 64 bits, NaN from 2^53 on: compiled in place, where `Number(units)` would leave compiled code. */
export function numberOf(units: bigint): number {
  scratch[0] = units
  const upper = halves[high]
  return upper < upperMax && upper >= -upperMax ? upper * 2 ** 32 + (halves[low] >>> 0) : Number.NaN
}

/** The upper half of 2^53. */
const upperMax = 2 ** 21

export function rate(ppt: bigint): Rate {
  return ppt as Rate
}

/** Quotient rounded toward minus infinity; the divisor is positive. */
export function divFloor(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return dividend < 0n && quotient * divisor !== dividend ? quotient - 1n : quotient
}

/** Quotient rounded toward plus infinity; the divisor is positive. */
export function divCeil(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return dividend > 0n && quotient * divisor !== dividend ? quotient + 1n : quotient
}

/** As divCeil, for whole numbers below 2^53, the dividend not negative: exact, and a tenth of the work. */
export function ceilQuotient(dividend: number, divisor: number): number {
  const near = Math.ceil(dividend / divisor)
  // The quotient was rounded before it was rounded up: at a whole number it may have gone to either side.
  if (near * divisor < dividend) return near + 1
  return (near - 1) * divisor >= dividend ? near - 1 : near
}

/** As divFloor, for whole numbers below 2^53, the dividend not negative. */
function floorQuotient(dividend: number, divisor: number): number {
  const near = Math.floor(dividend / divisor)
  // As above.
  if (near * divisor > dividend) return near - 1
  return (near + 1) * divisor <= dividend ? near + 1 : near
}

/**
 * ⌊units × price / 1e8⌋, neither negative: what units of a coin are worth at a price of 1e-8. Whatever comes to less than 2^53
 * is made of numbers, in parts of 1e8 and 1e4 whose products are exact.
 */
export function worthFloor(units: bigint, priceE8: bigint): bigint {
  if (units <= safeMax && priceE8 <= safeMax) {
    const a = numberOf(units)
    const b = numberOf(priceE8)
    const wholeA = floorQuotient(a, coinUnits)
    const partA = a - wholeA * coinUnits
    const wholeB = floorQuotient(b, coinUnits)
    const partB = b - wholeB * coinUnits
    const upper = Math.floor(partB / 10_000)
    const parts = partA * upper + Math.floor((partA * (partB - upper * 10_000)) / 10_000)
    const worth = wholeA * b + partA * wholeB + Math.floor(parts / 10_000)
    if (worth <= Number.MAX_SAFE_INTEGER) return big(worth)
  }
  return (units * priceE8) / oneCoin
}

const safeMax = BigInt(Number.MAX_SAFE_INTEGER)
const coinUnits = 100_000_000

/** As divFloor of what two products of whole numbers came to, where both are exact; undefined where they are not. */
export function smallFloor(dividend: number, divisor: number): bigint | undefined {
  return isSmall(dividend) && isSmall(divisor) && divisor > 0 ? big(floorQuotient(dividend, divisor)) : undefined
}

/** As smallFloor, rounded up. */
export function smallCeil(dividend: number, divisor: number): bigint | undefined {
  return isSmall(dividend) && isSmall(divisor) && divisor > 0 ? big(ceilQuotient(dividend, divisor)) : undefined
}

/** Quotient rounded to the nearest, halves away from zero; the divisor is positive. Display only. */
export function divHalfUp(dividend: bigint, divisor: bigint): bigint {
  return dividend < 0n ? -((-dividend * 2n + divisor) / (divisor * 2n)) : (dividend * 2n + divisor) / (divisor * 2n)
}

/** `value × rate`, rounded up: what an account pays. A negative rate (rebate) is rounded up too, toward the house. */
export function shareCeil(value: bigint, share: Rate): Amount {
  return amount(wideShareCeil(value, share))
}

/** As shareCeil, however much it is. */
export function wideShareCeil(value: bigint, share: bigint): bigint {
  return divCeil(value * share, rateOne)
}

/** As wideShareCeil, of a whole number below 2^53. Nearly every rate is of whole millionths, and its product with such a value exact. */
export function smallShareCeil(value: number, share: bigint): bigint {
  const product = value * millionthsOf(share)
  return isSmall(product) ? big(ceilQuotient(product, millionth)) : divCeil(big(value) * share, rateOne)
}

/** A share as whole millionths, exact as a number; NaN when it is not. */
export function millionthsOf(share: bigint): number {
  const millionths = numberOf(share) / millionth
  return Number.isInteger(millionths) && Math.abs(millionths) <= sharesMax ? millionths : Number.NaN
}

/** Whether a product of whole numbers is not negative and exact; what is not a number is not. */
function isSmall(product: number): boolean {
  return product >= 0 && product <= Number.MAX_SAFE_INTEGER
}

/** `value × rate`, rounded down: what an account receives. */
export function shareFloor(value: bigint, share: Rate): Amount {
  return amount(divFloor(value * share, rateOne))
}

export function minAmount(a: Amount, b: Amount): Amount {
  return a < b ? a : b
}

export function maxAmount(a: Amount, b: Amount): Amount {
  return a > b ? a : b
}

export function pow10(exponent: number): bigint {
  return 10n ** BigInt(exponent)
}
