/**
 * Units of one instrument: what a lot at a price in ticks is worth, exactly.
 *
 * linear and spot  notional = lots × ticks × unit, in quote units, always exact
 * inverse          notional = lots × numerator / (ticks × priceStep), in base coin units: a fraction, rounded where booked
 * Source           risk-engine.md §1.2, §2, §8
 */
import {
  type Amount,
  amount,
  big,
  cappedAmount,
  ceilQuotient,
  divCeil,
  divFloor,
  divHalfUp,
  type Lots,
  millionth,
  millionthsOf,
  numberOf,
  oneCoin,
  pow10,
  type Rate,
  rateOne,
  smallCeil,
  smallFloor,
  smallShareCeil,
  type Ticks,
  wideShareCeil,
} from '../numbers/numbers.ts'
import type { Instrument } from './instrument.ts'

export interface Scale {
  readonly inverse: boolean
  /** Quote units of one lot at one tick; zero for inverse. `unitNumber` is the same, beyond 2^53 infinity. */
  readonly unit: bigint
  readonly unitNumber: number
  /** Base units of one lot; zero for inverse. `baseUnitNumber` is the same. */
  readonly baseUnit: bigint
  readonly baseUnitNumber: number
  /** inverse: base units times price, per lot. `numeratorNumber` and `priceStepNumber` are the same. */
  readonly numerator: bigint
  readonly numeratorNumber: number
  readonly priceStep: bigint
  readonly priceStepNumber: number
  /** USD of 1e-8 that one lot of an inverse contract is worth at any price. */
  readonly usdUnit: bigint
  /** One tick in 1e-8 of the quote. */
  readonly tickE8: bigint
  /** As the function of this name gives it. */
  readonly averageStepE8: bigint
}

/** The last decimal of an average price, in 1e-8 of the quote: two decimals more than a price has, at most eight. */
export function averageStepE8({ priceDecimals }: Pick<Instrument, 'priceDecimals'>): bigint {
  return pow10(Math.max(0, 6 - priceDecimals))
}

/** The scale of an instrument; it follows from its steps alone. */
export function scaleOf(instrument: Instrument): Scale {
  const { priceDecimals, quantityDecimals, kind } = instrument
  const priceStep = BigInt(instrument.priceStep)
  const quantityStep = BigInt(instrument.quantityStep)
  const inverse = kind === 'inverse'
  const unit = inverse ? 0n : priceStep * quantityStep * pow10(8 - priceDecimals - quantityDecimals)
  const baseUnit = inverse ? 0n : quantityStep * pow10(8 - quantityDecimals)
  const numerator = inverse ? quantityStep * pow10(8 + priceDecimals - quantityDecimals) : 0n
  return {
    inverse,
    unit,
    unitNumber: numberNear(unit),
    baseUnit,
    baseUnitNumber: numberNear(baseUnit),
    numerator,
    numeratorNumber: numberNear(numerator),
    priceStep,
    priceStepNumber: instrument.priceStep,
    usdUnit: inverse ? quantityStep * pow10(8 - quantityDecimals) : 0n,
    tickE8: priceStep * pow10(8 - priceDecimals),
    averageStepE8: averageStepE8(instrument),
  }
}

function numberNear(units: bigint): number {
  return units <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(units) : Number.POSITIVE_INFINITY
}

/** Exact for spot and linear; rounded down for inverse. */
export function notionalFloor(scale: Scale, quantity: Lots, price: Ticks): Amount {
  return amount(valueFloor(scale, quantity, price))
}

/** Exact for spot and linear; rounded up for inverse. */
export function notionalCeil(scale: Scale, quantity: Lots, price: Ticks): Amount {
  return amount(valueCeil(scale, quantity, price))
}

/** Notional of an inverse contract in 1e-12 base coin, rounded down. Units of 1e-8 are too coarse for an average price. */
export function notionalE12(scale: Scale, quantity: number, price: number): bigint {
  return (
    smallFloor(quantity * scale.numeratorNumber * Number(e12PerUnit), price * scale.priceStepNumber) ??
    (big(quantity) * scale.numerator * e12PerUnit) / (big(price) * scale.priceStep)
  )
}

/** Parts of 1e-12 in one unit of 1e-8. */
export const e12PerUnit = 10_000n

/** As notionalFloor, but without a bound: for values that are compared and never posted. */
export function valueFloor(scale: Scale, quantity: number, price: number): bigint {
  return scale.inverse ? inverseFloor(scale, quantity, price) : exactValue(scale, quantity, price)
}

/** As notionalCeil, but without a bound. */
export function valueCeil(scale: Scale, quantity: number, price: number): bigint {
  return scale.inverse ? inverseCeil(scale, quantity, price) : exactValue(scale, quantity, price)
}

