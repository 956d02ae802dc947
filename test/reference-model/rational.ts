/**
 * Exact fractions: a whole number over a whole number above zero. Nothing is rounded but where a rule says so.
 *
 * Booked    what a ledger keeps is a multiple of 1e-8: `down` is toward minus infinity, `up` toward plus infinity
 * Bottoms   are not reduced, but a sum takes the larger when the smaller divides it: booked values keep theirs of 1e8
 * Source    risk-engine.md §1
 */
export class Fraction {
  readonly top: bigint
  readonly bottom: bigint

  constructor(top: bigint, bottom = 1n) {
    if (bottom === 0n) throw new Error('a fraction over nothing')
    this.top = bottom < 0n ? -top : top
    this.bottom = bottom < 0n ? -bottom : bottom
  }

  plus(other: Fraction): Fraction {
    if (this.bottom === other.bottom) return new Fraction(this.top + other.top, this.bottom)
    if (this.bottom % other.bottom === 0n) {
      return new Fraction(this.top + other.top * (this.bottom / other.bottom), this.bottom)
    }
    if (other.bottom % this.bottom === 0n) return other.plus(this)
    return new Fraction(this.top * other.bottom + other.top * this.bottom, this.bottom * other.bottom)
  }

  minus(other: Fraction): Fraction {
    return this.plus(other.negative())
  }

  times(other: Fraction): Fraction {
    if (this.top === 0n || other.top === 0n) return new Fraction(0n)
    return new Fraction(this.top * other.top, this.bottom * other.bottom)
  }

  over(other: Fraction): Fraction {
    return new Fraction(this.top * other.bottom, this.bottom * other.top)
  }

  negative(): Fraction {
    return new Fraction(-this.top, this.bottom)
  }

  size(): Fraction {
    return this.top < 0n ? this.negative() : this
  }

  /** -1, 0 or 1. */
  sign(): number {
    return this.top === 0n ? 0 : this.top < 0n ? -1 : 1
  }

  /** Below, at or above another: -1, 0 or 1. */
  compare(other: Fraction): number {
    if (this.bottom === other.bottom) return this.top === other.top ? 0 : this.top < other.top ? -1 : 1
    return this.minus(other).sign()
  }

  isZero(): boolean {
    return this.top === 0n
  }

  isAbove(other: Fraction): boolean {
    return this.compare(other) > 0
  }

  isBelow(other: Fraction): boolean {
    return this.compare(other) < 0
  }

  equals(other: Fraction): boolean {
    return this.compare(other) === 0
  }

  /** The greatest whole number that is not above. */
  floor(): bigint {
    if (this.bottom === 1n) return this.top
    const whole = this.top / this.bottom
    return this.top < 0n && whole * this.bottom !== this.top ? whole - 1n : whole
  }

  /** The least whole number that is not below. */
  ceil(): bigint {
    return -this.negative().floor()
  }

  /** The nearest whole number, a half goes away from zero. */
  nearest(): bigint {
    return this.top < 0n ? -this.negative().plus(half).floor() : this.plus(half).floor()
  }

  toString(): string {
    const whole = this.times(hundredMillion)
    return whole.floor() === whole.ceil() ? decimal(whole.floor()) : `${this.top}/${this.bottom}`
  }
}

function decimal(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(9, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -8)}.${digits.slice(-8)}`
}

/** A whole number, or decimal text: `fraction('0.0006')`. */
export function fraction(value: string | number | bigint): Fraction {
  if (typeof value !== 'string') return new Fraction(BigInt(value))
  const [whole, part = ''] = value.split('.')
  return new Fraction(BigInt(whole + part), 10n ** BigInt(part.length))
}

export const zero = new Fraction(0n)
export const one = new Fraction(1n)
const half = new Fraction(1n, 2n)
const hundredMillion = new Fraction(100_000_000n)
const oneUnit = new Fraction(1n, 100_000_000n)

/** What an account gets or pays (negative), as booked: at most the exact change. */
export function down(exact: Fraction): Fraction {
  if (exact.bottom === 100_000_000n) return exact
  return new Fraction(exact.times(hundredMillion).floor(), 100_000_000n)
}

/** What an account must have or owes, as booked: at least the exact figure. */
export function up(exact: Fraction): Fraction {
  if (exact.bottom === 100_000_000n) return exact
  return new Fraction(exact.times(hundredMillion).ceil(), 100_000_000n)
}

/** To 1e-8, less of it whatever its sign. */
export function towardZero(exact: Fraction): Fraction {
  return exact.sign() < 0 ? up(exact) : down(exact)
}

/** To the nearest 1e-8, as figures are shown that round neither way. */
export function nearestUnit(exact: Fraction): Fraction {
  return nearestTo(oneUnit, exact)
}

/** The nearest multiple of a step. */
export function nearestTo(step: Fraction, exact: Fraction): Fraction {
  return step.times(new Fraction(exact.over(step).nearest()))
}

/** The greatest multiple of a step that is not above. */
export function downTo(step: Fraction, exact: Fraction): Fraction {
  return step.times(new Fraction(exact.over(step).floor()))
}

/** The least multiple of a step that is not below. */
export function upTo(step: Fraction, exact: Fraction): Fraction {
  return step.times(new Fraction(exact.over(step).ceil()))
}

export function least(first: Fraction, ...others: readonly Fraction[]): Fraction {
  return others.reduce((best, other) => (other.isBelow(best) ? other : best), first)
}

export function most(first: Fraction, ...others: readonly Fraction[]): Fraction {
  return others.reduce((best, other) => (other.isAbove(best) ? other : best), first)
}

export function sum(list: Iterable<Fraction>): Fraction {
  let total = zero
  for (const part of list) total = total.plus(part)
  return total
}
