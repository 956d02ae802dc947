/**
 * What the next step of a liquidation takes, and at which price.
 *
 * Source  risk-engine.md §5, §6, §14
 */
import { type FuturesInstrument, tierValue } from '../catalog/catalog.ts'
import { bankruptcyPrice, maintenanceMargin } from '../margin/margin.ts'
import type { Lots, Ticks } from '../numbers/numbers.ts'
import { isHalted } from '../price-rules/price-rules.ts'
import { bandPrice, type Breached, type Exposure, largerSide, positionOf, type Reading } from '../state/state.ts'
import type { PositionSide } from '../vocabulary.ts'
import { backingIn } from './backing.ts'
import { allCoins, type Pool, poolsOf, marginStateOf } from './pools.ts'

/** The pool as it stands now, if it is still breached. */
export function stillBreached(reading: Reading, breached: Breached): Pool | undefined {
  const pool = poolsOf(reading, breached.account).find(
    ({ wallet, coin, side, exposures }) =>
      wallet === breached.wallet &&
      coin === breached.coin &&
      (side ?? '') === breached.side &&
      (side === undefined || exposures[0].index === breached.exposure),
  )
  if (pool === undefined) return undefined
  const { equity, maintenance } = marginStateOf(reading, pool)
  return equity <= maintenance ? pool : undefined
}

/** The contract of the pool that needs most maintenance; ties by contract. */
export function mostNeeding(reading: Reading, pool: Pool): { exposure: Exposure; side: PositionSide } | undefined {
  let most: Exposure | undefined
  let mostNeeded = -1n
  for (const exposure of pool.exposures) {
    const larger = largerSide(exposure)
    if (larger === 0 || isStuck(reading, exposure)) continue
    const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
    const mark = reading.prices.markPrice(instrument.id)
    // Of a unified account the contracts settle in several coins: they compare in USD.
    const weight = pool.coin === allCoins ? reading.prices.usdE8(instrument.settle) : 1n
    const needed = maintenanceMargin(instrument, reading.scale(instrument.id), larger, mark) * weight
    if (needed > mostNeeded) {
      most = exposure
      mostNeeded = needed
    }
  }
  if (most === undefined) return undefined
  return { exposure: most, side: (most.long?.quantity ?? 0) >= (most.short?.quantity ?? 0) ? 'long' : 'short' }
}

/**
 * Lots to close: they bring a position down by `reduceTiers` tiers (two: from the third to the first), at most to the first.
 * A position of the first tier is closed whole.
 */
export function reducingQuantity(reading: Reading, exposure: Exposure, quantity: Lots): Lots {
  const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
  const scale = reading.scale(instrument.id)
  const mark = reading.prices.markPrice(instrument.id)
  const value = tierValue(scale, quantity, mark)
  const found = instrument.tiers.findIndex((tier) => value < tier.to)
  const tier = found < 0 ? instrument.tiers.length - 1 : found
  const { reduceTiers } = reading.settings.risk
  if (tier === 0 || reduceTiers === 0) return quantity
  const keepValue = instrument.tiers[Math.max(0, tier - reduceTiers)].to
  const oneLot = scale.inverse ? scale.usdUnit : BigInt(mark) * scale.unit
  // The tier's upper bound belongs to the next one.
  const keep = Number((keepValue - 1n) / oneLot)
  return (keep >= quantity ? quantity : quantity - keep) as Lots
}

/** Where a position of a cross pool has used up its share of the pool's equity; the mark where there is no such price. */
export function crossBankruptcyPrice(reading: Reading, pool: Pool, exposure: Exposure, side: PositionSide): Ticks {
  const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
  const position = positionOf(exposure, side)
  if (position === undefined) return markOf(reading, exposure)
  const { backing } = backingIn(reading, pool, exposure, side)
  return bankruptcyPrice(instrument, reading.scale(instrument.id), position, backing) || markOf(reading, exposure)
}

/** No worse than the limit band allows an order: what stands behind a small position may reach for any price. */
export function withinBand(reading: Reading, exposure: Exposure, side: PositionSide, price: Ticks): Ticks {
  const { limitBand } = reading.instrument(exposure.instrument)
  if (limitBand === 0n) return price
  const worst = bandPrice(markOf(reading, exposure), side === 'long' ? 'sell' : 'buy', limitBand)
  return (side === 'long' ? Math.max(price, worst) : Math.min(price, worst)) as Ticks
}

/** Where a position without a bankruptcy price is closed. */
export function markOf(reading: Reading, { instrument }: Exposure): Ticks {
  return reading.prices.markPrice(instrument)
}

/** Whether a contract cannot trade now: it is halted, or its index is. */
export function isStuck(reading: Reading, { instrument }: Exposure): boolean {
  return reading.instrument(instrument).status === 'halted' || isHalted(reading, instrument)
}
