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
