/**
 * Where a position would be liquidated, by the formulas of the risk engine, on exact integers.
 *
 * Isolated    on its own margin; cross on what the wallet has (collateral.ts), all other marks standing and the base coin
 *             that is collateral moving along
 * Hedge       long and short of a contract move against each other; the larger one needs maintenance, and both show one price
 * Tiers       that root counts which lies in the tier that it was computed with
 * Shown       to the tick, the earlier side: a long's up, a short's down; undefined: there is none
 * Estimate    the rate at which debts need maintenance is taken for what it is by default (`debtMaintenanceRate`)
 * Source      risk-engine.md §3, §5-§8, §16
 */
import { divCeil, divFloor, floorTo, maxOf, oneE8 } from '../numbers/decimal.ts'
import type { Instrument, Tier } from '../venue/instruments.ts'

/** Everything in units of 1e-8. */
export interface OpenPosition {
  readonly side: 'long' | 'short'
  readonly quantity: bigint
  readonly entryPrice: bigint
}

/** What backs a cross position, in USD (of a wallet of one coin: in that coin), all at the mark. */
export interface CrossPool {
  readonly markPrice: bigint
  /** Value of the coin that the contract settles in, this position in it; below zero it is a debt. */
  readonly settleValue: bigint
  /** The share of it that counts as long as it is no debt. */
  readonly settleRatio: bigint
  /** Base coin of a linear contract that counts as collateral, at the ratio at which it counts. */
  readonly baseCollateral: bigint
  /** What all other coins count for. */
  readonly otherCollateral: bigint
  /** Maintenance margin of everything but this position and a debt of its settlement coin. */
  readonly maintenanceOfOthers: bigint
}

/** Maintenance that a debt asks for: no endpoint tells it, this is what a coin has unless its operator says otherwise. */
export const debtMaintenanceRate = oneE8 / 25n

type Contract = Pick<Instrument, 'kind' | 'takerFeeRate' | 'priceStep'>

interface Slice {
  readonly from: bigint
  readonly to: bigint | undefined
  /** Maintenance rate and taker fee. */
  readonly rate: bigint
  readonly deduction: bigint
}

/** `cum_k = cum_{k−1} + lower_k × (mmr_k − mmr_{k−1})` */
function slicesOf(tiers: readonly Tier[], feeRate: bigint): Slice[] {
  let deduction = 0n
  let before = 0n
  return tiers.map(({ from, to, maintenanceRate }, index) => {
    if (index > 0) deduction += divFloor(from * (maintenanceRate - before), oneE8)
    before = maintenanceRate
    return { from, to: index === tiers.length - 1 ? undefined : to, rate: maintenanceRate + feeRate, deduction }
  })
}

/** `MM(V) = V × (mmr + f) − cum`, rounded up. */
export function maintenanceMargin(notional: bigint, tiers: readonly Tier[], feeRate: bigint): bigint {
  const slice = slicesOf(tiers, feeRate).findLast(({ from }) => notional >= from)
  return slice === undefined ? 0n : divCeil(notional * slice.rate, oneE8) - slice.deduction
}

/** Linear `(M + cum − s·q·E) / (q·(mmr + f − s))`, inverse `(N·(s + mmr + f) − cum) / (M + s·N/E)` */
export function isolatedLiquidation(
  contract: Contract,
  position: OpenPosition,
  margin: bigint,
  tiers: readonly Tier[],
): bigint | undefined {
  const { quantity, entryPrice, side } = position
  const s = side === 'long' ? oneE8 : -oneE8
  return rootInItsTier(contract, position, tiers, ({ rate, deduction }) =>
    contract.kind === 'inverse'
      ? [quantity * (s + rate) - deduction * oneE8, margin * oneE8 + divFloor(s * quantity * oneE8, entryPrice)]
      : [(margin + deduction) * oneE8 - (s / oneE8) * quantity * entryPrice, quantity * (rate - s)],
  )
}

