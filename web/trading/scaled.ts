/**
 * Scaled orders: so many limit orders between two prices, with what is ordered shared out among them.
 *
 * Prices  at equal distances, the first and the last as given, rounded to the nearest step of the price
 * Shares  equal, or rising towards the last price like 1, 2, 3 …; whole steps of the quantity. What is left over goes to the last
 */
import { divFloor, floorTo } from '../numbers/decimal.ts'

export interface ScaledInput {
  readonly from: bigint
  readonly to: bigint
  readonly count: number
  readonly quantity: bigint
  readonly shares: 'equal' | 'rising'
  readonly priceStep: bigint
  readonly quantityStep: bigint
}

interface ScaledOrder {
  readonly price: bigint
  readonly quantity: bigint
}

/** At least two. */
export function scaledOrders(input: ScaledInput): ScaledOrder[] {
  const { from, to, count, quantity, shares, priceStep, quantityStep } = input
  const weights = Array.from({ length: count }, (_, index) => (shares === 'equal' ? 1n : BigInt(index + 1)))
  const whole = weights.reduce((sum, weight) => sum + weight, 0n)
  let left = quantity
  return weights.map((weight, index) => {
    const exact = from + divFloor((to - from) * BigInt(index), BigInt(count - 1))
    const part = index === count - 1 ? left : floorTo(divFloor(quantity * weight, whole), quantityStep)
    left -= part
    return { price: floorTo(exact + priceStep / 2n, priceStep), quantity: part }
  })
}
