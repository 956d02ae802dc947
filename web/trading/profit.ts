/** The profit of an open position at a mark price: exact, rounded down. */
import { divFloor, oneE8, units, unitsText } from '../numbers/decimal.ts'
import type { Position } from '../venue/account-records.ts'

/** Linear `s·q·(P − E)`, inverse `s·N·(1/E − 1/P)`. */
export function profitAt(
  position: Pick<Position, 'category' | 'side' | 'quantity' | 'entryPrice'>,
  mark: string,
): string {
  const quantity = units(position.quantity)
  const entry = units(position.entryPrice)
  const price = units(mark)
  if (price === 0n || entry === 0n) return '0'
  const s = position.side === 'long' ? 1n : -1n
  const profit =
    position.category === 'COIN-FUTURES'
      ? divFloor(s * quantity * (price - entry) * oneE8, price * entry)
      : divFloor(s * quantity * (price - entry), oneE8)
  return unitsText(profit)
}

/** The price at which a position has won so much: linear `E + s·W/q`, inverse `N·E / (N − s·W·E)`; undefined: at none. */
export function priceForProfit(
  position: Pick<Position, 'category' | 'side' | 'quantity' | 'entryPrice'>,
  profit: bigint,
): bigint | undefined {
  const quantity = units(position.quantity)
  const entry = units(position.entryPrice)
  if (quantity <= 0n || entry <= 0n) return undefined
  const won = position.side === 'long' ? profit : -profit
  const rest = quantity - divFloor(won * entry, oneE8)
  const price =
    position.category !== 'COIN-FUTURES'
      ? entry + divFloor(won * oneE8, quantity)
      : rest > 0n
        ? divFloor(quantity * entry, rest)
        : 0n
  return price > 0n ? price : undefined
}