/** The margin with which an isolated position is liquidated at a price: `MM(V) − s·q·(P − E)`, rounded up. */
export function marginForLiquidation(
  contract: Pick<Contract, 'kind' | 'takerFeeRate'>,
  { quantity, entryPrice, side }: OpenPosition,
  price: bigint,
  tiers: readonly Tier[],
): bigint {
  const s = side === 'long' ? 1n : -1n
  if (contract.kind !== 'inverse') {
    const needed = maintenanceMargin(divCeil(quantity * price, oneE8), tiers, contract.takerFeeRate)
    return needed - divFloor(s * quantity * (price - entryPrice), oneE8)
  }
  const needed = divCeil(maintenanceMargin(quantity, tiers, contract.takerFeeRate) * oneE8, price)
  return needed - divFloor(s * quantity * (price - entryPrice) * oneE8, price * entryPrice)
}

/**
 * Equity is a line in the price with a bend where the settlement coin turns into a debt, and what is needed is a line:
 * where they meet. The settlement coin is worth `a + b·P`: it counts at its ratio, and as a debt in full and with its
 * maintenance. USD contracts are multiplied by P: then their needs stand still.
 */
export function crossLiquidation(
  contract: Contract,
  position: OpenPosition & { readonly opposite?: bigint },
  pool: CrossPool,
  tiers: readonly Tier[],
): bigint | undefined {
  const { markPrice, settleValue, settleRatio, baseCollateral, otherCollateral, maintenanceOfOthers } = pool
  const { opposite = 0n } = position
  const net = (position.side === 'long' ? 1n : -1n) * (position.quantity - opposite)
  const larger = maxOf(position.quantity, opposite)
  const inverse = contract.kind === 'inverse'
  const b = inverse ? divFloor((settleValue + net) * oneE8, markPrice) : net
  const a = inverse ? -net : settleValue - divFloor(b * markPrice, oneE8)
  const side = net > 0n ? 'long' : 'short'
  const rootWith = (weight: bigint) =>
    rootInItsTier(contract, { side, quantity: larger }, tiers, ({ rate, deduction }) => {
      const fixed = otherCollateral + divFloor(weight * a, oneE8)
      const slope = (inverse ? 0n : baseCollateral) + divFloor(weight * b, oneE8)
      const need = maintenanceOfOthers - deduction + (inverse ? divFloor(larger * rate, oneE8) : 0n)
      const steepness = slope * oneE8 - (inverse ? 0n : larger * rate)
      // A long is lost by a falling price, a short by a rising one; the other way there is no such price.
      return steepness > 0n === (side === 'long') && steepness !== 0n ? [(need - fixed) * oneE8, steepness] : undefined
    })
  const isDebt = (price: bigint) => a * oneE8 + b * price < 0n
  const asAsset = rootWith(settleRatio)
  if (asAsset !== undefined && !isDebt(asAsset)) return asAsset
  const asDebt = rootWith(oneE8 + debtMaintenanceRate)
  return asDebt !== undefined && isDebt(asDebt) ? asDebt : undefined
}

/** `rootIn` answers numerator and denominator, both in squared units. */
function rootInItsTier(
  { kind, takerFeeRate, priceStep }: Contract,
  { quantity, side }: Pick<OpenPosition, 'quantity' | 'side'>,
  tiers: readonly Tier[],
  rootIn: (slice: Slice) => readonly [numerator: bigint, denominator: bigint] | undefined,
): bigint | undefined {
  if (quantity <= 0n) return undefined
  for (const slice of slicesOf(tiers, takerFeeRate)) {
    const [numerator, denominator] = rootIn(slice) ?? [0n, 0n]
    if (denominator === 0n) continue
    const long = side === 'long'
    const price = long ? divCeil(numerator * oneE8, denominator) : divFloor(numerator * oneE8, denominator)
    const notional = kind === 'inverse' ? quantity : divFloor(quantity * price, oneE8)
    if (price <= 0n || notional < slice.from || (slice.to !== undefined && notional >= slice.to)) continue
    return long ? -floorTo(-price, priceStep) : floorTo(price, priceStep)
  }
  return undefined
}
