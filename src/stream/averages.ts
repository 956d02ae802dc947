/**
 * Average price of a quantity and its notional, 1e-8 of the quote, half-up, for display: of spot and linear to the decimals that
 * are shown, two more than the price has.
 *
 *   spot, linear   Σ notional ÷ quantity        inverse   quantity (USD) ÷ Σ notional (base coin)
 */
import { averageStepE8, type Instrument } from '../engine/catalog/catalog.ts'
import { divHalfUp, type Lots, oneCoin, pow10 } from '../engine/numbers/numbers.ts'

/** Zero when nothing was traded. */
export function averagePriceE8(instrument: Instrument, quantity: Lots, notional: bigint): bigint {
  if (quantity === 0 || notional === 0n) return 0n
  const steps = BigInt(quantity) * BigInt(instrument.quantityStep) * oneCoin
  const decimals = pow10(instrument.quantityDecimals)
  const step = averageStepE8(instrument)
  return instrument.kind === 'inverse'
    ? divHalfUp(steps * oneCoin, notional * decimals)
    : divHalfUp(notional * oneCoin * decimals, steps * step) * step
}
