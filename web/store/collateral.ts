/**
 * The unified wallet as a pool of collateral, for the preview's liquidation price: coins at the ratios at which they count.
 * Source  risk-engine.md §16
 */
import { signal } from '@preact/signals'
import { divFloor, minOf, one, units } from '../numbers/decimal.ts'
import type { CrossPool } from '../trading/liquidation.ts'
import type { Assets } from '../venue/account-records.ts'
import type { Instrument } from '../venue/instruments.ts'
import { publicGet } from '../venue/rest.ts'

interface Step {
  readonly from: bigint
  readonly ratio: bigint
}

const ratios = signal<ReadonlyMap<string, readonly Step[]>>(new Map())

export async function loadRatios(): Promise<void> {
  const records =
    await publicGet<{ coin: string; list: readonly { tierStartValue: string; discountRate: string }[] }[]>(
      '/api/v3/market/discount-rate',
    )
  ratios.value = new Map(
    records.map(({ coin, list }) => [
      coin,
      list.map(({ tierStartValue, discountRate }) => ({ from: units(tierStartValue), ratio: units(discountRate) })),
    ]),
  )
}

/** What so many USD of a coin count for, slice by slice, and the ratio of the last slice. */
function counted(coin: string, usd: bigint): { readonly usd: bigint; readonly ratio: bigint } {
  const steps = ratios.value.get(coin) ?? []
  if (usd <= 0n || steps.length === 0) return { usd, ratio: one }
  let sum = 0n
  let ratio = one
  for (const [index, step] of steps.entries()) {
    if (usd <= step.from) break
    const end = steps[index + 1]?.from ?? usd
    sum += divFloor((minOf(usd, end) - step.from) * step.ratio, one)
    ratio = step.ratio
  }
  return { usd: sum, ratio }
}

export function crossPool({ base }: Instrument, assets: Assets): Omit<CrossPool, 'markPrice'> {
  let equity = 0n
  let baseCollateral = 0n
  let baseRatio = ratios.value.get(base)?.[0]?.ratio ?? one
  for (const coin of assets.coins) {
    const usd = units(coin.usd)
    const value = counted(coin.coin, usd)
    equity += value.usd
    if (coin.coin !== base) continue
    baseRatio = value.ratio
    baseCollateral = divFloor(units(coin.equity) * value.ratio, one)
  }
  return { equity, maintenanceOfOthers: units(assets.maintenanceMargin), baseCollateral, baseRatio }
}
