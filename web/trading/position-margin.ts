/**
 * What of its margin an isolated position may give back.
 *
 * Rule    its margin less its losses stays at the initial margin at the mark: `M + min(0, U) − IM`, never below zero
 * Source  risk.md, Isolated
 */
import { divCeil, maxOf, minOf, oneE8, units } from '../numbers/decimal.ts'
import type { Position } from '../venue/account-records.ts'
import { profitAt } from './profit.ts'

type Margined = Pick<Position, 'category' | 'side' | 'quantity' | 'entryPrice' | 'leverage' | 'margin'>

export function spareMargin(position: Margined, mark: string): bigint {
  const price = units(mark)
  const leverage = units(position.leverage)
  if (price <= 0n || leverage <= 0n) return 0n
  const loss = minOf(0n, units(profitAt(position, mark)))
  return maxOf(0n, units(position.margin) + loss - initialMargin(position, price, leverage))
}

/** Linear `⌈q·P/L⌉`, inverse `⌈N/(P·L)⌉` */
function initialMargin({ category, quantity }: Margined, price: bigint, leverage: bigint): bigint {
  return category === 'COIN-FUTURES'
    ? divCeil(units(quantity) * oneE8 * oneE8, price * leverage)
    : divCeil(units(quantity) * price, leverage)
}