/** The most that one lot is worth at a price. In units of what is booked: quote or base coin, of inverse base coin or USD. */
export function lotWorthMax(scale: Scale, price: number): bigint {
  const [fixed, atPrice] = scale.inverse
    ? [scale.usdUnit, scale.numerator / (big(price) * scale.priceStep) + 1n]
    : [scale.baseUnit, big(price) * scale.unit]
  return fixed > atPrice ? fixed : atPrice
}

/** `notional × rate` of the unrounded notional, rounded up: a fee (a rebate, rate < 0, is rounded toward the house). */
export function feeOf(scale: Scale, quantity: Lots, price: Ticks, feeRate: Rate): Amount {
  return amount(
    scale.inverse ? inverseFeeOf(scale, quantity, price, feeRate) : shareOf(scale, quantity, price, feeRate),
  )
}

/** `notional × rate` of spot and linear, rounded up, without a bound. */
export function shareOf(scale: Scale, quantity: number, price: number, share: bigint): bigint {
  const small = quantity * price * scale.unitNumber
  return small <= Number.MAX_SAFE_INTEGER
    ? smallShareCeil(small, share)
    : wideShareCeil(exactValue(scale, quantity, price), share)
}

/** `notional / leverage`, rounded up: initial margin. Leverage is a whole number. */
export function initialMarginOf(scale: Scale, quantity: Lots, price: Ticks, leverage: number): Amount {
  if (!scale.inverse) {
    const small = quantity * price * scale.unitNumber
    if (small <= Number.MAX_SAFE_INTEGER) return big(ceilQuotient(small, leverage)) as Amount
    return cappedAmount(divCeil(exactValue(scale, quantity, price), big(leverage)))
  }
  return cappedAmount(inverseCeil(scale, quantity, price, leverage))
}

/** Value by which tiers and minimums go: quote units (spot, linear), USD of 1e-8 (inverse). */
export function tierValue(scale: Scale, quantity: Lots, price: Ticks): Amount {
  return cappedAmount(scale.inverse ? big(quantity) * scale.usdUnit : valueFloor(scale, quantity, price))
}

/** Base coin of spot and linear lots, in units; exact. */
export function baseOf(scale: Scale, quantity: number): Amount {
  const small = quantity * scale.baseUnitNumber
  return small <= Number.MAX_SAFE_INTEGER ? (big(small) as Amount) : amount(big(quantity) * scale.baseUnit)
}

/** `base coin × rate`, rounded up: the fee of the side that receives base coin. */
export function baseFeeOf(scale: Scale, quantity: number, feeRate: Rate): Amount {
  const small = quantity * scale.baseUnitNumber
  return amount(
    small <= Number.MAX_SAFE_INTEGER ? smallShareCeil(small, feeRate) : wideShareCeil(baseOf(scale, quantity), feeRate),
  )
}

/**
 * Average price of spot or linear lots, value / (lots × base unit): in 1e-8 of the quote, to the nearest `step` of these.
 * Lots that all had the same price give that price.
 */
export function averagePriceE8(scale: Scale, value: bigint, quantity: number, step = 1n): bigint {
  const small = numberOf(value)
  const perTick = quantity * scale.unitNumber
  const price = small / perTick
  if (Number.isInteger(price) && price * perTick === small) return big(price) * scale.tickE8
  return divHalfUp(value * oneCoin, big(quantity) * scale.baseUnit * step) * step
}

function inverseFloor(scale: Scale, quantity: number, price: number): bigint {
  return (
    smallFloor(quantity * scale.numeratorNumber, price * scale.priceStepNumber) ??
    divFloor(big(quantity) * scale.numerator, big(price) * scale.priceStep)
  )
}

/** ⌈notional / divisor⌉. */
function inverseCeil(scale: Scale, quantity: number, price: number, divisor = 1): bigint {
  return (
    smallCeil(quantity * scale.numeratorNumber, price * scale.priceStepNumber * divisor) ??
    divCeil(big(quantity) * scale.numerator, big(price) * scale.priceStep * big(divisor))
  )
}

function inverseFeeOf(scale: Scale, quantity: number, price: number, feeRate: Rate): bigint {
  const divisor = price * scale.priceStepNumber * millionth
  return (
    smallCeil(quantity * scale.numeratorNumber * millionthsOf(feeRate), divisor) ??
    divCeil(big(quantity) * scale.numerator * feeRate, big(price) * scale.priceStep * rateOne)
  )
}

/** Linear and spot. Below 2^53 numbers are as exact, and a third of the work. */
function exactValue(scale: Scale, quantity: number, price: number): bigint {
  const small = quantity * price * scale.unitNumber
  return small <= Number.MAX_SAFE_INTEGER ? big(small) : big(quantity) * big(price) * scale.unit
}
