/**
 * Exact sums for expectations: decimals as texts in, texts out as the venue writes them (shortest exact form).
 *
 * Rounding  `up` and `down` name the unit they round to; amounts of a coin round at 8 decimals (risk-engine.md §1)
 */
import { Decimal } from 'decimal.js'

const Exact = Decimal.clone({ precision: 80, toExpNeg: -80, toExpPos: 80 })

export type Figure = Decimal.Value

export function exact(value: Figure): Decimal {
  return new Exact(value)
}

/** Any sum, written out: `figure(exact(2).times('0.1'))` is `0.2`. */
export function figure(value: Figure): string {
  return exact(value).toString()
}

/** To 8 decimals toward minus infinity: what an account receives. */
export function floor8(value: Figure): string {
  return exact(value).toDecimalPlaces(8, Decimal.ROUND_FLOOR).toString()
}

/** To 8 decimals toward plus infinity: what an account pays. */
export function ceil8(value: Figure): string {
  return exact(value).toDecimalPlaces(8, Decimal.ROUND_CEIL).toString()
}

/** To a step, toward minus or plus infinity. */
export function toStep(value: Figure, step: Figure, way: 'up' | 'down'): string {
  const steps = exact(value).div(step)
  return figure((way === 'up' ? steps.ceil() : steps.floor()).times(step))
}

export function sum(values: readonly Figure[]): string {
  return figure(values.reduce<Decimal>((total, value) => total.plus(value), exact(0)))
}

/** What a fill costs in fees: the notional at the rate, rounded up (risk-engine.md §10). */
export function fee(notional: Figure, rate: Figure): string {
  return ceil8(exact(notional).times(rate))
}

/** Fees of the demo venue. */
export const feeRates = { spot: '0.001', maker: '0.0002', taker: '0.0006' } as const
