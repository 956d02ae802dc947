/**
 * How far the margin behind a position is used: maintenance over equity, divided once and last.
 *
 * Isolated  MM(V) / (M + uPnL)          cross  Σ MM / (W + Σ uPnL), over the margin account
 * Unified   what the account needs and has, in USD of 1e-8 (unified-margin.ts)
 * Rounding  up at 8 decimals, from exact fractions: neither amount is rounded before; 1 once equity is used up
 * Source    risk-engine.md §1, §5, §6, §8, §21
 */
import { type FuturesInstrument, type Scale, tierValue } from '../catalog/catalog.ts'
import { divCeil, type Lots, oneCoin, type Rate, rateOne } from '../numbers/numbers.ts'
import { type Exposure, largerSide, type Position, type Reading, unrealizedPnl } from '../state/state.ts'
import { crossExposures, crossMaintenance, crossPnl } from './account-margin.ts'
import type { Fraction } from './liquidation-price.ts'
import { maintenanceMargin, type Slice, sliceAt } from './maintenance.ts'
import { type UnifiedMargin, unifiedMargin } from './unified-margin.ts'

/** Margin ratio of a position, or of the margin account or unified account behind it, in 1e-12. */
export function marginRatio(
  reading: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  position: Position,
): Rate {
  return rateOf(marginFraction(reading, instrument, exposure, position))
}

/** Margin ratio of a pool, such as a unified account, in 1e-12. Debt alone may need margin. */
export function poolRatio({ maintenance, equity }: Pick<UnifiedMargin, 'maintenance' | 'equity'>): Rate {
  return maintenance === 0n ? (0n as Rate) : rateOf([maintenance, equity])
}

function rateOf([maintenance, equity]: Fraction): Rate {
  if (equity <= 0n) return (oneCoin * 10_000n) as Rate
  return (divCeil(maintenance * oneCoin, equity) * 10_000n) as Rate
}

/** Maintenance over equity, exactly; the divisor has the sign of what is left. */
export function marginFraction(
  reading: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  position: Position,
): Fraction {
  if (exposure.marginMode === 'isolated') {
    return used(reading, position.margin, [{ exposure, positions: [position], counted: position.quantity }])
  }
  if (exposure.wallet === 'uta') {
    const { maintenance, equity } = unifiedMargin(reading, exposure.account)
    return [maintenance, equity]
  }
  const wallet = reading.ledger.balanceOf(reading.ledger.find(exposure.account, exposure.wallet, instrument.settle))
  const books = [...crossExposures(reading, exposure, instrument)].map((other) => ({
    exposure: other,
    positions: [other.long, other.short],
    counted: largerSide(other),
  }))
  return used(reading, wallet, books)
}

interface Book {
  readonly exposure: Exposure
  readonly positions: readonly (Position | undefined)[]
  /** What maintenance counts. */
  readonly counted: Lots
}

/** Both amounts over one divisor, which they then no longer need. */
function used(reading: Reading, backing: bigint, books: readonly Book[]): Fraction {
  let equity = backing
  let maintenance = 0n
  let divisor = 1n
  for (const { exposure, positions, counted } of books) {
    if (counted === 0) continue
    const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
    const scale = reading.scale(instrument.id)
    const mark = reading.prices.markPrice(instrument.id)
    const slice = sliceAt(instrument, tierValue(scale, counted, mark))
    const [needed, whole] = maintenanceFraction({ instrument, scale }, counted, mark, slice)
    const own = whole / rateOne
    const pnl = positions.reduce(
      (sum, position) => sum + (position === undefined ? 0n : pnlFraction(scale, position, mark)[0]),
      0n,
    )
    equity = equity * own + pnl * divisor
    maintenance = maintenance * own + needed * divisor
    divisor *= own
  }
  return [maintenance, equity * rateOne]
}

/** V(P) in units: linear q·P, inverse N/P. */
export function valueFraction(scale: Scale, quantity: number, price: number): Fraction {
  if (scale.inverse) return [BigInt(quantity) * scale.numerator, BigInt(price) * scale.priceStep]
  return [BigInt(quantity) * BigInt(price) * scale.unit, 1n]
}

/** uPnL(P) in units: linear F + s·q·P, inverse F − s·N/P. */
export function pnlFraction(
  scale: Scale,
  position: { readonly side: 'long' | 'short'; readonly quantity: number; readonly entryValue: bigint },
  price: number,
): Fraction {
  const [value, divisor] = valueFraction(scale, position.quantity, price)
  const plus = (position.side === 'long') !== scale.inverse
  return [position.entryValue * divisor + (plus ? value : -value), divisor]
}

/** MM(V) in units: V × (mmr + f) − cum; inverse: (N × (mmr + f) − cum) / P. */
export function maintenanceFraction(
  { instrument, scale }: { readonly instrument: FuturesInstrument; readonly scale: Scale },
  quantity: number,
  price: number,
  { rate, deduction }: Pick<Slice, 'rate' | 'deduction'>,
): Fraction {
  const [value, divisor] = valueFraction(scale, quantity, price)
  // An inverse contract's deduction is in USD, as its tiers are.
  const cum = scale.inverse ? deduction * 10n ** BigInt(instrument.priceDecimals) : deduction
  return [value * rate - cum, divisor * rateOne]
}

/**
 * The two sides of the margin ratio of a position, as rounded amounts. They are those of the isolated position, of its
 * cross margin account, or (in USD of 1e-8) of the unified account.
 */
export function ratioParts(
  reading: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  position: Position,
): { readonly maintenance: bigint; readonly equity: bigint } {
  const scale = reading.scale(instrument.id)
  const mark = reading.prices.markPrice(instrument.id)
  let maintenance: bigint
  let equity: bigint
  if (exposure.marginMode === 'isolated') {
    maintenance = maintenanceMargin(instrument, scale, position.quantity, mark)
    equity = position.margin + unrealizedPnl(scale, position, mark)
  } else if (exposure.wallet === 'uta') {
    return unifiedMargin(reading, exposure.account)
  } else {
    maintenance = 0n
    equity = reading.ledger.balanceOf(reading.ledger.find(exposure.account, exposure.wallet, instrument.settle))
    for (const other of crossExposures(reading, exposure, instrument)) {
      maintenance += crossMaintenance(reading, other)
      equity += crossPnl(reading, other)
    }
  }
  return { maintenance, equity }
}
